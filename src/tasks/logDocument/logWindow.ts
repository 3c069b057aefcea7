import { isAccount, isAside, type LogRecord, type StyledLine, stepOf, turnPartOf } from '../model/formatEntry.ts';
import type { ColourRun } from '../model/visibleText.ts';

/** An aside is of interest only to those who look closely. A note is Errand's own. */
export type LineLevel = 'error' | 'warning' | 'success' | 'aside' | 'note';

/** One line of the document. */
export interface LogLine {
	text: string;
	/** The index of the entry that the line belongs to. */
	index: number;
	/** Whether it is the first line of its entry. */
	isFirst: boolean;
	/** The step as the log shows it; undefined for notes and for entries that belong to the step around them. */
	step: string | undefined;
	/** Whether an agent's turn begins with the entry or goes on with it; undefined for entries that are not the agent's. */
	turn: 'message' | 'work' | undefined;
	level: LineLevel | undefined;
	colours: readonly ColourRun[];
}

const levels: ReadonlySet<string | undefined> = new Set(['error', 'warning', 'success']);

/** Returns a line of Errand's own. */
export function noteLine(text: string, index: number): LogLine {
	return { text, index, isFirst: true, step: undefined, turn: undefined, level: 'note', colours: [] };
}

export type LineFormatter = (record: LogRecord) => LogLine[];

export function createLineFormatter(
	format: (entry: Extract<LogRecord, { entry: unknown }>['entry'], sentAt: string | undefined) => StyledLine[],
): LineFormatter {
	return record => {
		const { index } = record;
		if ('note' in record) {
			return [noteLine(record.note, index)];
		}
		const { entry, sentAt } = record;
		const level = levels.has(entry.type) ? (entry.type as LineLevel) : isAside(entry) ? 'aside' : undefined;
		const step = isAccount(entry) ? undefined : stepOf(entry);
		const turn = turnPartOf(entry);
		return format(entry, sentAt).map(({ text, colours }, line) => ({
			text,
			index,
			isFirst: line === 0,
			step,
			turn,
			level,
			colours,
		}));
	};
}

/** A contiguous part of a log of bounded length: the entries `from` (inclusive) to `to` (exclusive). */
export class LogWindow {
	private readonly format: LineFormatter;
	private held: LogLine[] = [];
	private characters = 0;
	private start = 0;
	private next = 0;

	constructor(format: LineFormatter) {
		this.format = format;
	}

	get lines(): readonly LogLine[] {
		return this.held;
	}

	/** The length in UTF-16 code units, including line ends. */
	get length(): number {
		return this.characters;
	}

	get from(): number {
		return this.start;
	}

	get to(): number {
		return this.next;
	}

	/** Empties the window, to continue at the entry `index`. */
	reset(index: number): void {
		this.held = [];
		this.characters = 0;
		this.start = index;
		this.next = index;
	}

	append(record: LogRecord): void {
		for (const line of this.format(record)) {
			this.held.push(line);
			this.characters += line.text.length + 1;
		}
		this.next = nextOf(record);
	}

	/** Adds records before the first one, from the last record backwards, up to `maximum` characters. */
	prepend(records: readonly LogRecord[], maximum: number): void {
		const added: LogLine[][] = [];
		let length = 0;
		for (const record of records.toReversed()) {
			const lines = this.format(record);
			length += lengthOf(lines);
			if (length > maximum && added.length > 0) {
				break;
			}
			added.push(lines);
			this.start = record.index;
		}
		const front = added.reverse().flat();
		this.characters += lengthOf(front);
		this.held = [...front, ...this.held];
	}

	/** Drops the first entries until at most `maximum` characters or one entry are left. */
	dropFirst(maximum: number): void {
		let count = 0;
		while (this.characters > maximum && this.held[count] && this.held[count]?.index !== this.held.at(-1)?.index) {
			const index = this.held[count]?.index;
			for (; this.held[count]?.index === index; count++) {
				this.characters -= (this.held[count]?.text.length ?? 0) + 1;
			}
		}
		if (count > 0) {
			this.held = this.held.slice(count);
			this.start = this.held[0]?.index ?? this.next;
		}
	}

	/** Drops the last entries until at most `maximum` characters or one entry are left. */
	dropLast(maximum: number): void {
		while (this.characters > maximum && this.held.length > 0 && this.held.at(-1)?.index !== this.held[0]?.index) {
			const index = this.held.at(-1)?.index ?? 0;
			while (this.held.at(-1)?.index === index) {
				this.characters -= (this.held.pop()?.text.length ?? 0) + 1;
			}
			this.next = index;
		}
	}
}

function nextOf(record: LogRecord): number {
	return 'note' in record ? record.next : record.index + 1;
}

function lengthOf(lines: readonly LogLine[]): number {
	return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}
