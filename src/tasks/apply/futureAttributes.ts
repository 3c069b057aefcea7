import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Change, FileEdit } from './change.ts';
import { ATTRIBUTES, foldersOf, hasAttributes } from './inOrder.ts';
import type { WorkingTree } from './tree.ts';

/**
 * Makes a folder with the attributes that all paths of the changes will have after them. `editsOf` returns the edits of
 * the attributes files. Returns undefined if the attributes do not change. Rejects with the system's errors.
 */
export async function futureAttributes<T extends Change>(
	changes: readonly T[],
	editsOf: (changes: readonly T[]) => Promise<FileEdit[]>,
	tree: WorkingTree,
): Promise<string | undefined> {
	const about = changes.filter(hasAttributes);
	const edits = about.length === 0 ? [] : await editsOf(about);
	if (edits.length === 0) {
		return undefined;
	}
	const paths = changes.flatMap(({ after }) => after?.path ?? []);
	const names = new Set(
		paths.flatMap(name => [ATTRIBUTES, ...foldersOf(name).map(folder => `${folder}/${ATTRIBUTES}`)]),
	);
	const removed = new Set(edits.flatMap(({ before }) => before?.path ?? []));
	const written = new Map(edits.flatMap(({ after }) => (after ? [[after.path, after.content]] : [])));
	const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-attributes-'));
	try {
		for (const name of names) {
			const content = written.get(name) ?? (removed.has(name) ? undefined : await tree.content(name));
			if (content) {
				await mkdir(path.join(folder, path.posix.dirname(name)), { recursive: true });
				await writeFile(path.join(folder, name), content);
			}
		}
		return folder;
	} catch (error) {
		await rm(folder, { recursive: true, force: true });
		throw error;
	}
}
