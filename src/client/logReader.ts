import { parseJson } from '../base/json.ts';
import { readErrorValue } from '../contract/errorBody.ts';
import { followEventSchemas, isActiveTask, isFinalStatus, readLogEvent, type Task } from '../contract/tasks.ts';
import type { SseEvent } from './core/sse.ts';
import type { FollowEvent } from './types.ts';

type Complete = Extract<FollowEvent, { type: 'complete' }>;

/** After this many reports of a final state in a row, and nothing else, no `complete` is expected any more. */
const FINAL_REPORTS = 3;

/**
 * The state of one task's log across all of its connections. It keeps indexes and never entries, so the size of an
 * index does not matter. A missing index is requested once more before a gap is reported.
 */
export class LogReader {
	/** Every entry below this index has been delivered or reported as a gap. */
	nextIndex: number;
	/** The state that was reported last, if it is final. */
	finalStatus: { status: string; error: string | undefined } | undefined;
	/** The current connection has brought something other than a greeting or an error. */
	isAlive = false;
	private isGreeted = false;
	private finalReports = 0;
	private askedAgainFrom: number | undefined;
	/** A `complete` that came while entries were still missing. */
	private promised: Complete | undefined;
	private ended = false;

	constructor(fromIndex: number) {
		this.nextIndex = fromIndex;
	}

	get isEnded(): boolean {
		return this.ended;
	}

	/** A `complete` has come, and only missing entries are still awaited. */
	get isPromised(): boolean {
		return this.promised !== undefined;
	}

	begin(): void {
		this.isAlive = false;
		this.isGreeted = false;
		this.finalReports = 0;
	}

	/** Appends the events in `event` to `into`. Returns why the connection is no longer of use, or undefined. */
	accept({ event, data }: SseEvent, into: FollowEvent[]): string | undefined {
		if (this.ended) {
			return undefined;
		}
		// Data that is not JSON is ignored. An entry that is lost this way shows up as a gap.
		const value = parseJson(data);
		if (event === 'error') {
			return readErrorValue(value ?? data).message ?? 'error';
		}
		if (!this.isGreeted) {
			// The index in the greeting is ignored; the requested one counts.
			this.isGreeted = true;
			into.push({ type: 'connected', fromIndex: this.nextIndex });
		}
		switch (event) {
			case 'log':
				this.isAlive = true;
				return this.acceptLog(value, into);
			case 'status':
				this.isAlive = true;
				return this.acceptStatus(value, into);
			case 'complete':
				this.isAlive = true;
				return this.acceptComplete(value, into);
			default:
				return undefined;
		}
	}

	/**
	 * Handles an event at the next index that is too long to be read. Returns false when it should be requested once
	 * more.
	 */
	skipUnreadable(into: FollowEvent[]): boolean {
		if (!this.isAskedAgain()) {
			return false;
		}
		this.tellGap(this.nextIndex, into);
		return true;
	}

	/** Returns the end of the log as the task itself reports it, or undefined while the task runs. */
	endFromTask(task: Task): FollowEvent[] | undefined {
		if (isActiveTask(task)) {
			return undefined;
		}
		return this.promised ? this.endAsPromised() : this.end(task.status ?? 'completed', task.error);
	}

	/** Returns the end of the log as far as the stream has reported it, for when nothing more can be read. */
	endAsReported(): FollowEvent[] | undefined {
		if (this.promised) {
			return this.endAsPromised();
		}
		return this.finalStatus && this.end(this.finalStatus.status, this.finalStatus.error);
	}

	private acceptLog(value: unknown, into: FollowEvent[]): string | undefined {
		const read = readLogEvent(value);
		// The index must leave room for a next one, and an entry without a usable index has no place in the log.
		if (!read || read.index >= Number.MAX_SAFE_INTEGER) {
			return undefined;
		}
		const { index, log, timestamp } = read;
		if (index < this.nextIndex) {
			return undefined;
		}
		if (index > this.nextIndex) {
			if (!this.isAskedAgain()) {
				return 'entries missing';
			}
			this.tellGap(index - 1, into);
		}
		this.nextIndex = index + 1;
		this.finalReports = 0;
		into.push({ type: 'log', index, entry: log, sentAt: timestamp });
		return undefined;
	}

	private acceptStatus(value: unknown, into: FollowEvent[]): string | undefined {
		const { status, error } = followEventSchemas.status.safeParse(value).data ?? {};
		if (status === undefined) {
			return undefined;
		}
		into.push({ type: 'status', status, error });
		if (!isFinalStatus(status)) {
			// A task that was continued is active again.
			this.finalStatus = undefined;
			this.finalReports = 0;
			return undefined;
		}
		this.finalStatus = { status, error };
		this.finalReports++;
		return this.finalReports >= FINAL_REPORTS ? 'no end told' : undefined;
	}

	private acceptComplete(value: unknown, into: FollowEvent[]): string | undefined {
		const { status, totalLogs, message } = followEventSchemas.complete.safeParse(value).data ?? {};
		const total = Number.isSafeInteger(totalLogs) && (totalLogs as number) >= 0 ? (totalLogs as number) : null;
		this.promised = {
			type: 'complete',
			status: status ?? this.finalStatus?.status ?? 'completed',
			totalLogs: total,
			message,
		};
		if (total !== null && total > this.nextIndex && !this.isAskedAgain()) {
			return 'entries missing';
		}
		into.push(...this.endAsPromised());
		return undefined;
	}

	/** Returns whether the next index has been requested before, and records that it is requested now. */
	private isAskedAgain(): boolean {
		const isAsked = this.askedAgainFrom === this.nextIndex;
		this.askedAgainFrom = this.nextIndex;
		return isAsked;
	}

	private tellGap(to: number, into: FollowEvent[]): void {
		into.push({ type: 'gap', from: this.nextIndex, to });
		this.nextIndex = to + 1;
	}

	private endAsPromised(): FollowEvent[] {
		const events: FollowEvent[] = [];
		if (this.promised) {
			const { totalLogs } = this.promised;
			if (totalLogs !== null && totalLogs > this.nextIndex) {
				this.tellGap(totalLogs - 1, events);
			}
			events.push(this.promised);
			this.ended = true;
		}
		return events;
	}

	private end(status: string, message: string | undefined): FollowEvent[] {
		this.ended = true;
		return [{ type: 'complete', status, totalLogs: null, message }];
	}
}
