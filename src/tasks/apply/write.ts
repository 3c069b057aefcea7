import { chmod, mkdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { replaceFile } from '../../base/files.ts';
import { ChangedMeanwhile, type FileContent, type FileEdit } from './change.ts';
import type { WorkingTree } from './tree.ts';

/**
 * Carries out an edit in the file system. Each file is replaced as a whole or stays as it is. Rejects with a
 * ChangedMeanwhile if the files, or the way to them, are not what the edit was planned for, and with the system's errors.
 * `tree` must be a new one, which has not looked at anything yet.
 */
export async function writeEdit({ before, after }: FileEdit, tree: WorkingTree): Promise<void> {
	for (const name of new Set([before?.path, after?.path].filter(path => path !== undefined))) {
		if ((await tree.refusal(name)) !== undefined) {
			throw new ChangedMeanwhile();
		}
		const present = await tree.content(name);
		const expected = before?.path === name ? before.content : undefined;
		if (expected ? !present?.equals(expected) : present !== undefined) {
			throw new ChangedMeanwhile();
		}
	}
	const isMoved = before !== undefined && before.path !== after?.path;
	const mode = before && (await tree.mode(before.path));
	// A file may have to go first because a folder takes its place.
	const makesRoom = isMoved && after !== undefined && isBelow(after.path, before.path);
	if (before && makesRoom) {
		await remove(before, tree);
	}
	if (after) {
		await write(after, before, mode, tree);
	}
	if (before && isMoved && !makesRoom) {
		await remove(before, tree);
	}
}

async function write(
	{ path: name, content, isExecutable }: FileContent,
	before: FileContent | undefined,
	mode: number | undefined,
	tree: WorkingTree,
): Promise<void> {
	const file = tree.fileOf(name);
	const isSame = before?.path === name && before.content.equals(content);
	if (!isSame) {
		await mkdir(path.dirname(file), { recursive: true });
		// A folder may have become a link since it was looked at.
		if ((await tree.again().refusal(name)) !== undefined) {
			throw new ChangedMeanwhile();
		}
		await replaceFile(file, content, mode ?? 0o666);
	}
	await changeMode(name, mode, isExecutable, tree);
}

/** Makes a file a program or a plain file, where an edit wants that. Rejects with the system's errors. */
export async function setMode({ before, after }: FileEdit, tree: WorkingTree): Promise<void> {
	if (after && after.isExecutable !== before?.isExecutable) {
		await changeMode(after.path, undefined, after.isExecutable, tree);
	}
}

/** `kept` are the permissions that the file is to have otherwise. */
async function changeMode(
	name: string,
	kept: number | undefined,
	isExecutable: boolean,
	tree: WorkingTree,
): Promise<void> {
	const own = (await tree.mode(name)) ?? 0;
	const basis = kept ?? own;
	// Whoever may read a program may run it, as git has it.
	const wanted = isExecutable ? basis | ((basis & 0o444) >> 2) : basis & ~0o111;
	if (wanted !== own) {
		await chmod(tree.fileOf(name), wanted);
	}
}

/** Removes a file, and the folders that are empty without it, as git does. */
async function remove({ path: name }: FileContent, tree: WorkingTree): Promise<void> {
	await rm(tree.fileOf(name));
	for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) {
		try {
			await rmdir(tree.fileOf(folder));
		} catch {
			return;
		}
	}
}

function isBelow(name: string, folder: string): boolean {
	return name.startsWith(`${folder}/`);
}
