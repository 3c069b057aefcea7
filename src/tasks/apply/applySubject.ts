import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { Task } from '../../contract/tasks.ts';
import { views } from '../../platform/ids.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import type { ChangeUriParts } from '../results/changeUri.ts';
import { chooseResult } from '../results/pickResult.ts';
import type { ResultChanges, TaskChanges } from '../results/taskChanges.ts';

export interface ApplySubjectDependencies {
	changes: Pick<TaskChanges, 'read'>;
	/** The known tasks. */
	store: { get(id: string): Task | undefined };
	choose: ChooseTask;
}

/** The subject of a command: a result of a task, and one of its files if the command is about a single file. */
export interface ApplySubject {
	task: Task;
	changes: ResultChanges;
	file: ChangedFile | undefined;
}

/**
 * Finds the subject of a command from its argument: a row of the tree, the parts of a file's URI, the id of a task, or
 * nothing, in which case the user is asked. Resolves with undefined when dismissed. Rejects with an error for the user.
 */
export async function findSubject(
	argument: unknown,
	title: string,
	{ changes, store, choose: chooseTask }: ApplySubjectDependencies,
): Promise<ApplySubject | undefined> {
	const chosen = await chooseTask(argument, title);
	if (!chosen) {
		return undefined;
	}
	const task = store.get(chosen.id) ?? (await chosen.target.client.tasks.get(chosen.id));
	const { resultKey, ...named } = (typeof argument === 'object' ? (argument ?? {}) : {}) as Partial<ChangeUriParts>;
	const result = await chooseResult(task, resultKey, {
		title,
		placeHolder: vscode.l10n.t('Select the agent whose changes to apply'),
		none: vscode.l10n.t('The task has no branch, so it has no changes to apply.'),
	});
	if (!result) {
		return undefined;
	}
	const read = await vscode.window.withProgress({ location: { viewId: views.tasks } }, () =>
		changes.read(task, result),
	);
	if (named.path === undefined) {
		return { task, changes: read, file: undefined };
	}
	const file = read.files.find(candidate => isNamed(candidate, named));
	if (!file) {
		throw new UserFacingError(
			vscode.l10n.t('The task has continued since this was shown. Open its changes again, then try again.'),
		);
	}
	return { task, changes: read, file };
}

/** A row names a file by its path; a URI also names one version of it, by its content. */
function isNamed(file: ChangedFile, { path, side, object }: Partial<ChangeUriParts>): boolean {
	const version = side && file[side];
	return side === undefined
		? pathOf(file) === path
		: (version?.path ?? pathOf(file)) === path && version?.object === object;
}
