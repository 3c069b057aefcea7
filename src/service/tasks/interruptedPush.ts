import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import { reopenCheckout } from './earlierWork.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { queryRepository, readReferences } from './sourceRepository.ts';
import { newBranchOf } from './taskNames.ts';

/** The repository may be on a slow drive, and the service must start in any case. */
const TIMEOUT_MS = 5_000;

export interface PushEnd {
	sentence: string;
	/** The changes to the stored execution. Absent unless the branch certainly exists with the work. */
	result?: Pick<ExecutionRecord, 'branchName'> & Partial<ExecutionRecord>;
}

/**
 * Looks in the source repository for the outcome of a push that was interrupted by the end of the service. `folder` is
 * the remaining folder of the execution, `parent` a folder for temporary files. Never rejects.
 */
export async function readPushEnd(
	task: TaskRecord,
	execution: ExecutionRecord,
	folder: string,
	parent: string,
): Promise<PushEnd> {
	const made = newBranchOf(task, execution);
	const commits = await readBranches(task, parent);
	const commit = commits?.get(`refs/heads/${made}`);
	return commit === undefined
		? { sentence: await sentenceWithout(made, commits, task, execution, folder) }
		: {
				sentence: `Its work is whole, on the branch ${made}.`,
				result: { branchName: made, ...(await factsOf(commit, folder, task, execution)) },
			};
}

/** Returns the sentence for a branch `made` that does not exist, or for when the branches cannot be read. */
async function sentenceWithout(
	made: string,
	commits: ReadonlyMap<string, string> | undefined,
	task: TaskRecord,
	execution: ExecutionRecord,
	folder: string,
): Promise<string> {
	const { branchName } = execution;
	if (commits === undefined) {
		// git creates and moves a branch completely or not at all.
		return branchName === null
			? `It was about to make the branch ${made}; if that is there, it is whole.`
			: `It was about to move the branch ${branchName} on; that is whole, as it was or as it was to be. If it was checked out, the work may be on the branch ${made}.`;
	}
	if (branchName === null) {
		return `It was about to make the branch ${made}, which is not there: the work did not get into the repository.`;
	}
	const tip = commits.get(`refs/heads/${branchName}`);
	if (tip === undefined) {
		return `It was about to move the branch ${branchName} on, which is not there any more.`;
	}
	const start = await reopenCheckout(folder, { task, execution }, AbortSignal.timeout(TIMEOUT_MS))
		.then(checkout => checkout.start())
		.catch(() => undefined);
	if (start === undefined) {
		return `It was about to move the branch ${branchName} on; that is whole, as it was or as it was to be.`;
	}
	return tip === start
		? `It was about to move the branch ${branchName} on, which is where it was: the work did not get into the repository.`
		: `Its work is on the branch ${branchName}, which has moved on, unless somebody else has moved that.`;
}

/** Returns the commits of all branches by their references, or undefined if the repository cannot be read. */
async function readBranches({ repoUrl }: TaskRecord, parent: string): Promise<Map<string, string> | undefined> {
	try {
		return (await queryRepository(folderOfRepoUrl(repoUrl), parent, readReferences, TIMEOUT_MS)).commits;
	} catch {
		return undefined;
	}
}

/** Returns the statistics of the work and its base commit, or nothing if its checkout is gone. */
async function factsOf(
	commit: string,
	folder: string,
	task: TaskRecord,
	execution: ExecutionRecord,
): Promise<Partial<ExecutionRecord>> {
	try {
		const checkout = await reopenCheckout(folder, { task, execution }, AbortSignal.timeout(TIMEOUT_MS));
		const baseCommit = execution.baseCommit ?? (await checkout.start());
		const gitDiff = task.multiLaunch ? await checkout.diff(baseCommit, commit) : null;
		return { baseCommit, gitDiff, ...(await checkout.statistics(baseCommit, commit)) };
	} catch {
		return {};
	}
}
