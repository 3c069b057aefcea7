import { appendFile, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { ERRAND_IDENTITY, type GitLocation, runGit } from '../../base/git.ts';
import { type IgnoreRules, writeExcludes } from '../../base/ignoreRules.ts';
import { removeFolder } from '../../base/removeFolder.ts';

export interface AgentRepositoryOptions {
	/** The service's own git folder and the tree. */
	location: GitLocation & { gitFolder: string; workTree: string };
	/** The index of the service's git that knows the files. */
	index: string;
	/** The reference of the only commit. */
	start: string;
	branch: string;
	/** The options of `git init` for the object format. */
	format: readonly string[];
	/** The rules by which the agent's git ignores files too. */
	rules: IgnoreRules;
	signal: AbortSignal;
}

/**
 * Creates the tree's `.git`, which most agents and tools expect: a single commit, no remote and no hooks. Whatever the
 * agent does to it has no effect, because the service's git never reads it.
 */
export async function makeAgentRepository(options: AgentRepositoryOptions): Promise<void> {
	const { location, index, start, branch, format, rules, signal } = options;
	const gitFolder = path.join(location.workTree, '.git');
	await removeFolder(gitFolder);
	const git = (args: readonly string[]) => runGit({ ...location, gitFolder }, args, { signal });
	await git(['init', '--quiet', '--template=', `--initial-branch=${branch}`, ...format]);
	const how = ['--quiet', '--update-head-ok', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
	await git(['fetch', ...how, '--', location.gitFolder, `${start}:refs/heads/${branch}`]);
	// Writing to the new file is cheaper than starting git twice.
	const { name, address } = ERRAND_IDENTITY;
	const settings = `[user]\n\tname = ${name}\n\temail = ${address}\n[core]\n\tignoreCase = ${rules.ignoresCase}\n`;
	await appendFile(path.join(gitFolder, 'config'), settings);
	await writeExcludes(gitFolder, rules.shown);
	// The copied index knows the times of the files, so the agent's git need not read them all.
	await copyFile(index, path.join(gitFolder, 'index'));
}
