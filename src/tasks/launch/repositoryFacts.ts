import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runGit } from '../../platform/gitCommand.ts';
import { BRANCH_FORMAT, type Branch, readBranches, refName } from './model/branches.ts';
import { readRemoteUrl } from './model/cloneUrl.ts';

/** The branches of a repository and those that it knows of its remotes. Rejects when git fails. */
export async function listBranches(gitPath: string, directory: string, remotes: readonly string[]): Promise<Branch[]> {
	const format = `--format=${BRANCH_FORMAT}`;
	return readBranches(
		await runGit(gitPath, directory, ['for-each-ref', format, 'refs/heads', 'refs/remotes']),
		remotes,
	);
}

/** The commit of a branch; undefined where there is no such branch, or no repository. */
export async function readBranchCommit(
	gitPath: string,
	directory: string,
	branch: Pick<Branch, 'name' | 'remote'>,
	stopAt?: string,
): Promise<string | undefined> {
	const reference = refName(branch);
	try {
		const output = await runGit(
			gitPath,
			directory,
			['for-each-ref', '--format=%(refname)%00%(objectname)', '--', reference],
			stopAt,
		);
		// A pattern also matches what lies below it: the line has to name the branch itself.
		const line = output.split('\n').find(candidate => candidate.startsWith(`${reference}\0`));
		return line?.slice(reference.length + 1);
	} catch {
		return undefined;
	}
}

/** The directory that a remote's URL names, if it is one on this machine. */
export async function remoteDirectory(remoteUrl: string, repositoryPath: string): Promise<string | undefined> {
	const place = readRemoteUrl(remoteUrl);
	if (place.kind !== 'directory') {
		return undefined;
	}
	try {
		const directory = /^file:/i.test(place.path) ? fileURLToPath(place.path) : path.resolve(repositoryPath, place.path);
		return (await stat(directory)).isDirectory() ? directory : undefined;
	} catch {
		return undefined;
	}
}

/** How many commits only `here` has, and only `there`; undefined when git cannot tell. */
export async function countCommits(
	gitPath: string,
	directory: string,
	here: string,
	there: string,
): Promise<{ ahead: number; behind: number } | undefined> {
	try {
		const range = `${here}...${there}`;
		const output = await runGit(gitPath, directory, ['rev-list', '--left-right', '--count', range, '--']);
		const [ahead = Number.NaN, behind = Number.NaN] = output.trim().split('\t').map(Number);
		return Number.isSafeInteger(ahead) && Number.isSafeInteger(behind) ? { ahead, behind } : undefined;
	} catch {
		return undefined;
	}
}

export interface Changes {
	/** Paths that differ from HEAD or are untracked, sorted. */
	files: string[];
	/** Submodules whose own files have changed, and repositories inside this one, sorted: nothing of them can go along. */
	nested: string[];
	/** A merge has left conflicts. */
	hasConflicts: boolean;
}

/** How many fields stand before the path, by the kind of the entry (git-status(1), porcelain format version 2). */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

/** What is not committed. Rejects when git fails. */
export async function listChanges(gitPath: string, directory: string): Promise<Changes> {
	const options = ['--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'];
	const output = await runGit(gitPath, directory, ['status', ...options]);
	const changes: Changes = { files: [], nested: [], hasConflicts: false };
	for (const entry of output.split('\0')) {
		const kind = entry.slice(0, 1);
		const count = FIELDS[kind];
		if (count === undefined) {
			continue;
		}
		const fields = entry.split(' ', count);
		const name = entry.slice(fields.join(' ').length + 1);
		if (kind === '?') {
			(name.endsWith('/') ? changes.nested : changes.files).push(name);
			continue;
		}
		changes.hasConflicts ||= kind === 'u';
		const [, state = '', submodule = ''] = fields;
		if (/^S..?[MU]|^S...U/.test(submodule)) {
			changes.nested.push(name);
		}
		// Of a submodule that is there, only another commit is a change that git can take along.
		if (!submodule.startsWith('S') || submodule[1] === 'C' || state !== '.M') {
			changes.files.push(name);
		}
	}
	changes.files.sort();
	changes.nested.sort();
	return changes;
}

/** A remote's address with the user's rewrites (`url.<base>.insteadOf`); undefined where git cannot tell. */
export async function readRemoteAddress(gitPath: string, directory: string, name: string): Promise<string | undefined> {
	const output = await runGit(gitPath, directory, ['remote', 'get-url', '--', name]).catch(() => undefined);
	return output?.replace(/\n$/, '');
}

/** Whether the directory is the top of a worktree beside the main one, or of a submodule. */
export async function readRepositoryKind(
	gitPath: string,
	directory: string,
): Promise<'plain' | 'worktree' | 'submodule'> {
	const ask = (...question: string[]) => runGit(gitPath, directory, ['rev-parse', ...question]).catch(() => '');
	const [superproject, own, common] = await Promise.all([
		ask('--show-superproject-working-tree'),
		ask('--absolute-git-dir'),
		ask('--path-format=absolute', '--git-common-dir'),
	]);
	if (superproject.trim() !== '') {
		return 'submodule';
	}
	return own !== '' && common !== '' && own !== common ? 'worktree' : 'plain';
}
