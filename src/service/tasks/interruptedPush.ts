import path from 'node:path';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import { Checkout } from './checkout.ts';
import { queryRepository } from './queryRepository.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { readReferences, writeGitConfiguration } from './sourceRepository.ts';
import { newBranchOf } from './taskNames.ts';

/** The repository may be on a drive that answers slowly, and the service has to start all the same. */
const TIMEOUT_MS = 5_000;

/**
 * Looks in the source repository for what became of a push whose end no service has seen, and says it. `folder` is what
 * is left of the execution, `parent` a folder for temporary files. Never rejects.
 */
export async function tellOfPush(
	task: TaskRecord,
	execution: ExecutionRecord,
	folder: string,
	parent: string,
): Promise<string> {
	const made = newBranchOf(task, execution);
	const { branchName } = execution;
	const commits = await readBranches(task, parent);
	if (commits === undefined) {
		// git creates and moves a branch completely or not at all.
		return branchName === null
			? `It was about to make the branch ${made}; if that is there, it is whole.`
			: `It was about to move the branch ${branchName} on; that is whole, as it was or as it was to be. If it was checked out, the work may be on the branch ${made}.`;
	}
	if (commits.has(`refs/heads/${made}`)) {
		return `Its work is whole, on the branch ${made}.`;
	}
	if (branchName === null) {
		return `It was about to make the branch ${made}, which is not there: the work did not get into the repository.`;
	}
	const tip = commits.get(`refs/heads/${branchName}`);
	if (tip === undefined) {
		return `It was about to move the branch ${branchName} on, which is not there any more.`;
	}
	const start = await readStart(folder, task, execution);
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

/** Returns the commit that an execution started from, as its checkout has it, or undefined where that is gone. */
async function readStart(folder: string, task: TaskRecord, execution: ExecutionRecord): Promise<string | undefined> {
	const { agent, branchName } = execution;
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	const configuration = path.join(folder, 'gitconfig');
	const options = { folder, sourceFolder: folderOfRepoUrl(task.repoUrl), configuration, agent, signal };
	try {
		await writeGitConfiguration(configuration, signal);
		const checkout = await Checkout.reopen(options, branchName ?? task.selectedBranch);
		return await checkout.start();
	} catch {
		return undefined;
	}
}
