import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import { escapeIcons, oneLine, shortName } from '../../base/plainText.ts';
import { resultsOf, type TaskResult } from '../../contract/taskResults.ts';
import { isActiveTask, type Task } from '../../contract/tasks.ts';
import { showMessage } from '../../platform/notify.ts';
import { choose } from '../../platform/pick.ts';

const MAXIMUM_NAME = 80;

/**
 * Returns the result of a task that a command's argument names, or that the user chooses if several agents have made
 * one. Resolves with undefined when dismissed, or if there is none, which the user is told.
 */
export async function pickResult(task: Task, argument: unknown, title: string): Promise<TaskResult | undefined> {
	const results = resultsOf(task);
	const named = results.find(({ key }) => key === resultKeyOf(argument));
	if (named || results.length === 1) {
		return named ?? results[0];
	}
	if (results.length === 0 || isActiveTask(task)) {
		void showMessage(
			'information',
			isActiveTask(task)
				? vscode.l10n.t('The task is still running. Its changes are available when it ends.')
				: vscode.l10n.t('The task created no branch, so it has no changes.'),
		);
		return undefined;
	}
	return choose(
		title,
		results.map(result => ({
			label: escapeIcons(oneLine(result.name ?? result.branch, MAXIMUM_NAME)),
			description: escapeIcons(oneLine(result.branch, MAXIMUM_NAME)),
			value: result,
		})),
		{ placeHolder: vscode.l10n.t('Several agents worked on this prompt. Select one.') },
	);
}

/** The texts with which the user is asked for a result. */
export interface ResultQuestion {
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
	const [only] = results;
	if (!only) {
		throw new UserFacingError(none);
	}
	const named = results.find(result => result.key === key);
	if (named || results.length === 1) {
		return named ?? only;
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
