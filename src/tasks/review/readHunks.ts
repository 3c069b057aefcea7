import type { GitPlace } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { MAXIMUM_COMPARED } from '../changes/readChanges.ts';
import type { ChangedFile } from '../model/changedFile.ts';
import { type PatchHunk, readPatchHunks } from '../model/compareResults.ts';

/** Hunks are read of at most this many files, because their names stand in git's command line. */
export const MAXIMUM_FILES_WITH_HUNKS = 200;

/** Returns the hunks of some changed files between two commits, by their `changeKey`. Rejects when git fails. */
export async function readFileHunks(
	{ gitPath, directory }: GitPlace,
	base: string,
	tip: string,
	files: readonly ChangedFile[],
): Promise<Map<string, PatchHunk[]>> {
	const paths = files
		.slice(0, MAXIMUM_FILES_WITH_HUNKS)
		.flatMap(({ before, after }) => [before?.path, after?.path])
		.filter(path => path !== undefined);
	if (paths.length === 0) {
		return new Map();
	}
	// A plumbing command heeds no configuration of the user's for diffs, and these options keep it from running programs.
	const how = ['-r', '-p', '--unified=0', '--full-index', '--find-renames', '--no-textconv', '--no-ext-diff'];
	const output = await runGit(
		gitPath,
		directory,
		[
			'--literal-pathspecs',
			...['-c', `core.bigFileThreshold=${MAXIMUM_COMPARED}`],
			...['diff-tree', ...how, base, tip, '--', ...new Set(paths)],
		],
		{ encoding: 'latin1' },
	);
	return readPatchHunks(output);
}
