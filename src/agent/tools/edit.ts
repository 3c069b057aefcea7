import * as z from 'zod';
import { looselyFound, nearestLines, withoutNumbers } from './looseText.ts';
import { placeIn } from './place.ts';
import { type FileChange, MAXIMUM_FILE, readText, shownChange, writeText } from './textFile.ts';
import { defineTool } from './tool.ts';
import { ToolFailure } from './toolFailure.ts';

const schema = z.object({
	path: z.string().min(1),
	old: z.string().min(1).optional().describe('The text to replace, exactly as it stands'),
	new: z.string().optional().describe('The text in its place'),
	replace_all: z.boolean().default(false),
	patch: z.string().min(1).optional(),
});

export const edit = defineTool({
	name: 'edit',
	description:
		'Changes a part of a text file. Give old and new: old stands in the file exactly once, with its indentation, unless replace_all is set. Or give patch: the hunks of a unified diff.',
	schema,
	kind: 'edit',
	needsPermission: true,
	show: ({ path }) => ({ title: `Edit ${path}`, paths: [path] }),
	preview: async (input, { folder }) => shownChange(await changeOf(input, folder)),
	async run(input, { folder }) {
		const change = await changeOf(input, folder);
		await writeText(change.place, change.after);
		return { text: `${change.place.relative} was changed.${change.remark}`, content: shownChange(change) };
	},
});

/** A text after a change, and a note for the model about how its place was found. */
interface Changed {
	after: string;
	remark: string;
}

async function changeOf(
	{ path, old, new: replacement, replace_all: all, patch }: z.output<typeof schema>,
	folder: string,
): Promise<FileChange & Changed> {
	const place = await placeIn(folder, path);
	const before = await readText(place);
	let changed: Changed;
	if (old !== undefined && replacement !== undefined && patch === undefined) {
		changed = replace(before, old, replacement, all, place.relative);
	} else if (patch !== undefined && old === undefined && replacement === undefined) {
		changed = { after: applyPatch(before, patch, place.relative), remark: '' };
	} else {
		throw new ToolFailure('Give either old and new, or patch.');
	}
	if (changed.after === before) {
		throw new ToolFailure(`That changes nothing in ${place.relative}.`);
	}
	return { place, before, ...changed };
}

function replace(text: string, old: string, replacement: string, all: boolean, name: string): Changed {
	// Models write line feeds, whatever the file has.
	const isCrlf = text.includes('\r\n') && !old.includes('\r');
	const inFile = (given: string) => (isCrlf ? given.replaceAll('\n', '\r\n') : given);
	const count = text.split(inFile(old)).length - 1;
	if (count === 0) {
		return replaceLoosely(text, old, replacement, all, name);
	}
	if (count > 1 && !all) {
		throw new ToolFailure(
			`The old text stands in ${name} ${count} times. Give more of the lines around it, or set replace_all.`,
		);
	}
	const put = inFile(replacement);
	if (text.length + count * (put.length - inFile(old).length) > MAXIMUM_FILE) {
		throw new ToolFailure(`${name} would become too large.`);
	}
	return { after: text.split(inFile(old)).join(put), remark: '' };
}

/** Replaces a text that was copied with line numbers, or another indentation, if only one place can be meant. */
function replaceLoosely(text: string, old: string, replacement: string, all: boolean, name: string): Changed {
	const bare = withoutNumbers(old, replacement);
	if (bare !== undefined) {
		const { after, remark } = replace(text, bare.old, bare.put, all, name);
		return { after, remark: ` The line numbers are not part of the file and were left out.${remark}` };
	}
	const end = endOf(text);
	const lines = text.split(end);
	const found = looselyFound(lines, old, replacement);
	if (found === undefined) {
		const nearest = nearestLines(lines, old.split(/\r?\n/));
		throw new ToolFailure(
			`The old text does not stand in ${name}.${nearest || ' '}Read the file again and copy the text exactly.`,
		);
	}
	const { start, count, lines: put } = found;
	return {
		after: lines
			.slice(0, start)
			.concat(put, lines.slice(start + count))
			.join(end),
		remark: ` The white space of old was not that of the file: lines ${start + 1} to ${start + count} were replaced, which alone fit, and new was indented like them.`,
	};
}

const endOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** The maximum number of line comparisons for one patch. Without a limit, a patch of equal lines could take hours. */
const MAXIMUM_COMPARISONS = 50_000_000;

interface Hunk {
	/** The line at which the hunk claims to begin, counted from 0. */
	at: number;
	before: string[];
	after: string[];
}

/** Applies the hunks of a unified diff to a text. Throws a ToolFailure for a hunk whose lines are not in the text. */
function applyPatch(text: string, patch: string, name: string): string {
	const end = endOf(text);
	let lines = text.split(end);
	const budget = { comparisons: MAXIMUM_COMPARISONS };
	/** The number of lines that the earlier hunks have added. */
	let shift = 0;
	let from = 0;
	for (const [number, { at, before, after }] of readHunks(patch).entries()) {
		const place = findLines(lines, before, { at: at + shift, from, budget });
		if (place === undefined) {
			throw new ToolFailure(
				`Hunk ${number + 1} does not fit ${name}: its lines do not stand there.${nearestLines(lines, before) || ' '}Read the file again.`,
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

/** Returns the position nearest to `at`, not before `from`, at which the lines are found. */
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
