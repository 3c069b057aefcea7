import os from 'node:os';
import { GitError } from '../../base/gitError.ts';
import { lockfilesAmong } from './dependencies/lockfiles.ts';
import { planDependencies, userDependencies } from './dependencies/shownDependencies.ts';
import { beginningOf } from './dependencies/treeFiles.ts';
import { userRegistries } from './dependencies/userRegistries.ts';
import { runGit } from './git.ts';
import { queryRepository } from './queryRepository.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { ownPlace, readSource } from './sourceRepository.ts';
import { locateSource } from './sourceSide.ts';

/** The size to which a file is read, in bytes. A larger one is neither a lockfile nor a configuration. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

export interface BranchDependencies {
	commands: { lockfile: string; command: string }[];
	/** Each has the form `host:port`. */
	hosts: string[];
	/** Those of the hosts that need a login, which agents do not get. */
	withLogin: string[];
	/** The user's own folders of installed dependencies that the task is shown, read-only. */
	shown: string[];
	/** What the user's own folders lack, such as `mocha@^11.0.0`, so that they are not shown. */
	unmet: string[];
}

/** Whether a task installs dependencies, and whether it can be shown those of the user. */
export interface DependencyWays {
	installs: boolean;
	shows: boolean;
}

/**
 * Finds out how a task would get the dependencies of a branch, without checking it out. Without a branch, the one that
 * HEAD is on counts. `parent` is a folder for temporary files.
 * @throws UserFacingError if the repository or the branch cannot be read.
 */
export async function dependenciesOfBranch(
	repoUrl: string,
	branch: string | undefined,
	{ installs, shows }: DependencyWays,
	parent: string,
): Promise<BranchDependencies> {
	const folder = folderOfRepoUrl(repoUrl);
	return queryRepository(folder, parent, async query => {
		const { signal } = query;
		const { commit } = await readSource({ ...query, branch });
		const source = await locateSource(ownPlace(query), folder, signal);
		const git = (args: readonly string[]) => runGit(source, args, { signal });
		const files = (await git(['ls-tree', '-r', '-z', '--name-only', commit])).split('\0');
		const read = async (name: string) => {
			try {
				const size = Number(await git(['cat-file', '-s', `${commit}:${name}`]));
				return size > MAXIMUM_BYTES
					? undefined
					: beginningOf(Buffer.from(await git(['cat-file', 'blob', `${commit}:${name}`])));
			} catch (error) {
				if (error instanceof GitError) {
					return undefined;
				}
				throw error;
			}
		};
		const place = { environment: process.env, home: os.homedir(), repository: folder, parent };
		const { installations, hosts, withLogin, shown, unmet } = await planDependencies(
			installs ? lockfilesAmong(files) : [],
			read,
			userRegistries(place),
			shows ? await userDependencies(query) : undefined,
		);
		const commands = installations.map(({ lockfile, command }) => ({ lockfile, command: command.join(' ') }));
		// A folder that the branch does not have gets none of its packages.
		const isThere = (folder: string) => files.some(file => file.startsWith(folder.replace(/[^/]*$/, '')));
		return { commands, hosts, withLogin, shown: shown.filter(isThere), unmet };
	});
}
