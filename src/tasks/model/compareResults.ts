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
