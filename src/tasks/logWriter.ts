import type { Disposable } from '../base/disposable.ts';
import type { KeptLines, KeptLog } from './keptLog.ts';
import { LogText } from './model/logText.ts';

/** The part of an output channel that a log is written to. */
export interface TextSink {
	append(text: string): void;
	clear(): void;
}

/** A batch is written when it is this old (milliseconds) or has this many lines. */
const BATCH_MS = 100;
const BATCH_LINES = 1000;

/** How many lines the editor holds for a followed task: it keeps an output channel's whole text in memory and on disk. */
export const MAXIMUM_LINES = 20_000;

/** Writes lines to a channel in batches and keeps the channel's size in bounds. */
export class LogWriter implements Disposable {
	private readonly sink: TextSink;
	private readonly text: LogText;
	/** Outlives the window. */
	private readonly kept: KeptLog | undefined;
	/** The entry that comes after what was written. */
	private next = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private disposed = false;

	constructor(sink: TextSink, leftOut: (firstIndex: number) => string, kept?: KeptLog, maximumLines = MAXIMUM_LINES) {
		this.kept = kept;
		this.sink = sink;
		this.text = new LogText(maximumLines, leftOut);
	}

	/** `index` is that of the entry, or of the next one for a line that is none; `next` is what comes after it. */
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

	/** Shows what an earlier window has kept. */
	restore({ lines, indexes, next }: KeptLines): void {
		for (const [at, line] of lines.entries()) {
			this.text.push([line], indexes[at] ?? next);
		}
		this.next = next;
		this.flush();
	}

	/** Writes what is left; the channel then holds no line more than the most it may. */
	finish(): void {
		this.flush(true);
	}

	private flush(exact = false): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const edit = this.disposed ? undefined : this.text.take(exact);
		if (edit) {
			if (edit.kind === 'replace') {
				// Not `replace`: the editor compares the texts and keeps each that there was. After some hundred thousand lines
				// its window then lags behind for minutes; cleared, it begins anew.
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
