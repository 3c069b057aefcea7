import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import type { Disposable } from '../../base/disposable.ts';
import { sseComment, sseEvent } from '../../base/streamText.ts';
import { FINAL_STATUSES, type LogRecord, type TaskRecord } from '../store/taskRecord.ts';

const PAGE_SIZE = 200;
/** The interval of status events (cloud-tasks.md, Events). */
const STATUS_INTERVAL_MS = 2_000;
/** The time for which entries are sent before the event loop may do other work. */
const TURN_MS = 20;
/** The interval of comments that keep a stream without status alive. Clients wait much longer before they give up. */
const COMMENT_INTERVAL_MS = 15_000;

/** The part of a task that followers read, again and again; the prompt, which can be long, is not in it. */
export type FollowedTask = Pick<TaskRecord, 'id' | 'sequence' | 'status' | 'error'>;

/** A store whose tasks can be followed. Its answers may have to be waited for. */
export interface FollowedStore {
	get(id: string): FollowedTask | undefined | Promise<FollowedTask | undefined>;
	/** Returns entries from an index on. The list is empty only if there are no more. */
	entries(task: FollowedTask, from: number, limit: number): LogRecord[] | Promise<LogRecord[]>;
	entryCount(task: FollowedTask): number | Promise<number>;
	/** Calls `listener` after every change of the task or its log, until disposed. */
	watch(id: string, listener: () => void): Disposable;
}

export interface LogStreamOptions {
	store: FollowedStore;
	task: FollowedTask;
	fromIndex: number;
	includeStatus: boolean;
	signal: AbortSignal;
	/** The time between two status events in milliseconds; 2,000 by default. */
	statusIntervalMs?: number;
}

/**
 * Yields the events for one follower of a log: connected, each entry from `fromIndex` on, the status every 2 s and when
 * it changes, and complete. If the log cannot be read, an `error` event precedes the thrown error. The store is read at
 * the reader's pace, and its changes wake the generator; nothing is queued meanwhile.
 */
export async function* logStream(options: LogStreamOptions): AsyncGenerator<string, void, undefined> {
	const { store, fromIndex, includeStatus, signal, statusIntervalMs = STATUS_INTERVAL_MS } = options;
	const { id } = options.task;
	let changed = Promise.withResolvers<void>();
	const watch = store.watch(id, () => changed.resolve());
	try {
		yield sseEvent(
			{ taskId: id, fromIndex, message: 'Connected to the log of the task.', timestamp: now() },
			'connected',
		);
		let next = fromIndex;
		let shownStatus: string | undefined;
		let lastSign = 0;
		let turnBegan = 0;
		while (!signal.aborted) {
			// The promise is created before reading, so that no change between reading and waiting is missed.
			changed = Promise.withResolvers<void>();
			// The task is read before its entries: if it is final, all of its entries are there.
			const task = (await store.get(id)) ?? options.task;
			const page = await store.entries(task, next, PAGE_SIZE);
			const timestamp = now();
			let text = page.map((log, offset) => sseEvent({ index: next + offset, log, timestamp }, 'log')).join('');
			next += page.length;
			const sinceSign = performance.now() - lastSign;
			if (includeStatus && (task.status !== shownStatus || sinceSign >= statusIntervalMs)) {
				text += sseEvent({ status: task.status, error: task.error }, 'status');
				shownStatus = task.status;
				lastSign = performance.now();
			} else if (!includeStatus && sinceSign >= COMMENT_INTERVAL_MS) {
				text += sseComment('alive');
				lastSign = performance.now();
			}
			if (text !== '') {
				yield text;
			}
			if (page.length === 0 && FINAL_STATUSES.has(task.status)) {
				yield sseEvent(
					{
						status: task.status,
						totalLogs: await store.entryCount(task),
						message: `The task has ended: ${task.status}.`,
						timestamp: now(),
					},
					'complete',
				);
				return;
			}
			if (page.length > 0) {
				// A fast reader of a long log would otherwise keep everyone else waiting until its end.
				if (performance.now() - turnBegan > TURN_MS) {
					await immediate();
					turnBegan = performance.now();
				}
			} else {
				await waitFor(changed.promise, includeStatus ? statusIntervalMs : COMMENT_INTERVAL_MS, signal);
			}
		}
	} catch (error) {
		// The cause is in the service's own log only, because it may contain private data.
		yield sseEvent({ error: 'The service could not read the log of the task any further.' }, 'error');
		throw error;
	} finally {
		watch.dispose();
	}
}

/** Waits for a change, for the time to pass, or until the reader leaves, whichever comes first. */
async function waitFor(change: Promise<void>, milliseconds: number, signal: AbortSignal): Promise<void> {
	const waited = new AbortController();
	const either = AbortSignal.any([signal, waited.signal]);
	try {
		await Promise.race([change, delay(milliseconds, undefined, { signal: either }).catch(() => {})]);
	} finally {
		waited.abort();
	}
}

function now(): string {
	return new Date().toISOString();
}
