// What several agents have made of one prompt, side by side.
import { type ChangedFile, pathOf } from './changedFile.ts';

/** `same`: every agent has left the file in the same state. `only`: one agent has changed it. */
export type ComparedState = 'only' | 'different' | 'same';

export interface ComparedFile {
	path: string;
	state: ComparedState;
	/** For each result in its order: what it did with the file; undefined where it left the file alone. */
	files: (ChangedFile | undefined)[];
	/** For each result: the first one that has left the file in the same state; its own position where none before it has. */
	versions: (number | undefined)[];
}

/**
 * A part of a change. Line numbers count from 1, as git has them; texts are byte strings (`latin1`), each line with its
 * sign left out.
 */
export interface PatchHunk {
	oldStart: number;
	oldLines: number;
	newStart: number;
	newLines: number;
	removed: string[];
	added: string[];
}

export interface ComparedHunk {
	hunk: PatchHunk;
	/** The line at which it begins in each result, counted from 1; undefined for a result without it. */
	starts: (number | undefined)[];
}

/** Compares what results have changed. Returns every changed file once, sorted by path in the order of its code units. */
export function compareResults(results: readonly (readonly ChangedFile[])[]): ComparedFile[] {
	const byPath = new Map<string, (ChangedFile | undefined)[]>();
	for (const [at, files] of results.entries()) {
		for (const file of files) {
			const path = pathOf(file);
			const row = byPath.get(path) ?? results.map(() => undefined);
			row[at] = file;
			byPath.set(path, row);
		}
	}
	return [...byPath]
		.map(([path, files]) => {
			const states = files.map(file => file && stateOf(file));
			const versions = states.map(state => (state === undefined ? undefined : states.indexOf(state)));
			return { path, files, versions, state: comparedState(versions) };
		})
		.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function comparedState(versions: readonly (number | undefined)[]): ComparedState {
	const changed = versions.filter(version => version !== undefined);
	if (changed.length === 1) {
		return 'only';
	}
	return changed.length === versions.length && new Set(changed).size === 1 ? 'same' : 'different';
}

/** Identifies what an agent has made of a file: its content, what kind of file it is, and the name that it had before. */
function stateOf({ status, before, after }: ChangedFile): string {
	return JSON.stringify([after?.object, after?.kind, status === 'R' ? before?.path : undefined]);
}

/** Counts lines and files of a result. Files that are not compared line by line count as files only. */
export function countChanges(files: readonly ChangedFile[]): { added: number; removed: number; files: number } {
	let [added, removed] = [0, 0];
	for (const { lines } of files) {
		added += lines?.added ?? 0;
		removed += lines?.removed ?? 0;
	}
	return { added, removed, files: files.length };
}

/** Identifies the change of one content into another, by git's names of both. */
export function changeKey({ before, after }: ChangedFile): string | undefined {
	return before && after && before.kind === after.kind ? `${before.object}..${after.object}` : undefined;
}

/**
 * Parses a patch without context, given as a byte string (`latin1`), of git's `--full-index`. Returns the hunks of each
 * change by its `changeKey`. The names in the patch are not read: they may hold anything.
 */
export function readPatchHunks(patch: string): Map<string, PatchHunk[]> {
	const changes = new Map<string, PatchHunk[]>();
	let hunks: PatchHunk[] = [];
	let hunk: PatchHunk | undefined;
	let [oldLeft, newLeft] = [0, 0];
	for (const line of patch.split('\n')) {
		if (hunk && oldLeft > 0 && line.startsWith('-')) {
			hunk.removed.push(line.slice(1));
			oldLeft--;
		} else if (hunk && newLeft > 0 && line.startsWith('+')) {
			hunk.added.push(line.slice(1));
			newLeft--;
		} else if (line.startsWith('\\') && hunk) {
			// The last line before it has no end, which makes it another one.
			const side = hunk.added.length > 0 ? hunk.added : hunk.removed;
			side.push(`${side.pop() ?? ''}\0`);
		} else if (oldLeft === 0 && newLeft === 0) {
			const index = /^index ([\da-f]{40,64}\.\.[\da-f]{40,64})/.exec(line);
			const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
			if (index?.[1] !== undefined) {
				hunks = [];
				changes.set(index[1], hunks);
			} else if (head) {
				const [, oldStart, oldLines = '1', newStart, newLines = '1'] = head;
				[oldLeft, newLeft] = [Number(oldLines), Number(newLines)];
				hunk = {
					oldStart: Number(oldStart),
					oldLines: oldLeft,
					newStart: Number(newStart),
					newLines: newLeft,
					removed: [],
					added: [],
				};
				hunks.push(hunk);
			}
		}
	}
	return changes;
}

/**
 * Compares the hunks of a file. Only changes that begin with the same content can have hunks in common. Returns
 * undefined where nothing is known of the hunks, sorted by their place otherwise.
 */
export function compareHunks(
	{ files }: ComparedFile,
	changes: readonly ReadonlyMap<string, PatchHunk[]>[],
): ComparedHunk[] | undefined {
	const known = new Map<string, ComparedHunk>();
	const bases = new Set(files.flatMap(file => (file ? [file.before?.object] : [])));
	for (const [at, file] of files.entries()) {
		if (!file) {
			continue;
		}
		const key = changeKey(file);
		const hunks = key === undefined ? undefined : changes[at]?.get(key);
		if (!hunks || bases.size > 1) {
			return undefined;
		}
		for (const hunk of hunks) {
			const name = JSON.stringify([hunk.oldStart, hunk.oldLines, hunk.added]);
			const compared = known.get(name) ?? { hunk, starts: files.map(() => undefined) };
			compared.starts[at] = hunk.newStart;
			known.set(name, compared);
		}
	}
	return [...known.values()].sort((a, b) => a.hunk.oldStart - b.hunk.oldStart);
}
