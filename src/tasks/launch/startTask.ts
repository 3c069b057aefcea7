import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { GitRepository } from '../../platform/git.ts';
import { repositoryKey } from '../model/sameRepository.ts';
import { type AskDependencies, type ConfirmedLaunch, LaunchQuestion } from './launchQuestion.ts';
import { chooseFirstBranch } from './pickBranch.ts';
import { findRepositories, likelyRepository, pickRepository, repositoryName } from './pickRepository.ts';
import { shortName } from './preflightWords.ts';

/** What is wished for, before anything is known of it. */
export interface LaunchWish {
	prompt: string;
	/** An address, a folder or a name of a repository that is open. */
	repository?: string | undefined;
	branch?: string | undefined;
}

/**
 * Names everything that the task would meet, lets the user change it, and resolves with what was confirmed. Throws a
 * sentence where no repository can be used. `edit-prompt`: the user wants to write on. Undefined: dismissed.
 */
export async function askForTask(
	dependencies: AskDependencies,
	wish: LaunchWish,
): Promise<ConfirmedLaunch | 'edit-prompt' | undefined> {
	const { git, repositories } = await vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Looking for repositories…') },
		findRepositories,
	);
	const repository =
		wish.repository === undefined
			? (likelyRepository(repositories) ?? (await pickRepository(repositories)))
			: wishedRepository(repositories, wish.repository);
	if (!repository) {
		return undefined;
	}
	const branch = await chooseFirstBranch(git, repository, wish.branch);
	return branch && new LaunchQuestion(dependencies, git, repositories, wish.prompt, repository, branch).ask();
}

function wishedRepository(repositories: readonly GitRepository[], wished: string): GitRepository {
	const key = repositoryKey(wished);
	const found =
		repositories.find(
			({ rootUri, state }) =>
				rootUri.fsPath === wished ||
				state.remotes.some(({ fetchUrl }) => key !== undefined && repositoryKey(fetchUrl ?? '') === key),
		) ?? repositories.find(repository => repositoryName(repository) === wished);
	if (!found) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The task is meant for “{0}”, which is not open in this window. Open it, then start the task there.',
				shortName(wished),
			),
		);
	}
	return found;
}
