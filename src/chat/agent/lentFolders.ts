import path from 'node:path';
import { dependencyFolders, lendable } from '../../agents/sandbox/lentFolders.ts';
import type { LentFolder } from '../../agents/sandbox/wrap.ts';
import { defined } from '../../base/defined.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { agentPath } from '../model/checkpoint.ts';

/**
 * Resolves to the folders of installed dependencies that programs in the copy can use. `at` is the repository's folder
 * in the copy, if there are several. Rejects when git fails.
 */
export async function lentFolders({ gitPath, directory }: GitPlace, copy: string, at?: string): Promise<LentFolder[]> {
	const folders = await dependencyFolders(args => runGit(gitPath, directory, args));
	return lendable(
		folders.map(name => ({ source: path.join(directory, name), at: agentPath(defined({ at }), name) })),
		copy,
	);
}
