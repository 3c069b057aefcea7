import { realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import { type GitLocation, runGit, SERVICE_SETTINGS } from '../../base/git.ts';
import {
	type FoundSetting,
	findUnsafeName,
	LIST_SETTINGS,
	type OtherSide,
	otherSide,
	promisorRemotes,
	readSettings,
	TOO_OLD,
	withoutHooks,
} from '../../base/gitConfiguration.ts';
import { GitError } from '../../base/gitError.ts';
import { type IgnoreRules, readIgnoreRules } from '../../base/ignoreRules.ts';

/** The length to which names in messages are cut, in UTF-16 code units. */
const MAXIMUM_SHOWN_NAME = 40;

/**
 * Returns how git must be run inside the source repository, and whether that is a partial clone.
 * @throws UserFacingError if its configuration names hooks that cannot be reliably disabled.
 */
export async function sourceSide(
	program: 'upload-pack' | 'receive-pack',
	own: GitLocation,
	folder: string,
	signal: AbortSignal,
): Promise<OtherSide & { isPartial: boolean }> {
	const found = await settingsOf(await locateSource(own, folder, signal), signal);
	const side = otherSide(program, 'git', withoutHooks(found), SERVICE_SETTINGS);
	return { ...side, isPartial: promisorRemotes(found).length > 0 };
}

/**
 * Finds the repository at the top of a folder, as `upload-pack` and `receive-pack` do, so that it can be read with the
 * service's settings. Throws a GitError if there is none, or if the user does not allow git to use it: a configuration
 * that cannot be read must not be taken for an empty one.
 */
export async function locateSource(own: GitLocation, folder: string, signal: AbortSignal): Promise<GitLocation> {
	const { gitFolder: _, ...searching } = own;
	const env = { GIT_CEILING_DIRECTORIES: path.dirname(await realpath(folder).catch(() => folder)) };
	const found = await runGit(searching, ['-C', folder, 'rev-parse', '--absolute-git-dir'], { signal, env });
	return { ...own, gitFolder: found.replace(/\n$/, '') };
}

/**
 * Reads the rules by which git ignores files in a source repository. Some of them are in the user's own configuration.
 * Throws a GitError if there is no repository.
 */
export async function readSourceRules(own: GitLocation, folder: string, signal: AbortSignal): Promise<IgnoreRules> {
	const source = await locateSource(own, folder, signal);
	const { configuration: _, ...location } = source;
	const read = (place: GitLocation) => readIgnoreRules(args => runGit(place, args, { signal }), folder);
	return read({ ...location, home: os.homedir() }).catch(error => {
		if (!(error instanceof GitError)) {
			throw error;
		}
		// Git cannot read the user's configuration, but the work must not be lost because of that.
		return read(source);
	});
}

async function settingsOf(source: GitLocation, signal: AbortSignal): Promise<FoundSetting[]> {
	const listing = runGit(source, LIST_SETTINGS.args, { signal, env: LIST_SETTINGS.env });
	const listed = await listing.catch(error => {
		if (error instanceof GitError && TOO_OLD.has(error.exitCode)) {
			return '';
		}
		throw error;
	});
	const found = readSettings(listed);
	if (found === undefined) {
		throw new UserFacingError('This git is too old for Errand. Install git 2.31 or newer, then start again.');
	}
	const unsafe = findUnsafeName(found, 'hook');
	if (unsafe !== undefined) {
		const name = JSON.stringify(unsafe.name.slice(0, MAXIMUM_SHOWN_NAME));
		throw new UserFacingError(
			`repoUrl: the hook ${name} in ${unsafe.file} has a name that is not safe to use (letters, digits, "_", "." and "-" are). Rename or remove it there.`,
		);
	}
	return found;
}
