// Follows the log of a task: it continues at an index, drops entries that it has seen and names gaps. If connections
// bring nothing new, it requests the task itself.
import { ClientError, systemErrorCode } from '../base/errors.ts';
import { routes } from '../contract/routes.ts';
import { followQuerySchema, type Task } from '../contract/tasks.ts';
import { BatchedStream } from './core/batchedStream.ts';
import type { Caller } from './core/caller.ts';
import { orAborted } from './core/exchange.ts';
import { checkRequest } from './core/requestCheck.ts';
import { backoff } from './core/retry.ts';
import { EventStream } from './core/sse.ts';
import { ENTRIES_MISSING, LogReader } from './logReader.ts';
import type { FollowEvent, FollowStream } from './types.ts';

export interface FollowRequest {
	caller: Caller;
	getTask(id: string, signal: AbortSignal): Promise<Task>;
	id: string;
	fromIndex?: number;
	includeStatus?: boolean;
	signal?: AbortSignal;
}

/** The loss of a connection. `error` is set if something failed, `said` if the service gave the reason. */
interface Loss {
	cause: string;
	error?: ClientError;
	said?: string;
}

const FIRST_DELAY_MS = 500;
const MAXIMUM_DELAY_MS = 15_000;

/** The number of consecutive connections without a new entry after which the task itself is requested. */
const BARREN_CONNECTIONS = 3;

const GIVE_UP_STATUS: ReadonlySet<number | undefined> = new Set([401, 403, 404]);

/**
 * contract: not shown beyond the events themselves (unspecified.md, "log stream loss"). Reads a task's log to its end:
 * every entry once and in order, or a `gap` that names the entries that could not be read. After a loss, it reconnects
 * from the next index. Throws only `aborted`, errors that occur before anything is sent (`no-key`, `not-supported`,
 * `invalid-request`), and 401, 403 and 404.
 */
export function follow(request: FollowRequest): FollowStream {
	return new BatchedStream(request.signal, own => readLog(request, own));
}

async function* readLog(request: FollowRequest, signal: AbortSignal): AsyncGenerator<FollowEvent[], void> {
	const { caller, fromIndex = 0, includeStatus = true } = request;
	checkRequest(followQuerySchema, { fromIndex, includeStatus });
	const log = new LogReader(fromIndex);
	let barren = 0;
	let attempt = 0;
	for (;;) {
		const start = log.nextIndex;
		log.begin();
		const loss = yield* readConnection(request, log, signal);
		if (log.isEnded || !loss) {
			return;
		}
		const held: FollowEvent[] = [];
		if (log.endConnection(held) && loss.error === undefined) {
			loss.cause = ENTRIES_MISSING;
		}
		if (held.length > 0) {
			yield held;
		}
		barren = log.nextIndex > start ? 0 : barren + 1;
		const end = await endOf(request, log, loss, barren, signal);
		if (end) {
			yield end;
			return;
		}
		// A greeting alone does not reset the delay, because a server may greet and close for ever.
		attempt = log.isAlive ? 1 : attempt + 1;
		const ownDelay = backoff(attempt, FIRST_DELAY_MS, MAXIMUM_DELAY_MS, caller.random);
		const askedFor = Math.min(loss.error?.retryAfterMs ?? 0, caller.limits.retryAfterMs);
		const delayMs = Math.max(ownDelay, askedFor);
		yield [{ type: 'reconnecting', nextIndex: log.nextIndex, attempt, delayMs, ...loss }];
		await orAborted(caller.clock.sleep(delayMs, signal), signal);
	}
}

/** Yields one connection's events. Returns why it was lost, or undefined after the end of the log. */
async function* readConnection(
	{ caller, id, includeStatus = true }: FollowRequest,
	log: LogReader,
	signal: AbortSignal,
): AsyncGenerator<FollowEvent[], Loss | undefined> {
	const { limits, clock } = caller;
	let close = () => {};
	try {
		const exchange = await caller.stream({
			route: routes.taskStream,
			values: { taskId: id },
			query: { fromIndex: log.nextIndex, includeStatus },
			// The head comes with the first event, so its absence counts as silence too.
			firstByteMs: includeStatus ? limits.followSilenceMs : limits.streamFirstByteMs,
			idleMs: includeStatus ? limits.followSilenceMs : limits.idleMs,
			// `follow` has retry delays of its own, which start over as soon as something comes.
			retry: 'never',
			signal,
		});
		close = () => exchange.close();
		const type = exchange.header('content-type') ?? 'no type';
		if (/\b(html|json)\b/i.test(type)) {
			throw new ClientError('bad-response', 'something other than a log came', {
				status: exchange.status,
				isPage: /\bhtml\b/i.test(type),
			});
		}
		const stream = new EventStream(exchange, {
			maximumEventLength: limits.eventLength,
			clock,
			life: includeStatus ? 'events' : 'bytes',
		});
		for (;;) {
			const received = await stream.next().catch((error: unknown) => {
				// An event that is too long is told apart, because a new connection would bring it again.
				if (stream.isOverrun) {
					return 'unreadable' as const;
				}
				throw error;
			});
			if (received === undefined) {
				return { cause: 'closed' };
			}
			const events: FollowEvent[] = [];
			if (received === 'unreadable') {
				log.skipUnreadable(events);
				yield events;
				return { cause: 'event too long' };
			}
			let cause: string | { said: string } | undefined;
			for (const event of received) {
				cause = log.accept(event, events);
				if (cause !== undefined) {
					break;
				}
			}
			yield events;
			if (log.isEnded) {
				void exchange.drain();
				close = () => {};
				return undefined;
			}
			if (typeof cause === 'string') {
				return { cause };
			}
			if (cause !== undefined) {
				const said = exchange.words(cause.said);
				return { cause: said, said };
			}
		}
	} catch (error) {
		return lossOf(error, signal);
	} finally {
		close();
	}
}

/** Returns whether a connection has ended otherwise than by having nothing more to say. */
function hasFailed({ cause, error, said }: Loss): boolean {
	return error !== undefined || said !== undefined || cause === 'error';
}

/** Throws errors that another connection cannot fix. */
function lossOf(error: unknown, signal: AbortSignal): Loss {
	if (signal.aborted || !ClientError.is(error)) {
		throw error;
	}
	// The error was found before anything was sent, so another attempt would find the same.
	if (!error.wasSent && !error.retryable) {
		throw error;
	}
	return { cause: causeOf(error), error };
}

function causeOf(error: ClientError): string {
	if (error.code === 'bad-response') {
		// The status says nothing about a reply of another kind: a login page has a success status.
		return error.message;
	}
	return error.status === undefined ? (systemErrorCode(error.cause) ?? error.code) : `HTTP ${error.status}`;
}

/**
 * Returns the last events of a log that ended without the stream saying so. The task's own state is trusted only after
 * a connection from the next index has brought nothing, so that the last entries are not lost. Throws an error that is
 * final.
 */
async function endOf(
	{ getTask, id }: FollowRequest,
	log: LogReader,
	loss: Loss,
	barren: number,
	signal: AbortSignal,
): Promise<FollowEvent[] | undefined> {
	if (GIVE_UP_STATUS.has(loss.error?.status)) {
		const told = log.isPromised ? log.endAsReported() : undefined;
		if (!told) {
			throw loss.error;
		}
		return told;
	}
	const isOverdue = barren > 0 && barren % BARREN_CONNECTIONS === 0;
	const isReportedFinal = barren > 0 && log.finalStatus !== undefined && !log.isPromised;
	if (!isOverdue && !isReportedFinal) {
		return undefined;
	}
	try {
		return log.endFromTask(await getTask(id, signal), hasFailed(loss));
	} catch (error) {
		if (signal.aborted || !ClientError.is(error)) {
			throw error;
		}
		// Someone else's task may be readable only as a log; then the stream is the only source.
		const isRefused = error.status !== undefined && error.status < 500 && error.status !== 429;
		return isRefused ? log.endAsReported() : undefined;
	}
}
