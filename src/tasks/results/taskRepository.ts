import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { oneLine } from '../../base/plainText.ts';
import { isOnOtherMachine, repositoryKey, withoutCredentials } from '../../base/remoteUrl.ts';
import type { Task } from '../../contract/tasks.ts';
import { type GitApi, type GitPlace, type GitRepository, getGitApi, placeOf } from '../../platform/git.ts';
import { remoteDirectory } from '../../platform/remotes.ts';
import { checkTrust } from '../../platform/trust.ts';

/** The local repository in which a task's branch is examined. */
export interface TaskRepository {
	git: GitApi;
	place: GitPlace;
	/** Undefined for a folder that this window does not show. */
	opened: GitRepository | undefined;
	/** The remote that has the task's branch; undefined if the repository itself has it. */
	remote: string | undefined;
}

const MAXIMUM_NAME = 80;

/**
 * Finds the repository of a task: the one of this window that the task worked on, or a clone of it, or else the folder
 * in which a service on this machine (`isLocal`) let it work. A folder that a remote service names is on the service's
 * own machine, or is none of its business. Throws a UserFacingError that says why there is none.
 */
export async function findTaskRepository(
	{ repoUrl }: Pick<Task, 'repoUrl'>,
	isLocal: boolean,
): Promise<TaskRepository> {
	checkTrust();
	const git = await getGitApi();
	const key = repoUrl === undefined ? undefined : repositoryKey(repoUrl);
	if (repoUrl !== undefined && key !== undefined) {
		const opened = git.repositories.filter(({ rootUri }) => rootUri.scheme === 'file');
		const own = opened.find(({ rootUri }) => repositoryKey(rootUri.fsPath) === key);
		if (own) {
			return { git, place: placeOf(git, own.rootUri.fsPath), opened: own, remote: undefined };
		}
		for (const repository of opened) {
			const remote = repository.state.remotes.find(({ fetchUrl }) => repositoryKey(fetchUrl ?? '') === key);
			if (remote) {
				const place = placeOf(git, repository.rootUri.fsPath);
				return { git, place, opened: repository, remote: remote.name };
			}
		}
		const folder = isLocal && !isOnOtherMachine(repoUrl) ? await remoteDirectory(repoUrl, '/') : undefined;
		if (folder !== undefined) {
			return { git, place: placeOf(git, folder), opened: undefined, remote: undefined };
		}
	}
	throw new UserFacingError(
		repoUrl === undefined
			? vscode.l10n.t('The service doesn’t report which repository this task belongs to.')
			: vscode.l10n.t(
					'The repository {0} isn’t open in this window. Open a clone of it, then try again.',
					oneLine(withoutCredentials(repoUrl), MAXIMUM_NAME),
				),
	);
}
