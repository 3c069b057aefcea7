import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../base/errors.ts';
import {
	type FoundSetting,
	findUnsafeName,
	LIST_SETTINGS,
	readSettings,
	settingsEnvironment,
	TOO_OLD,
	withoutHooks,
} from '../../base/gitConfiguration.ts';
import { GitError, type GitLocation, runGit, SAFE_SETTINGS } from './git.ts';

/** UTF-16 code units of a name that may be long. */
const MAXIMUM_SHOWN_NAME = 40;

/** How git is run inside the source repository, where that repository's own configuration holds. */
export interface SourceSide {
	/** For `ls-remote`, `fetch` or `push`. */
	option: string;
	/** For the git that is given the option. */
	env: Record<string, string>;
}

/**
 * What starts git inside the source repository. git takes the settings of its caller away there, so they are given again,
 * in a command that is the same for every repository: names that come from its configuration go through the environment.
 * It never needs a transport of its own; one that it starts for objects missing in a partial clone would run what that
 * configuration names. Throws a sentence where the configuration names hooks that cannot be switched off for certain.
 */
export async function sourceSide(
	program: 'upload-pack' | 'receive-pack',
	own: GitLocation,
	folder: string,
	signal: AbortSignal,
): Promise<SourceSide> {
	const found = await settingsOf(await locateSource(own, folder, signal), signal);
	const hooks = withoutHooks(found);
	const settings = SAFE_SETTINGS.map(setting => `-c ${setting}`).join(' ');
	const command = `GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 GIT_CONFIG_COUNT=${hooks.length} git ${settings} ${program}`;
	return { option: `--${program}=${command}`, env: settingsEnvironment(hooks) };
}

/**
 * The repository at the top of a folder, as `upload-pack` and `receive-pack` look for it, to be read with our own
 * settings. Throws a GitError where there is none, or where the user does not let git use it: a configuration that is not
 * read must not pass for an empty one.
 */
export async function locateSource(own: GitLocation, folder: string, signal: AbortSignal): Promise<GitLocation> {
	const { gitFolder: _, ...searching } = own;
	const env = { GIT_CEILING_DIRECTORIES: path.dirname(await realpath(folder).catch(() => folder)) };
	const found = await runGit(searching, ['-C', folder, 'rev-parse', '--absolute-git-dir'], { signal, env });
	return { ...own, gitFolder: found.replace(/\n$/, '') };
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
