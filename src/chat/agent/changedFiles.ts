import { defined } from '../../base/defined.ts';
import type { CommitRanges } from '../../tasks/api.ts';
import type { AgentWork, WorkFile } from '../model/agentWork.ts';
import { agentPath, type Checkpoint } from '../model/checkpoint.ts';

/** The number of changed files that are stored with the turn, each with its state. All of them are counted. */
const MAXIMUM_FILES = 10_000;

/**
 * Lists the differences from the state before a turn, in the user's files and, once it is stored, in the agent's copy,
 * sorted by path. Paths are relative to the agent's folder. Rejects with a UserFacingError.
 */
export async function changedFiles(
	checkpoints: readonly Checkpoint[],
	listChanges: CommitRanges['list'],
): Promise<Pick<AgentWork, 'files' | 'fileCount'>> {
	const lists = checkpoints.map(async kept =>
		(await changedIn(kept, listChanges)).map(file => ({ ...file, path: agentPath(kept, file.path) })),
	);
	const files = (await Promise.all(lists)).flat().toSorted((one, other) => (one.path < other.path ? -1 : 1));
	return { files: files.slice(0, MAXIMUM_FILES), fileCount: files.length };
}

/**
 * Returns the work with other checkpoints, and with the changes between their states listed anew. What the user has undone
 * stays so, unless the user's files have it again. Rejects with a UserFacingError.
 */
export async function withChanges(
	work: AgentWork,
	checkpoints: readonly Checkpoint[],
	listChanges: CommitRanges['list'],
): Promise<AgentWork> {
	const undone = new Set((work.files ?? []).flatMap(({ path, isUndone }) => (isUndone ? [path] : [])));
	const { files = [], ...counted } = await changedFiles(checkpoints, listChanges);
	const marked = files.map(file =>
		undone.has(file.path) && !file.isTaken ? { ...file, isUndone: true as const } : file,
	);
	return { ...work, checkpoints, ...counted, files: marked };
}

async function changedIn(
	{ repository, before, taken = before, after }: Checkpoint,
	listChanges: CommitRanges['list'],
): Promise<WorkFile[]> {
	const list = (from: string, to = from) => (from === to ? [] : listChanges({ repository, from, to }));
	const [agents, users, left] = await Promise.all([list(before, after), list(before, taken), list(taken, after)]);
	const [inCopy, inUsers, stillLeft] = [agents, users, left].map(files => new Set(files.map(({ path }) => path)));
	// The agent may have reverted, by a command, changes that the user already has.
	return [...agents, ...users.filter(({ path }) => !inCopy?.has(path))].map((file): WorkFile => {
		const isTaken = inUsers?.has(file.path) === true;
		const isLeft = isTaken && stillLeft?.has(file.path) === true;
		return { ...file, ...defined({ isTaken: isTaken || undefined, isLeft: isLeft || undefined }) };
	});
}
