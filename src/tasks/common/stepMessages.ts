// What is said about the steps of a task.
import * as vscode from 'vscode';
import { oneLine, shortName } from '../../base/plainText.ts';
import type { TaskStep } from '../../contract/taskSteps.ts';
import { formatNumber } from '../../platform/amounts.ts';
import type { StepAction } from '../model/stepNode.ts';
import { rowWords } from './messages.ts';

const MAXIMUM_TITLE = 80;

/** Returns a step's number and title. */
export function stepTitle({ index, title }: TaskStep): string {
	return `${formatNumber(index + 1)}  ${oneLine(title, MAXIMUM_TITLE)}`;
}

/** Returns how much a step has changed. */
export function stepSize({ fileCount, linesAdded, linesRemoved }: TaskStep): string {
	return rowWords.changes(linesAdded, linesRemoved, fileCount);
}

/** Returns in a word each what restricts the use of a step's state. */
export function stepMarks({ approximate, notKept }: TaskStep): string[] {
	return [
		...(approximate ? [vscode.l10n.t('approximate')] : []),
		...(notKept?.length ? [vscode.l10n.t('incomplete')] : []),
	];
}

/** Returns the same in sentences. */
export function stepLimits({ approximate, notKept = [] }: TaskStep): string[] {
	return [
		...(approximate
			? [vscode.l10n.t('Something else changed files during this step, so these may be the files of a moment later.')]
			: []),
		...notKept.map(({ reason, names }) => notKeptText(reason, names.map(shortName).join(', '))),
	];
}

function notKeptText(reason: NonNullable<TaskStep['notKept']>[number]['reason'], names: string): string {
	switch (reason) {
		case 'too-large':
			return vscode.l10n.t('Not kept because it’s too large: {0}.', names);
		case 'ignored':
			return vscode.l10n.t('Not kept because Git ignores it: {0}.', names);
		case 'submodule':
			return vscode.l10n.t('Not kept because it belongs to another repository: {0}.', names);
		case 'special':
			return vscode.l10n.t('Not kept because it isn’t a regular file or can’t be read: {0}.', names);
	}
}

/** The actions of the lenses at a step's entry. */
export const stepActionNames = {
	changes: vscode.l10n.t('Changes of This Step'),
	files: vscode.l10n.t('Files as of Here'),
	continue: vscode.l10n.t('Continue from Here…'),
	take: vscode.l10n.t('Take Until Here'),
} satisfies Partial<Record<StepAction, string>>;
