import type { Pool } from 'pg';

export interface WorkerRecord<Agents> {
	id: string;
	slots: number;
	/** Whatever front ends must know of the worker's agents, in JSON. */
	agents: Agents;
}

/** The workers that are there. `Agents` is what they tell of their agents. */
export declare class Workers<Agents> {
	constructor(pool: Pool);
	/** Says that a worker is there, and what it offers. */
	tell(worker: WorkerRecord<Agents>): Promise<void>;
	remove(id: string): Promise<void>;
	/** The workers that were seen in the last minute. */
	present(): Promise<WorkerRecord<Agents>[]>;
}
