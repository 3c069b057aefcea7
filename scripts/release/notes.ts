import fs from 'node:fs';
import path from 'node:path';
import { changesIn } from './changelog.ts';

/**
 * Returns the changelog's entries for the version that a tag names.
 * @throws if that is not the version of the project, or has no entries
 */
export function releaseNotes(folder: string, [tag = '']: string[]): string {
	const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8');
	const { version } = JSON.parse(read('package.json'));
	if (tag !== `v${version}`) {
		throw new Error(
			`The tag is "${tag}", and package.json has the version ${version}. Tag the commit that moved the version.`,
		);
	}
	return changesIn(read('CHANGELOG.md'), version);
}
