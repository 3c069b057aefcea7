import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { findUnfinished } from '../../base/gitWorktree.ts';
import { shortName } from '../../base/plainText.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import type { GitRepository } from '../../platform/git.ts';
import { runGit } from '../../platform/gitCommand.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { BranchProblem, fetchTip } from '../results/taskBranch.ts';
import type { TaskRepository } from '../results/taskRepository.ts';
import { FilterRefused } from './blockingFiles.ts';
import type { Dialogs } from './dialogs.ts';
import { isUsableName, type LocalBranch, readLocalBranch } from './localBranch.ts';

/** A branch that a task has made, with the local repository that it belongs to. */
export interface BranchSubject {
	task: Task;
	result: TaskResult;
	repository: TaskRepository;
}

/** The maximum number of file names in a dialog. */
const MAXIMUM_LISTED = 10;

/** Reads the commit to which the branch points now. Throws a UserFacingError. */
export async function readTip({ result, repository }: BranchSubject, dialogs: Dialogs): Promise<string> {
	const { place, remote } = repository;
	const branch = shortName(result.branch);
	if (!(await isUsableName(place, result.branch))) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The branch “{0}” has a name that Git doesn’t accept. Rename it where it was created, then try again.',
				branch,
			),
		);
	}
	try {
		return await dialogs.during(vscode.l10n.t('Reading the branch “{0}”…', branch), () =>
			fetchTip(place, remote, result),
		);
	} catch (error) {
		throw error instanceof BranchProblem
			? new UserFacingError(
					vscode.l10n.t('The branch “{0}” doesn’t exist. It was deleted, renamed or never pushed.', branch),
					{ cause: error },
				)
			: gitFailure(error, vscode.l10n.t('Git couldn’t read the branch “{0}”: {1}', branch, gitReason(error)));
	}
}

/**
 * Reads the local branch of this name, compared with the commit `tip`, to check it out, move or delete it. Throws a
 * UserFacingError, also if a rebase or a bisection would lose its branch by that.
 */
export async function readBranch({ repository }: BranchSubject, name: string, tip: string): Promise<LocalBranch> {
	const { place } = repository;
	const { gitPath, directory } = place;
	const shown = shortName(name);
	const fail = (error: unknown) => {
		throw gitFailure(error, vscode.l10n.t('Git couldn’t read the branch “{0}”: {1}', shown, gitReason(error)));
	};
	const git = (commandLine: readonly string[]) => runGit(gitPath, directory, commandLine);
	const unfinished = await findUnfinished(git, name).catch(fail);
	if (unfinished !== undefined) {
		throw new UserFacingError(
			vscode.l10n.t(
				'A rebase or bisect of “{0}” is in progress in {1}. Finish or abort it there, then try again.',
				shown,
				shownFolder(unfinished),
			),
		);
	}
	return readLocalBranch(place, name, tip).catch(fail);
}

/** Returns why git refused or failed to check something out. `failure` is a sentence for any other reason. */
export function checkOutFailure(error: unknown, failure: string): UserFacingError {
	return error instanceof FilterRefused
		? new UserFacingError(
				vscode.l10n.t(
					'The file {0} needs the filter “{1}”, a program from the repository’s configuration, which Errand doesn’t run. Nothing was changed. Use Git in a terminal, or move the filter to your own Git configuration.',
					shortName(error.file),
					shortName(error.filter),
				),
				{ cause: error },
			)
		: gitFailure(error, failure);
}

/** Formats file names for a dialog, only the first few. */
export function listNames(names: readonly string[]): string {
	const shown = names.slice(0, MAXIMUM_LISTED).map(shortName);
	const more = names.length - shown.length;
	return [...shown, ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : [])].join('\n');
}

/** Returns a folder's path in a form that is safe to show. */
export function shownFolder(folder: string): string {
	return shortName(path.normalize(folder));
}

/** Offers to open a folder in a window of its own and says why. */
export async function offerFolder(dialogs: Dialogs, message: string, folder: string): Promise<void> {
	const open = vscode.l10n.t('Open Folder');
	if ((await dialogs.tell('information', message, open)) === open) {
		await dialogs.openFolder(folder);
	}
}

/**
 * Returns the subject's repository as opened in the editor. If this window does not show it, offers to open its folder
 * and resolves with undefined.
 */
export async function openedRepository(
	{ result, repository: { opened, place } }: BranchSubject,
	dialogs: Dialogs,
): Promise<GitRepository | undefined> {
	if (!opened) {
		const message = vscode.l10n.t(
			'The repository of the branch “{0}” is in {1}, which isn’t open in this window. Open that folder, then try again there.',
			shortName(result.branch),
			shownFolder(place.directory),
		);
		await offerFolder(dialogs, message, place.directory);
	}
	return opened;
}
