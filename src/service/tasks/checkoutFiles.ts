import { lstat, statfs, unlink } from 'node:fs/promises';
import process from 'node:process';
import { append } from '../../base/append.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { GitOptions } from '../../base/git.ts';
import { BYTES, split } from '../../base/gitNames.ts';
import { listed } from './taskNames.ts';

export type CheckoutGit = (args: readonly string[], options?: Omit<GitOptions, 'signal'>) => Promise<string>;

const LINK = '120000';

/** Removes a link. On a file system that ignores case, another entry may have taken its place, or there may be none. */
export async function removeLink(place: Buffer | string): Promise<void> {
	if ((await lstat(place).catch(() => undefined))?.isSymbolicLink()) {
		await unlink(place);
	}
}

/** An entry of a commit's tree, as `git ls-tree -l` lists it. */
export interface TreeEntry {
	mode: string;
	object: string;
	/** In bytes. */
	size: number;
	/** A byte string, because names can be in any encoding. */
	name: string;
}

function treeEntry(line: string): TreeEntry {
	const [mode = '', , object = '', size] = line.split(/ +|\t/, 4);
	return { mode, object, size: Number(size) || 0, name: line.slice(line.indexOf('\t') + 1) };
}

export function stagedEntry(line: string): Pick<TreeEntry, 'mode' | 'object' | 'name'> {
	const [mode = '', object = ''] = line.split(' ', 2);
	return { mode, object, name: line.slice(line.indexOf('\t') + 1) };
}

/** Lists all files, links and submodules of a commit. */
export async function entriesOf(git: CheckoutGit, commit: string): Promise<TreeEntry[]> {
	return split(await git(['ls-tree', '-r', '-l', '-z', commit], BYTES)).map(treeEntry);
}

/** Returns the names of those links among the entries of a tree that lead out of it. */
export async function linksOutOf(git: CheckoutGit, entries: readonly TreeEntry[]): Promise<string[]> {
	const links = entries.filter(({ mode }) => mode === LINK);
	return outwardLinks(await targetsOf(git, new Map(links.map(({ name, object }) => [name, object]))));
}

/** Reads the targets of links from their objects. The keys of both maps are the names of the links. */
async function targetsOf(git: CheckoutGit, links: ReadonlyMap<string, string>): Promise<Map<string, string>> {
	const objects = [...new Set(links.values())];
	const input = objects.map(object => `${object}\n`).join('');
	const output = input === '' ? '' : await git(['cat-file', '--batch'], { ...BYTES, input });
	const targets = contentsIn(output, objects);
	return new Map([...links].map(([name, object]) => [name, targets.get(object) ?? '']));
}

/** Returns the contents of the objects, in their order, from the output of `git cat-file --batch`. */
function contentsIn(output: string, objects: readonly string[]): Map<string, string> {
	const contents = new Map<string, string>();
	let position = 0;
	for (const object of objects) {
		// The format is `<object> blob <size>`, a line break, that many bytes, and a line break.
		const start = output.indexOf('\n', position) + 1;
		const size = Number(output.slice(position, start).trim().split(' ')[2]);
		contents.set(object, output.slice(start, start + size));
		position = start + size + 1;
	}
	return contents;
}

/** Throws a UserFacingError if the files of a branch or a submodule do not fit on the disk of the folder. */
export async function checkRoom(folder: string, entries: readonly TreeEntry[]): Promise<void> {
	const bytes = entries.reduce((sum, { size }) => sum + size, 0);
	const { bavail, bsize } = await statfs(folder);
	if (bytes > bavail * bsize) {
		throw new UserFacingError(
			`The files of the branch need ${megabytes(bytes)} MB, and the disk of the data folder has ${megabytes(bavail * bsize)} MB left. Free some space, then start again.`,
		);
	}
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6);

/** The number of links that Linux follows before it gives up. */
const MAXIMUM_HOPS = 40;

/**
 * Returns the names of a repository's symbolic links that lead out of it, judged by names and targets alone (`a/b` →
 * `../c`). A name that is not a link counts as a folder, because an agent may create one there. Names and targets are
 * byte strings (`latin1`), because they can be in any encoding.
 */
export function outwardLinks(links: ReadonlyMap<string, string>): string[] {
	const byKey = new Map([...links].map(([name, target]) => [keyOf(name), target]));
	return [...links.keys()].filter(name => leadsOut(name, byKey));
}

/** On file systems that ignore case, any spelling of a link's name follows it. */
function keyOf(name: string): string {
	const text = Buffer.from(name, 'latin1').toString();
	return process.platform === 'linux' ? name : text.normalize('NFC').toLowerCase();
}

function leadsOut(name: string, links: ReadonlyMap<string, string>): boolean {
	const separator = process.platform === 'win32' ? /[\\/]/ : /\//;
	/** The folders passed so far, from the top of the repository, and the steps that remain. */
	const place: string[] = [];
	const rest = name.split('/').reverse();
	let hops = 0;
	for (let step = rest.pop(); step !== undefined; step = rest.pop()) {
		if (step === '' || step === '.') {
			continue;
		}
		if (step === '..') {
			if (place.pop() === undefined) {
				return true;
			}
			continue;
		}
		place.push(step);
		const target = links.get(keyOf(place.join('/')));
		if (target === undefined) {
			continue;
		}
		if (isAbsolute(target)) {
			return true;
		}
		if (++hops > MAXIMUM_HOPS) {
			// Such a link cannot be followed.
			return false;
		}
		place.pop();
		append(rest, target.split(separator).reverse());
	}
	return false;
}

function isAbsolute(target: string): boolean {
	return process.platform === 'win32' ? /^[\\/]|^[a-z]:/i.test(target) : target.startsWith('/');
}

/** Finds a name that a tree has twice, such as a file and a folder. git would silently drop one of them. */
export function findTwice(names: readonly string[]): string | undefined {
	const seen = new Set<string>();
	const folders = new Set<string>();
	for (const name of names) {
		if (seen.has(name)) {
			return name;
		}
		seen.add(name);
		let end = name.lastIndexOf('/');
		while (end > 0 && !folders.has(name.slice(0, end))) {
			folders.add(name.slice(0, end));
			end = name.lastIndexOf('/', end - 1);
		}
	}
	return names.find(name => folders.has(name));
}

/** Returns the error for names that git cannot list. A name that ends with a slash is a folder. */
export function tooManyFiles(names: readonly string[]): UserFacingError {
	const folders = names.filter(name => name.endsWith('/'));
	return new UserFacingError(
		`The agent made so many new files that their names are more than 64 MB, which is too much for a commit: ${listed(folders)}. Ask it to name in .gitignore what need not be kept.`,
	);
}
