import { describeError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { ExecutionRecord, TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import { reopenCheckout } from './earlierWork.ts';
import { readMarker } from './folderRetention.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { saveWork } from './saveWork.ts';
import { TaskLog } from './taskLog.ts';

export interface PartialWorkOptions {
	store: TaskStore;
	folderOf(task: TaskRecord, position: number): string;
	signal: AbortSignal;
	logger: Logger;
}

/**
 * Commits the work that the agents of an ended task had done, on the task's branch or the one that it would have
 * created. The task keeps its final state. Returns the branch of the last agent with work.
 * @throws UserFacingError if there is no work any more, or if it cannot be committed.
 */
export async function commitPartialWork(task: TaskRecord, options: PartialWorkOptions): Promise<string> {
	let branchName: string | undefined;
	for (const execution of options.store.executions(task).filter(({ hasWork }) => hasWork)) {
		branchName = await keepOne(task, execution, options);
	}
	if (branchName === undefined) {
		throw new UserFacingError('Nothing is left of what the agent had done, so there is nothing to keep.');
	}
	return branchName;
}

async function keepOne(
	task: TaskRecord,
	execution: ExecutionRecord,
	{ store, folderOf, signal, logger }: PartialWorkOptions,
): Promise<string> {
	const folder = folderOf(task, execution.position);
	const { position } = execution;
	const log = new TaskLog(store, task, execution);
	if ((await readMarker(folder)) === undefined) {
		store.keep(task.id, position, { hasWork: false }, []);
		throw new UserFacingError('What the agent had done is not on this machine any more. Start the task again.');
	}
	const saved = await reopenCheckout(folder, { task, execution }, signal)
		.then(checkout => saveWork({ checkout, task, execution, log, signal }))
		.catch(error => {
			if (error instanceof UserFacingError) {
				throw error;
			}
			logger.log('warn', 'the work of a task could not be kept', { taskId: task.id, reason: describeError(error) });
			throw new UserFacingError(
				`What the agent had done could not be kept (${describeError(error)}). It is still there: try again.`,
			);
		});
	if (saved === undefined) {
		store.keep(task.id, position, { hasWork: false }, []);
		throw new UserFacingError('The agent had changed nothing that a commit could hold, so there is nothing to keep.');
	}
	const message = `What the agent had done is kept: the branch ${saved.branchName} is in ${folderOfRepoUrl(task.repoUrl)}.`;
	store.keep(task.id, position, { ...saved, hasWork: false }, [log.record('git_pushed', message, 'success')]);
	// The next follow-up starts from the branch, with the agent's home and session as they are.
	return saved.branchName;
}
