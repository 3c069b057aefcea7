import type { Checkpoint, WorkFile } from '../model/agentWork.ts';
import type { AgentRunsOptions } from './agentRunsOptions.ts';

/**
 * Lists what differs from the state before a turn, in the user's files and in the agent's copy once that is kept, sorted by
 * path. Rejects with a UserFacingError.
 */
export async function changedFiles(
	{ repository, before, taken, after }: Checkpoint & { taken: string },
	listChanges: AgentRunsOptions['listChanges'],
): Promise<WorkFile[]> {
	const list = (from: string, to = from) => (from === to ? [] : listChanges({ repository, from, to }));
	const [agents, users, left] = await Promise.all([list(before, after), list(before, taken), list(taken, after)]);
	const [inCopy, inUsers, stillLeft] = [agents, users, left].map(files => new Set(files.map(({ path }) => path)));
	// The agent may have taken back by a command what the user has already.
	return [...agents, ...users.filter(({ path }) => !inCopy?.has(path))]
		.map((file): WorkFile => {
			const isTaken = inUsers?.has(file.path) === true;
			const isLeft = isTaken && stillLeft?.has(file.path) === true;
			return { ...file, ...(isTaken ? { isTaken } : {}), ...(isLeft ? { isLeft } : {}) };
		})
		.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
