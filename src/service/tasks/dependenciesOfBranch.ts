import os from 'node:os';
import { GitError } from '../../base/gitError.ts';
import { findInstallations } from './dependencies/installations.ts';
import { lockfilesAmong } from './dependencies/lockfiles.ts';
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
}

/**
 * Finds out what installing the dependencies of a branch means, without checking it out. Without a branch, the one that
 * HEAD is on counts. `parent` is a folder for temporary files. Resolves with null if there is nothing to install.
 * @throws UserFacingError if the repository or the branch cannot be read.
 */
export async function dependenciesOfBranch(
	repoUrl: string,
	branch: string | undefined,
	parent: string,
): Promise<BranchDependencies | null> {
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
		const { installations, hosts, withLogin } = await findInstallations(
			lockfilesAmong(files),
			read,
			userRegistries(place),
		);
		const commands = installations.map(({ lockfile, command }) => ({ lockfile, command: command.join(' ') }));
		return commands.length === 0 ? null : { commands, hosts, withLogin };
	});
}
