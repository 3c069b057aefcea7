// Finds the place of a code block in a file, because replies rarely contain whole files. The result is always shown
// before it is written.

/** `text` is the whole file including the block, which begins at a line that counts from 0. */
export interface Placement {
	text: string;
	startLine: number;
}

/** Above the first limit of pairs of lines, no place is searched for; above the second, only identical lines count. */
const MAXIMUM_PAIRS = 20_000_000;
const MAXIMUM_COMPARED_PAIRS = 2_000_000;

/** The minimum share of common words for which one line may be a changed version of another. */
const SIMILAR = 0.5;
/** A changed line counts less than an unchanged one, and a blank line or a lone bracket proves little. */
const CHANGED_WEIGHT = 0.5;
const PLAIN_WEIGHT = 0.1;
/** The cost of a line that only one side has, so that the closest fit wins. */
const GAP = 0.05;
/** The minimum share of the block's lines that must be in the file. */
const MINIMUM_SHARE = 0.2;

/** Matches `// … existing code …` and similar lines, which stand for unchanged lines of the file. */
const ELISION = /^\s*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)?\s*(?:\.\.\.|…).*$/;

/**
 * Returns the file with the block in its place, which is found by the common lines. Returns undefined if there is no
 * such place, or if several fit equally well.
 */
export function placeByContext(file: string, code: string): Placement | undefined {
	const lines = file.split(/\r?\n/);
	const block = trimElisions(code.replace(/\r?\n$/, '').split(/\r?\n/));
	if (block.length === 0 || lines.length * block.length > MAXIMUM_PAIRS) {
		return undefined;
	}
	const fit = align(lines, block);
	const needed = block.reduce((sum, line) => sum + (ELISION.test(line) ? 0 : weightOf(line)), 0) * MINIMUM_SHARE;
	if (!fit || fit.matched < Math.max(1, needed)) {
		return undefined;
	}
	const first = fit.pairs[0]?.line ?? 0;
	const last = fit.pairs.at(-1)?.line ?? 0;
	// The search is repeated without the place that was found: a second place that fits equally well makes the first one
	// a guess.
	const others = lines.map((line, index) => (index >= first && index <= last ? undefined : line));
	const second = align(others, block);
	if (second && second.score >= fit.score - GAP) {
		return undefined;
	}
	const replacement = indent(fill(lines, block, fit.pairs), lines, block, fit.pairs);
	return replaceLines(file, first, last + 1, replacement);
}

/** Returns the file with some of its lines replaced. `code` gets the line breaks of the file. */
export function replaceLines(file: string, startLine: number, endLine: number, code: readonly string[]): Placement {
	const lineBreak = file.includes('\r\n') ? '\r\n' : '\n';
	const lines = file.split(/\r?\n/);
	const text = [...lines.slice(0, startLine), ...code, ...lines.slice(endLine)].join(lineBreak);
	return { text, startLine };
}

interface Pair {
	/** The index in the file and the one in the block. */
	line: number;
	own: number;
	same: boolean;
}

interface Fit {
	score: number;
	/** The weight of the identical lines. */
	matched: number;
	pairs: Pair[];
}

/** The steps of the path back through the table. */
const [STOP, PAIR, BLOCK_ONLY, FILE_ONLY] = [0, 1, 2, 3];

/**
 * Returns the best alignment of the block with a part of the file, line by line. A line that is undefined fits nothing.
 */
function align(lines: readonly (string | undefined)[], block: readonly string[]): Fit | undefined {
	const width = lines.length + 1;
	const steps = new Uint8Array(width * (block.length + 1));
	const compares = lines.length * block.length <= MAXIMUM_COMPARED_PAIRS;
	const fileKeys = lines.map(line => line?.trim());
	const fileWords = compares ? lines.map(line => wordsOf(line ?? '')) : [];
	let above = new Float64Array(width);
	block.forEach((line, own) => {
		const row = new Float64Array(width);
		const offset = (own + 1) * width;
		const elided = ELISION.test(line);
		const key = line.trim();
		const weight = weightOf(line);
		const words = compares && !elided ? wordsOf(line) : undefined;
		row[0] = (above[0] ?? 0) - (elided ? 0 : GAP);
		steps[offset] = BLOCK_ONLY as number;
		for (let at = 1; at < width; at++) {
			let best = (above[at] ?? 0) - (elided ? 0 : GAP);
			let step = BLOCK_ONLY as number;
			const skip = (row[at - 1] ?? 0) - (elided ? 0 : GAP);
			if (skip > best || (elided && skip >= best)) {
				best = skip;
				step = FILE_ONLY as number;
			}
			if (!elided) {
				const other = fileKeys[at - 1];
				const gain =
					other === undefined
						? 0
						: other === key
							? weight
							: words && weight === 1
								? CHANGED_WEIGHT * similarity(words, fileWords[at - 1] as Set<string>)
								: 0;
				if (gain > 0 && (above[at - 1] ?? 0) + gain > best) {
					best = (above[at - 1] ?? 0) + gain;
					step = PAIR as number;
				}
			}
			row[at] = best;
			steps[offset + at] = step;
		}
		above = row;
	});
	let end = 0;
	for (let at = 1; at < width; at++) {
		if ((above[at] ?? 0) > (above[end] ?? 0)) {
			end = at;
		}
	}
	const pairs: Pair[] = [];
	let matched = 0;
	for (let own = block.length, at = end; own > 0; ) {
		const step = steps[own * width + at] ?? STOP;
		if (step === PAIR) {
			const same = fileKeys[at - 1] === block[own - 1]?.trim();
			matched += same ? weightOf(block[own - 1] ?? '') : 0;
			pairs.unshift({ line: at - 1, own: own - 1, same });
		}
		own -= step === FILE_ONLY ? 0 : 1;
		at -= step === BLOCK_ONLY ? 0 : 1;
	}
	return pairs.length > 0 ? { score: above[end] ?? 0, matched, pairs } : undefined;
}

function weightOf(line: string): number {
	return /\w.*\w/.test(line) ? 1 : PLAIN_WEIGHT;
}

function wordsOf(line: string): Set<string> {
	return new Set(line.match(/\w+|[^\s\w]/g) ?? []);
}

/** Returns twice the number of common words divided by the number of all words, or 0 for lines that are not similar. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
	if (2 * Math.min(one.size, other.size) < SIMILAR * (one.size + other.size)) {
		return 0;
	}
	let shared = 0;
	for (const word of one) {
		shared += other.has(word) ? 1 : 0;
	}
	const alike = (2 * shared) / (one.size + other.size);
	return alike >= SIMILAR ? alike : 0;
}

function trimElisions(block: string[]): string[] {
	const first = block.findIndex(line => line.trim() !== '' && !ELISION.test(line));
	const last = block.findLastIndex(line => line.trim() !== '' && !ELISION.test(line));
	return first < 0 ? [] : block.slice(first, last + 1);
}

/** A line of the replacement: one from the block, or one from the file that the block omitted. */
type Line = { own: number } | { kept: string };

function fill(lines: readonly string[], block: readonly string[], pairs: readonly Pair[]): Line[] {
	return block.flatMap((line, own): Line[] => {
		if (!ELISION.test(line)) {
			return [{ own }];
		}
		const before = pairs.findLast(pair => pair.own < own);
		const after = pairs.find(pair => pair.own > own);
		return before && after ? lines.slice(before.line + 1, after.line).map(kept => ({ kept })) : [];
	});
}

/** Indents the block like the file's lines, if all identical lines differ by the same indentation. */
function indent(
	replacement: readonly Line[],
	lines: readonly string[],
	block: readonly string[],
	pairs: readonly Pair[],
): string[] {
	const prefixes = new Set(
		pairs
			.filter(({ own, same }) => same && weightOf(block[own] ?? '') === 1)
			.map(({ own, line }) => {
				const wanted = indentOf(lines[line] ?? '');
				const has = indentOf(block[own] ?? '');
				return wanted.endsWith(has) ? wanted.slice(0, wanted.length - has.length) : undefined;
			}),
	);
	const [prefix = ''] = prefixes.size === 1 ? [...prefixes] : [];
	return replacement.map(line => {
		if ('kept' in line) {
			return line.kept;
		}
		const own = block[line.own] ?? '';
		return own.trim() === '' ? own : prefix + own;
	});
}

function indentOf(line: string): string {
	return /^\s*/.exec(line)?.[0] ?? '';
}
