// The state of the user's files before and after a turn, as commits of Errand's own. They are in the user's repository, and
// references that no branch knows keep them there.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { commitChanges, TooMuchChanged } from '../../platform/commitChanges.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { runGit, runGitWithIndex } from '../../platform/gitCommand.ts';

/** What may be changed or untracked in a repository, in bytes. All of it is kept for each turn that finds it changed. */
const MAXIMUM_BYTES = 200_000_000;
const MEGABYTE = 1_000_000;

const REFERENCES = 'refs/errand/turns';
const AUTHOR = { name: 'Errand', email: 'errand@localhost' };
const IDENTITY = ['-c', `user.name=${AUTHOR.name}`, '-c', `user.email=${AUTHOR.email}`];

/** Returns the repository that a folder lies in. Throws a UserFacingError where there is none. */
export async function repositoryOf(folder: string): Promise<GitPlace> {
	const git = await getGitApi();
	const top = await runGit(git.git.path, folder, ['rev-parse', '--show-toplevel']).catch(() => undefined);
	if (top === undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'An agent needs a Git repository, so that everything that it does can be taken back. Run “Git: Initialize Repository” for this folder, then try again.',
			),
		);
	}
	return placeOf(git, top.replace(/\n$/, ''));
}

/**
 * Commits the state of the files on top of HEAD, and keeps it for a conversation. Throws a UserFacingError where that
 * cannot be done.
 */
export async function keepState(place: GitPlace, conversation: string): Promise<string> {
	const head = await runGit(place.gitPath, place.directory, [
		'rev-parse',
		'--verify',
		'--quiet',
		'HEAD^{commit}',
	]).catch(() => '');
	return keep(place, conversation, { parent: head.trim() || undefined, message: 'Before a turn of an agent' });
}

/** Does the same on top of the state before, with the files of the copy that an agent has worked in. */
export function keepEnd(place: GitPlace, conversation: string, before: string, copy: string): Promise<string> {
	return keep(place, conversation, { parent: before, message: 'After a turn of an agent', copy });
}

async function keep(
	place: GitPlace,
	conversation: string,
	options: { parent: string | undefined; message: string; copy?: string },
): Promise<string> {
	let commit: string;
	try {
		commit = await commitChanges(place, {
			...options,
			author: AUTHOR,
			maximumBytes: MAXIMUM_BYTES,
			confirm: async () => {
				throw new UserFacingError(
					vscode.l10n.t(
						'The state of the files cannot be kept: the repository’s own configuration names a program that git would have to run for it. Remove that filter from .git/config, then try again.',
					),
				);
			},
		});
	} catch (error) {
		if (error instanceof TooMuchChanged) {
			throw new UserFacingError(
				vscode.l10n.t(
					'More than {0} MB are changed or untracked, which is too much to be kept for each turn. Commit what belongs to the repository, and name the rest in .gitignore.',
					MAXIMUM_BYTES / MEGABYTE,
				),
			);
		}
		throw error;
	}
	const reference = `${REFERENCES}/${conversation}/${commit}`;
	await runGit(place.gitPath, place.directory, ['update-ref', reference, commit]);
	return commit;
}

/** Removes what is kept for a conversation in a repository. Rejects when git fails. */
export async function forgetStates(repository: string, conversation: string): Promise<void> {
	const { gitPath, directory } = placeOf(await getGitApi(), repository);
	const listed = await runGit(gitPath, directory, [
		'for-each-ref',
		'--format=delete %(refname)',
		'--',
		`${REFERENCES}/${conversation}/`,
	]);
	await runGit(gitPath, directory, ['update-ref', '--stdin'], { input: listed });
}

/**
 * Fills an empty folder with the files of a commit, and with a repository that has nothing but them: most agents want one,
 * and none gets the user's. Rejects when git fails.
 */
export async function makeCopy({ gitPath, directory }: GitPlace, commit: string, copy: string): Promise<void> {
	const scratch = await mkdtemp(path.join(os.tmpdir(), 'errand-index-'));
	try {
		const index = path.join(scratch, 'index');
		const run = (commandLine: readonly string[]) =>
			runGitWithIndex(gitPath, directory, index, commandLine, { input: undefined, agreed: new Set() });
		await run(['read-tree', commit]);
		await run(['checkout-index', '--all', '--force', `--prefix=${copy}${path.sep}`]);
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
	await runGit(gitPath, copy, ['init', '--quiet', '--template=']);
	await runGit(gitPath, copy, ['add', '--all', '--force']);
	await runGit(gitPath, copy, [
		...IDENTITY,
		'commit',
		'--quiet',
		'--no-verify',
		'--allow-empty',
		'--message',
		'The files',
	]);
}

/**
 * Resolves with a state that has both what the user has now and what an agent has left in its copy since `base`; undefined
 * where both have changed the same lines, or where git is too old to merge without a working tree.
 */
export async function mergedState(
	place: GitPlace,
	now: string,
	base: string,
	left: string,
): Promise<string | undefined> {
	const run = async (...commandLine: string[]) =>
		(await runGit(place.gitPath, place.directory, [...IDENTITY, ...commandLine])).trim();
	try {
		// Both sides follow the same state, which therefore is the one that they are merged by.
		const side = await run('commit-tree', '-p', base, '-m', 'Now', `${now}^{tree}`);
		const tree = await run('merge-tree', '--write-tree', side, left);
		return await run('commit-tree', '-p', now, '-m', 'Both', tree);
	} catch {
		return undefined;
	}
}
