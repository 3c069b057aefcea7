import { readErrorValue } from '../contract/errorBody.ts';
import { followEventSchemas, isActiveTask, isFinalStatus, readLogEvent, type Task } from '../contract/tasks.ts';
import type { SseEvent } from './core/sse.ts';
import type { FollowEvent } from './types.ts';

type Complete = Extract<FollowEvent, { type: 'complete' }>;

/** So many reports of a final state in a row, and nothing else, mean that no `complete` will come. */
const FINAL_REPORTS = 3;

/**
 * What is known of one task's log over all of its connections. It keeps indexes, never entries: an index of any size
 * costs nothing. An index that is missing is asked for once more before a gap is told.
 */
export class FollowLog {
	/** Everything below has been delivered or told as a gap. */
	nextIndex: number;
	/** The state that was told last, if it is final. */
	finalStatus: { status: string; error: string | undefined } | undefined;
	/** Something other than a greeting or an error came over the present connection. */
	isAlive = false;
	private isGreeted = false;
	private finalReports = 0;
	private askedAgainFrom: number | undefined;
	/** A `complete` that came while entries were missing. */
	private promised: Complete | undefined;
	private ended = false;

	constructor(fromIndex: number) {
		this.nextIndex = fromIndex;
	}

	get isEnded(): boolean {
		return this.ended;
	}

	/** A `complete` came, and only missing entries are still waited for. */
	get isPromised(): boolean {
		return this.promised !== undefined;
	}

	begin(): void {
		this.isAlive = false;
		this.isGreeted = false;
		this.finalReports = 0;
	}

	/** Appends what `event` brings to `into`. Returns why the connection is of no more use, if so. */
	accept({ event, data }: SseEvent, into: FollowEvent[]): string | undefined {
		if (this.ended) {
			return undefined;
		}
		const value = parse(data);
		if (event === 'error') {
			return readErrorValue(value ?? data).message ?? 'error';
		}
		if (!this.isGreeted) {
			// The greeting's own index is not read: what counts is what was asked for.
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

	/** An event too long to be read stands at the next index. Returns false when it is to be asked for once more. */
	skipUnreadable(into: FollowEvent[]): boolean {
		if (!this.isAskedAgain()) {
			return false;
		}
		this.tellGap(this.nextIndex, into);
		return true;
	}

	/** The end as the task itself tells it, or undefined while it runs. */
	endFromTask(task: Task): FollowEvent[] | undefined {
		if (isActiveTask(task)) {
			return undefined;
		}
		return this.promised ? this.endAsPromised() : this.end(task.status ?? 'completed', task.error);
	}

	/** The end as far as the stream has told it, for when nothing more can be had. */
	endAsTold(): FollowEvent[] | undefined {
		if (this.promised) {
			return this.endAsPromised();
		}
		return this.finalStatus && this.end(this.finalStatus.status, this.finalStatus.error);
	}

	private acceptLog(value: unknown, into: FollowEvent[]): string | undefined {
		const read = readLogEvent(value);
		// The last index that leaves room for a next one; an entry without a usable index has no place in the log.
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

	/** True when the next index was asked for once before; it counts as asked for from now on. */
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

/** Text that is no JSON brings nothing; an entry lost by it shows as a gap. */
function parse(data: string): unknown {
	try {
		return JSON.parse(data);
	} catch {
		return undefined;
	}
}
