import { createStyledFormatter, isAccount, isAside, type LogRecord, stepOf, turnPartOf } from '../model/formatEntry.ts';
import type { ColourRun } from '../model/visibleText.ts';

/** An aside is a detail for those who look closely. A note is Errand's own. */
export type LineLevel = 'error' | 'warning' | 'success' | 'aside' | 'note';

/** One line of the document. */
export interface LogLine {
	text: string;
	/** The index of the entry that the line belongs to; -1 for a line about the document itself. */
	index: number;
	/** True if it is the first line of its entry. */
	isFirst: boolean;
	/** The step as the log shows it; undefined for notes and for entries that belong to the step around them. */
	step: string | undefined;
	/**
	 * The part of the entry in an agent's turn, which it begins or continues; undefined for entries that are not the
	 * agent's.
	 */
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

/** The arguments are those of `createStyledFormatter`. */
export function createLineFormatter(...asked: Parameters<typeof createStyledFormatter>): LineFormatter {
	const format = createStyledFormatter(...asked);
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
