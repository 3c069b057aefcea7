import { lstat, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { GitError } from './gitError.ts';

/** The rules by which git ignores files of a repository, in addition to the `.gitignore` files in its tree. */
export interface IgnoreRules {
	/** The lines of the user's list and of the repository's own, in bytes, for `info/exclude` of another repository. */
	lines: Buffer;
	/** The lines that an agent may read: a repository's configuration, or a link in it, can name any file of the user. */
	shown: Buffer;
	/** True if git does not distinguish upper and lower case. */
	ignoresCase: boolean;
}

/** In bytes. git ignores a larger list. */
const MAXIMUM_LIST = 100 * 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads the rules of a repository with the top folder `top`. `git` runs there with the user's own configuration.
 * Rejects with a GitError if git fails.
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
	// An empty name means no list at all, not the default one.
	const usersList = named === undefined || named === '' ? undefined : await readList(path.resolve(top, named));
	const ownFile = path.join(common.replace(/\n$/, ''), 'info', 'exclude');
	const ownList = await readList(ownFile);
	const isPlain = (await lstat(ownFile).catch(() => undefined))?.isFile() ?? false;
	const isUsers = scope === 'global' || scope === 'system';
	return {
		// git gives the repository's list precedence over the user's, and the last line of a list over earlier ones.
		lines: joined(usersList, ownList),
		shown: joined(isUsers ? usersList : undefined, isPlain ? ownList : undefined),
		ignoresCase: ignoresCase?.trim() === 'true',
	};
}

/** Returns the list that git reads if the configuration names none. */
function defaultList(): string {
	return path.join(process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'), 'git', 'ignore');
}

/** Resolves with undefined if the setting does not exist. */
function ask(git: (args: readonly string[]) => Promise<string>, args: readonly string[]): Promise<string | undefined> {
	return git(args).catch((error: unknown) => {
		if (error instanceof GitError && error.exitCode === 1) {
			return undefined;
		}
		throw error;
	});
}

/** git ignores a list that it cannot read. A pipe would make it, and us, wait. */
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

/** Makes a repository ignore what the lines name, in addition to the lists among its files. */
export async function writeExcludes(gitFolder: string, lines: Buffer): Promise<void> {
	const information = path.join(gitFolder, 'info');
	await mkdir(information, { recursive: true });
	await writeFile(path.join(information, 'exclude'), lines);
}
