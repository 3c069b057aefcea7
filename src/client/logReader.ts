import { append } from '../base/append.ts';
import { parseJson } from '../base/json.ts';
import { readStreamError } from '../contract/errorBody.ts';
import { followEventSchemas, isActiveTask, isFinalStatus, readLogEvent, type Task } from '../contract/tasks.ts';
import type { SseEvent } from './core/sse.ts';
import type { FollowEvent } from './types.ts';

type Complete = Extract<FollowEvent, { type: 'complete' }>;
type Log = Extract<FollowEvent, { type: 'log' }>;

/** The number of consecutive final states, and nothing else, after which no `complete` is expected any more. */
const FINAL_REPORTS = 3;

/** The reason for giving up a connection and making another from the first missing entry. */
export const ENTRIES_MISSING = 'entries missing';

/** The number of entries by which one may come early and still be held until its turn. */
const WINDOW = 16;

/**
 * The state of one task's log across all of its connections. It keeps indexes, and of the entries only those of one
 * connection that came slightly early, so the size of an index does not matter. A missing index is requested once more
 * before a gap is reported.
 */
export class LogReader {
	/** Every entry below this index has been delivered or reported as a gap. */
	nextIndex: number;
	/** The last reported state, if it is final. */
	finalStatus: { status: string; error: string | undefined } | undefined;
	/** True if the current connection has brought something other than a greeting or an error. */
	isAlive = false;
	private isGreeted = false;
	/** True if the task itself had ended when it was asked for last, and nothing new has come since. */
	private isFoundEnded = false;
	private finalReports = 0;
	private askedAgainFrom: number | undefined;
	/** The entries of this connection that came before their turn, by index. */
	private readonly early = new Map<number, Log>();
	/** A `complete` that came while entries were still missing. */
	private promised: Complete | undefined;
	private ended = false;

	constructor(fromIndex: number) {
		this.nextIndex = fromIndex;
	}

	get isEnded(): boolean {
		return this.ended;
	}

	/** True if a `complete` has come, and only missing entries are still awaited. */
	get isPromised(): boolean {
		return this.promised !== undefined;
	}

	begin(): void {
		this.isAlive = false;
		this.isGreeted = false;
		this.finalReports = 0;
	}

	/**
	 * Appends the events that are due when a connection has been lost: entries that waited for one that has now been
	 * requested twice, and the gap before them. Returns whether missing entries must be requested again.
	 */
	endConnection(into: FollowEvent[]): boolean {
		let cause: string | undefined;
		while (this.early.size > 0) {
			cause = this.settleMissing(into);
		}
		return cause !== undefined;
	}

	/**
	 * Appends the events in `event` to `into`. Returns why the connection is no longer useful, as a cause or in the words
	 * of the service, or undefined if it still is.
	 */
	accept({ event, data }: SseEvent, into: FollowEvent[]): string | { said: string } | undefined {
		if (this.ended) {
			return undefined;
		}
		// Data that is not JSON is ignored. An entry that is lost this way shows up as a gap.
		const value = parseJson(data);
		if (event === 'error') {
			const said = readStreamError(value ?? data);
			return said === undefined ? 'error' : { said };
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
	 * Handles an event at the next index that is too long to be read. Returns false if it should be requested once more.
	 */
	skipUnreadable(into: FollowEvent[]): boolean {
		if (!this.isAskedAgain()) {
			this.early.clear();
			return false;
		}
		this.tellGap(this.nextIndex, into);
		this.deliverDue(into);
		return true;
	}

	/**
	 * Returns the end of the log as the task itself reports it, or undefined while the task runs. If the last connection
	 * has failed, there may be entries that it would have brought: the task has to report its end twice.
	 */
	endFromTask(task: Task, hasFailed: boolean): FollowEvent[] | undefined {
		if (isActiveTask(task)) {
			return undefined;
		}
		if (hasFailed && !this.isFoundEnded) {
			this.isFoundEnded = true;
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
		this.finalReports = 0;
		this.isFoundEnded = false;
		const entry: Log = { type: 'log', index, entry: log, sentAt: timestamp };
		if (index === this.nextIndex && this.early.size === 0) {
			// Nearly every entry comes in order, and there may be millions.
			this.nextIndex++;
			into.push(entry);
			return undefined;
		}
		if (!this.early.has(index)) {
			this.early.set(index, entry);
		}
		this.deliverDue(into);
		return index >= this.nextIndex + WINDOW ? this.settleMissing(into) : undefined;
	}

	/** Delivers the held entries that are next in order. */
	private deliverDue(into: FollowEvent[]): void {
		for (;;) {
			const entry = this.early.get(this.nextIndex);
			if (entry === undefined) {
				return;
			}
			this.early.delete(this.nextIndex);
			this.nextIndex++;
			into.push(entry);
		}
	}

	/**
	 * Stops waiting for the entries before those that came early. Returns why the connection is no longer useful, or
	 * reports a gap if the entries have been requested twice.
	 */
	private settleMissing(into: FollowEvent[]): string | undefined {
		if (this.early.size === 0) {
			return undefined;
		}
		if (!this.isAskedAgain()) {
			this.early.clear();
			return ENTRIES_MISSING;
		}
		const first = [...this.early.keys()].reduce((least, index) => Math.min(least, index));
		this.tellGap(first - 1, into);
		this.deliverDue(into);
		return undefined;
	}

	private acceptStatus(value: unknown, into: FollowEvent[]): string | undefined {
		const { status, error } = followEventSchemas.status.safeParse(value).data ?? {};
		if (status === undefined) {
			return undefined;
		}
		// The state was sent after the entries before it, so missing ones will not come any more.
		const cause = this.settleMissing(into);
		if (cause !== undefined) {
			return cause;
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
		const isMissing = this.early.size > 0 || (total !== null && total > this.nextIndex);
		if (isMissing && !this.isAskedAgain()) {
			this.early.clear();
			return ENTRIES_MISSING;
		}
		append(into, this.endAsPromised());
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
			for (const index of [...this.early.keys()].sort((one, other) => one - other)) {
				if (index > this.nextIndex) {
					this.tellGap(index - 1, events);
				}
				this.deliverDue(events);
			}
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
