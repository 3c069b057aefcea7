import type { LogEventOfTask } from '../contract/editorPipe.ts';
import { outsideText } from './results.ts';

/** How much of a log is read in one call. */
export interface LogLimits {
	entries: number;
	/** The size of the texts in UTF-8. */
	bytes: number;
	/** How long to wait for further entries while the task is active. */
	milliseconds: number;
}

/** The longest text of one entry in characters. */
const MAXIMUM_ENTRY = 4_000;

export interface LogPart {
	entries: { index: number; type: string | undefined; step: string | undefined; text: string; cut_from?: number }[];
	/** Where the next call goes on. */
	next_index: number;
	/** The last state that the log has told. */
	status: string | undefined;
	/** The log has ended, as the task has. */
	has_ended: boolean;
	/** Why the part ends here. */
	ends_because: 'the log has ended' | 'enough entries' | 'enough text' | 'time is over';
	/** Indexes that the service could not give any more. */
	missing?: { from: number; to: number }[];
}

/**
 * Reads a part of a log within limits. `onEntry` is called after each entry with what was read so far. Rejects with what
 * the events reject with, and with the signal's reason.
 */
export async function readLog(
	follow: (fromIndex: number, signal: AbortSignal) => AsyncIterable<LogEventOfTask>,
	fromIndex: number,
	limits: LogLimits,
	signal: AbortSignal,
	onEntry: (part: LogPart) => void,
): Promise<LogPart> {
	const part: LogPart = {
		entries: [],
		next_index: fromIndex,
		status: undefined,
		has_ended: false,
		ends_because: 'time is over',
	};
	const time = AbortSignal.timeout(limits.milliseconds);
	let bytes = 0;
	try {
		for await (const event of follow(fromIndex, AbortSignal.any([signal, time]))) {
			switch (event.type) {
				case 'status':
					part.status = outsideText(event.status);
					break;
				case 'gap':
					part.missing = [...(part.missing ?? []), { from: event.from, to: event.to }];
					part.next_index = Math.max(part.next_index, event.to + 1);
					break;
				case 'complete':
					return { ...part, status: outsideText(event.status), has_ended: true, ends_because: 'the log has ended' };
				case 'log': {
					const { index, entry } = event;
					const message = entry.message ?? '';
					const text = outsideText(message, MAXIMUM_ENTRY);
					part.entries.push({
						index,
						type: entry.type === undefined ? undefined : outsideText(entry.type),
						step: entry.step === undefined ? undefined : outsideText(entry.step),
						text,
						...(message.length > MAXIMUM_ENTRY ? { cut_from: message.length } : {}),
					});
					part.next_index = index + 1;
					bytes += Buffer.byteLength(text);
					onEntry(part);
					if (part.entries.length >= limits.entries || bytes >= limits.bytes) {
						return { ...part, ends_because: bytes >= limits.bytes ? 'enough text' : 'enough entries' };
					}
				}
			}
		}
	} catch (error) {
		signal.throwIfAborted();
		if (!time.aborted) {
			throw error;
		}
	}
	signal.throwIfAborted();
	return part;
}
