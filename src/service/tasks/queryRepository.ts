import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { isAbortError, UserFacingError } from '../../base/errors.ts';
import { GitError } from '../../base/gitError.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import { type ReferencesQuery, writeGitConfiguration } from './sourceRepository.ts';

/** The time limit is short because a caller waits for the result. */
const QUERY_TIMEOUT_MS = 20_000;

/**
 * Reads a source repository with `query`, with a temporary folder below `parent`. Any problem with the repository is
 * thrown as a UserFacingError.
 */
export async function queryRepository<T>(
	folder: string,
	parent: string,
	query: (input: ReferencesQuery) => Promise<T>,
	milliseconds = QUERY_TIMEOUT_MS,
): Promise<T> {
	await mkdir(parent, { recursive: true, mode: 0o700 });
	const scratchFolder = await mkdtemp(path.join(parent, 'query-'));
	try {
		const signal = AbortSignal.timeout(milliseconds);
		const configuration = path.join(scratchFolder, 'gitconfig');
		await writeGitConfiguration(configuration, signal);
		return await query({ folder, scratchFolder, configuration, signal });
	} catch (error) {
		if (error instanceof GitError) {
			const words = error.stderr.trim().split('\n')[0]?.slice(0, 300) ?? '';
			throw new UserFacingError(`repoUrl: git cannot read the repository: ${words}`);
		}
		if (isAbortError(error) || (error instanceof Error && error.name === 'TimeoutError')) {
			throw new UserFacingError(`repoUrl: git could not read the repository within ${milliseconds / 1000} s.`);
		}
		throw error;
	} finally {
		await removeFolder(scratchFolder);
	}
}
