import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import type { Client } from '../../client/types.ts';
import { followWords } from '../common/messages.ts';
import type { EntryFormatter, LogRecord } from '../model/formatEntry.ts';

/** Reading is given up after this many lost connections without an entry between them. */
const MAXIMUM_ATTEMPTS = 4;

export interface ReadRequest {
	client: Pick<Client, 'tasks'>;
	taskId: string;
	from: number;
	signal?: AbortSignal;
}

/** Yields the records of the entries from `from` to the current end of the log. Throws a ClientError. */
export async function* readEntries({ client, taskId, from, signal }: ReadRequest): AsyncGenerator<LogRecord, void> {
	let heardSinceStatus = true;
	const options = { fromIndex: from, includeStatus: true, ...defined({ signal }) };
	for await (const event of client.tasks.follow(taskId, options)) {
		switch (event.type) {
			case 'log':
				heardSinceStatus = true;
				yield { index: event.index, entry: event.entry, sentAt: event.sentAt };
				break;
			case 'gap':
				yield { index: event.from, note: followWords.missing(event.from, event.to), next: event.to + 1 };
				break;
			case 'status':
				// The service reports a state every two seconds, so two reports with nothing between them mark the current end.
				if (!heardSinceStatus) {
					return;
				}
				heardSinceStatus = false;
				break;
			case 'reconnecting':
				heardSinceStatus = true;
				if (event.attempt >= MAXIMUM_ATTEMPTS) {
					throw new ClientError('offline', `the log could not be read: ${event.cause}`, { retryable: true });
				}
				break;
			case 'complete':
				return;
		}
	}
}

/** Reads the records of the entries from `from` (inclusive) to `to` (exclusive). */
export async function readRange(request: ReadRequest, to: number): Promise<LogRecord[]> {
	const records: LogRecord[] = [];
	if (request.from >= to) {
		return records;
	}
	for await (const record of readEntries(request)) {
		if (record.index >= to) {
			break;
		}
		records.push(record);
		if (('note' in record ? record.next : record.index + 1) >= to) {
			break;
		}
	}
	return records;
}

/**
 * Writes every record to a file, as lines. The file is replaced only when the new one is complete, so an existing file
 * stays as it is if reading or writing fails. Returns the number of entries. Rejects with the error that occurred.
 */
export async function saveLog(
	records: AsyncIterable<LogRecord>,
	file: string,
	format: EntryFormatter,
	signal: AbortSignal,
): Promise<number> {
	const unfinished = `${file}.${process.pid}.part`;
	let count = 0;
	async function* lines(): AsyncGenerator<string> {
		for await (const record of records) {
			signal.throwIfAborted();
			count += 'note' in record ? 0 : 1;
			const shown = 'note' in record ? [record.note] : format(record.entry, record.sentAt);
			yield `${shown.join('\n')}\n`;
		}
	}
	try {
		await pipeline(lines, createWriteStream(unfinished, { flags: 'wx' }));
		await rename(unfinished, file);
		return count;
	} catch (error) {
		await rm(unfinished, { force: true });
		throw error;
	}
}
