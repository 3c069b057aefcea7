import path from 'node:path';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import { Checkout } from './checkout.ts';
import { queryRepository } from './queryRepository.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { readReferences, writeGitConfiguration } from './sourceRepository.ts';
import { newBranchOf } from './taskNames.ts';

/** The repository may be on a drive that answers slowly, and the service has to start all the same. */
const TIMEOUT_MS = 5_000;

/** What became of a push. */
export interface PushEnd {
	/** Says it to the user. */
	sentence: string;
	/** What the record is to have of the branch. It is absent unless the branch is certainly there with the work. */
	result?: Pick<ExecutionRecord, 'branchName'> & Partial<ExecutionRecord>;
}

/**
 * Looks in the source repository for what became of a push whose end no service has seen. `folder` is what is left of the
 * execution, `parent` a folder for temporary files. Never rejects.
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

/** Returns what is said where the branch that would be `made` is not there, or nothing is known of the branches. */
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
	const start = await reopen(folder, task, execution)
		.then(checkout => checkout.start())
		.catch(() => undefined);
	if (start === undefined) {
		return `It was about to move the branch ${branchName} on; that is whole, as it was or as it was to be.`;
	}
	return tip === start
		? `It was about to move the branch ${branchName} on, which is where it was: the work did not get into the repository.`
		: `Its work is on the branch ${branchName}, which has moved on, unless somebody else has moved that.`;
}

/** Returns the commits of all branches by their references, or undefined where the repository cannot be read. */
async function readBranches({ repoUrl }: TaskRecord, parent: string): Promise<Map<string, string> | undefined> {
	try {
		return (await queryRepository(folderOfRepoUrl(repoUrl), parent, readReferences, TIMEOUT_MS)).commits;
	} catch {
		return undefined;
	}
}

/** Returns the statistics of the work and where it began, or nothing where its checkout is gone. */
async function factsOf(
	commit: string,
	folder: string,
	task: TaskRecord,
	execution: ExecutionRecord,
): Promise<Partial<ExecutionRecord>> {
	try {
		const checkout = await reopen(folder, task, execution);
		const baseCommit = execution.baseCommit ?? (await checkout.start());
		const gitDiff = task.multiLaunch ? await checkout.diff(baseCommit, commit) : null;
		return { baseCommit, gitDiff, ...(await checkout.statistics(baseCommit, commit)) };
	} catch {
		return {};
	}
}

/** Opens what is left of an execution's checkout. Rejects where that is gone. */
async function reopen(folder: string, task: TaskRecord, execution: ExecutionRecord): Promise<Checkout> {
	const { agent, branchName } = execution;
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	const configuration = path.join(folder, 'gitconfig');
	const options = { folder, sourceFolder: folderOfRepoUrl(task.repoUrl), configuration, agent, signal };
	await writeGitConfiguration(configuration, signal);
	return Checkout.reopen(options, branchName ?? task.selectedBranch);
}
