import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import { choose } from '../../platform/pick.ts';

/**
 * Returns the result of a task that a command's argument names, or that the user chooses if several agents have made
 * one. Resolves with undefined when dismissed, or if there is none, which the user is told.
 */
export async function pickResult(task: Task, argument: unknown, title: string): Promise<TaskResult | undefined> {
	const results = resultsOf(task);
	const key = resultKeyOf(argument);
	const isClear = results.length === 1 || results.some(result => result.key === key);
	if (!isClear && (results.length === 0 || isActiveTask(task))) {
		void showMessage(
			'information',
			isActiveTask(task)
				? vscode.l10n.t('The task is still running. Its changes are available when it ends.')
				: vscode.l10n.t('The task created no branch, so it has no changes.'),
		);
		return undefined;
	}
	const placeHolder = vscode.l10n.t('Several agents worked on this prompt. Select one.');
	return chooseAmong(results, key, title, placeHolder);
}

/** The texts with which the user is asked for a result. */
interface ResultQuestion {
	title: string;
	placeHolder: string;
	/** The sentence for a task that has no result. */
	none: string;
}

/**
 * Returns the result of the key, the task's only one, or the one that the user chooses with `ask`. Resolves with
 * undefined when dismissed, and throws a UserFacingError if there is none.
 */
export async function chooseResult(
	task: Task,
	key: unknown,
	{ title, placeHolder, none }: ResultQuestion,
	ask = choose<TaskResult>,
): Promise<TaskResult | undefined> {
	const results = resultsOf(task);
	if (results.length === 0) {
		throw new UserFacingError(none);
	}
	return chooseAmong(results, key, title, placeHolder, ask);
}

/** Returns the result of the key, the only one, or the one that the user chooses. */
export async function chooseAmong(
	results: readonly TaskResult[],
	key: unknown,
	title: string,
	placeHolder: string,
	ask = choose<TaskResult>,
): Promise<TaskResult | undefined> {
	const named = results.find(result => result.key === key);
	if (named || results.length === 1) {
		return named ?? results[0];
	}
	return ask(
		title,
		results.map(result => ({
			label: escapeIcons(shortName(result.name ?? result.branch)),
			description: escapeIcons(shortName(result.branch)),
			value: result,
		})),
		{ placeHolder },
	);
}

/** Returns the key of the result that a command's argument names, if it names one. */
export function resultKeyOf(argument: unknown): unknown {
	return typeof argument === 'object' && argument !== null && 'resultKey' in argument ? argument.resultKey : undefined;
}
