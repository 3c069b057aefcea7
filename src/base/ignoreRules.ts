import { lstat, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { GitError } from './gitError.ts';

/** The rules by which git ignores files of a repository, in addition to the `.gitignore` files in its tree. */
export interface IgnoreRules {
	/** The lines of the user's list and of the repository's own one, for `info/exclude` of another repository, in bytes. */
	lines: Buffer;
	/** Those that an agent may read. A repository's own configuration, or a link in it, can name any file of the user's. */
	shown: Buffer;
	/** This is true if git does not distinguish upper and lower case. */
	ignoresCase: boolean;
}

/** In bytes. Git passes over a list that is larger. */
const MAXIMUM_LIST = 100 * 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads the rules of a repository with the top folder `top`. `git` runs there with the user's own configuration, and rejects
 * with a GitError where git fails.
 */
export async function readIgnoreRules(
	git: (args: readonly string[]) => Promise<string>,
	top: string,
): Promise<IgnoreRules> {
	const [users, common, ignoresCase] = await Promise.all([
		ask(git, ['config', '--null', '--show-scope', '--type=path', '--get', 'core.excludesFile']),
		git(['rev-parse', '--path-format=absolute', '--git-common-dir']),
		ask(git, ['config', '--type=bool', '--get', 'core.ignoreCase']),
	]);
	const [scope, named] = users?.split('\0') ?? ['global', defaultList()];
	// An empty name stands for no list, not even the usual one.
	const usersList = named === undefined || named === '' ? undefined : await readList(path.resolve(top, named));
	const ownFile = path.join(common.replace(/\n$/, ''), 'info', 'exclude');
	const ownList = await readList(ownFile);
	const isPlain = (await lstat(ownFile).catch(() => undefined))?.isFile() ?? false;
	const isUsers = scope === 'global' || scope === 'system';
	return {
		// Git heeds the repository's list more than the user's, and the last line of a list most.
		lines: joined(usersList, ownList),
		shown: joined(isUsers ? usersList : undefined, isPlain ? ownList : undefined),
		ignoresCase: ignoresCase?.trim() === 'true',
	};
}

/** The list that git reads where the configuration names none. */
function defaultList(): string {
	return path.join(process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'), 'git', 'ignore');
}

/** Resolves with undefined where the configuration does not say. */
function ask(git: (args: readonly string[]) => Promise<string>, args: readonly string[]): Promise<string | undefined> {
	return git(args).catch((error: unknown) => {
		if (error instanceof GitError && error.exitCode === 1) {
			return undefined;
		}
		throw error;
	});
}

/** Git passes over a list that it cannot read. A pipe would keep it, and us, waiting. */
async function readList(file: string): Promise<Buffer | undefined> {
	const status = await stat(file).catch(() => undefined);
	if (!status?.isFile() || status.size > MAXIMUM_LIST) {
		return undefined;
	}
	const bytes = await readFile(file).catch(() => undefined);
	return bytes?.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
}

function joined(...lists: (Buffer | undefined)[]): Buffer {
	return Buffer.concat(lists.flatMap(list => (list === undefined ? [] : [list, Buffer.from('\n')])));
}

/** Lets a repository ignore what the lines name, beside the lists among its files. `gitFolder` is its git folder. */
export async function writeExcludes(gitFolder: string, lines: Buffer): Promise<void> {
	const information = path.join(gitFolder, 'info');
	await mkdir(information, { recursive: true });
	await writeFile(path.join(information, 'exclude'), lines);
}
