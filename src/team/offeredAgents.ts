import type { Workers } from './database/workers.ts';

/** An agent as a worker tells of it. The first of its models is the default. */
export interface OfferedAgent {
	id: string;
	label: string;
	models: readonly [string, ...string[]];
}

/** Returns the agents of all workers that are there, each with every model that one of them has for it. */
export async function offeredAgents(workers: Workers<readonly OfferedAgent[]>): Promise<OfferedAgent[]> {
	const agents = new Map<string, OfferedAgent>();
	for (const agent of (await workers.present()).flatMap(worker => worker.agents)) {
		const [first, ...others] = agents.get(agent.id)?.models ?? agent.models;
		const models = new Set([...others, ...agent.models]);
		models.delete(first);
		agents.set(agent.id, { ...agent, models: [first, ...models] });
	}
	return [...agents.values()];
}
