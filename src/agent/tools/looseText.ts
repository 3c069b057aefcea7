// Finds the text that a model meant if it has not copied it exactly.
import { append } from '../../base/append.ts';

/** The maximum line comparisons, and examined lines of a file. Without limits, a search could take hours. */
const MAXIMUM_COMPARISONS = 20_000_000;
const MAXIMUM_LINES = 20_000;

/** The compared characters of a line, and the maximum characters of the report about the nearest lines. */
const MAXIMUM_LINE = 200;
const MAXIMUM_TOLD = 2_000;
const MAXIMUM_TOLD_LINES = 12;

/** Lines with a smaller share of their character pairs in common are not similar. */
const LIKE = 0.5;

/** Matches lines as the read tool numbers them. */
const NUMBERED = /^\s*\d+\t/;

/** Returns both texts without the line numbers of the read tool, or undefined if not all lines have one. */
export function withoutNumbers(old: string, put: string): { old: string; put: string } | undefined {
	const strip = (text: string) => text.replace(/^[^\S\n]*\d+\t/gm, '');
	const isNumbered = linesOf(old).every(line => NUMBERED.test(line)) && strip(old).trim() !== '';
	return isNumbered ? { old: strip(old), put: strip(put) } : undefined;
}

/** The plain characters of code, each with those that models write in its place. */
const PLAIN = [
	["'", '‘’‚‛′'],
	['"', '“”„‟″'],
	['-', '‐‑‒–—−'],
	[' ', '\u00a0\u2002\u2003\u2009\u202f'],
] as const;
const PLAIN_FOR = new Map(PLAIN.flatMap(([plain, others]) => [...others].map(other => [other, plain])));

/**
 * Returns both texts with plain quotes, dashes and spaces for the typographic ones that `old` has, or undefined if it
 * has none.
 */
export function withPlainCharacters(old: string, put: string): { old: string; put: string } | undefined {
	const found = new Set([...old].filter(character => PLAIN_FOR.has(character)));
	const plain = (text: string) =>
		Array.from(text, character => (found.has(character) ? PLAIN_FOR.get(character) : character)).join('');
	return found.size === 0 ? undefined : { old: plain(old), put: plain(put) };
}

export interface LoosePlace {
	/** The first line, counted from 0, and the number of lines. */
	start: number;
	count: number;
	/** The text that replaces them, with the indentation of the file. */
	lines: string[];
}

/**
 * Finds the whole lines that differ from `old` only in leading and trailing white space. Returns undefined unless there
 * is exactly one such place.
 */
export function findLoosely(lines: readonly string[], old: string, put: string): LoosePlace | undefined {
	const wanted = linesOf(old);
	const [first, ...rest] = wanted.map(line => line.trim());
	if (first === undefined || wanted.every(line => line.trim() === '')) {
		return undefined;
	}
	const bareLines = lines.map(line => line.trim());
	const places: number[] = [];
	let comparisons = 0;
	for (let place = bareLines.indexOf(first); place >= 0; place = bareLines.indexOf(first, place + 1)) {
		const different = rest.findIndex((line, index) => bareLines[place + 1 + index] !== line);
		comparisons += different < 0 ? rest.length : different + 1;
		if (different < 0) {
			places.push(place);
		}
		if (places.length > 1 || comparisons > MAXIMUM_COMPARISONS) {
			return undefined;
		}
	}
	const [start] = places;
	return start === undefined
		? undefined
		: { start, count: wanted.length, lines: reindented(linesOf(put), wanted, lines.slice(start)) };
}

/** Returns the lines of a text. A line feed at its end does not begin another line. */
function linesOf(text: string): string[] {
	return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

const indentOf = (line: string): string => /^[\t ]*/.exec(line)?.[0] ?? '';

/** Gives lines the indentation of `found` where `wanted` has theirs. */
function reindented(put: readonly string[], wanted: readonly string[], found: readonly string[]): string[] {
	const known = new Map<string, string>();
	for (const [index, line] of wanted.entries()) {
		if (line.trim() !== '') {
			known.set(indentOf(line), indentOf(found[index] ?? ''));
		}
	}
	const longestFirst = [...known].sort(([one], [other]) => other.length - one.length);
	const shortest = longestFirst.at(-1) ?? NONE;
	return put.map(line => {
		const own = indentOf(line);
		const longest = longestFirst.find(([indent]) => own.startsWith(indent)) ?? NONE;
		const further = own.slice(longest[0].length);
		const added = furtherIn(further, shortest === longest ? NONE : shortest, longest);
		return line.trim() === '' ? line : longest[1] + added + line.slice(own.length);
	});
}

/** An indentation, and the corresponding one in the file. */
type Indent = readonly [string, string];

const NONE: Indent = ['', ''];

/** Returns another indentation as the file would have it, extrapolated from two known ones. */
function furtherIn(indent: string, [lessFrom, lessTo]: Indent, [from, to]: Indent): string {
	const length = (indent.length * (to.length - lessTo.length)) / (from.length - lessFrom.length);
	return length > 0 && Number.isInteger(length) ? to.charAt(0).repeat(length) : indent;
}

/**
 * Returns the lines of a file that are most similar to the wanted ones, with the differences. Empty if none are
 * similar.
 */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): string {
	const longest = wanted.reduce((best, line) => (line.trim().length > best.trim().length ? line : best), '');
	const pairs = pairsOf(longest);
	let nearest: { index: number; likeness: number } | undefined;
	for (const [index, line] of lines.slice(0, MAXIMUM_LINES).entries()) {
		const likeness = likenessOf(pairs, line);
		if (likeness >= LIKE && likeness > (nearest?.likeness ?? 0)) {
			nearest = { index, likeness };
		}
	}
	if (nearest === undefined) {
		return '';
	}
	const start = Math.max(0, nearest.index - wanted.indexOf(longest));
	const count = Math.min(wanted.length, lines.length - start, MAXIMUM_TOLD_LINES);
	const told: string[] = [];
	for (let index = 0; index < count; index++) {
		const [given = '', own = ''] = [wanted[index], lines[start + index]];
		append(told, given === own ? [`  ${own}`] : [`- ${given}`, `+ ${own}`]);
	}
	const shown = told
		.map(line => line.slice(0, MAXIMUM_LINE).toWellFormed())
		.join('\n')
		.slice(0, MAXIMUM_TOLD);
	return ` The nearest are lines ${start + 1} to ${start + count}, here with - before what you gave and + before what stands there:\n${shown}\n`;
}

/** Counts the character pairs of a line, without its white space. */
function pairsOf(line: string): Map<string, number> {
	const text = line.slice(0, MAXIMUM_LINE).replace(/\s+/g, '');
	const pairs = new Map<string, number>();
	for (let index = 0; index + 1 < text.length; index++) {
		const pair = text.slice(index, index + 2);
		pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
	}
	return pairs;
}

/** Returns the share of its pairs that a line has in common with others, from 0 to 1. */
function likenessOf(pairs: ReadonlyMap<string, number>, line: string): number {
	const own = pairsOf(line);
	let [common, total] = [0, 0];
	for (const [pair, count] of own) {
		common += Math.min(count, pairs.get(pair) ?? 0);
		total += count;
	}
	for (const count of pairs.values()) {
		total += count;
	}
	return total === 0 ? 0 : (2 * common) / total;
}
