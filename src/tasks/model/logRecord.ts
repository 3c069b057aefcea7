import type { LogEntry } from '../../contract/tasks.ts';

/** What a log is made of: entries by index, and lines in which the log speaks of itself. */
export type LogRecord =
	| { index: number; entry: LogEntry; sentAt: string | undefined }
	/** Stands before the entry `index`; `next` is the index that the log goes on with. */
	| { index: number; note: string; next: number };
