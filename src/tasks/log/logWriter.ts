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

/** Writes lines to a channel in batches and limits the channel's size. */
export class LogWriter implements Disposable {
	private readonly sink: Pick<LogChannel, 'append' | 'clear'>;
	private readonly text: LogText;
	/** The stored copy of the channel's text, which outlives the window. */
	private readonly file: LogFile | undefined;
	private isKept = false;
	private next = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private disposed = false;

	constructor(sink: Pick<LogChannel, 'append' | 'clear'>, file?: LogFile, maximumLines = MAXIMUM_LINES) {
		this.file = file;
		this.sink = sink;
		this.text = new LogText(maximumLines);
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
		this.text.push(lines, index);
		this.next = Math.max(this.next, next);
		if (this.text.pending >= BATCH_LINES) {
			this.flush();
		} else {
			this.timer ??= setTimeout(() => this.flush(), BATCH_MS);
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
			this.text.push([note], first);
		}
		for (const [at, line] of lines.entries()) {
			this.text.push([line], indexes[at] ?? next);
		}
		this.next = next;
		this.flush();
	}

	/** Writes the remaining lines. The channel then has no more lines than the maximum. */
	finish(): void {
		this.flush(true);
	}

	private flush(exact = false): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		const edit = this.disposed ? undefined : this.text.take(exact);
		if (!edit) {
			return;
		}
		if (edit.kind === 'replace') {
			// The channel is cleared instead of using its `replace`, for which the editor compares the texts and keeps all of
			// them. After some hundred thousand lines its window would lag behind for minutes.
			this.sink.clear();
		}
		this.sink.append(edit.text);
		if (!this.isKept) {
			return;
		}
		if (this.file?.isWhole && edit.kind === 'append') {
			this.file.append({ ...edit, next: this.next });
		} else {
			this.file?.replace({ ...this.text.all(), next: this.next });
		}
	}

	dispose(): void {
		this.flush();
		this.disposed = true;
	}
}

/** The change to an output channel that makes it show the text, and the lines of that change. */
interface ChannelEdit {
	kind: 'append' | 'replace';
	text: string;
	lines: readonly string[];
	indexes: readonly number[];
}

/**
 * The lines of a log, of which at least the last `limit` are kept. Older lines are dropped all at once when `limit`
 * more have accumulated, so that each line is written to the channel at most twice, however long the log is.
 */
export class LogText {
	private readonly limit: number;
	private lines: string[] = [];
	/** The index of the entry that each line belongs to. */
	private indexes: number[] = [];
	/** The number of `lines` that the channel already shows. */
	private shown = 0;

	constructor(limit: number) {
		this.limit = limit;
	}

	get pending(): number {
		return this.lines.length - this.shown;
	}

	/** Returns all lines that are held. */
	all(): Pick<ChannelEdit, 'lines' | 'indexes'> {
		return { lines: [...this.lines], indexes: [...this.indexes] };
	}

	/** `index` is the index of the entry, or of the next entry for a line that belongs to none. */
	push(lines: readonly string[], index: number): void {
		for (const line of lines) {
			this.lines.push(line);
			this.indexes.push(index);
		}
	}

	/**
	 * Returns the change that the channel still lacks. `exact` keeps no more lines than the limit, for the end of a
	 * log.
	 */
	take(exact = false): ChannelEdit | undefined {
		if (this.lines.length > (exact ? this.limit : this.limit * 2)) {
			const from = this.lines.length - this.limit;
			this.lines = this.lines.slice(from);
			this.indexes = this.indexes.slice(from);
			this.shown = this.lines.length;
			const text = `${followWords.leftOut(this.indexes[0] ?? 0)}\n${this.lines.join('\n')}\n`;
			return { kind: 'replace', text, ...this.all() };
		}
		if (this.pending === 0) {
			return undefined;
		}
		const [lines, indexes] = [this.lines.slice(this.shown), this.indexes.slice(this.shown)];
		this.shown = this.lines.length;
		return { kind: 'append', text: `${lines.join('\n')}\n`, lines, indexes };
	}
}
