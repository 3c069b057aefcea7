import { lstat } from 'node:fs/promises';
import { GitError } from '../base/gitError.ts';
import { placeOf } from '../base/gitNames.ts';
import { runGit } from './gitCommand.ts';

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
