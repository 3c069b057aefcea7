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
/** A version range of another package: the folder has a name of its own. */
const ALIAS = /^npm:@?[^@]+@/;
/** Allows only names that lead to a folder beside those of other packages. */
const NAME = /^(?:@[^/\\.][^/\\]*\/)?[^/\\.][^/\\]*$/;

/** Returns the packages that a `package.json` requires for development, as version ranges by name. */
export function dependenciesIn(manifest: string | undefined): Map<string, string> {
	const read = manifestSchema.safeParse(parseJson(manifest ?? '')).data;
	const needed = new Map(Object.entries({ ...read?.devDependencies, ...read?.dependencies }));
	for (const name of Object.keys(read?.optionalDependencies ?? {})) {
		needed.delete(name);
	}
	return needed;
}

/**
 * Returns the requirements of a `package.json` that none of the folders meets, such as `mocha@^11.0.0`. `folders` are
 * the absolute paths of package folders, in search order. A package required by a tag or an address only has to be
 * present.
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

/** Resolves with the empty text for a package that does not state its version. */
async function installedVersion(name: string, folders: readonly string[]): Promise<string | undefined> {
	for (const folder of NAME.test(name) ? folders : []) {
		try {
			const file = path.join(folder, name, 'package.json');
			// Package managers may install a package as a link to their own storage.
			const { version } = z
				.object({ version: z.string().catch('') })
				.parse(parseJson(await readBeginning(await realpath(file))));
			return version;
		} catch {}
	}
	return undefined;
}

/** Returns undefined if either is not valid: a range may also be a tag or an address. */
export function isInRange(version: string, range: string): boolean | undefined {
	return valid(version) === null || validRange(range) === null ? undefined : satisfies(version, range);
}
