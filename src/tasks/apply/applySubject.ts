import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { gitReason } from '../../base/gitReason.ts';
import { isObjectName } from '../../base/objectName.ts';
import type { TaskResult } from '../../contract/taskResults.ts';
import type { Task } from '../../contract/tasks.ts';
import { type GitPlace, getGitApi, placeOf } from '../../platform/git.ts';
import { gitFailure } from '../../platform/gitRefusalMessages.ts';
import { CHANGE_SCHEME, views } from '../../platform/ids.ts';
import { checkTrust } from '../../platform/trust.ts';
import type { CommitRange } from '../api.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import type { ChooseTask } from '../model/taskConnection.ts';
import { type ChangeUriParts, readChangeUri } from '../results/changeUri.ts';
import { chooseResult } from '../results/pickResult.ts';
import { listChangedFiles } from '../results/readChanges.ts';
import type { TaskChanges } from '../results/taskChanges.ts';

export interface ApplySubjectDependencies {
	changes: Pick<TaskChanges, 'read'>;
	/** The known tasks. */
	store: { get(id: string): Task | undefined };
	choose: ChooseTask;
}

/** What a command applies. */
export interface AppliedChanges {
	result: Pick<TaskResult, 'key' | 'taskId'>;
	repository: { place: GitPlace };
	tip: string;
	files: readonly ChangedFile[];
	/** The commit before changes that no task has made, such as those of a step. */
	from?: string;
}

/** The subject of a command: a result of a task, and one of its files if the command is about a single file. */
export interface ApplySubject {
	/** Undefined for changes that no task has made. */
	task: Task | undefined;
	changes: AppliedChanges;
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
	const { resultKey, ...named } = (typeof argument === 'object' ? (argument ?? {}) : {}) as Partial<ChangeUriParts>;
	const { from, directory } = named;
	if (isObjectName(from) && isObjectName(resultKey) && directory !== undefined) {
		const changes = await changesBetween({ repository: directory, from, to: resultKey });
		return { task: undefined, changes, file: fileIn(changes, named) };
	}
	const chosen = await chooseTask(argument, title);
	if (!chosen) {
		return undefined;
	}
	const task = store.get(chosen.id) ?? (await chosen.target.client.tasks.get(chosen.id));
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
	return { task, changes: read, file: fileIn(read, named) };
}

/** Returns the file that the parts of a URI name, or undefined if they name none. */
function fileIn({ files }: AppliedChanges, named: Partial<ChangeUriParts>): ChangedFile | undefined {
	if (named.path === undefined) {
		return undefined;
	}
	const file = files.find(candidate => isNamed(candidate, named));
	if (!file) {
		throw new UserFacingError(
			vscode.l10n.t('The task has continued since this was shown. Open its changes again, then try again.'),
		);
	}
	return file;
}

/** A row names a file by its path; a URI also names one version of it, by its content. */
function isNamed(file: ChangedFile, { path, side, object }: Partial<ChangeUriParts>): boolean {
	const version = side && file[side];
	return side === undefined
		? pathOf(file) === path
		: (version?.path ?? pathOf(file)) === path && version?.object === object;
}

/** A URI may come from anywhere, and must not lead into a repository that the user has not opened. */
async function changesBetween(range: CommitRange): Promise<AppliedChanges> {
	const { repository, from, to } = range;
	const { repositories } = await getGitApi();
	if (!repositories.some(({ rootUri }) => rootUri.scheme === 'file' && rootUri.fsPath === repository)) {
		throw new UserFacingError(
			vscode.l10n.t('This file belongs to a repository that isn’t open in this window. Open it, then try again.'),
		);
	}
	const [place, files] = [await placeIn(repository), await listRange(range)];
	return { result: { key: to, taskId: '' }, repository: { place }, tip: to, files, from };
}

/** Lists the files that differ between two commits. Rejects with a UserFacingError. */
export async function listRange({ repository, from, to }: CommitRange): Promise<ChangedFile[]> {
	try {
		return await listChangedFiles(await placeIn(repository), from, to);
	} catch (error) {
		throw gitFailure(error, vscode.l10n.t('Git couldn’t read the changes: {0}', gitReason(error)));
	}
}

export async function placeIn(repository: string): Promise<GitPlace> {
	checkTrust();
	return placeOf(await getGitApi(), repository);
}

const isChange = ({ document }: vscode.TextEditor) => document.uri.scheme === CHANGE_SCHEME;

/**
 * Returns the editor with the version of a task's file that a command refers to: the active one, which may be part of a
 * review of all changes, or the one with the URI.
 */
export function shownChange(address?: vscode.Uri): vscode.TextEditor | undefined {
	const { activeTextEditor, visibleTextEditors } = vscode.window;
	if (activeTextEditor && isChange(activeTextEditor)) {
		return activeTextEditor;
	}
	return visibleTextEditors.find(({ document }) => document.uri.toString() === address?.toString());
}

/**
 * Returns the subject of a command for one file: its argument, or the active file if it has none or that of a button
 * above an editor. Undefined if no file is active.
 */
export function fileOfEditor(argument: unknown): unknown {
	if (argument !== undefined && !(argument instanceof vscode.Uri)) {
		return argument;
	}
	const shown = shownChange()?.document.uri;
	return (argument && readChangeUri(argument)) ?? (shown && readChangeUri(shown));
}

/**
 * Returns the subject of a command whose button is above an editor, and which gets its URI. The URI of a review does
 * not identify it, so the subject is the result whose files are visible, or the commits that they are from. Any other
 * argument is returned unchanged.
 */
export function subjectOfEditor(argument: unknown): unknown {
	if (!(argument instanceof vscode.Uri)) {
		return argument;
	}
	const { visibleTextEditors } = vscode.window;
	const shown = shownChange() ?? visibleTextEditors.find(isChange);
	return readChangeUri(argument) ?? (shown && resultOf(readChangeUri(shown.document.uri)));
}

function resultOf(parts: ChangeUriParts | undefined): Partial<ChangeUriParts> | undefined {
	if (parts === undefined) {
		return undefined;
	}
	const { taskId, resultKey, from, directory } = parts;
	return { taskId, resultKey, ...(from !== undefined && { from, directory }) };
}
