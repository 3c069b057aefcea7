import { chmod, lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { append } from '../../base/append.ts';
import { systemErrorCode } from '../../base/errors.ts';
import { replaceFile } from '../../base/files.ts';
import { type Change, type ChangeOutcome, ConcurrentChangeError, type FileContent, type FileEdit } from './change.ts';
import { inOrder } from './inOrder.ts';
import { type PlanOptions, plan } from './plan.ts';
import type { WorkingTree } from './tree.ts';

/** The result of a change. */
export type Result =
	| ChangeOutcome
	/** The file could not be written. The cause is a ConcurrentChangeError or an error of the system. */
	| { kind: 'failed'; cause: unknown };

/** A file that was written, removed or moved. */
export type AppliedFile = Pick<FileEdit, 'before' | 'after'>;

export interface Applied<T extends Change> {
	results: { change: T; result: Result }[];
	/** The files in the order in which they were changed; empty if keeping them would take more memory than allowed. */
	files: AppliedFile[];
	/** True if `files` is complete, so that the application can be undone. */
	isRecorded: boolean;
}

/** The editor has not changed a file that it has open. */
export class NotEdited extends Error {
	override readonly name = 'NotEdited';

	constructor() {
		super('the editor has not changed the file');
	}
}

export interface ApplyOptions extends Omit<PlanOptions, 'withEdits'> {
	/** The maximum size of the recorded contents, in bytes. */
	maximumRecord: number;
	/**
	 * Awaited before a file is changed; the argument is undefined if the record has no room for the file. A rejection
	 * leaves the file alone.
	 */
	beforeEdit?(file: AppliedFile | undefined): Promise<void>;
	/**
	 * Changes files that are open in the editor. Resolves with the new content of each; undefined if the editor did not
	 * change it.
	 */
	editOpen(edits: readonly FileEdit[]): Promise<(Buffer | undefined)[]>;
}

/**
 * Applies changes to the working tree. Everything is read again first. The results name the changes that cannot be
 * applied, which do not keep the others from being applied. Rejects only if nothing was done.
 */
export async function applyChanges<T extends Change>(
	changes: readonly T[],
	options: ApplyOptions,
): Promise<Applied<T>> {
	const applied: Applied<T> = { results: [], files: [], isRecorded: true };
	const open: OpenEdit<T>[] = [];
	let recorded = 0;
	let hasBegun = false;
	const ordered = inOrder(changes);
	try {
		for await (const { change, outcome, edit } of plan(ordered, {
			...options,
			tree: options.tree.again(),
			withEdits: true,
		})) {
			if (!edit) {
				applied.results.push({ change, result: outcome });
				continue;
			}
			recorded += (edit.before?.content.length ?? 0) + (edit.after?.content.length ?? 0);
			applied.isRecorded = recorded <= options.maximumRecord;
			await options.beforeEdit?.(applied.isRecorded ? { before: edit.before, after: edit.after } : undefined);
			hasBegun = true;
			if (edit.isOpen && !edit.after?.content.equals(edit.before?.content ?? Buffer.of())) {
				open.push({ change, outcome, edit });
			} else {
				await applyOne({ change, outcome, edit }, options, applied);
			}
			if (!applied.isRecorded) {
				applied.files = [];
			}
		}
	} catch (error) {
		if (!hasBegun) {
			throw error;
		}
		const known = new Set([...applied.results, ...open].map(({ change }) => change));
		const rest = ordered.filter(change => !known.has(change));
		append(
			applied.results,
			rest.map(change => ({ change, result: { kind: 'failed', cause: error } as const })),
		);
	}
	await applyOpen(open, options, applied);
	return applied.isRecorded ? applied : { ...applied, files: [] };
}

interface OpenEdit<T extends Change> {
	change: T;
	outcome: ChangeOutcome;
	edit: FileEdit;
}

async function applyOne<T extends Change>(
	{ change, outcome, edit }: OpenEdit<T>,
	{ tree }: ApplyOptions,
	applied: Applied<T>,
): Promise<void> {
	try {
		await writeEdit(edit, tree.again());
		applied.files.push({ before: edit.before, after: edit.after });
		applied.results.push({ change, result: outcome });
	} catch (cause) {
		applied.results.push({ change, result: { kind: 'failed', cause } });
	}
}

async function applyOpen<T extends Change>(
	open: readonly OpenEdit<T>[],
	{ tree, editOpen }: ApplyOptions,
	applied: Applied<T>,
): Promise<void> {
	let contents: (Buffer | undefined)[] = [];
	let cause: unknown;
	try {
		contents = open.length === 0 ? [] : await editOpen(open.map(({ edit }) => edit));
	} catch (error) {
		cause = error;
	}
	for (const [index, { change, outcome, edit }] of open.entries()) {
		const content = contents[index];
		const { before, after } = edit;
		if (!content || !after) {
			applied.results.push({ change, result: { kind: 'failed', cause: cause ?? new NotEdited() } });
			continue;
		}
		applied.files.push({ before, after: { ...after, content } });
		const failed = await setMode(edit, tree).then(
			() => undefined,
			(error: unknown) => ({ kind: 'failed', cause: error }) as const,
		);
		applied.results.push({ change, result: failed ?? outcome });
	}
}

/**
 * Carries out an edit in the file system. Each file is replaced as a whole or stays as it is. Rejects with a
 * ConcurrentChangeError if the files, or the folders on their paths, are not those that the edit was planned for, and with
 * the system's errors. `tree` must be a new one, which has not read anything yet.
 */
async function writeEdit({ before, after }: FileEdit, tree: WorkingTree): Promise<void> {
	for (const name of new Set([before?.path, after?.path].filter(path => path !== undefined))) {
		if ((await tree.refusal(name)) !== undefined) {
			throw new ConcurrentChangeError();
		}
		const present = await tree.content(name);
		const expected = before?.path === name ? before.content : undefined;
		if (expected ? !present?.equals(expected) : present !== undefined) {
			throw new ConcurrentChangeError();
		}
	}
	const isMoved = before !== undefined && before.path !== after?.path;
	const mode = before && (await tree.mode(before.path));
	// The old file may have to go first: a folder takes its place, or the new file takes the place of its folder.
	const makesRoom = isMoved && after && (isBelow(after.path, before.path) || isBelow(before.path, after.path));
	if (makesRoom) {
		await remove(before, tree);
		try {
			await write(after, before, mode, tree);
		} catch (error) {
			await replaceFile(tree.fileOf(before.path), before.content, mode);
			throw error;
		}
		return;
	}
	if (after) {
		await write(after, before, mode, tree);
	}
	if (before && isMoved) {
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
		await inPlace(() => mkdir(path.dirname(file), { recursive: true }));
		// A folder may have become a link since the last look.
		if ((await tree.again().refusal(name)) !== undefined) {
			throw new ConcurrentChangeError();
		}
		await inPlace(() => removeEmptyFolders(file));
		await replaceFile(file, content, mode ?? 0o666);
	}
	await changeMode(name, mode, isExecutable, tree);
}

/**
 * Runs an action. Rejects with a ConcurrentChangeError if something is in the way of a file, and with the system's other
 * errors.
 */
async function inPlace(run: () => Promise<unknown>): Promise<void> {
	try {
		await run();
	} catch (error) {
		throw IN_THE_WAY.has(systemErrorCode(error) ?? '') ? new ConcurrentChangeError() : error;
	}
}

const IN_THE_WAY: ReadonlySet<string> = new Set(['EEXIST', 'ENOTDIR', 'ENOTEMPTY']);

/** Removes a folder that holds only folders, as git does if a file takes its place. */
async function removeEmptyFolders(folder: string): Promise<void> {
	const status = await lstat(folder).catch(() => undefined);
	if (status?.isDirectory()) {
		for (const name of await readdir(folder)) {
			await removeEmptyFolders(path.join(folder, name));
		}
		await rmdir(folder);
	}
}

/** Makes a file executable or not, if an edit says so. Rejects with the system's errors. */
async function setMode({ before, after }: FileEdit, tree: WorkingTree): Promise<void> {
	if (after && after.isExecutable !== before?.isExecutable) {
		await changeMode(after.path, undefined, after.isExecutable, tree);
	}
}

/** `kept` are the permissions that the file otherwise gets. */
async function changeMode(
	name: string,
	kept: number | undefined,
	isExecutable: boolean,
	tree: WorkingTree,
): Promise<void> {
	const own = (await tree.mode(name)) ?? 0;
	const basis = kept ?? own;
	// Everyone who may read the file may then execute it, as git does it.
	const wanted = isExecutable ? basis | ((basis & 0o444) >> 2) : basis & ~0o111;
	if (wanted !== own) {
		await chmod(tree.fileOf(name), wanted);
	}
}

/** Removes a file and the folders that this leaves empty, as git does. */
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
