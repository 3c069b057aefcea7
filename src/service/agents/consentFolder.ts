import { realpath } from 'node:fs/promises';
import { folderOfRepoUrl } from '../tasks/repoUrl.ts';

/**
 * Returns the folder for which the user's answers about a repository are stored. It is the real path, because a link
 * could lead to another repository later.
 * @throws UserFacingError if `repoUrl` names no folder of this machine.
 */
export async function consentFolder(repoUrl: string): Promise<string> {
	const folder = folderOfRepoUrl(repoUrl);
	return realpath(folder).catch(() => folder);
}
