import { appendFile, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { type IgnoreRules, writeExcludes } from '../../base/ignoreRules.ts';
import { removeFolder } from '../../base/removeFolder.ts';
import { ERRAND_IDENTITY } from './commitIdentity.ts';
import { type GitLocation, runGit } from './git.ts';

export interface AgentRepositoryOptions {
	/** The service's own git folder and the tree. */
	location: GitLocation & { gitFolder: string; workTree: string };
	/** The reference of the only commit. It has the files that the index of the service's git knows. */
	start: string;
	/** The name of the branch that the agent is on. */
	branch: string;
	/** Options of `git init` for the format of objects. */
	format: readonly string[];
	/** By which the agent's git ignores files too. */
	rules: IgnoreRules;
	signal: AbortSignal;
}

/**
 * Makes the tree's `.git`, as most agents and tools want one: a single commit, no remote and no hooks. What the agent
 * does to it has no effect, because no git of the service ever reads it.
 */
export async function makeAgentRepository(options: AgentRepositoryOptions): Promise<void> {
	const { location, start, branch, format, rules, signal } = options;
	const gitFolder = path.join(location.workTree, '.git');
	await removeFolder(gitFolder);
	const git = (args: readonly string[]) => runGit({ ...location, gitFolder }, args, { signal });
	await git(['init', '--quiet', '--template=', `--initial-branch=${branch}`, ...format]);
	const how = ['--quiet', '--update-head-ok', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
	await git(['fetch', ...how, '--', location.gitFolder, `${start}:refs/heads/${branch}`]);
	// Writing to the fresh file costs less than two starts of git.
	const { name, address } = ERRAND_IDENTITY;
	const settings = `[user]\n\tname = ${name}\n\temail = ${address}\n[core]\n\tignoreCase = ${rules.ignoresCase}\n`;
	await appendFile(path.join(gitFolder, 'config'), settings);
	await writeExcludes(gitFolder, rules.shown);
	// The copied index knows the files by their times, so that no git of the agent has to read them all.
	await copyFile(path.join(location.gitFolder, 'index'), path.join(gitFolder, 'index'));
}
