import { realpath } from 'node:fs/promises';
import path from 'node:path';
import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';
import * as z from 'zod';
import { parseJson } from '../../../base/json.ts';
import { readBeginning } from './treeFiles.ts';

const rangesSchema = z.record(z.string(), z.string()).catch({});
const manifestSchema = z.object({
	dependencies: rangesSchema,
	devDependencies: rangesSchema,
	optionalDependencies: rangesSchema,
});
/** A range of another package's versions: the name in front is not that of the folder. */
const ALIAS = /^npm:@?[^@]+@/;
/** A name leads to a folder beside those of other packages, and nowhere else. */
const NAME = /^(?:@[^/\\.][^/\\]*\/)?[^/\\.][^/\\]*$/;

/** Returns what a package needs to be worked on: the ranges of a `package.json` by the names of the packages. */
export function dependenciesIn(manifest: string | undefined): Map<string, string> {
	const read = manifestSchema.safeParse(parseJson(manifest ?? '')).data;
	const needed = new Map(Object.entries({ ...read?.devDependencies, ...read?.dependencies }));
	for (const name of Object.keys(read?.optionalDependencies ?? {})) {
		needed.delete(name);
	}
	return needed;
}

/**
 * Returns what a `package.json` names and none of the folders has, such as `mocha@^11.0.0`. `folders` are the absolute paths
 * of folders that hold packages, in the order in which they are looked in. What is asked for by a tag or an address only has
 * to be there.
 */
export async function unmetDependencies(manifest: string | undefined, folders: readonly string[]): Promise<string[]> {
	const needed = [...dependenciesIn(manifest)];
	const isMet = await Promise.all(
		needed.map(async ([name, range]) => {
			const version = await installedVersion(name, folders);
			return version !== undefined && isInRange(version, range.replace(ALIAS, '')) !== false;
		}),
	);
	return needed.filter((_, index) => !isMet[index]).map(([name, range]) => `${name}@${range}`);
}

/** Resolves with the empty text for a package that does not say its version. */
async function installedVersion(name: string, folders: readonly string[]): Promise<string | undefined> {
	for (const folder of NAME.test(name) ? folders : []) {
		try {
			const file = path.join(folder, name, 'package.json');
			// Package managers make links to where they keep a package.
			const { version } = z
				.object({ version: z.string().catch('') })
				.parse(parseJson(await readBeginning(await realpath(file))));
			return version;
		} catch {}
	}
	return undefined;
}

/** Returns undefined where one of the two is none: a range may also be a tag or an address. */
export function isInRange(version: string, range: string): boolean | undefined {
	return valid(version) === null || validRange(range) === null ? undefined : satisfies(version, range);
}
