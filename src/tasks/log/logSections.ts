import type { LogLine } from './logLine.ts';

/** Lines from `start` to `end`, both inclusive, counted from 0. */
export interface LogLineRange {
	start: number;
	end: number;
}

/** Consecutive entries of one step. */
export interface LogSection extends LogLineRange {
	step: string;
	/** The entries in it that report an error or a warning. */
	problems: LogLineRange[];
}

/** Splits the lines into sections. Notes and entries without a step belong to the section around them. */
export function sectionsOf(lines: readonly LogLine[]): LogSection[] {
	const sections: LogSection[] = [];
	let current: LogSection | undefined;
	lines.forEach((line, at) => {
		if (line.index < 0) {
			return;
		}
		if (line.step !== undefined && line.step !== current?.step) {
			current = { step: line.step, start: at, end: at, problems: [] };
			sections.push(current);
		}
		if (current) {
			current.end = at;
			if (line.level === 'error' || line.level === 'warning') {
				const last = current.problems.at(-1);
				if (line.isFirst || !last) {
					current.problems.push({ start: at, end: at });
				} else {
					last.end = at;
				}
			}
		}
	});
	return sections;
}

/**
 * Returns the foldable ranges: the turns of an agent, in them steps, and in those entries of several lines. If ranges
 * have the same first line, the editor takes the one that comes first here.
 */
export function foldsOf(lines: readonly LogLine[]): LogLineRange[] {
	const folds: LogLineRange[] = [...turnsOf(lines), ...sectionsOf(lines)];
	let start = 0;
	lines.forEach((line, at) => {
		if (line.isFirst) {
			start = at;
		} else if (lines[at + 1]?.isFirst !== false) {
			folds.push({ start, end: at });
		}
	});
	return folds.filter(fold => fold.end > fold.start).map(fold => ({ start: fold.start, end: fold.end }));
}

/** Returns each message of an agent together with the agent's actions until its next message. */
function turnsOf(lines: readonly LogLine[]): LogLineRange[] {
	const turns: LogLineRange[] = [];
	let current: LogLineRange | undefined;
	lines.forEach((line, at) => {
		if (line.turn === 'message' && line.isFirst) {
			current = { start: at, end: at };
			turns.push(current);
		} else if (current && line.turn !== undefined) {
			current.end = at;
		} else if (line.step !== undefined) {
			current = undefined;
		}
	});
	return turns;
}
