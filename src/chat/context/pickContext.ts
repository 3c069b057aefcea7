import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { ContextSource } from '../model/contextSource.ts';
import type { ContextChoice } from './contextChoices.ts';
import { described, type FileSearch } from './fileSearch.ts';

interface ChoiceItem extends vscode.QuickPickItem {
	sources?: () => Promise<ContextSource[] | undefined>;
}

/** Lets the user choose what to add: files and folders first, then `choices`. */
export async function pickContext(
	files: FileSearch,
	choices: readonly ContextChoice[],
): Promise<ContextSource[] | undefined> {
	const title = vscode.l10n.t('Add Context');
	const items: ChoiceItem[] = [
		{
			label: `$(file) ${vscode.l10n.t('Files…')}`,
			sources: () => pickFiles(files, title),
		},
		{
			label: `$(folder) ${vscode.l10n.t('Folder…')}`,
			sources: () => pickFolder(files, title),
		},
		{ label: '', kind: vscode.QuickPickItemKind.Separator },
		...choices.map(toItem),
	];
	const picked = await vscode.window.showQuickPick(items, {
		title,
		placeHolder: vscode.l10n.t('Select context to add to the message'),
		matchOnDescription: true,
	});
	return picked?.sources?.();
}

function toItem({ icon, label, description, sources }: ContextChoice): ChoiceItem {
	return { label: `$(${icon}) ${label}`, sources, ...defined({ description }) };
}

async function pickFiles(files: FileSearch, title: string): Promise<ContextSource[] | undefined> {
	const found = await files.find('', Number.POSITIVE_INFINITY);
	const picked = await vscode.window.showQuickPick(
		found.map(({ path, uri }) => ({ ...described(path), uri })),
		{
			title,
			canPickMany: true,
			matchOnDescription: true,
			placeHolder:
				found.length === 0
					? vscode.l10n.t('No folder is open, or it has no files')
					: vscode.l10n.t('Select files to add'),
		},
	);
	return picked?.map(({ uri }) => ({ kind: 'file', uri: uri.toString() }));
}

async function pickFolder(files: FileSearch, title: string): Promise<ContextSource[] | undefined> {
	const found = await files.folders();
	const picked = await vscode.window.showQuickPick(
		found.map(({ path, uri }) => ({ ...described(path), uri })),
		{
			title,
			matchOnDescription: true,
			placeHolder:
				found.length === 0
					? vscode.l10n.t('The open folder has no folders with files')
					: vscode.l10n.t('Select a folder to add its text files'),
		},
	);
	return picked && [{ kind: 'folder', uri: picked.uri.toString() }];
}
