import { createHash } from 'node:crypto';
import { GitError } from '../../base/gitError.ts';
import { isObjectName } from '../../base/objectName.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import type { GitPlace } from '../../platform/git.ts';
import { prepareGit, type ReadingGit, readReferences, runGit } from '../../platform/gitCommand.ts';
import { runAtRemote } from '../../platform/remotes.ts';
import type { StepNode } from '../model/stepNode.ts';

/** Errand's own references, beside the user's branches. A user who removes one loses nothing: it is fetched again. */
const TASKS = 'refs/errand/tasks/';
const BASES = 'refs/errand/bases/';
const STEPS = 'refs/errand/steps/';

/** The end and the beginning of a branch. */
export interface BranchRange {
	/** The commit of the branch. */
	tip: string;
	/** The merge base of the branch and the start of the task. */
	base: string;
	/** The branch from which the task started, if it has moved on since. */
	moved: { branch: string; commits: number } | undefined;
}

/** The known facts about the start of a task. */
export interface TaskStart {
	/** The branch. */
	branch: string | undefined;
	/** The commit, if it is known on this machine. */
	commit: string | undefined;
}

/** Matches text that git does not allow in the name of a branch. In a revision, each part has another meaning. */
const NO_NAME = /[\s\p{Cc}~^:?*[\\]|\.\.|@\{/u;

/**
 * Returns names for both ends of a branch of the repository itself, which git can resolve without an earlier look-up.
 */
export function branchEnds(
	remote: string | undefined,
	{ branch }: TaskResult,
	start: TaskStart,
): { start: string; tip: string } | undefined {
	const isName = (name: string | undefined): name is string => name !== undefined && !NO_NAME.test(name);
	if (remote !== undefined || !isName(branch)) {
		return undefined;
	}
	const commit = isObjectName(start.commit) ? start.commit : undefined;
	const from = commit ?? (isName(start.branch) ? `refs/heads/${start.branch}` : undefined);
	return from === undefined ? undefined : { start: from, tip: `refs/heads/${branch}` };
}

/** Returns the reference that holds a result. An id that is not a plain name is replaced by its hash. */
export function referenceOf(key: string): string {
	return TASKS + plainName(key);
}

/** Returns the reference that holds the state of a task's files after one of its steps. */
export function stepReferenceOf({ taskId, index }: StepNode): string {
	return `${STEPS}${plainName(taskId)}/${index}`;
}

function plainName(key: string): string {
	const plain = key.replace(':', '.');
	return /^[A-Za-z0-9][\w-]{0,98}(?:\.\d+)?$/.test(plain)
		? plain
		: createHash('sha256').update(key).digest('hex').slice(0, 40);
}

/** The commits between which the changes of a result lie, before their merge base is known. */
export interface BranchEnds {
	/** The commit of the branch. */
	tip: string;
	/** The possible starts of the task, the most certain commit first. They may be unknown here. */
	starts: string[];
	/** The present commit of the branch from which the task started, if it still exists. */
	now: { branch: string; commit: string } | undefined;
}

/**
 * Fetches the branch of a result into a reference of Errand's own. The user's branches, those of remotes and FETCH_HEAD
 * stay as they are. Rejects when git fails, and with a BranchProblem if the branch no longer exists.
 */
export async function fetchBranch(
	place: GitPlace,
	remote: string | undefined,
	{ key, branch }: TaskResult,
	start: TaskStart,
): Promise<BranchEnds> {
	const { gitPath, directory } = place;
	let tip: string | undefined;
	let now: string | undefined;
	if (remote === undefined) {
		const names = [branch, ...(start.branch === undefined ? [] : [start.branch])].map(name => `refs/heads/${name}`);
		const found = await readReferences(gitPath, directory, names);
		[tip, now] = names.map(name => found.get(name));
	} else {
		const references = [TASKS + plainName(key), BASES + plainName(key)] as const;
		if (!(await bring(place, remote, branch, references[0]))) {
			throw new BranchProblem(branch, 'missing');
		}
		const isThere = start.branch !== undefined && (await bring(place, remote, start.branch, references[1]));
		const found = await readReferences(gitPath, directory, references);
		tip = found.get(references[0]);
		now = isThere ? found.get(references[1]) : undefined;
	}
	if (tip === undefined) {
		throw new BranchProblem(branch, 'missing');
	}
	const known = isObjectName(start.commit) ? [start.commit] : [];
	// Without the branch that it started from, the HEAD of the repository or of its remote is the best guess.
	const other = now ?? (await commitOf(place, remote === undefined ? 'HEAD' : `refs/remotes/${remote}/HEAD`));
	return {
		tip,
		starts: other === undefined ? known : [...known, other],
		now: now === undefined || start.branch === undefined ? undefined : { branch: start.branch, commit: now },
	};
}

/**
 * Finds the start of a branch, and keeps its commits with a reference of Errand's own. Rejects when git fails, and with
 * a BranchProblem.
 */
export async function rangeOf(
	{ gitPath, directory }: GitPlace,
	{ key, branch }: TaskResult,
	{ tip, starts, now }: BranchEnds,
): Promise<BranchRange> {
	const git = await prepareGit(gitPath, directory);
	const [base] = await Promise.all([
		firstMergeBase(git, tip, starts),
		git(['update-ref', '--', TASKS + plainName(key), tip]),
	]);
	if (base === undefined) {
		throw new BranchProblem(branch, 'unrelated');
	}
	const commits = now === undefined ? 0 : await countBetween(git, base, now.commit);
	return { tip, base, moved: now !== undefined && commits > 0 ? { branch: now.branch, commits } : undefined };
}

/**
 * Fetches the branch of a result into its reference as `fetchBranch` and `rangeOf` do, and returns its commit. Rejects
 * when git fails, and with a BranchProblem.
 */
export async function fetchTip(
	place: GitPlace,
	remote: string | undefined,
	{ key, branch }: Pick<TaskResult, 'key' | 'branch'>,
): Promise<string> {
	const { gitPath, directory } = place;
	const kept = referenceOf(key);
	const isThere = remote === undefined || (await bring(place, remote, branch, kept));
	const reference = remote === undefined ? `refs/heads/${branch}` : kept;
	const tip = isThere ? (await readReferences(gitPath, directory, [reference])).get(reference) : undefined;
	if (tip === undefined) {
		throw new BranchProblem(branch, 'missing');
	}
	await (remote === undefined && runGit(gitPath, directory, ['update-ref', '--', kept, tip]));
	return tip;
}

/** A branch does not exist, or shares no commit with the start of its task, so that its own start is unknown. */
export class BranchProblem extends Error {
	override readonly name = 'BranchProblem';
	readonly branch: string;
	readonly reason: 'missing' | 'unrelated';

	constructor(branch: string, reason: BranchProblem['reason']) {
		super(`the branch is ${reason}`);
		this.branch = branch;
		this.reason = reason;
	}
}

/** Removes the references of a result, whether or not they are there. Rejects when git fails. */
export async function forgetResult({ gitPath, directory }: GitPlace, key: string): Promise<void> {
	const name = plainName(key);
	const steps = await runGit(gitPath, directory, ['for-each-ref', '--format=%(refname)', '--', `${STEPS}${name}/`]);
	for (const reference of [TASKS + name, BASES + name, ...steps.split('\n').filter(Boolean)]) {
		await runGit(gitPath, directory, ['update-ref', '-d', '--', reference]);
	}
}

/** Returns false if there is no such branch. */
async function bring(place: GitPlace, remote: string, branch: string, reference: string): Promise<boolean> {
	// The user's own rules for fetching are not applied: they would move the branches of remotes, or prune.
	const options = ['--quiet', '--no-tags', '--no-prune', '--no-write-fetch-head', '--refmap=', '--no-filter'];
	const fetch = (...started: string[]) => [
		'fetch',
		...options,
		...started,
		'--',
		remote,
		`+refs/heads/${branch}:${reference}`,
	];
	try {
		await runAtRemote(place, remote, 'upload-pack', fetch);
		return true;
	} catch (error) {
		if (error instanceof GitError && /couldn't find remote ref/.test(error.stderr)) {
			return false;
		}
		throw error;
	}
}

/** Returns the commit that a revision names, or undefined if there is none. */
export async function commitOf({ gitPath, directory }: GitPlace, name: string): Promise<string | undefined> {
	const ask = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
	return (await runGit(gitPath, directory, ask).catch(() => undefined))?.trim();
}

async function firstMergeBase(git: ReadingGit, tip: string, starts: readonly string[]): Promise<string | undefined> {
	for (const start of starts) {
		const base = await git(['merge-base', tip, start]).catch(() => undefined);
		if (base !== undefined) {
			return base.trim();
		}
	}
	return undefined;
}

async function countBetween(git: ReadingGit, from: string, to: string): Promise<number> {
	return Number(await git(['rev-list', '--count', `${from}..${to}`, '--']));
}
