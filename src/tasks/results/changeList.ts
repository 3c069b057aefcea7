// The changes of tasks, for other programs. The user is asked nothing. Everything rejects with errors to be explained.
import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import type { FileDiff, PipeParsed, TaskChangeList } from '../../contract/editorPipe.ts';
import { resultsOf } from '../../contract/taskResults.ts';
import { isActiveTask } from '../../contract/tasks.ts';
import type { ActiveConnection } from '../common/activeConnection.ts';
import { pathOf } from '../model/changedFile.ts';
import { readFilePatch } from './readChanges.ts';
import type { ResultChanges, TaskChanges } from './taskChanges.ts';

/** The maximum number of files in a list. */
const MAXIMUM_FILES = 1_000;

/** The active connection with the changes of its tasks. */
export interface ChangeSource {
	active: Pick<ActiveConnection, 'target'>;
	results: { changes: Pick<TaskChanges, 'read'> };
}

/** Returns the files of each result of a task. */
export async function listChanges(source: ChangeSource, { id }: PipeParsed<'changes'>): Promise<TaskChangeList> {
	const results = (await readResults(source, id)).map(({ result: { key, branch, name }, files }) => ({
		result: key,
		branch,
		...defined({ agent: name }),
		files: files
			.slice(0, MAXIMUM_FILES)
			.map(file => ({ path: pathOf(file), status: file.status, ...(file.lines ?? {}) })),
		total: files.length,
	}));
	return { results };
}

/** Returns the patch of one file, from the named result, or from the first if none is named. */
export async function readDiff(source: ChangeSource, { id, result, path }: PipeParsed<'diff'>): Promise<FileDiff> {
	const [changes] = await readResults(source, id, result);
	const file = changes?.files.find(changed => pathOf(changed) === path);
	if (!changes || !file) {
		throw new UserFacingError(
			vscode.l10n.t('The task hasn’t changed this file. Request the list of files to see which it has.'),
		);
	}
	return readFilePatch(changes, file);
}

/** Reads all results of a task, or the named one. */
async function readResults({ active, results }: ChangeSource, id: string, result?: string): Promise<ResultChanges[]> {
	const { client } = await active.target();
	const task = await client.tasks.get(id);
	if (isActiveTask(task)) {
		throw new UserFacingError(vscode.l10n.t('The task is still running. Its changes are available when it ends.'));
	}
	const named = resultsOf(task).filter(({ key }) => result === undefined || key === result);
	if (named.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t('The task has no such result: it ended without a branch, or the name is wrong.'),
		);
	}
	return Promise.all(named.map(each => results.changes.read(task, each)));
}
