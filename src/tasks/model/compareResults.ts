// The results of several agents for one prompt, side by side.
import { type ChangedFile, pathOf } from './changedFile.ts';

/** `same`: every agent has left the file in the same state. `only`: one agent has changed it. */
export type ComparedState = 'only' | 'different' | 'same';

export interface ComparedFile {
	path: string;
	state: ComparedState;
	/** The change to the file in each result, in order; undefined if the result left the file alone. */
	files: (ChangedFile | undefined)[];
	/**
	 * For each result, the position of the first result that has left the file in the same state, which may be its own;
	 * undefined if the result left the file alone.
	 */
	versions: (number | undefined)[];
}

/** Compares the changes of results. Returns every changed file once, sorted by path in the order of its code units. */
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

/** Identifies the state in which an agent has left a file: its content, its kind, and the name that it had before. */
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
