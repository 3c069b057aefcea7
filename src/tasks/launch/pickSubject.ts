import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { shortName } from '../../base/plainText.ts';
import { repositoryKey } from '../../base/remoteUrl.ts';
import type { Client } from '../../client/types.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type LaunchSubject, OpenSubject } from './launchSubject.ts';
import {
	findRepositories,
	firstBranch,
	likelyRepository,
	pickBranch,
	pickRepository,
	readBranchesOf,
	repositoryName,
} from './openRepositories.ts';

/** The requested task, before anything is known about its repository. */
export interface LaunchWish {
	prompt: string;
	/** The address, folder or name of an open repository. */
	repository?: string | undefined;
	branch?: string | undefined;
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

/** The options for the user's choice. */
export interface SubjectChoice {
	connection: TaskConnection;
	client: Pick<Client, 'sources'>;
	/** Undefined, with no repositories, if none is open. */
	git: GitApi | undefined;
	repositories: readonly GitRepository[];
}

/** The wished place of a task; the user's choice or the open repository decides members that are undefined. */
export type WishedPlace = Pick<LaunchWish, 'repository' | 'branch'>;

/** Finds the repositories that a task can work on, as `readSubjects` does, and shows the user that this takes time. */
export async function findSubjects(
	target: Pick<SubjectChoice, 'connection' | 'client'>,
	wish: WishedPlace,
): Promise<SubjectChoice> {
	return withProgress(vscode.l10n.t('Looking for repositories…'), () => readSubjects(target, wish));
}

/**
 * Finds the repositories that a task can work on. Throws a UserFacingError if there are none. If no repository can be
 * used here, those that the service sees remain, unless the request names one that should be open.
 */
export async function readSubjects(
	{ connection, client }: Pick<SubjectChoice, 'connection' | 'client'>,
	wish: WishedPlace,
): Promise<SubjectChoice> {
	try {
		return { connection, client, ...(await findRepositories()) };
	} catch (error) {
		if (connection.hasLookUps && wish.repository === undefined) {
			return { connection, client, git: undefined, repositories: [] };
		}
		throw error;
	}
}

/**
 * Returns the subject of the requested task, and asks only if there are several possibilities. Throws a UserFacingError
 * if the requested repository or branch is not here. Resolves with undefined if the user dismisses the question.
 */
export async function firstSubject(choice: SubjectChoice, wish: WishedPlace): Promise<LaunchSubject | undefined> {
	const repository = meantRepository(choice, wish);
	return repository ? openSubject(choice, repository, wish.branch, pickBranch) : pickSubject(choice, wish.branch);
}

/** A repository with the branch from which a task starts. The user has to choose members that are undefined. */
export interface ClearSubject {
	repository: GitRepository | undefined;
	subject: LaunchSubject | undefined;
}

/**
 * Returns the subject of the requested task, as far as it can be determined without asking. Throws a UserFacingError if
 * the requested repository or branch is not here.
 */
export async function clearSubject(choice: SubjectChoice, wish: WishedPlace): Promise<ClearSubject> {
	const repository = meantRepository(choice, wish);
	return { repository, subject: repository && (await openSubject(choice, repository, wish.branch)) };
}

/**
 * Returns the subject of a program's task without asking the user. Throws a UserFacingError if there are several
 * possibilities, or if the requested repository or branch is not here.
 */
export async function namedSubject(choice: SubjectChoice, wish: WishedPlace): Promise<LaunchSubject> {
	const { repository, subject } = await clearSubject(choice, wish);
	if (!repository) {
		throw new UserFacingError(
			vscode.l10n.t(
				'Several repositories are open, so the task has to specify one of them: {0}.',
				choice.repositories.map(repositoryName).join(', '),
			),
		);
	}
	if (!subject) {
		throw new UserFacingError(
			vscode.l10n.t('No branch is checked out in “{0}”, so the task has to specify one.', repositoryName(repository)),
		);
	}
	return subject;
}

/**
 * Lets the user choose a repository of this window or one that the service sees. Resolves with undefined when
 * dismissed.
 */
export async function pickSubject(choice: SubjectChoice, wishedBranch?: string): Promise<LaunchSubject | undefined> {
	const { connection, client, repositories } = choice;
	const picked = repositories.length === 0 ? 'elsewhere' : await pickRepository(repositories, connection.hasLookUps);
	if (picked !== 'elsewhere') {
		return picked && openSubject(choice, picked, wishedBranch, pickBranch);
	}
	const { pickHostedSubject } = await import('./hostedSubject.ts');
	return pickHostedSubject(client.sources, connection, wishedBranch);
}

/**
 * Uses the requested branch, or the current one. If HEAD is on none, the user may `pick` one; resolves with undefined if
 * that is not asked, or if the question is dismissed.
 */
async function openSubject(
	{ connection, git }: SubjectChoice,
	repository: GitRepository,
	wished: string | undefined,
	pick?: typeof pickBranch,
): Promise<LaunchSubject | undefined> {
	if (!git) {
		return undefined;
	}
	const branches = await readBranchesOf(git, repository);
	const branch = firstBranch(repository, branches, wished) ?? (await pick?.(repository, branches));
	return branch && new OpenSubject({ git, repository }, connection, branch);
}

/** Returns the requested repository, or the one that is likely meant. Returns undefined if there is no clear choice. */
function meantRepository(
	{ repositories }: SubjectChoice,
	{ repository: wished }: WishedPlace,
): GitRepository | undefined {
	if (wished === undefined) {
		return likelyRepository(repositories);
	}
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
				'The task is for “{0}”, which isn’t open in this window. Open it, then start the task there.',
				shortName(wished),
			),
		);
	}
	return found;
}
