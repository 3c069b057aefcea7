import type { Disposable } from '../../base/disposable.ts';
import { logDocumentWords } from '../common/messages.ts';
import type { LogRecord } from '../model/formatEntry.ts';
import { type LineFormatter, type LogLine, noteLine } from './logLine.ts';

/** The minimum number of last entries that the document keeps. */
const KEPT_ENTRIES = 20_000;
/** Above this number, the first entries are dropped all at once, so that a long log moves rarely. */
const MAXIMUM_ENTRIES = 22_000;

/** The same in UTF-16 code units, for entries of many lines: the editor does not colour or fold larger files. */
const KEPT_CHARACTERS = 6_000_000;
const MAXIMUM_CHARACTERS = 8_000_000;

/**
 * The interval at which the editor is notified of new lines, in milliseconds. It then reads all of them, so a long text
 * waits longer.
 */
const CHANGE_MS = 250;
const CHARACTERS_PER_MS = 3_000;

export interface LogDocumentOptions {
	format: LineFormatter;
	/** Reads the records of the entries from `from` (inclusive) to `to` (exclusive). */
	read(from: number, to: number): Promise<LogRecord[]>;
	/** Called when there is a new text to take. */
	onChange(): void;
}

/** The end of a task's log as the lines of a document, which grows with the log. */
export class LogDocument implements Disposable {
	private readonly options: LogDocumentOptions;
	private held: LogLine[] = [];
	private entries = 0;
	private characters = 0;
	/** The index of the next entry. */
	private next: number;
	/** The number of lines in the last text. */
	private taken = 0;
	/** True if the last text began with lines that were dropped since. */
	private isTrimmed = false;
	private timer: ReturnType<typeof setTimeout> | undefined;

	/** `nextIndex` is the index of the next entry that will arrive. */
	constructor(options: LogDocumentOptions, nextIndex: number) {
		this.options = options;
		this.next = nextIndex;
	}

	/** The index of the first entry that is shown, which equals the number of entries before it. */
	private get firstIndex(): number {
		return this.held[0]?.index ?? this.next;
	}

	/**
	 * Returns the lines of the next text. It shares its beginning or its end with the previous one, because the editor
	 * then replaces only the difference: new lines follow in a separate text.
	 */
	take(): LogLine[] {
		this.taken = this.isTrimmed ? this.taken : this.held.length;
		this.isTrimmed = false;
		if (this.taken < this.held.length) {
			this.changeSoon();
		}
		const lines = this.held.slice(0, this.taken);
		if (this.firstIndex > 0) {
			lines.unshift(noteLine(logDocumentWords.leftOut(this.firstIndex), -1));
		}
		return lines;
	}

	/** Takes the next record of the log as it arrives, and ignores a record that it already has. */
	accept(record: LogRecord): void {
		if (record.index === this.next) {
			this.next = 'note' in record ? record.next : record.index + 1;
			for (const line of this.options.format(record)) {
				this.held.push(line);
				this.characters += line.text.length + 1;
			}
			this.entries++;
			this.trim();
			this.changeSoon();
		}
	}

	/** Reads the entries before those that have arrived, as many as are shown. Rejects with a ClientError. */
	async load(): Promise<void> {
		const first = this.firstIndex;
		const records = await this.options.read(Math.max(0, first - KEPT_ENTRIES), first);
		// So many entries may have arrived meanwhile that those just read are no longer shown.
		if (this.firstIndex !== first) {
			return;
		}
		const lines = records.flatMap(this.options.format);
		this.held = [...lines, ...this.held];
		this.characters += lines.reduce((sum, { text }) => sum + text.length + 1, 0);
		this.entries += records.length;
		this.taken = 0;
		this.trim();
	}

	private trim(): void {
		if (this.entries <= MAXIMUM_ENTRIES && this.characters <= MAXIMUM_CHARACTERS) {
			return;
		}
		let dropped = 0;
		for (; this.entries > KEPT_ENTRIES || this.characters > KEPT_CHARACTERS; this.entries--) {
			do {
				this.characters -= (this.held[dropped]?.text.length ?? 0) + 1;
				dropped++;
			} while (this.held[dropped]?.isFirst === false);
		}
		this.held = this.held.slice(dropped);
		this.taken = Math.max(0, this.taken - dropped);
		this.isTrimmed = this.taken > 0;
	}

	private changeSoon(): void {
		const delay = Math.max(CHANGE_MS, this.characters / CHARACTERS_PER_MS);
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			this.options.onChange();
		}, delay);
	}

	dispose(): void {
		clearTimeout(this.timer);
	}
}
