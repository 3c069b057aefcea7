import type { NewFiles } from '../../agents/steps/newFiles.ts';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import type { Checkout, CommitResult, DiffStatistics } from './checkout.ts';
import type { CompositionCommit } from './composition.ts';
import { findFilteredFiles } from './filteredFiles.ts';
import { BranchInUseError } from './sourceRepository.ts';
import { MAXIMUM_LIST_BYTES } from './specialFiles.ts';
import type { TaskLog } from './taskLog.ts';
import { commitSubject, listed, newBranchOf } from './taskNames.ts';

export interface SaveOptions {
	checkout: Checkout;
	task: TaskRecord;
	execution: ExecutionRecord;
	log: TaskLog;
	signal: AbortSignal;
	/** The number of this attempt at the turn; 1 by default. */
	attempt?: number | undefined;
	/** The commit, if it was composed and is not to be made of the tree. */
	composed?: CompositionCommit | undefined;
}

export interface SavedWork extends DiffStatistics {
	branchName: string;
	commit: string;
	baseCommit: string;
	/** The changes as a unified diff, for a task with several agents. */
	gitDiff: string | null;
}

/**
 * Commits an agent's changes and pushes the commit to the source repository, on the task's branch. Logs each step.
 * Returns undefined if nothing was changed. Throws a UserFacingError.
 */
export async function saveWork(options: SaveOptions): Promise<SavedWork | undefined> {
	const { task, log } = options;
	const { commit, lacksIdentity } = options.composed ?? (await commitTree(options));
	if (commit === undefined) {
		return undefined;
	}
	const { checkout, signal } = options;
	const start = await checkout.start();
	const baseCommit = await baseOf(options, start);
	const statistics = await checkout.statistics(baseCommit, commit);
	const gitDiff = task.multiLaunch ? await checkout.diff(baseCommit, commit) : null;
	log.step('git_committed', `Committed ${commit.slice(0, 10)}: ${summed(statistics)}.`, 'success');
	if (lacksIdentity) {
		const message = 'Errand is the author of the commit, as git has no usable user.name and user.email here.';
		log.step('git_committed', message, 'warning');
	}
	const filtered = new Set(await findFilteredFiles(checkout, signal));
	const written = (await checkout.changedFiles(start, commit)).filter(name => filtered.has(name));
	if (written.length > 0) {
		const message = `The commit has files as the agent wrote them that a filter such as Git LFS should keep: ${listed(written)}. Check the branch out, run "git add --renormalize" on them and commit once more.`;
		log.step('git_committed', message, 'warning');
	}
	const branchName = await push(options, start, commit);
	return { ...statistics, gitDiff, branchName, commit, baseCommit };
}

/** Commits the tree, and tells what cannot be part of a commit. */
async function commitTree({ checkout, task, log }: SaveOptions): Promise<CommitResult> {
	const result = await checkout.commit(commitSubject(task.currentPrompt ?? task.prompt));
	const { leftOut, specialFiles, oversizedLists, unreadable, submodules, newFiles } = result;
	const limit = `${MAXIMUM_LIST_BYTES / 1e6} MB`;
	const notCommitted: [what: string, names: readonly string[]][] = [
		['repositories of their own inside the tree', leftOut],
		['what was changed in submodules', submodules],
		['what is no file, folder or link (pipes, sockets, devices)', specialFiles],
		[`what git would read as a list and is larger than ${limit}`, oversizedLists],
		['folders that cannot be read (closed, or nested too deeply)', unreadable],
	];
	for (const [what, names] of notCommitted.filter(([, found]) => found.length > 0)) {
		log.step('git_committed', `Left out ${what}: ${listed(names)}.`, 'warning');
	}
	if (newFiles !== undefined) {
		log.step('git_committed', newFilesText(newFiles), 'warning');
	}
	return result;
}

/** Returns the branch with the work: a new one if the task's branch was checked out while the agent worked. */
async function push(
	{ checkout, task, execution, attempt, log }: SaveOptions,
	start: string,
	commit: string,
): Promise<string> {
	if (execution.branchName !== null) {
		try {
			await checkout.push(commit, execution.branchName, start);
			return execution.branchName;
		} catch (error) {
			if (!(error instanceof BranchInUseError)) {
				throw error;
			}
			const message = `The branch ${execution.branchName} has been checked out meanwhile, so it is left as it is. The work goes to a new branch.`;
			log.step('git_committed', message, 'warning');
		}
	}
	const branchName = newBranchOf(task, execution, attempt);
	await checkout.push(commit, branchName);
	return branchName;
}

/** Returns the commit where the branch began, because the statistics cover the whole branch. */
async function baseOf({ checkout, execution, log }: SaveOptions, start: string): Promise<string> {
	const { baseCommit, branchName } = execution;
	if (branchName === null) {
		return start;
	}
	if (baseCommit !== null && (await checkout.has(baseCommit))) {
		return baseCommit;
	}
	const message = 'Where the branch began is not part of it any more: the statistics count from this follow-up on.';
	log.step('git_committed', message, 'warning');
	return start;
}

function summed({ linesAdded, linesRemoved, filesChanged }: DiffStatistics): string {
	return `+${linesAdded} −${linesRemoved} in ${filesChanged} ${filesChanged === 1 ? 'file' : 'files'}`;
}

/** Returns a sentence that says how many new files there are, and suggests what git should ignore. */
export function newFilesText({ count, folder, inFolder }: NewFiles): string {
	const [most, what] =
		folder === '' ? ['', 'what need not be kept'] : [`, ${inFolder} of them in ${listed([folder])}`, 'that folder'];
	return `The agent made ${count} new files${most}. If they do not belong to the branch, ask it to name ${what} in .gitignore.`;
}
