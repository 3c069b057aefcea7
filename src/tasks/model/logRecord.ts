import type { LogEntry } from '../../contract/tasks.ts';

/** A log consists of entries by index, and of notes that Errand adds. */
export type LogRecord =
	| { index: number; entry: LogEntry; sentAt: string | undefined }
	/** A note before the entry `index`. `next` is the index at which the log continues. */
	| { index: number; note: string; next: number };
