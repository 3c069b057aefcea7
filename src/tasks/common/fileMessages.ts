import * as vscode from 'vscode';
import { formatNumber, linesText } from '../../platform/amounts.ts';
import type { ChangeStatus } from '../model/changedFile.ts';
import type { FileWords } from '../model/fileRow.ts';

export const fileWords: FileWords = {
	status,
	lines: linesText,
	spokenLines: (added, removed) =>
		vscode.l10n.t('{0} lines added, {1} removed', formatNumber(added), formatNumber(removed)),
	from: path => vscode.l10n.t('from {0}', path),
	executable: vscode.l10n.t('now executable'),
	notExecutable: vscode.l10n.t('no longer executable'),
	binary: vscode.l10n.t('binary'),
	link: vscode.l10n.t('link'),
	submodule: vscode.l10n.t('submodule'),
	test: vscode.l10n.t('test'),
	tooLarge: vscode.l10n.t('too large to compare'),
	unreadableName: vscode.l10n.t('name isn’t UTF-8'),
};

function status(letter: ChangeStatus): string {
	switch (letter) {
		case 'A':
			return vscode.l10n.t('added');
		case 'M':
			return vscode.l10n.t('modified');
		case 'D':
			return vscode.l10n.t('deleted');
		case 'R':
			return vscode.l10n.t('renamed');
		case 'T':
			return vscode.l10n.t('type changed');
	}
}
