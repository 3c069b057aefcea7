import os from 'node:os';
import path from 'node:path';
import { dependencyFolders } from '../../../agents/sandbox/lentFolders.ts';
import { append } from '../../../base/append.ts';
import { runGit } from '../../../base/git.ts';
import { ownPlace, type ReferencesQuery } from '../sourceRepository.ts';
import { locateSource } from '../sourceSide.ts';
import { findInstallations, type Installations, languageOf } from './installations.ts';
import { MANIFEST } from './lockfiles.ts';
import { unmetDependencies } from './packageManifest.ts';
import type { ReadTreeFile } from './treeFiles.ts';
import type { Language, UserRegistries } from './userRegistries.ts';

const NODE_MODULES = 'node_modules';

/** The languages whose packages a folder of this name holds. */
const LANGUAGES: ReadonlyMap<string, readonly Language[]> = new Map<string, readonly Language[]>([
	[NODE_MODULES, ['javascript']],
	['.venv', ['python']],
	['venv', ['python']],
	['vendor', ['php', 'ruby', 'go']],
]);

export interface UserDependencies {
	/** The top of the repository's files, an absolute path. */
	directory: string;
	/** The folders of installed packages, by their relative paths with slashes. */
	folders: readonly string[];
}

/** The dependencies that a task gets for its branch, and how. */
export interface DependencyPlan extends Installations {
	/** The user's folders that are shown to the agent and to the tests, read-only. */
	shown: string[];
	/** Requirements such as `mocha@^11.0.0` that one of the user's folders does not meet, so that it is not shown. */
	unmet: string[];
}

/** Finds the packages that the user has installed in a repository. Rejects with a GitError if git fails. */
export async function userDependencies(query: ReferencesQuery): Promise<UserDependencies> {
	const { folder, signal } = query;
	const { configuration: _, ...source } = await locateSource(ownPlace(query), folder, signal);
	// The files that git ignores there are those that it ignores for the user.
	const place = { ...source, home: os.homedir(), workTree: folder };
	return { directory: folder, folders: await dependencyFolders(args => runGit(place, args, { signal })) };
}

/**
 * Plans how a task gets its dependencies. `lockfiles` are those of its branch (`findLockfiles`, `lockfilesAmong`) if
 * they may be installed, and `read` reads the branch. Installed packages are not shown, and if packages are shown, a
 * mere manifest is not installed. `user` is undefined if nothing can be shown.
 */
export async function planDependencies(
	lockfiles: readonly string[],
	read: ReadTreeFile,
	registries: UserRegistries,
	user: UserDependencies | undefined,
): Promise<DependencyPlan> {
	const shown: string[] = [];
	const unmet: string[] = [];
	for (const folder of user?.folders ?? []) {
		if (lockfiles.some(lockfile => lockfile !== MANIFEST && installsInto(lockfile, folder))) {
			continue;
		}
		const lacked = user === undefined ? [] : await lackedBy(user, folder, read);
		if (lacked.length === 0) {
			shown.push(folder);
		} else if (!lockfiles.some(lockfile => installsInto(lockfile, folder))) {
			append(unmet, lacked);
		}
	}
	const isShown = shown.includes(NODE_MODULES);
	const found = await findInstallations(
		lockfiles.filter(lockfile => !(isShown && lockfile === MANIFEST)),
		read,
		registries,
	);
	return { ...found, shown, unmet: [...new Set(unmet)] };
}

/** Returns whether an installation from the lockfile may write to the folder, as a workspace does below its own. */
function installsInto(lockfile: string, folder: string): boolean {
	const language = languageOf(lockfile);
	const top = path.posix.dirname(lockfile);
	const isOfLanguage =
		language !== undefined && LANGUAGES.get(path.posix.basename(folder))?.includes(language) === true;
	return isOfLanguage && (top === '.' || folder.startsWith(`${top}/`));
}

/** Returns a folder's unmet requirements. Node also searches the folders above. Other languages are not examined. */
async function lackedBy({ directory }: UserDependencies, folder: string, read: ReadTreeFile): Promise<string[]> {
	if (path.posix.basename(folder) !== NODE_MODULES) {
		return [];
	}
	const beside = path.posix.dirname(folder);
	const parts = beside === '.' ? [] : beside.split('/');
	const above = parts.map((_, length) => parts.slice(0, parts.length - length)).concat([[]]);
	const folders = above.map(names => path.join(directory, ...names, NODE_MODULES));
	return unmetDependencies(await read(path.posix.join(beside, MANIFEST)), folders);
}
