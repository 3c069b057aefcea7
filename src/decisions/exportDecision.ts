import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import { showMessage } from '../platform/notify.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../platform/saveTarget.ts';
import { noteTexts, opinionText, outcomeText } from './messages.ts';
import { runAsJson } from './model/exportRun.ts';
import type { Run } from './model/run.ts';

/** Asks for a file and writes a run into it. Shows errors to the user. */
export async function saveRun(run: Run, title: string): Promise<void> {
	// The text is made before the save dialog, during which the tab may show another run.
	const text = runAsJson(run, { title, opinion: opinionText(), answer: outcomeText, notes: noteTexts });
	const time = run.at.slice(0, 19).replaceAll(':', '-');
	const target = await vscode.window.showSaveDialog({
		title: vscode.l10n.t('Export Decision'),
		filters: { JSON: ['json'] },
		defaultUri: vscode.Uri.joinPath(defaultFolder(), `${fileNameOf(title, 'decision')}-${time}.json`),
	});
	if (!target) {
		return;
	}
	try {
		await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
	} catch (error) {
		await showMessage(
			'error',
			vscode.l10n.t('Couldn’t export the file: {0}. Select a different location.', describeError(error)),
		);
		return;
	}
	offerToOpen(target, vscode.l10n.t('The decision was exported to {0}.', vscode.workspace.asRelativePath(target)));
}
