// The files of a task by the steps that have changed them.
import type { TaskStep } from '../../contract/taskSteps.ts';

export type StepFileStatus = TaskStep['files'][number]['status'];

export interface StepGridFile {
	/** The path after the last step that has changed the file. */
	path: string;
	/** The steps that have changed it, by their positions, each once and in order. */
	cells: { at: number; status: StepFileStatus; path: string; from: string | undefined }[];
}

/**
 * Returns the files that the steps of one agent name, in the order in which they came up. A renamed file stays the same
 * file. More steps add only files and cells.
 */
export function stepGrid(steps: readonly Pick<TaskStep, 'files'>[]): StepGridFile[] {
	const all: StepGridFile[] = [];
	const byPath = new Map<string, StepGridFile>();
	for (const [at, { files }] of steps.entries()) {
		const moves = files.filter(({ from }) => from !== undefined && byPath.has(from));
		const moved = moves.map(({ path, from = '' }) => {
			const file = byPath.get(from);
			byPath.delete(from);
			return [path, file] as const;
		});
		for (const [path, file] of moved) {
			// Another file may have been renamed from the same path.
			if (file) {
				byPath.set(path, file);
			}
		}
		for (const { path, status, from } of files) {
			let file = byPath.get(path);
			if (!file) {
				file = { path, cells: [] };
				byPath.set(path, file);
				all.push(file);
			}
			file.path = path;
			file.cells.push({ at, status, path, from });
		}
	}
	return all;
}

/**
 * Returns the positions of the files in the order in which they are shown: those that were shown before keep their
 * places, and the others follow, the most often changed first.
 */
export function orderFiles(files: readonly StepGridFile[], shown: readonly number[]): number[] {
	const known = new Set(shown);
	const others = [...files.keys()].filter(file => !known.has(file));
	const changesOf = (file: number) => files[file]?.cells.length ?? 0;
	return [...shown, ...others.sort((a, b) => changesOf(b) - changesOf(a))];
}
