// What is said about the steps of a task.
import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { TaskStep } from '../../contract/taskSteps.ts';
import { formatNumber } from '../../platform/amounts.ts';
import { rowWords } from './messages.ts';

const MAXIMUM_TITLE = 80;

/** Returns a step's number and title. */
export function stepTitle({ index, title }: TaskStep): string {
	return `${formatNumber(index + 1)}  ${oneLine(title, MAXIMUM_TITLE)}`;
}

/** The names of the kinds of tools that say something. */
export const toolNames: ReadonlyMap<string, string> = new Map([
	['edit', vscode.l10n.t('Edit')],
	['execute', vscode.l10n.t('Command')],
	['delete', vscode.l10n.t('Deletion')],
	['move', vscode.l10n.t('Move')],
]);

/** Returns how much a step has changed. */
export function stepSize({ fileCount, linesAdded, linesRemoved }: TaskStep): string {
	return rowWords.changes(linesAdded, linesRemoved, fileCount);
}

/** The name of the search for the step that broke something. */
export const searchName = vscode.l10n.t('Which Step Broke It?');
