// What is said about a changed file.
import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import { isTestFile } from '../../base/testFile.ts';
import { formatNumber, linesText } from '../../platform/amounts.ts';
import { type ChangedFile, type ChangeStatus, pathOf } from '../model/changedFile.ts';

export interface FileRow {
	label: string;
	description: string;
	/** The text for screen readers, and the tooltip. */
	accessibleLabel: string;
	status: ChangeStatus;
}

const MAXIMUM_LABEL = 120;
const MAXIMUM_FOLDER = 160;

/** The words for git's status letters. */
export const statusWords: Readonly<Record<ChangeStatus, string>> = {
	A: vscode.l10n.t('added'),
	M: vscode.l10n.t('modified'),
	D: vscode.l10n.t('deleted'),
	R: vscode.l10n.t('renamed'),
	T: vscode.l10n.t('type changed'),
};

/** Says what a renamed file was called. */
export const formerName = (path: string): string => vscode.l10n.t('from {0}', path);

/**
 * Returns a file's row in a fixed order: its folder, its lines, its former name, and its kind. `isCounted` is true if the
 * lines are known.
 */
export function describeFile(file: ChangedFile, isCounted: boolean): FileRow {
	const path = pathOf(file);
	const cut = path.lastIndexOf('/') + 1;
	const label = oneLine(path.slice(cut), MAXIMUM_LABEL);
	const folder = oneLine(path.slice(0, cut).replace(/\/$/, ''), MAXIMUM_FOLDER);
	const rest = [
		file.status === 'R' ? formerName(oneLine(file.before?.path ?? '', MAXIMUM_FOLDER)) : '',
		kindOf(file, isCounted),
		isTestFile(path) ? vscode.l10n.t('test') : '',
		modeOf(file),
		file.hasUnreadableName ? vscode.l10n.t('name isn’t UTF-8') : '',
	];
	const { added, removed } = file.lines ?? { added: 0, removed: 0 };
	const spokenLines =
		added + removed === 0
			? ''
			: vscode.l10n.t('{0} lines added, {1} removed', formatNumber(added), formatNumber(removed));
	const isSomething = (part: string) => part !== '';
	return {
		label,
		description: [folder, linesText(added, removed), ...rest].filter(isSomething).join(' · '),
		accessibleLabel: [label, folder, statusWords[file.status], spokenLines, ...rest].filter(isSomething).join(', '),
		status: file.status,
	};
}

/** Returns the kind of a file that is not compared line by line, or an empty text. */
export function kindOf({ before, after, lines, isTooLarge }: ChangedFile, isCounted: boolean): string {
	const kinds = [before?.kind, after?.kind];
	if (kinds.includes('submodule')) {
		return vscode.l10n.t('submodule');
	}
	if (kinds.includes('link')) {
		return vscode.l10n.t('link');
	}
	if (lines !== undefined || !isCounted) {
		return '';
	}
	return isTooLarge ? vscode.l10n.t('too large to compare') : vscode.l10n.t('binary');
}

/** Returns the change of a file's mode, or an empty text if there is none. */
export function modeOf({ before, after }: ChangedFile): string {
	if (before?.kind === 'file' && after?.kind === 'executable') {
		return vscode.l10n.t('now executable');
	}
	return before?.kind === 'executable' && after?.kind === 'file' ? vscode.l10n.t('no longer executable') : '';
}
