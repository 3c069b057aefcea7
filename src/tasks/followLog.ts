import { ClientError } from '../base/errors.ts';
import { oneLine } from '../base/plainText.ts';
import type { Client } from '../client/types.ts';
import type { LogWriter } from './logWriter.ts';
import { type FollowState, isAttemptShown } from './model/followState.ts';
import { createEntryFormatter, type FollowWords } from './model/formatEntry.ts';
import type { LogRecord } from './model/logRecord.ts';

export interface FollowOptions {
	client: Pick<Client, 'tasks'>;
	taskId: string;
	/** The index of the first entry to read. */
	fromIndex: number;
	writer: LogWriter;
	words: FollowWords;
	signal: AbortSignal;
	onState(state: FollowState): void;
	/** Called with the task's own state, as the log stream reports it. */
	onStatus(status: string, error: string | undefined): void;
	/** Called with each record that was written and the index that follows it. */
	onRecord(record: LogRecord, nextIndex: number): void;
	/** Returns milliseconds since the epoch. */
	now(): number;
}

export interface FollowEnd {
	/** The task's final state. */
	status: string;
	message: string | undefined;
}

const MAXIMUM_CAUSE = 120;

/**
 * Reads a task's log from `fromIndex` to its end and writes every entry once and in order. Resolves when the service
 * has reported the end of the task. Rejects with the error on which the client gave up (401, 403, 404, no key), and
 * when the signal aborts.
 */
export async function followLog(options: FollowOptions): Promise<FollowEnd> {
	const { client, taskId, writer, words, signal } = options;
	const formatEntry = createEntryFormatter(words);
	let nextIndex = options.fromIndex;
	let isInterrupted = false;
	let isLive = false;
	let heardAt: number | undefined;
	const note = (text: string, index: number, next = index) => {
		writer.write([text], index, next);
		nextIndex = Math.max(nextIndex, next);
		options.onRecord({ index, note: text, next }, nextIndex);
	};
	const heard = () => {
		heardAt = options.now();
		if (isInterrupted) {
			isInterrupted = false;
			note(words.resumed(nextIndex), nextIndex);
		}
		if (!isLive) {
			isLive = true;
			options.onState({ kind: 'live' });
		}
	};
	options.onState({ kind: 'connecting' });
	for await (const event of client.tasks.follow(taskId, { fromIndex: nextIndex, includeStatus: true, signal })) {
		switch (event.type) {
			case 'connected':
				heard();
				break;
			case 'log':
				heard();
				writer.write(formatEntry(event.entry, event.sentAt), event.index, event.index + 1);
				nextIndex = event.index + 1;
				options.onRecord(event, nextIndex);
				break;
			case 'status':
				heard();
				options.onStatus(event.status, event.error);
				break;
			case 'gap':
				note(words.missing(event.from, event.to), event.from, event.to + 1);
				break;
			case 'reconnecting':
				isLive = false;
				isInterrupted = true;
				if (isAttemptShown(event.attempt)) {
					// A bare code (`ECONNRESET`) tells a reader less than the sentence without it.
					const cause = /\s/.test(event.cause.trim()) ? oneLine(event.cause, MAXIMUM_CAUSE) : '';
					note(words.reconnecting(event.nextIndex, event.attempt, cause), event.nextIndex);
				}
				options.onState({
					kind: 'reconnecting',
					nextIndex: event.nextIndex,
					attempt: event.attempt,
					since: heardAt,
				});
				break;
			case 'complete':
				return { status: event.status, message: event.message };
		}
	}
	signal.throwIfAborted();
	throw new ClientError('truncated', 'the log ended before the task did', { retryable: true });
}
