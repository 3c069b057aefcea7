import { systemClock } from '../../base/async.ts';
import { type Disposable, toDisposable } from '../../base/disposable.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { GitError } from '../../base/gitError.ts';
import { isDiskFull } from '../store/database.ts';
import type { TaskStatus } from '../store/taskRecord.ts';
import { withoutFieldName } from './repoUrl.ts';

/** The reason why an execution ends before its work is done. The execution's signal aborts with it. */
export class TaskEnded extends Error {
	override readonly name = 'TaskEnded';
	readonly status: TaskStatus & ('stopped' | 'timeout' | 'error');
	/** True if the service ended, rather than the agent failed. */
	readonly interrupted: boolean;

	constructor(status: 'stopped' | 'timeout' | 'error', message: string, interrupted = false) {
		super(message);
		this.status = status;
		this.interrupted = interrupted;
	}
}

/** Ends an execution when it takes longer than its limit, unless disposed before. */
export function limitTime(controller: AbortController, seconds: number): Disposable {
	const sentence = `The task took longer than its limit of ${seconds} s and was ended. Start it again with a higher limit.`;
	return toDisposable(systemClock.after(seconds * 1000, () => controller.abort(new TaskEnded('timeout', sentence))));
}

/** Returns how an execution ended, with a sentence that says why. */
export function endOf(error: unknown, signal: AbortSignal): TaskEnded {
	if (signal.aborted && signal.reason instanceof TaskEnded) {
		return signal.reason;
	}
	if (error instanceof UserFacingError) {
		return new TaskEnded('error', withoutFieldName(error.message));
	}
	if (error instanceof GitError) {
		const words = error.stderr.split('\n').find(line => line.trim() !== '') ?? 'without a word';
		return new TaskEnded('error', `${error.message}: ${words.trim().slice(0, 300)}`);
	}
	if (isDiskFull(error)) {
		const sentence =
			'The disk of the data folder is full, so the work cannot be recorded. Free some space, then start again.';
		return new TaskEnded('error', sentence);
	}
	return new TaskEnded('error', `The task failed: ${describeError(error)}.`);
}
