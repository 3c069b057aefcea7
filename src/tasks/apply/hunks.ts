import { type HunkRanges, type HunkSide, linesIn, splitLines, withHunks } from '../../base/hunks.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import type { ChangedFile, FileVersion } from '../model/changedFile.ts';
import type { Hunk } from '../model/composition.ts';
import { MAXIMUM_COMPARED } from '../results/readChanges.ts';
import type { Change } from './change.ts';
import { type Contents, knownContents, objectName, versionKey } from './contents.ts';
import { isText, likeFile } from './lineEnds.ts';
import type { WorkingTree } from './tree.ts';

const FILES: ReadonlySet<string> = new Set<FileVersion['kind']>(['file', 'executable']);

/**
 * Returns the hunks between two versions that git has stored, independent of the user's diff configuration. Returns
 * undefined for versions that are not files, or too large to be compared. Rejects when git fails.
 */
export async function findHunks(
	{ gitPath, directory }: GitPlace,
	before: FileVersion,
	after: FileVersion,
	contents: Contents,
): Promise<HunkRanges[] | undefined> {
	const sizes = await contents.sizes([before.object, after.object]);
	const isFile = [before, after].every(({ kind, object }) => FILES.has(kind) && sizes.has(object));
	if (!isFile || Math.max(...sizes.values()) > MAXIMUM_COMPARED) {
		return undefined;
	}
	const output = await runGit(gitPath, directory, ['diff', '--text', ...HUNKS, before.object, after.object, '--'], {
		encoding: 'latin1',
	});
	return readHunkRanges(output);
}

/**
 * Reads the hunks from a diff without context lines. There, every line of a file begins with a sign, so none can be
 * mistaken for a heading.
 */
export function readHunkRanges(diff: string): HunkRanges[] {
	return Array.from(diff.matchAll(HEADING), ([, before = '', beforeCount, after = '', afterCount]) => ({
		before: rangeOf(before, beforeCount),
		after: rangeOf(after, afterCount),
	}));
}

/** The options of a diff without context lines that is independent of the user's configuration. */
const HUNKS = [
	...['--unified=0', '--inter-hunk-context=0', '--no-color', '--no-ext-diff', '--no-textconv'],
	...['--diff-algorithm=histogram', '--indent-heuristic'],
];

/** In bytes. Nobody chooses among the hunks of more. */
const MAXIMUM_PATCH = 16 * 1024 * 1024;

/**
 * Returns the hunks of all text files that differ between two commits, by `versionsOf` the files. Rejects when git
 * fails, or if there is too much of it.
 */
export async function listHunks(
	{ gitPath, directory }: GitPlace,
	base: string,
	tip: string,
): Promise<Map<string, Hunk[]>> {
	const how = [
		'-c',
		`core.bigFileThreshold=${MAXIMUM_COMPARED}`,
		'diff-tree',
		'-r',
		'-p',
		'--full-index',
		'--no-renames',
	];
	const patch = await runGit(gitPath, directory, [...how, ...HUNKS, base, tip, '--'], {
		encoding: 'latin1',
		maximumOutput: MAXIMUM_PATCH,
	});
	const found = new Map<string, Hunk[]>();
	for (const part of patch.split(AT_FILE).slice(1)) {
		const [head = '', ...bodies] = part.split(AT_HUNK);
		const [, versions] = /\nindex ([\da-f]+\.\.[\da-f]+)/.exec(head) ?? [];
		const hunks = readHunkRanges(part).map((ranges, at) => {
			const lines = (bodies[at] ?? '').split(AT_LINE).slice(1);
			const of = (sign: string) =>
				lines.filter(line => line.startsWith(sign)).map(line => line.slice(1).replace(NO_END, ''));
			return { ...ranges, removed: of('-'), added: of('+') };
		});
		if (versions !== undefined && hunks.length > 0) {
			found.set(versions, hunks);
		}
	}
	return found;
}

// A line ends with a line feed alone, while `^` also matches after other signs in it.
const AT_FILE = /(?<![^\n])diff --git /;
const AT_HUNK = /(?<![^\n])@@ /;
const AT_LINE = /(?<=\n)(?=[-+])/;
const HEADING = /(?<![^\n])@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/g;
/** Stands behind a line without an end, in place of that. */
const NO_END = /\n\\ [^\n]*\n$/;

/** Git counts lines from 1, and gives the line before an empty range. */
function rangeOf(first: string, count = '1'): HunkSide {
	return { start: count === '0' ? Number(first) : Number(first) - 1, count: Number(count) };
}

/**
 * Returns the hunks that a text contains, if it consists of the first version with some of the hunks and nothing else.
 * If several answers are possible, prefers those without the `wanted` hunks, as a user who asks for a hunk misses it.
 */
export function hunksIn(
	text: Buffer,
	before: Buffer,
	after: Buffer,
	hunks: readonly HunkRanges[],
	wanted: readonly HunkRanges[],
): HunkRanges[] | undefined {
	const [lines, own, others] = [splitLines(text), splitLines(before), splitLines(after)];
	/** All positions in `lines` to which the hunks so far may have led, each with the hunks that led there. */
	let places = new Map<number, HunkRanges[]>([[0, []]]);
	let next = 0;
	for (const hunk of [...hunks, undefined]) {
		const common = own.slice(next, hunk?.before.start);
		const found = new Map<number, HunkRanges[]>();
		const reach = (place: number, taken: HunkRanges[]) => {
			const known = found.get(place);
			if (known === undefined || countWanted(taken) < countWanted(known)) {
				found.set(place, taken);
			}
		};
		for (const [place, taken] of places) {
			if (!isAt(lines, place, common)) {
				continue;
			}
			const reached = place + common.length;
			if (hunk === undefined) {
				reach(reached, taken);
				continue;
			}
			const [left, right] = [linesIn(own, hunk.before), linesIn(others, hunk.after)];
			if (isAt(lines, reached, left)) {
				reach(reached + left.length, taken);
			}
			if (isAt(lines, reached, right)) {
				reach(reached + right.length, [...taken, hunk]);
			}
		}
		places = found;
		next = hunk === undefined ? next : hunk.before.start + hunk.before.count;
	}
	return places.get(lines.length);

	function countWanted(taken: readonly HunkRanges[]): number {
		return taken.filter(hunk => wanted.includes(hunk)).length;
	}
}

function isAt(lines: readonly Buffer[], place: number, expected: readonly Buffer[]): boolean {
	return expected.every((line, index) => lines[place + index]?.equals(line));
}

/**
 * Returns the hunks that a selection of lines touches, on one side. A hunk without lines on that side lies between two
 * lines, and either of them counts.
 */
export function hunksAt(
	hunks: readonly HunkRanges[],
	side: 'before' | 'after',
	lines: { first: number; last: number },
): HunkRanges[] {
	return hunks.filter(hunk => {
		const { start, count } = hunk[side];
		const [first, last] = count === 0 ? [start - 1, start] : [start, start + count - 1];
		return first <= lines.last && lines.first <= last;
	});
}

/**
 * Returns the change that takes the `wanted` ones of a file's `hunks`, with the source of its contents. If the user's
 * file is the first version with some of the hunks, the result is exactly that plus the wanted ones. Otherwise they are
 * merged into it. Returns undefined if the file does not have two versions as text. Rejects when git or the file system
 * fails.
 */
export async function takeHunks(
	file: ChangedFile,
	hunks: readonly HunkRanges[],
	wanted: readonly HunkRanges[],
	{ tree, contents }: { tree: WorkingTree; contents: Contents },
): Promise<{ change: Change; contents: Contents } | undefined> {
	const { before, after } = file;
	if (!before || !after) {
		return undefined;
	}
	// A renamed file is changed at the path where the user has it. A hunk does not move it.
	const isMoved = before.path !== after.path && (await tree.mode(after.path)) !== undefined;
	const version: FileVersion = { ...before, path: isMoved ? after.path : before.path };
	const versions = [before, after].map(({ object }) => ({ object, path: version.path }));
	const read = await contents.read(versions);
	const [base, theirs] = versions.map(placed => read.get(versionKey(placed)));
	if (!base || !theirs || !isText(base) || !isText(theirs)) {
		return undefined;
	}
	const changeOf = (from: Buffer, to: Buffer) => {
		const known = new Map([from, to].map(content => [objectName(content, before.object), content]));
		const [object, goal] = [objectName(from, before.object), objectName(to, before.object)];
		return {
			change: {
				before: { ...version, object },
				after: { ...version, object: goal },
				hasUnreadableName: file.hasUnreadableName,
			},
			contents: knownContents(known),
		};
	};
	const present =
		(await tree.refusal(version.path)) === undefined ? await tree.read(version.path, new Set()) : undefined;
	if (typeof present === 'object' && present.isText) {
		const own = await present.load();
		// Versions with both kinds of line ends may have left the user's file with one of them, which git did not
		// convert.
		for (const { base: ownBase, other } of [{ base, other: theirs }, likeFile(own, base, theirs)]) {
			const known = hunksIn(own, ownBase, other, hunks, wanted);
			if (known) {
				const taken = hunks.filter(hunk => known.includes(hunk) || wanted.includes(hunk));
				return changeOf(own, withHunks(ownBase, other, taken));
			}
		}
	}
	return changeOf(
		base,
		withHunks(
			base,
			theirs,
			hunks.filter(hunk => wanted.includes(hunk)),
		),
	);
}
