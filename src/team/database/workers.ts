import type { Pool, QueryResultRow } from 'pg';

export interface WorkerRecord<Agents> {
	id: string;
	slots: number;
	/** What front ends must know of the worker's agents, in JSON. */
	agents: Agents;
}

/** The workers that are there. `Agents` is what they tell of their agents. */
export class Workers<Agents> {
	private readonly pool: Pool;

	constructor(pool: Pool) {
		this.pool = pool;
	}

	/** Says that a worker is there, and what it offers. */
	async tell({ id, slots, agents }: WorkerRecord<Agents>): Promise<void> {
		await this.pool.query(
			// A worker that was killed has not taken leave.
			`WITH gone AS (DELETE FROM workers WHERE id <> $1 AND seen_at < now() - interval '1 day')
			INSERT INTO workers (id, slots, agents, seen_at) VALUES ($1, $2, $3, now())
			ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, agents = excluded.agents, seen_at = excluded.seen_at`,
			[id, slots, JSON.stringify(agents)],
		);
	}

	async remove(id: string): Promise<void> {
		await this.pool.query('DELETE FROM workers WHERE id = $1', [id]);
	}

	/** Returns the workers that were there within the last minute. */
	async present(): Promise<WorkerRecord<Agents>[]> {
		const { rows } = await this.pool.query<WorkerRecord<Agents> & QueryResultRow>(
			"SELECT id, slots, agents FROM workers WHERE seen_at > now() - interval '1 minute' ORDER BY id",
		);
		return rows;
	}
}
