import type { Pool } from 'pg';

/** An agent as a worker tells of it. The first of its models is the default. */
export interface OfferedAgent {
	id: string;
	label: string;
	models: readonly [string, ...string[]];
}

/** The workers that are there. */
export class Workers {
	private readonly pool: Pool;

	constructor(pool: Pool) {
		this.pool = pool;
	}

	/** Says that a worker is there, and what it offers. */
	async tell(worker: { id: string; slots: number; agents: readonly OfferedAgent[] }): Promise<void> {
		const { id, slots, agents } = worker;
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

	/**
	 * Returns the agents of all workers that were there within the last minute, each with every model that one of them
	 * has for it.
	 */
	async agents(): Promise<OfferedAgent[]> {
		const { rows } = await this.pool.query<{ agents: readonly OfferedAgent[] }>(
			"SELECT agents FROM workers WHERE seen_at > now() - interval '1 minute' ORDER BY id",
		);
		const found = new Map<string, OfferedAgent>();
		for (const agent of rows.flatMap(worker => worker.agents)) {
			const [first, ...others] = found.get(agent.id)?.models ?? agent.models;
			const models = new Set([...others, ...agent.models]);
			models.delete(first);
			found.set(agent.id, { ...agent, models: [first, ...models] });
		}
		return [...found.values()];
	}
}
