import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { GitRepository } from '../../platform/git.ts';
import { repositoryKey } from '../model/sameRepository.ts';
import { type AskDependencies, type ConfirmedLaunch, LaunchQuestion } from './launchQuestion.ts';
import { findRepositories, repositoryName } from './pickRepository.ts';
import { firstSubject, openSubject, type SubjectChoice } from './pickSubject.ts';
import { shortName } from './preflightMessages.ts';

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
	const choice = await findSubjects(dependencies, wish);
	const subject =
		wish.repository === undefined
			? await firstSubject(choice, wish.branch)
			: await openSubject(choice, wishedRepository(choice.repositories, wish.repository), wish.branch);
	return subject && new LaunchQuestion(dependencies, choice, wish.prompt, subject).ask();
}

/** Where none can be used here, those that the service sees are left, unless one is meant that should be open. */
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

/** A prompt, from a key binding or another command; the user still sees and confirms it. */
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
