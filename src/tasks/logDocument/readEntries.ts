import { ClientError } from '../../base/errors.ts';
import type { Client } from '../../client/types.ts';
import type { LogRecord } from '../model/formatEntry.ts';

/** Reading is given up after this many lost connections without an entry between them. */
const MAXIMUM_ATTEMPTS = 4;

export interface ReadRequest {
	client: Pick<Client, 'tasks'>;
	taskId: string;
	from: number;
	signal?: AbortSignal;
	/** Returns the line that names entries that the service did not send. */
	missing(from: number, to: number): string;
}

/** Yields the records of the entries from `from` to the current end of the log. Throws a ClientError. */
export async function* readEntries({
	client,
	taskId,
	from,
	signal,
	missing,
}: ReadRequest): AsyncGenerator<LogRecord, void> {
	let heardSinceStatus = true;
	const options = { fromIndex: from, includeStatus: true, ...(signal && { signal }) };
	for await (const event of client.tasks.follow(taskId, options)) {
		switch (event.type) {
			case 'log':
				heardSinceStatus = true;
				yield { index: event.index, entry: event.entry, sentAt: event.sentAt };
				break;
			case 'gap':
				yield { index: event.from, note: missing(event.from, event.to), next: event.to + 1 };
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
