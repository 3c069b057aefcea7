import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { FINAL_STATUSES, type TaskRecord } from '../store/taskRecord.ts';
import type { TaskStore } from '../store/taskStore.ts';
import { sseComment, sseEvent } from '../streamReply.ts';

/** Entries read at once. */
const PAGE_SIZE = 200;
/** cloud-tasks.md, Events. */
const STATUS_INTERVAL_MS = 2_000;
/** How long entries are sent without a look at what else there is to do. */
const TURN_MS = 20;
/** Life for a reader that wants no status; its own idle limit is far above. */
const COMMENT_INTERVAL_MS = 15_000;

export interface LogStreamOptions {
	store: TaskStore;
	task: TaskRecord;
	fromIndex: number;
	includeStatus: boolean;
	signal: AbortSignal;
	/** Milliseconds between two status events; default 2,000. */
	statusIntervalMs?: number;
}

/**
 * The events of one follower: connected, each log entry from `fromIndex` on, the status every 2 s and when it changes,
 * complete. It reads the store at the reader's pace and is woken by it; nothing is queued for it meanwhile.
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
			// Armed before reading, so that no change falls between reading and waiting.
			changed = Promise.withResolvers<void>();
			// The task before its entries: when it is final here, all of its entries can be read after.
			const task = store.get(id) ?? options.task;
			const page = store.entries(task, next, PAGE_SIZE);
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
						totalLogs: store.entryCount(task),
						message: `The task has ended: ${task.status}.`,
						timestamp: now(),
					},
					'complete',
				);
				return;
			}
			if (page.length > 0) {
				// A reader of a long log can keep pace with this loop, and everybody else would wait for its end.
				if (performance.now() - turnBegan > TURN_MS) {
					await immediate();
					turnBegan = performance.now();
				}
			} else {
				await waitFor(changed.promise, includeStatus ? statusIntervalMs : COMMENT_INTERVAL_MS, signal);
			}
		}
	} finally {
		watch.dispose();
	}
}

/** Until a change, the time, or the reader's leaving, whichever comes first. */
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
