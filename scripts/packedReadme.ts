import fs from 'node:fs';
import path from 'node:path';

const ONLY_IN_THE_REPOSITORY = /<!-- only in the repository -->\n[\s\S]*?<!-- end -->\n+/g;
const ALTERNATIVE_TEXTS = /!\[[^\]]*\]/g;

/**
 * The readme of an extension's folder as it is packed. An editor's page of an extension takes every address away that is
 * not of the network, where this repository has none: links to its files would be dead there, so what needs them is
 * left out. Images are drawn only where the editor draws those of a package; without words in place of them nothing
 * is seen elsewhere, not even the sign of a broken one.
 */
export function packedReadme(folder: string): string {
	return fs
		.readFileSync(path.join(folder, 'README.md'), 'utf8')
		.replace(ONLY_IN_THE_REPOSITORY, '')
		.replace(ALTERNATIVE_TEXTS, '![]');
}
