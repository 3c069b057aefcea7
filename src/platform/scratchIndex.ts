import path from 'node:path';
import { withTemporaryFolder } from '../base/temporaryFolder.ts';
import type { GitPlace } from './git.ts';
import { runGitWithIndex } from './gitCommand.ts';

type IndexPlace = Pick<GitPlace, 'gitPath' | 'directory'>;

/** Runs git with byte strings (`latin1`) as input and output, because file names can be in any encoding. */
export type IndexGit = (commandLine: readonly string[], input?: string) => Promise<string>;

/**
 * Returns what runs git in a repository with the index in `file`. Filters of the repository's own configuration run
 * only if their names are in `agreed`, which may grow.
 */
export function gitOfIndex(
	{ gitPath, directory }: IndexPlace,
	file: string,
	agreed: ReadonlySet<string> = new Set(),
): IndexGit {
	return (commandLine, input) =>
		runGitWithIndex(gitPath, directory, file, commandLine, { input, agreed, encoding: 'latin1' });
}

/**
 * Runs git commands with an index of their own, which is empty at first and, with its folder, removed at the end.
 * `scratch` is the folder, and `file` the place of the index in it. Rejects as `run` does.
 */
export function withScratchIndex<T>(
	place: IndexPlace,
	run: (git: IndexGit, scratch: string, file: string) => Promise<T>,
	agreed?: ReadonlySet<string>,
): Promise<T> {
	return withTemporaryFolder('index', scratch => {
		const file = path.join(scratch, 'index');
		return run(gitOfIndex(place, file, agreed), scratch, file);
	});
}
