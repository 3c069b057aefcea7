import { access, constants, lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isGitsOwn } from '../../base/decisiveFiles.ts';
import { isWithin, realPathOf } from '../../base/filePlace.ts';
import { MAXIMUM_COMPARED } from '../results/readChanges.ts';
import { ConcurrentChangeError, type PlaceRefusal } from './change.ts';
import { fileObjectName, objectName } from './contents.ts';
import { isText } from './lineEnds.ts';

/** The maximum size of a file that is applied, in bytes. */
export const MAXIMUM_APPLIED = 48 * 1024 * 1024;

/** The user's version of a file. */
export interface PresentFile {
	/** Git's name for the content. */
	object: string;
	size: number;
	/** True if it can be merged line by line. */
	isText: boolean;
	isExecutable: boolean;
	/** True if the file is open in the editor, which then has to change it. */
	isOpen: boolean;
	/** True if the editor has unsaved changes of it. */
	isDirty: boolean;
	/** Reads the content again. Rejects with a ConcurrentChangeError if it is no longer the same. */
	load(): Promise<Buffer>;
}

/** The paths that will be gone when a change is applied. */
export type GonePaths = Pick<ReadonlySet<string>, 'has'>;

/** The editor's version of a file. */
export interface OpenFile {
	/** The content as the editor would save it; undefined if it cannot be changed there. */
	content: Buffer | undefined;
	refusal: 'unsaved' | 'encoding';
	isDirty: boolean;
}

export interface TreeOptions {
	/** The repository's top folder. */
	directory: string;
	/** The folders of the workspace. */
	folders: readonly string[];
	/** Returns the editor's version of a file, if it is open there. */
	openFile(file: string): Promise<OpenFile | undefined>;
	/** True if two names that differ only by case are the same file here. */
	ignoresCase: boolean;
	isWindows: boolean;
	/** The name of any object of the repository, which shows its hash algorithm. */
	like: string;
}

/** The user's working tree, as far as it may be touched. */
export class WorkingTree {
	readonly options: TreeOptions;
	private root: Promise<string | undefined> | undefined;
	private readonly parents = new Map<string, Promise<string | undefined>>();
	/** The names in folders, as they are and in lower case. */
	private readonly listings = new Map<string, Set<string>>();

	/** A tree is for a single reading, because it remembers the real paths of folders. */
	constructor(options: TreeOptions) {
		this.options = options;
	}

	/** Returns a tree for another reading. */
	again(): WorkingTree {
		return new WorkingTree(this.options);
	}

	/** Returns the path of a file on this machine. */
	fileOf(name: string): string {
		return path.join(this.options.directory, ...name.split('/'));
	}

	/** Returns why a path must not be touched, whatever is there. */
	async refusal(name: string): Promise<PlaceRefusal | undefined> {
		const { directory, folders, ignoresCase, isWindows } = this.options;
		const parts = name.split('/');
		if (isGitsOwn(name)) {
			return 'gits';
		}
		if (parts.some(part => part === '' || part === '.' || part === '..')) {
			return 'outside';
		}
		if (isWindows && parts.some(isImpossibleOnWindows)) {
			return 'windowsName';
		}
		const file = this.fileOf(name);
		this.root ??= realPathOf(directory);
		const [root, parent] = [await this.root, await this.parentOf(path.dirname(file))];
		if (root === undefined || parent === undefined) {
			return 'link';
		}
		const [real, expected] = [path.join(parent, path.basename(file)), path.join(root, ...parts)];
		if (real !== expected && real.normalize() !== expected.normalize()) {
			return real.toLowerCase() === expected.toLowerCase() ? 'case' : 'link';
		}
		const roots = await Promise.all(folders.map(folder => this.parentOf(folder)));
		if (!roots.some(folder => folder !== undefined && isWithin(folder, real))) {
			return 'outside';
		}
		return ignoresCase && (await this.hasOtherCase(parent, path.basename(file))) ? 'case' : undefined;
	}

	/**
	 * Returns the file at a path, undefined if there is none, or why it must not be touched. `removed` are paths that
	 * will be gone by then and may make room.
	 */
	async read(name: string, removed: GonePaths): Promise<PresentFile | PlaceRefusal | undefined> {
		const file = this.fileOf(name);
		let status: Awaited<ReturnType<typeof lstat>>;
		try {
			status = await lstat(file);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code === 'ENOTDIR') {
				return hasRemovedParent(name, removed) ? undefined : 'inTheWay';
			}
			if (code !== 'ENOENT') {
				throw error;
			}
			return (await this.options.openFile(file))?.isDirty ? 'unsaved' : undefined;
		}
		if (status.isSymbolicLink()) {
			return 'link';
		}
		if (status.isDirectory()) {
			return (await holdsOnly(file, name, removed)) ? undefined : 'inTheWay';
		}
		if (!status.isFile()) {
			return 'inTheWay';
		}
		// An editor replaces a file by renaming, which would replace a protected one too.
		const isLocked = (status.mode & 0o222) === 0 || !(await mayWrite(path.dirname(file)));
		if (isLocked) {
			return 'readOnly';
		}
		if (status.size > MAXIMUM_APPLIED) {
			return 'tooLarge';
		}
		const open = await this.options.openFile(file);
		if (open?.content === undefined && open) {
			return open.refusal;
		}
		const isLarge = !open && status.size > MAXIMUM_COMPARED;
		const read = async () => (await this.options.openFile(file))?.content ?? readFile(file);
		const content = isLarge ? undefined : await read();
		const object = content
			? objectName(content, this.options.like)
			: await fileObjectName(file, status.size, this.options.like);
		return {
			object,
			size: content?.length ?? status.size,
			isText: content !== undefined && isText(content),
			isExecutable: (status.mode & 0o111) !== 0,
			isOpen: open !== undefined,
			isDirty: open?.isDirty ?? false,
			load: async () => {
				const again = await read().catch(() => undefined);
				if (!again || objectName(again, this.options.like) !== object) {
					throw new ConcurrentChangeError();
				}
				return again;
			},
		};
	}

	/** Returns the content on disk at a path, or undefined if there is no file. */
	async content(name: string): Promise<Buffer | undefined> {
		return (await this.mode(name)) === undefined ? undefined : readFile(this.fileOf(name));
	}

	/** Returns the permissions of a file on disk, or undefined if there is none. */
	async mode(name: string): Promise<number | undefined> {
		const status = await lstat(this.fileOf(name)).catch(() => undefined);
		return status?.isFile() ? status.mode & 0o777 : undefined;
	}

	/** Returns whether a folder has the name only with other letters in upper case. */
	private async hasOtherCase(folder: string, name: string): Promise<boolean> {
		let listing = this.listings.get(folder);
		if (!listing) {
			const names = await readdir(folder).catch((): string[] => []);
			listing = new Set([...names, ...names.map(other => other.toLowerCase())]);
			this.listings.set(folder, listing);
		}
		return !listing.has(name) && listing.has(name.toLowerCase());
	}

	private parentOf(folder: string): Promise<string | undefined> {
		let parent = this.parents.get(folder);
		if (!parent) {
			parent = realPathOf(folder);
			this.parents.set(folder, parent);
		}
		return parent;
	}
}

/** Returns whether a file cannot have this name on Windows, or would get another one. */
function isImpossibleOnWindows(name: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is forbidden.
	const isForbidden = /[\u0000-\u001f<>:"|?*\\]|[. ]$/.test(name);
	return isForbidden || /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[. ]|$)/i.test(name);
}

function hasRemovedParent(name: string, removed: GonePaths): boolean {
	const parts = name.split('/');
	return parts.some((_, index) => removed.has(parts.slice(0, index).join('/')));
}

/** Returns whether a folder will be empty once the removed files are gone. */
async function holdsOnly(folder: string, name: string, removed: GonePaths): Promise<boolean> {
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		const inner = `${name}/${entry.name}`;
		const isGone = entry.isDirectory()
			? await holdsOnly(path.join(folder, entry.name), inner, removed)
			: removed.has(inner);
		if (!isGone) {
			return false;
		}
	}
	return true;
}

function mayWrite(folder: string): Promise<boolean> {
	return access(folder, constants.W_OK).then(
		() => true,
		() => false,
	);
}
