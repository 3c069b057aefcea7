import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { GitPlace } from '../../platform/git.ts';
import { prepareGit, runGit } from '../../platform/gitCommand.ts';
import { storedObjects } from '../../platform/gitFilters.ts';
import { readSizes } from '../results/readChanges.ts';

/** A version of a file at a path of the working tree. The path's attributes decide how git writes the content there. */
export interface PlacedVersion {
	object: string;
	path: string;
}

/** The user's version of a file, with its unsaved content, if there is any. */
export interface OwnFile {
	path: string;
	unsaved: Buffer | undefined;
}

/** The source of the contents of versions. */
export interface Contents {
	/** True if git has stored them; the working tree may then have other bytes for the same content. */
	readonly isStored: boolean;
	/** Returns the sizes of objects in bytes, before they are converted. Objects that are missing are left out. */
	sizes(objects: readonly string[]): Promise<Map<string, number>>;
	/**
	 * Returns the bytes that a checkout writes for versions, by `versionKey`. The attributes are those of the working
	 * tree, or of the tree in the folder `attributes`. Rejects if an object is missing.
	 */
	read(versions: readonly PlacedVersion[], attributes?: string): Promise<Map<string, Buffer>>;
	/** Returns, by path, the objects that git would store for files of the working tree. */
	objectsOf(files: readonly OwnFile[]): Promise<Map<string, string>>;
}

export const versionKey = ({ object, path }: PlacedVersion) => `${object} ${path}`;

/** Leaves room for a chunk of a plan in encodings that take four bytes for one. */
const MAXIMUM_OUTPUT = 256 * 1024 * 1024;

/** Returns git's name for a content. `like` is the name of another object of the same repository. */
export function objectName(content: Uint8Array, like: string): string {
	return createHash(algorithmOf(like)).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** The same for a file of this size in bytes, without holding it in memory. Rejects with the system's error. */
export async function fileObjectName(file: string, size: number, like: string): Promise<string> {
	const hash = createHash(algorithmOf(like)).update(`blob ${size}\0`);
	for await (const piece of createReadStream(file)) {
		hash.update(piece);
	}
	return hash.digest('hex');
}

const algorithmOf = (like: string) => (like.length === 64 ? 'sha256' : 'sha1');

/** In each line of its input, git reads a path behind a blank, with no way to quote it. */
const isUnreadableInLines = (path: string) => /^[ \t]|\n|\r$/.test(path);

/**
 * Contents that git has stored, as `git checkout` writes them: with the line ends, the encoding and the `$Id$` that the
 * attributes ask for. No filter runs. One git process serves nearly everything that a call asks for. Rejects as
 * `runGit` does.
 */
export function gitContents({ gitPath, directory }: GitPlace): Contents {
	const run = (commandLine: readonly string[], input?: string) =>
		runGit(gitPath, directory, commandLine, { input, encoding: 'latin1', maximumOutput: MAXIMUM_OUTPUT });

	/** The options by which git reads the attributes of another tree. */
	async function inTree(attributes: string | undefined): Promise<string[]> {
		if (attributes === undefined) {
			return [];
		}
		const gitFolder = (await runGit(gitPath, directory, ['rev-parse', '--absolute-git-dir'])).replace(/\n$/, '');
		return ['-C', attributes, `--git-dir=${gitFolder}`, `--work-tree=${attributes}`];
	}

	return {
		isStored: true,
		sizes: async objects => readSizes(await prepareGit(gitPath, directory), objects),
		async read(versions, attributes) {
			const found = new Map<string, Buffer>();
			if (versions.length === 0) {
				return found;
			}
			const where = await inTree(attributes);
			const inLines = versions.filter(({ path }) => !isUnreadableInLines(path));
			for (const version of versions.filter(({ path }) => isUnreadableInLines(path))) {
				const output = await run([...where, 'cat-file', '--filters', `--path=${version.path}`, version.object]);
				found.set(versionKey(version), Buffer.from(output, 'latin1'));
			}
			// Git gives the sizes of the contents before they are converted, so each ends with a word that none of them
			// contains.
			const mark = `\n${randomUUID()} `;
			const lines = inLines.map(({ object, path }) => `${object} ${byteString(path)}\n`);
			const how = [`--batch=${mark.slice(1)}%(objecttype)`, '--filters'];
			const output = lines.length === 0 ? '' : `\n${await run([...where, 'cat-file', ...how], lines.join(''))}`;
			const parts = output.split(mark).slice(1);
			if (parts.length !== lines.length) {
				throw new Error('git does not have all of the contents');
			}
			for (const [index, version] of inLines.entries()) {
				const part = parts[index] ?? '';
				const isLast = index === parts.length - 1;
				const content = part.slice(part.indexOf('\n') + 1, isLast ? -1 : undefined);
				found.set(versionKey(version), Buffer.from(content, 'latin1'));
			}
			return found;
		},
		async objectsOf(files) {
			const found = new Map<string, string>();
			const saved = files.filter(({ unsaved }) => unsaved === undefined).map(({ path }) => path);
			for (const [name, object] of await storedObjects(gitPath, directory, saved.map(byteString))) {
				found.set(Buffer.from(name, 'latin1').toString(), object);
			}
			for (const { path, unsaved } of files) {
				if (unsaved !== undefined) {
					const output = await run(['hash-object', '--stdin', `--path=${path}`], unsaved.toString('latin1'));
					found.set(path, output.trim());
				}
			}
			return found;
		},
	};
}

/** Returns a path as a byte string (`latin1`). */
export const byteString = (path: string) => Buffer.from(path).toString('latin1');

/** Contents in memory as the working tree has them, by git's names for them. */
export function knownContents(known: ReadonlyMap<string, Buffer>): Contents {
	return {
		isStored: false,
		async sizes(objects) {
			return new Map(
				objects.flatMap(object => {
					const content = known.get(object);
					return content ? [[object, content.length]] : [];
				}),
			);
		},
		async read(versions) {
			return new Map(
				versions.flatMap(version => {
					const content = known.get(version.object);
					return content ? [[versionKey(version), content]] : [];
				}),
			);
		},
		objectsOf: async () => new Map(),
	};
}
