import { ToolFailure } from './tool.ts';

/** The comparisons of lines for one patch. Without a limit, a patch of equal lines could take hours. */
const MAXIMUM_COMPARISONS = 50_000_000;

interface Hunk {
	/** The line at which the hunk says that it begins, counted from 0. */
	at: number;
	before: string[];
	after: string[];
}

/** Applies the hunks of a unified diff to a text. Throws a ToolFailure for one whose lines do not stand in the text. */
export function applyPatch(text: string, patch: string, name: string): string {
	const end = text.includes('\r\n') ? '\r\n' : '\n';
	let lines = text.split(end);
	const budget = { comparisons: MAXIMUM_COMPARISONS };
	/** How many lines the earlier hunks have added. */
	let shift = 0;
	let from = 0;
	for (const [number, { at, before, after }] of readHunks(patch).entries()) {
		const place = findLines(lines, before, { at: at + shift, from, budget });
		if (place === undefined) {
			throw new ToolFailure(
				`Hunk ${number + 1} does not fit ${name}: its lines do not stand there. Read the file again.`,
			);
		}
		lines = lines.slice(0, place).concat(after, lines.slice(place + before.length));
		shift += after.length - before.length;
		from = place + after.length;
	}
	return lines.join(end);
}

function readHunks(patch: string): Hunk[] {
	const hunks: Hunk[] = [];
	for (const line of patch.split(/\r?\n/)) {
		const start = /^@@(?: -(\d+)(?:,\d+)? \+\d+(?:,\d+)?)? @@|^@@/.exec(line);
		const hunk = hunks.at(-1);
		if (start) {
			hunks.push({ at: Math.max(0, Number(start[1] ?? 1) - 1), before: [], after: [] });
		} else if (hunk && line.startsWith('-')) {
			hunk.before.push(line.slice(1));
		} else if (hunk && line.startsWith('+')) {
			hunk.after.push(line.slice(1));
		} else if (hunk && line.startsWith(' ')) {
			hunk.before.push(line.slice(1));
			hunk.after.push(line.slice(1));
		}
	}
	if (hunks.length === 0) {
		throw new ToolFailure('The patch has no hunk. A hunk begins with a line such as "@@ -3,4 +3,5 @@".');
	}
	return hunks;
}

interface Search {
	at: number;
	from: number;
	budget: { comparisons: number };
}

/** Returns the place nearest to `at`, from `from` on, where the lines stand. */
function findLines(
	lines: readonly string[],
	wanted: readonly string[],
	{ at, from, budget }: Search,
): number | undefined {
	let nearest: number | undefined;
	for (let place = from; place + wanted.length <= lines.length; place++) {
		const different = wanted.findIndex((line, index) => lines[place + index] !== line);
		const isHere = different === -1;
		budget.comparisons -= isHere ? wanted.length + 1 : different + 1;
		if (budget.comparisons < 0) {
			throw new ToolFailure('Finding the lines of the patch takes too much time. Use old and new instead.');
		}
		if (isHere && (nearest === undefined || Math.abs(place - at) < Math.abs(nearest - at))) {
			nearest = place;
		}
	}
	return nearest;
}
