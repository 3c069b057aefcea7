import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { repositoryKey } from '../../base/remoteUrl.ts';
import type { GitRepository } from '../../platform/git.ts';
import { type AskDependencies, type ConfirmedLaunch, LaunchQuestion } from './launchQuestion.ts';
import { findRepositories, repositoryName } from './pickRepository.ts';
import { firstSubject, openSubject, type SubjectChoice } from './pickSubject.ts';
import { shortName } from './preflightMessages.ts';

/** The requested task, before anything is known about its repository. */
export interface LaunchWish {
	prompt: string;
	/** The address, folder or name of an open repository. */
	repository?: string | undefined;
	branch?: string | undefined;
}

/**
 * Shows everything that affects the task, lets the user change it, and resolves with what was confirmed. Throws a
 * UserFacingError where no repository can be used. `edit-prompt`: the user wants to continue writing. Resolves with
 * undefined when dismissed.
 */
export async function askForTask(
	dependencies: AskDependencies,
	wish: LaunchWish,
): Promise<ConfirmedLaunch | 'edit-prompt' | undefined> {
	const choice = await findSubjects(dependencies, wish);
	const subject =
		wish.repository === undefined
			? await firstSubject(choice, wish.branch)
			: await openSubject(choice, wishedRepository(choice.repositories, wish.repository), wish.branch);
	return subject && new LaunchQuestion(dependencies, choice, wish.prompt, subject).ask();
}

/**
 * Where no repository can be used here, those that the service sees remain, unless the wish names one that should be
 * open.
 */
async function findSubjects({ connection, client }: AskDependencies, wish: LaunchWish): Promise<SubjectChoice> {
	const title = vscode.l10n.t('Looking for repositories…');
	try {
		const found = await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Window, title },
			findRepositories,
		);
		return { connection, client, ...found };
	} catch (error) {
		if (connection.hasLookUps && wish.repository === undefined) {
			return { connection, client, git: undefined, repositories: [] };
		}
		throw error;
	}
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

/** Reads a prompt from a key binding or another command. The user still sees and confirms it. */
export function wishOf(argument: unknown): LaunchWish | undefined {
	const { prompt, repository, branch } = (argument ?? {}) as Partial<Record<keyof LaunchWish, unknown>>;
	if (typeof prompt !== 'string' || prompt.trim() === '') {
		return undefined;
	}
	return {
		prompt: prompt.trim(),
		repository: typeof repository === 'string' ? repository : undefined,
		branch: typeof branch === 'string' ? branch : undefined,
	};
}
