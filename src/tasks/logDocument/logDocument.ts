import type { Disposable } from '../../base/disposable.ts';
import type { LogRecord } from '../model/formatEntry.ts';
import { type LineFormatter, type LogLine, LogWindow, noteLine } from './logWindow.ts';

/**
 * The most text that the document holds, apart from a single longer entry. The editor compares two versions of a
 * document, which keeps folds and the scroll position, only below 100,000 characters; above that it replaces the whole
 * text.
 */
const MAXIMUM_CHARACTERS = 80_000;

/** How many entries are read at once. */
const READ_ENTRIES = 500;

/** How many entries are shown before one that is looked for. */
const ENTRIES_BEFORE = 50;

/** How often the editor is notified of new lines, in milliseconds. */
const CHANGE_MS = 250;

export interface LogDocumentWords {
	/** The first line where entries before `index` are left out. */
	earlier(index: number): string;
	/** The last line where `count` later entries are left out. */
	later(count: number): string;
}

export interface LogDocumentOptions {
	format: LineFormatter;
	words: LogDocumentWords;
	/** Reads the records of the entries from `from` (inclusive) to `to` (exclusive). */
	read(from: number, to: number): Promise<LogRecord[]>;
	/** Called when the lines have changed. */
	onChange(): void;
	maximumCharacters?: number;
}

/**
 * A task's log as a document: a window of bounded length over the entries. While the reader is at its end, it follows
 * the log; elsewhere it stays in place, and what is left out on either side is read again by index on request.
 */
export class LogDocument implements Disposable {
	private readonly options: LogDocumentOptions;
	private readonly maximum: number;
	private readonly window: LogWindow;
	/** Every entry before this index is known to exist. */
	private known: number;
	private isReadingEnd = true;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private loading: Promise<void> | undefined;
	private isDisposed = false;

	/** `nextIndex` is the index of the next entry that will arrive. */
	constructor(options: LogDocumentOptions, nextIndex: number) {
		this.options = options;
		this.maximum = options.maximumCharacters ?? MAXIMUM_CHARACTERS;
		this.window = new LogWindow(options.format);
		this.window.reset(nextIndex);
		this.known = nextIndex;
	}

	get hasEarlier(): boolean {
		return this.window.from > 0;
	}

	get hasLater(): boolean {
		return this.window.to < this.known;
	}

	get nextIndex(): number {
		return this.known;
	}

	/** Returns the lines as the document shows them. Lines that link to omitted entries have an index of -1. */
	lines(): LogLine[] {
		const { words } = this.options;
		const lines = [...this.window.lines];
		if (this.hasEarlier) {
			lines.unshift(linkLine(words.earlier(this.window.from)));
		}
		if (this.hasLater) {
			lines.push(linkLine(words.later(this.known - this.window.to)));
		}
		return lines;
	}

	/** Sets whether the reader is at the end, where the log may advance and drop lines at the top. */
	setReadingEnd(isReadingEnd: boolean): void {
		this.isReadingEnd = isReadingEnd;
	}

	/** Takes the next record of the log as it arrives. */
	accept(record: LogRecord): void {
		const isNext = record.index === this.window.to && !this.hasLater;
		this.known = Math.max(this.known, 'note' in record ? record.next : record.index + 1);
		// A full window stays as it is while the reader is elsewhere.
		if (isNext && (this.isReadingEnd || this.window.length < this.maximum)) {
			this.window.append(record);
			if (this.isReadingEnd) {
				this.trimFront();
			}
		}
		this.changeSoon();
	}

	/** Reads the entries before the first one. Rejects with a ClientError. */
	loadEarlier(): Promise<void> {
		return this.load(async () => {
			const { from } = this.window;
			const records = await this.options.read(Math.max(0, from - READ_ENTRIES), from);
			// Records that arrived in the meantime may have moved the window.
			if (this.window.from === from && records.length > 0) {
				this.window.prepend(records, this.maximum / 2);
				if (!this.isReadingEnd || this.window.length > this.maximum) {
					this.window.dropLast(this.maximum);
				}
			}
		});
	}

	/** Reads the entries after the last one. Rejects with a ClientError. */
	loadLater(): Promise<void> {
		return this.load(async () => {
			const { to } = this.window;
			const records = await this.options.read(to, Math.min(this.known, to + READ_ENTRIES));
			if (this.window.to !== to) {
				return;
			}
			const before = this.window.length;
			for (const record of records) {
				if (this.window.length > before + this.maximum / 2) {
					break;
				}
				this.window.append(record);
			}
			this.window.dropFirst(this.maximum);
		});
	}

	/** Moves to the end of the log and follows it from there. Rejects with a ClientError. */
	showEnd(): Promise<void> {
		return this.load(async () => {
			this.isReadingEnd = true;
			if (this.hasLater) {
				const records = await this.options.read(Math.max(0, this.known - READ_ENTRIES), this.known);
				this.window.reset(records[0]?.index ?? this.known);
				for (const record of records) {
					this.window.append(record);
				}
				this.trimFront();
			}
		});
	}

	/** Moves to an entry with those around it, and stays there. Rejects with a ClientError. */
	showEntry(index: number): Promise<void> {
		return this.load(async () => {
			this.isReadingEnd = false;
			if (index >= this.window.from && index < this.window.to) {
				return;
			}
			const from = Math.max(0, index - ENTRIES_BEFORE);
			const records = await this.options.read(from, from + READ_ENTRIES);
			this.window.reset(records[0]?.index ?? from);
			for (const record of records) {
				this.window.append(record);
			}
			this.window.dropLast(this.maximum);
			// An entry that was read exists, even if it has not arrived yet.
			this.known = Math.max(this.known, this.window.to);
		});
	}

	/**
	 * Trims to half the maximum at once. The editor then compares the remaining lines of a long log once in a while
	 * instead of at every new line.
	 */
	private trimFront(): void {
		if (this.window.length > this.maximum) {
			this.window.dropFirst(this.maximum / 2);
		}
	}

	/** Runs one load at a time; a further one waits for it to finish. */
	private load(run: () => Promise<void>): Promise<void> {
		const mine = (this.loading ?? Promise.resolve()).catch(() => {}).then(run);
		this.loading = mine;
		return mine.finally(() => this.change());
	}

	private changeSoon(): void {
		this.timer ??= setTimeout(() => this.change(), CHANGE_MS);
	}

	private change(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		if (!this.isDisposed) {
			this.options.onChange();
		}
	}

	dispose(): void {
		this.isDisposed = true;
		clearTimeout(this.timer);
	}
}

function linkLine(text: string): LogLine {
	return noteLine(text, -1);
}
