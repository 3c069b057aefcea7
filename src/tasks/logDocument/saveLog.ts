import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { EntryFormatter, LogRecord } from '../model/formatEntry.ts';

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
	const stream = createWriteStream(unfinished, { flags: 'wx' });
	const ended = finished(stream);
	// The promise is awaited below; a failure before that must not count as an unhandled rejection.
	ended.catch(() => {});
	let count = 0;
	try {
		for await (const record of records) {
			signal.throwIfAborted();
			const lines = 'note' in record ? [record.note] : format(record.entry, record.sentAt);
			count += 'note' in record ? 0 : 1;
			if (stream.errored) {
				throw stream.errored;
			}
			if (!stream.write(`${lines.join('\n')}\n`)) {
				await Promise.race([once(stream, 'drain'), ended]);
			}
		}
		stream.end();
		await ended;
		await rename(unfinished, file);
		return count;
	} catch (error) {
		stream.destroy();
		await ended.catch(() => {});
		await rm(unfinished, { force: true });
		throw error;
	}
}
