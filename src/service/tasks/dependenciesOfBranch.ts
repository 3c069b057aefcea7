import os from 'node:os';
import { runGit } from '../../base/git.ts';
import { unlessGitFails } from '../../base/gitError.ts';
import { planDependencies, userDependencies } from './dependencies/dependencyPlan.ts';
import { lockfilesAmong } from './dependencies/lockfiles.ts';
import { beginningOf } from './dependencies/treeFiles.ts';
import { userRegistries } from './dependencies/userRegistries.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import { ownPlace, queryRepository, readSource } from './sourceRepository.ts';
import { locateSource } from './sourceSide.ts';

/** The maximum size of a file that is read, in bytes. A larger one is neither a lockfile nor a configuration. */
const MAXIMUM_BYTES = 16 * 1024 * 1024;

export interface BranchDependencies {
	commands: { lockfile: string; command: string }[];
	/** The hosts as `host:port`. */
	hosts: string[];
	/** Those of the hosts that require a login, which agents do not have. */
	withLogin: string[];
	/** The user's own folders of installed dependencies that the task is shown, read-only. */
	shown: string[];
	/** The requirements, such as `mocha@^11.0.0`, that the user's own folders do not meet, so that they are not shown. */
	unmet: string[];
}

/** The permitted ways to provide a task's dependencies: by an installation, and by showing the user's. */
export interface DependencyWays {
	installs: boolean;
	shows: boolean;
}

/**
 * Finds out how a task would get the dependencies of a branch, without checking it out. Without a branch, it is the one
 * that HEAD is on. `parent` is a folder for temporary files.
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
			const file = `${commit}:${name}`;
			const size = Number(await git(['cat-file', '-s', file]).catch(unlessGitFails(undefined)));
			const text =
				size <= MAXIMUM_BYTES ? await git(['cat-file', 'blob', file]).catch(unlessGitFails(undefined)) : undefined;
			return text === undefined ? undefined : beginningOf(Buffer.from(text));
		};
		const place = { environment: process.env, home: os.homedir(), repository: folder, parent };
		const { installations, hosts, withLogin, shown, unmet } = await planDependencies(
			installs ? lockfilesAmong(files) : [],
			read,
			userRegistries(place),
			shows ? await userDependencies(query) : undefined,
		);
		const commands = installations.map(({ lockfile, command }) => ({ lockfile, command: command.join(' ') }));
		// A folder that the branch does not have gets no packages.
		const isThere = (folder: string) => files.some(file => file.startsWith(folder.replace(/[^/]*$/, '')));
		return { commands, hosts, withLogin, shown: shown.filter(isThere), unmet };
	});
}
