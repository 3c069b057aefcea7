import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { GitError } from '../base/gitError.ts';
import { placeOf, split } from '../base/gitNames.ts';
import { readFilters, runGit } from './gitCommand.ts';

/** The maximum size of a Git LFS pointer, which git stores in place of a file, in bytes. */
const MAXIMUM_POINTER = 1024;
const POINTER =
	/^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:(?<hash>[\da-f]{64})\nsize (?<size>\d+)\n$/;

/** A file whose content differs from what git has stored. */
export interface ComparedFile {
	/** The path from the repository's top folder, as a byte string (`latin1`). */
	name: string;
	object: string;
}

/**
 * Returns the files that differ only in bytes that git converts, such as line ends, or only because no filter has run:
 * files of Git LFS, whose pointer contains the hash of the content. Rejects like `runGit`.
 */
export async function findUnchanged(
	gitPath: string,
	directory: string,
	files: readonly ComparedFile[],
): Promise<Set<string>> {
	const stored = await storedObjects(
		gitPath,
		directory,
		files.map(({ name }) => name),
	);
	const unchanged = new Set(files.filter(({ name, object }) => stored.get(name) === object).map(({ name }) => name));
	if (unchanged.size === files.length || (await readFilters(gitPath, directory)).length === 0) {
		return unchanged;
	}
	const pointers = await readPointers(gitPath, directory, [...new Set(files.map(({ object }) => object))]);
	for (const { name, object } of files) {
		const pointer = pointers.get(object);
		if (pointer && (await isContentOf(pointer, placeOf(directory, name)))) {
			unchanged.add(name);
		}
	}
	return unchanged;
}

/** Returns the files that git stores through a filter. Names are byte strings. Rejects like `runGit`. */
export async function findFiltered(gitPath: string, directory: string, names: readonly string[]): Promise<Set<string>> {
	const filters = new Set(names.length === 0 ? [] : await readFilters(gitPath, directory));
	if (filters.size === 0) {
		return new Set();
	}
	const input = names.map(name => `${name}\0`).join('');
	const options = { input, encoding: 'latin1' } as const;
	const fields = (await runGit(gitPath, directory, ['check-attr', '-z', '--stdin', 'filter'], options)).split('\0');
	const filtered = new Set<string>();
	for (let index = 0; index + 2 < fields.length; index += 3) {
		const [name = '', , value = ''] = fields.slice(index, index + 3);
		if (filters.has(Buffer.from(value, 'latin1').toString())) {
			filtered.add(name);
		}
	}
	return filtered;
}

/** Does the same for all files of a commit. The attributes are those of the working tree. */
export async function listFiltered(gitPath: string, directory: string, commit: string): Promise<string[]> {
	if ((await readFilters(gitPath, directory)).length === 0) {
		return [];
	}
	const list = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit];
	const names = split(await runGit(gitPath, directory, list, { encoding: 'latin1' }));
	return [...(await findFiltered(gitPath, directory, names))];
}

interface Pointer {
	hash: string;
	size: number;
}

async function readPointers(
	gitPath: string,
	directory: string,
	objects: readonly string[],
): Promise<Map<string, Pointer>> {
	const ask = (how: string, asked: readonly string[]) =>
		runGit(gitPath, directory, ['cat-file', how], {
			input: asked.map(object => `${object}\n`).join(''),
			encoding: 'latin1',
		});
	const sizes = await ask('--batch-check=%(objectname) %(objecttype) %(objectsize)', objects);
	const small = sizes.split('\n').flatMap(line => {
		const [object = '', type, size] = line.split(' ');
		return type === 'blob' && Number(size) <= MAXIMUM_POINTER ? [object] : [];
	});
	const pointers = new Map<string, Pointer>();
	if (small.length === 0) {
		return pointers;
	}
	const contents = await ask('--batch', small);
	let position = 0;
	for (const object of small) {
		const start = contents.indexOf('\n', position) + 1;
		const size = Number(contents.slice(position, start).trim().split(' ')[2]);
		const groups = POINTER.exec(contents.slice(start, start + size))?.groups;
		if (groups) {
			pointers.set(object, { hash: groups['hash'] ?? '', size: Number(groups['size']) });
		}
		position = start + size + 1;
	}
	return pointers;
}

async function isContentOf({ hash, size }: Pointer, file: Buffer): Promise<boolean> {
	const status = await lstat(file).catch(() => undefined);
	if (!status?.isFile() || status.size !== size) {
		return false;
	}
	const digest = createHash('sha256');
	try {
		for await (const piece of createReadStream(file)) {
			digest.update(piece);
		}
	} catch {
		// A file that cannot be read counts as changed.
		return false;
	}
	return digest.digest('hex') === hash;
}

/**
 * Returns, by name, the objects that git would store for files of the working tree, with line ends, encodings and
 * `$Id$` converted as attributes and settings demand. No filter runs. A name that is not a file has no object. Names
 * are byte strings (`latin1`) from the repository's top folder. Rejects like `runGit`.
 */
export async function storedObjects(
	gitPath: string,
	directory: string,
	names: readonly string[],
): Promise<Map<string, string>> {
	const present: string[] = [];
	for (const name of names) {
		const status = await lstat(placeOf(directory, name)).catch(() => undefined);
		if (status?.isFile()) {
			present.push(name);
		}
	}
	return hashed(gitPath, directory, present);
}

async function hashed(gitPath: string, directory: string, names: readonly string[]): Promise<Map<string, string>> {
	const input = names.map(name => `${quoted(name)}\n`).join('');
	try {
		const output =
			input === ''
				? ''
				: await runGit(gitPath, directory, ['hash-object', '--stdin-paths'], { input, encoding: 'latin1' });
		const objects = output.split('\n');
		return new Map(names.map((name, index) => [name, objects[index] ?? '']));
	} catch (error) {
		if (!(error instanceof GitError)) {
			throw error;
		}
		// git gives up at the first file that it cannot read, such as one that has disappeared meanwhile.
		const half = Math.ceil(names.length / 2);
		const parts = names.length === 1 ? [] : [names.slice(0, half), names.slice(half)];
		const found = await Promise.all(parts.map(part => hashed(gitPath, directory, part)));
		return new Map(found.flatMap(objects => [...objects]));
	}
}

const quoted = (name: string) => `"${name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
