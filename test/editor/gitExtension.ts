import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type GitApi, type GitRepository, getGitApi } from '../../src/platform/git.ts';
import { waitFor } from '../support/waitFor.ts';

/** Has the editor's git extension open a repository that is in no folder of the window. */
export async function openRepository(folder: string): Promise<GitRepository> {
	const git = (await getGitApi()) as GitApi & { openRepository(folder: vscode.Uri): Promise<GitRepository | null> };
	const repository = await git.openRepository(vscode.Uri.file(folder));
	assert.ok(repository);
	return repository;
}

/**
 * Has the git extension close a repository, before its folder is removed: the tests that follow would find it, for as long
 * as the extension does not notice by itself.
 */
export async function closeRepository(folder: string): Promise<void> {
	const git = await getGitApi();
	await vscode.commands.executeCommand('git.close', vscode.Uri.file(folder));
	await waitFor('the repository to be closed', () =>
		git.repositories.every(({ rootUri }) => rootUri.fsPath !== folder),
	);
}
