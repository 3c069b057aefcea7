import type { Disposable } from '../../base/disposable.ts';
import { followWords } from '../common/messages.ts';
import type { LogChannel } from './logChannel.ts';
import type { LogFile } from './logFile.ts';

/** A batch is written when it reaches this age in milliseconds or this many lines. */
const BATCH_MS = 100;
const BATCH_LINES = 1000;

/**
 * The number of lines that the editor holds for a followed task, because it keeps an output channel's whole text in
 * memory and on disk.
 */
const MAXIMUM_LINES = 20_000;

/**
 * Writes lines to a channel in batches. The channel shows at least the last `limit` lines. Older ones are dropped all at
 * once when `limit` more have accumulated, so that each line is written at most twice, however long the log is.
 */
export class LogWriter implements Disposable {
	private readonly sink: Pick<LogChannel, 'append' | 'clear'>;
	/** The stored copy of the channel's text, which outlives the window. */
	private readonly file: LogFile | undefined;
	private readonly limit: number;
	private lines: string[] = [];
	/** The index of the entry that each line belongs to. */
	private indexes: number[] = [];
	/** The number of `lines` that the channel already shows. */
	private shown = 0;
	private isKept = false;
	private next = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private disposed = false;

	constructor(sink: Pick<LogChannel, 'append' | 'clear'>, file?: LogFile, limit = MAXIMUM_LINES) {
		this.sink = sink;
		this.file = file;
		this.limit = limit;
	}

	/** The index of the entry that follows the written ones. */
	get nextIndex(): number {
		return this.next;
	}

	/**
	 * `index` is the index of the entry, or of the next entry for a line that belongs to none; `next` is the index that
	 * follows.
	 */
	write(lines: readonly string[], index: number, next = index): void {
		if (this.disposed) {
			return;
		}
		this.push(lines, index);
		this.next = Math.max(this.next, next);
		if (this.lines.length - this.shown >= BATCH_LINES) {
			this.flush();
		} else {
			this.timer ??= setTimeout(() => this.flush(), BATCH_MS);
		}
	}

	private push(lines: readonly string[], index: number): void {
		for (const line of lines) {
			this.lines.push(line);
			this.indexes.push(index);
		}
	}

	/** Stores the channel's content from now on. */
	keep(): void {
		this.isKept = true;
	}

	/** Removes the stored copy, because no later window continues with this log. */
	forget(): void {
		this.isKept = false;
		void this.file?.remove();
	}

	/** Shows the content that an earlier window has stored, and continues after it. */
	async restore(): Promise<void> {
		const stored = this.isKept ? await this.file?.read() : undefined;
		if (!stored) {
			return;
		}
		const { lines, indexes, next } = stored;
		const first = indexes[0] ?? next;
		const note = followWords.leftOut(first);
		if (first > 0 && lines[0] !== note) {
			this.push([note], first);
		}
		for (const [at, line] of lines.entries()) {
			this.push([line], indexes[at] ?? next);
		}
		this.next = next;
		this.flush();
	}

	/** Writes the remaining lines. The channel then has no more lines than the maximum. */
	finish(): void {
		this.flush(true);
	}

	private flush(isLast = false): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const isTooLong = this.lines.length > (isLast ? this.limit : this.limit * 2);
		if (this.disposed || (this.shown === this.lines.length && !isTooLong)) {
			return;
		}
		if (isTooLong) {
			this.lines = this.lines.slice(-this.limit);
			this.indexes = this.indexes.slice(-this.limit);
			this.shown = 0;
			// The channel is cleared instead of using its `replace`, for which the editor compares the texts and keeps all of
			// them. After some hundred thousand lines its window would lag behind for minutes.
			this.sink.clear();
		}
		const [lines, indexes] = [this.lines.slice(this.shown), this.indexes.slice(this.shown)];
		this.shown = this.lines.length;
		const note = isTooLong ? `${followWords.leftOut(indexes[0] ?? 0)}\n` : '';
		this.sink.append(`${note}${lines.join('\n')}\n`);
		if (!this.isKept) {
			return;
		}
		if (this.file?.isWhole && !isTooLong) {
			this.file.append({ lines, indexes, next: this.next });
		} else {
			this.file?.replace({ lines: this.lines, indexes: this.indexes, next: this.next });
		}
	}

	dispose(): void {
		this.flush();
		this.disposed = true;
	}
}
