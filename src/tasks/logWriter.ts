import type { Disposable } from '../base/disposable.ts';
import type { KeptLines, KeptLog } from './keptLog.ts';
import { LogText } from './model/logText.ts';

/** The part of an output channel that a log writes to. */
export interface TextSink {
	append(text: string): void;
	clear(): void;
}

/** A batch is written when it reaches this age in milliseconds or this many lines. */
const BATCH_MS = 100;
const BATCH_LINES = 1000;

/**
 * How many lines the editor holds for a followed task, because it keeps an output channel's whole text in memory and on
 * disk.
 */
export const MAXIMUM_LINES = 20_000;

/** Writes lines to a channel in batches and limits the channel's size. */
export class LogWriter implements Disposable {
	private readonly sink: TextSink;
	private readonly text: LogText;
	/** The stored copy of the channel's text, which outlives the window. */
	private readonly kept: KeptLog | undefined;
	/** The index of the entry that comes after what was written. */
	private next = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private disposed = false;

	constructor(sink: TextSink, leftOut: (firstIndex: number) => string, kept?: KeptLog, maximumLines = MAXIMUM_LINES) {
		this.kept = kept;
		this.sink = sink;
		this.text = new LogText(maximumLines, leftOut);
	}

	/**
	 * `index` is that of the entry, or of the next entry for a line that belongs to none; `next` is the index that
	 * follows.
	 */
	write(lines: readonly string[], index: number, next = index): void {
		if (this.disposed) {
			return;
		}
		this.text.push(lines, index);
		this.next = next;
		if (this.text.pending >= BATCH_LINES) {
			this.flush();
		} else {
			this.timer ??= setTimeout(() => this.flush(), BATCH_MS);
		}
	}

	/** Shows what an earlier window has stored. */
	restore({ lines, indexes, next }: KeptLines): void {
		for (const [at, line] of lines.entries()) {
			this.text.push([line], indexes[at] ?? next);
		}
		this.next = next;
		this.flush();
	}

	/** Writes what is left. The channel then has no more lines than the maximum. */
	finish(): void {
		this.flush(true);
	}

	private flush(exact = false): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const edit = this.disposed ? undefined : this.text.take(exact);
		if (edit) {
			if (edit.kind === 'replace') {
				// The channel is cleared instead of using its `replace`, for which the editor compares the texts and keeps all
				// of them. After some hundred thousand lines its window would lag behind for minutes.
				this.sink.clear();
			}
			this.sink.append(edit.text);
			if (this.kept?.isWhole && edit.kind === 'append') {
				this.kept.append({ ...edit, next: this.next });
			} else {
				this.kept?.replace({ ...this.text.all(), next: this.next });
			}
		}
	}

	dispose(): void {
		this.flush();
		this.disposed = true;
	}
}
