import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isPlainFolder } from '../../base/filePlace.ts';
import { type GitOptions, readPromisors, runGit } from '../../platform/gitCommand.ts';
import { type ComparedFile, findUnchanged } from '../../platform/gitFilters.ts';
import { BRANCH_FORMAT, type Branch, readBranches, refName } from '../model/branches.ts';
import type { CloneKind, Submodule } from '../model/findings.ts';

/** Returns the branches of a repository, including its remote-tracking ones. Rejects when git fails. */
export async function listBranches(gitPath: string, directory: string, remotes: readonly string[]): Promise<Branch[]> {
	const format = `--format=${BRANCH_FORMAT}`;
	return readBranches(
		await runGit(gitPath, directory, ['for-each-ref', format, 'refs/heads', 'refs/remotes']),
		remotes,
	);
}

/** Returns the commit of a branch, or undefined if there is no such branch or no repository. */
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
			stopAt === undefined ? {} : { stopAt },
		);
		// A pattern also matches references below the branch, so the line must name the branch itself.
		const line = output.split('\n').find(candidate => candidate.startsWith(`${reference}\0`));
		return line?.slice(reference.length + 1);
	} catch {
		return undefined;
	}
}

/** Returns the number of commits that only `here` has and that only `there` has, or undefined if git cannot tell. */
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
	/**
	 * Submodules whose own files have changed, and repositories inside this one, sorted. None of them can be included
	 * in a commit.
	 */
	nested: string[];
	/** True if a merge has left conflicts. */
	hasConflicts: boolean;
}

/** The number of fields before the path, by the kind of the entry (git-status(1), porcelain format version 2). */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

/** Returns the uncommitted changes. Rejects when git fails. */
export async function listChanges(gitPath: string, directory: string, options: GitOptions = {}): Promise<Changes> {
	// In a submodule git would run programs of the submodule's configuration, so submodules are read separately.
	const how = ['--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=dirty'];
	const [output, submodules] = await Promise.all([
		runGit(gitPath, directory, ['status', ...how], { ...options, encoding: 'latin1' }),
		listChangedSubmodules(gitPath, directory, options),
	]);
	const files: string[] = [];
	const nested: string[] = [];
	/** The files that are changed only in the working tree. */
	const inTree: ComparedFile[] = [];
	let hasConflicts = false;
	for (const entry of output.split('\0')) {
		const kind = entry.slice(0, 1);
		const count = FIELDS[kind];
		if (count === undefined) {
			continue;
		}
		const fields = entry.split(' ', count);
		const name = entry.slice(fields.join(' ').length + 1);
		if (kind === '?' && name.endsWith('/')) {
			nested.push(name);
			continue;
		}
		hasConflicts ||= kind === 'u';
		files.push(name);
		const [, state, submodule, , modeInIndex, modeInTree, , object = ''] = fields;
		if (kind === '1' && state === '.M' && submodule === 'N...' && modeInIndex === modeInTree) {
			inTree.push({ name, object });
		}
	}
	const unchanged = await findUnchanged(gitPath, directory, inTree);
	return {
		files: readable(files.filter(name => !unchanged.has(name))),
		nested: [...readable(nested), ...submodules].sort(),
		hasConflicts,
	};
}

/** Returns the names of the submodules that have uncommitted changes. */
async function listChangedSubmodules(gitPath: string, directory: string, options: GitOptions): Promise<string[]> {
	const top = await realpath(directory);
	const named = [
		'config',
		'--null',
		'--file',
		path.join(top, '.gitmodules'),
		'--get-regexp',
		'^submodule\\..*\\.path$',
	];
	// Git fails if there is no such file.
	const entries = (await runGit(gitPath, directory, named, options).catch(() => '')).split('\0').slice(0, -1);
	const changed: string[] = [];
	for (const entry of entries) {
		const name = entry.slice(entry.indexOf('\n') + 1);
		const submodule = path.join(top, name);
		if (await isSubmodule(top, name)) {
			const { files, nested } = await listChanges(gitPath, submodule, { stopAt: path.dirname(submodule) });
			if (files.length + nested.length > 0) {
				changed.push(name);
			}
		}
	}
	return changed;
}

/** Returns whether a name, which may be any text, is a repository below this one and is reached without links. */
async function isSubmodule(top: string, name: string): Promise<boolean> {
	const isBelow = name !== '.' && (await isPlainFolder(top, name));
	return isBelow && (await stat(path.join(top, name, '.git')).catch(() => undefined)) !== undefined;
}

const readable = (names: readonly string[]): string[] =>
	names.map(name => Buffer.from(name, 'latin1').toString()).sort();

/** Returns whether the directory is the top of a linked worktree, of a submodule, or of neither. */
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

/** Returns in which ways a clone is incomplete or does not show all of its files. */
export async function readCloneKinds(gitPath: string, directory: string): Promise<CloneKind[]> {
	const isTrue = (...question: string[]) =>
		runGit(gitPath, directory, question).then(
			output => output.trim() === 'true',
			() => false,
		);
	const [isPartial, isShallow, isSparse] = await Promise.all([
		readPromisors(gitPath, directory).then(remotes => remotes.length > 0),
		isTrue('rev-parse', '--is-shallow-repository'),
		isTrue('config', '--type=bool', '--get', 'core.sparseCheckout'),
	]);
	return [
		...(isPartial ? (['partial-clone'] as const) : []),
		...(isShallow ? (['shallow-clone'] as const) : []),
		...(isSparse ? (['sparse-checkout'] as const) : []),
	];
}

/** Lists the submodules of a commit, sorted. The list is empty if git cannot read the commit, as in a partial clone. */
export async function listSubmodules(gitPath: string, directory: string, commit: string): Promise<Submodule[]> {
	const how = ['-r', '-d', '-z', '--full-tree'];
	const listed = await runGit(gitPath, directory, ['ls-tree', ...how, commit], { encoding: 'latin1' }).catch(() => '');
	const entries = listed.split('\0').filter(entry => entry.startsWith('160000 '));
	const names = readable(entries.map(entry => entry.slice(entry.indexOf('\t') + 1)));
	return Promise.all(names.map(async name => ({ name, isCheckedOut: await isSubmodule(directory, name) })));
}
