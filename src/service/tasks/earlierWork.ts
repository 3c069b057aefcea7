import { hasStartedAt } from '../../agents/steps/stepContent.ts';
import { append } from '../../base/append.ts';
import { UserFacingError } from '../../base/errors.ts';
import { cut } from '../../base/plainText.ts';
import type { TaskStep } from '../../contract/taskSteps.ts';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import { Checkout } from './checkout.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { listed } from './taskNames.ts';

/** In UTF-16 code units. */
const MAXIMUM_PROMPT = 4_000;
const MAXIMUM_TITLE = 120;
const MAXIMUM_TITLES = 60;

interface EarlierWork {
	store: TaskStore;
	task: TaskRecord;
	execution: ExecutionRecord;
	checkout: Checkout;
}

/** Opens what is left of the checkout of an execution in its folder. Rejects if it is gone. */
export async function reopenCheckout(
	folder: string,
	{ task, execution: { agent, branchName } }: Pick<EarlierWork, 'task' | 'execution'>,
	signal: AbortSignal,
): Promise<Checkout> {
	const options = { folder, sourceFolder: folderOfRepoUrl(task.repoUrl), agent, signal };
	return Checkout.reopen(options, branchName ?? task.selectedBranch);
}

/** Returns a summary of the task and the work so far, for an agent that has no memory of them. */
export async function summaryOf({ store, task, execution, checkout }: EarlierWork): Promise<string | undefined> {
	const { branchName, baseCommit } = execution;
	if (branchName === null && task.fromStep === null) {
		return undefined;
	}
	const on = branchName === null ? '' : ` on the branch ${branchName}`;
	const lines = [`This goes on with earlier work${on}, which began with this task:`, cut(task.prompt, MAXIMUM_PROMPT)];
	if (task.fromStep !== null) {
		const steps = store.steps.list(task, 0, task.fromStep + 1);
		lines.push('The files are as they were after the last of these steps. What was done after it is not in them:');
		const titles = steps.slice(-MAXIMUM_TITLES).map(({ title }) => `- ${cut(title, MAXIMUM_TITLE)}`);
		append(lines, steps.length > MAXIMUM_TITLES ? ['- …', ...titles] : titles);
	} else if (baseCommit !== null && (await checkout.has(baseCommit))) {
		const files = await checkout.changedFiles(baseCommit, await checkout.start());
		lines.push(`The files that were changed so far: ${listed(files)}.`);
	}
	return lines.join('\n');
}

/**
 * Returns the step from whose files a run goes on, if it does. `commit` is the one that the branch is at.
 * @throws UserFacingError if they are gone, or if they would take back what others have done on the branch.
 */
export async function stepToGoOnFrom(
	{ store, task }: Pick<EarlierWork, 'store' | 'task'>,
	folder: string,
	commit: string,
): Promise<TaskStep | undefined> {
	if (task.fromStep === null) {
		return undefined;
	}
	const step = store.steps.get(task, task.fromStep);
	if (step === undefined) {
		throw new UserFacingError(
			'The files of the step are not on this machine any more. Let the task go on with its branch, or start a new one.',
		);
	}
	if (!(await hasStartedAt(folder, commit))) {
		throw new UserFacingError(
			'The branch has been moved since the step, so its files would take back what is on the branch now. Let the task go on with its branch, or start a new one.',
		);
	}
	return step;
}
