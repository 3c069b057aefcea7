import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import type { Attachment } from '../model/attachment.ts';

/** Opens the origin of context. Context without one is shown as text. `say` gets the reason if it cannot be opened. */
export async function openPlace(
	{ kind, uri, lines, text, language, label }: Attachment,
	say: (sentence: string) => void,
): Promise<void> {
	try {
		switch (kind) {
			case 'selection':
			case 'file': {
				const first = lines?.first ?? 1;
				const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri ?? ''));
				await vscode.window.showTextDocument(
					document,
					defined({ selection: lines && document.validateRange(new vscode.Range(first - 1, 0, lines.last, 0)) }),
				);
				break;
			}
			case 'image':
				if (uri === undefined) {
					say(vscode.l10n.t('{0} was pasted, so it has no file to open.', label));
				} else {
					await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(uri));
				}
				break;
			case 'folder':
				await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.parse(uri ?? ''));
				break;
			case 'problems':
				await vscode.commands.executeCommand('workbench.actions.view.problems');
				break;
			case 'diff':
				await vscode.commands.executeCommand('workbench.view.scm');
				break;
			case 'terminal':
			case 'task':
			case 'text':
			case 'web':
				await vscode.window.showTextDocument(
					await vscode.workspace.openTextDocument({ content: text, ...defined({ language }) }),
				);
				break;
		}
	} catch {
		say(vscode.l10n.t('Couldn’t open {0}. It may have been moved or deleted.', label));
	}
}
