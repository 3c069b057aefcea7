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

/** Returns the name of a kind of tools; empty for one that says nothing. */
export function toolName(tool: string): string {
	switch (tool) {
		case 'edit':
			return vscode.l10n.t('Edit');
		case 'execute':
			return vscode.l10n.t('Command');
		case 'delete':
			return vscode.l10n.t('Deletion');
		case 'move':
			return vscode.l10n.t('Move');
		default:
			return '';
	}
}

/** Returns how much a step has changed. */
export function stepSize({ fileCount, linesAdded, linesRemoved }: TaskStep): string {
	return rowWords.changes(linesAdded, linesRemoved, fileCount);
}

/** The name of the search for the step that broke something. */
export const searchName = vscode.l10n.t('Which Step Broke It?');
