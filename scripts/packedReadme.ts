import fs from 'node:fs';
import path from 'node:path';

const ONLY_IN_THE_REPOSITORY = /<!-- only in the repository -->\n[\s\S]*?<!-- end -->\n+/g;
const ALTERNATIVE_TEXTS = /!\[[^\]]*\]/g;

/**
 * Returns the readme as it is packed. An editor's page of an extension removes every address that is not on the
 * network, and this repository has none there: links to its files would be dead, so text that needs them is left out.
 * Until the repository is on the network, images are shown only in editors that show those of a package; without
 * alternative text, nothing is visible elsewhere, not even the sign of a broken image.
 */
export function packedReadme(folder: string, isRepositoryPublic = false): string {
	const text = fs.readFileSync(path.join(folder, 'README.md'), 'utf8').replace(ONLY_IN_THE_REPOSITORY, '');
	return isRepositoryPublic ? text : text.replace(ALTERNATIVE_TEXTS, '![]');
}
