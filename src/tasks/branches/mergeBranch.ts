// The merge of a task's branch, on the user's command alone. The editor's git extension merges too, but as the user's
// git would: where a repository keeps its hooks in the tree, one that the branch has written would run at once, and a
// fast-forward would replace ignored files. Here no hook runs, merge drivers of the repository give way to git's text
// merge, and files that need one of its filters are found before anything changes.
import type { Setting } from '../../base/gitConfiguration.ts';
import { GitError } from '../../base/gitError.ts';
import type { GitPlace } from '../../platform/git.ts';
import { runGit, runWorkTreeGit } from '../../platform/gitCommand.ts';
import { commitOf } from '../results/taskBranch.ts';
import { FilesInTheWay, inTheWay, refuseFilters } from './blockingFiles.ts';
import { headBranch } from './checkOut.ts';

/** The expected result of a merge into the current branch. */
export type MergePreview =
	/** The current branch already has all commits. */
	| { kind: 'nothing' }
	/** Merges without conflicts and changes this many files. */
	| { kind: 'clean'; files: number; isFastForward: boolean }
	/** Leaves conflicts in these files. The list is empty if git names none. */
	| { kind: 'conflicts'; files: string[] }
	/** The branches have no commit in common. */
	| { kind: 'unrelated' }
	/** A merge, a cherry-pick or a revert is in progress and waits for the user. */
	| { kind: 'unfinished' }
	/** This git is older than 2.38 and cannot try a merge. */
	| { kind: 'too-old' };

/** The references that git keeps while it waits for the user. */
const UNFINISHED = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'];

/**
 * Tries the merge of a commit into the current branch, without changing a file, the index or a reference. Rejects when
 * git fails.
 */
export async function previewMerge(place: GitPlace, tip: string): Promise<MergePreview> {
	const { gitPath, directory } = place;
	const head = await commitOf(place, 'HEAD');
	if (head === undefined) {
		throw new Error('there is no commit to merge into');
	}
	if (await isUnfinished(place)) {
		return { kind: 'unfinished' };
	}
	const base = await runGit(gitPath, directory, ['merge-base', head, tip]).catch(() => undefined);
	if (base === undefined) {
		return { kind: 'unrelated' };
	}
	if (base.trim() === tip) {
		return { kind: 'nothing' };
	}
	if (base.trim() === head) {
		return { kind: 'clean', files: await countFiles(place, head, tip), isFastForward: await allowsFastForward(place) };
	}
	const version = await runGit(gitPath, directory, ['--version']);
	if (!canTryMerge(version)) {
		return { kind: 'too-old' };
	}
	try {
		const output = await runWorkTreeGit(gitPath, directory, [
			'merge-tree',
			'--write-tree',
			'-z',
			'--name-only',
			'--no-messages',
			head,
			tip,
		]);
		const tree = output.split('\0')[0]?.trim() ?? '';
		return { kind: 'clean', files: await countFiles(place, head, tree), isFastForward: false };
	} catch (error) {
		if (error instanceof GitError && error.exitCode === 1) {
			const [, ...names] = error.stdout.split('\0');
			return { kind: 'conflicts', files: [...new Set(names.filter(name => name !== ''))] };
		}
		throw error;
	}
}

/**
 * Merges a commit into the current branch, with the message that git would write for `from`, and the user's own
 * identity. Rejects with FilesInTheWay or a FilterRefused, after which nothing has changed, and when git fails
 * otherwise.
 */
export async function mergeBranch(
	place: GitPlace,
	tip: string,
	from: { branch: string; address: string | undefined },
): Promise<'merged' | 'conflicts'> {
	const { gitPath, directory } = place;
	const head = await commitOf(place, 'HEAD');
	const base = (await runGit(gitPath, directory, ['merge-base', head ?? 'HEAD', tip])).trim();
	if (base === head && (await allowsFastForward(place))) {
		await fastForwardFiles(place, tip);
		return 'merged';
	}
	await refuseFilters(place, base, tip);
	const staged = await listStaged(place);
	if (staged.length > 0) {
		throw new FilesInTheWay(staged);
	}
	const message = await mergeMessage(place, tip, from);
	try {
		await runMerge(place, ['-m', message, tip]);
		return 'merged';
	} catch (error) {
		if ((await commitOf(place, 'MERGE_HEAD')) === tip) {
			return 'conflicts';
		}
		throw error;
	}
}

/**
 * Fast-forwards the branch that is checked out, and its files, to a commit. No file that the user has changed, added or
 * ignores is overwritten. Rejects with FilesInTheWay or a FilterRefused, and when git fails; then nothing has changed.
 */
export async function fastForwardFiles(place: GitPlace, tip: string): Promise<void> {
	await refuseFilters(place, 'HEAD', tip);
	await runMerge(place, ['--ff-only', tip]);
}

/** Runs `git merge` without hooks, stashes or a program for signatures, and with git's own strategy. */
async function runMerge(place: GitPlace, how: readonly string[]): Promise<void> {
	const branch = await headBranch(place);
	// The merge options that a repository may configure for a branch can name a program as a strategy.
	const settings: Setting[] = branch === undefined ? [] : [[`branch.${branch}.mergeOptions`, '']];
	const options = ['--quiet', '--no-edit', '--no-stat', '--no-log', '--no-autostash', '--no-overwrite-ignore'];
	const safe = ['--strategy=ort', '--no-verify', '--no-verify-signatures', '--no-gpg-sign'];
	try {
		await runWorkTreeGit(place.gitPath, place.directory, ['merge', ...options, ...safe, ...how], { settings });
	} catch (error) {
		throw inTheWay(error);
	}
}

async function isUnfinished(place: GitPlace): Promise<boolean> {
	const found = await Promise.all(UNFINISHED.map(name => commitOf(place, name)));
	return found.some(commit => commit !== undefined);
}

/** Lists the files that are staged. Rejects when git fails. */
async function listStaged({ gitPath, directory }: GitPlace): Promise<string[]> {
	const how = ['--cached', '--name-only', '--no-renames', '-z'];
	const output = await runGit(gitPath, directory, ['diff-index', ...how, 'HEAD', '--']);
	return output.split('\0').slice(0, -1);
}

/** Returns git's message for such a merge. */
async function mergeMessage(
	{ gitPath, directory }: GitPlace,
	tip: string,
	{ branch, address = '.' }: { branch: string; address: string | undefined },
): Promise<string> {
	const input = `${tip}\t\tbranch '${branch}' of ${address}\n`;
	return (await runGit(gitPath, directory, ['fmt-merge-msg', '--no-log'], { input })).trimEnd();
}

async function countFiles({ gitPath, directory }: GitPlace, from: string, to: string): Promise<number> {
	const output = await runGit(gitPath, directory, ['diff-tree', '-r', '-z', '--name-only', from, to, '--']);
	return output.split('\0').length - 1;
}

/** Returns whether the user's configuration permits a fast-forward, instead of always asking for a merge commit. */
async function allowsFastForward({ gitPath, directory }: GitPlace): Promise<boolean> {
	const ask = ['config', '--type=bool-or-str', '--get', 'merge.ff'];
	return (await runGit(gitPath, directory, ask).catch(() => '')).trim() !== 'false';
}

/** `merge-tree --write-tree` came with git 2.38. */
function canTryMerge(version: string): boolean {
	const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
	return major > 2 || (major === 2 && minor >= 38);
}
