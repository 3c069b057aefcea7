import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import { showMessage } from '../platform/notify.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../platform/saveTarget.ts';
import { noteTexts, opinionText, outcomeText } from './messages.ts';
import { readOutcomes } from './model/outcome.ts';
import type { Run } from './model/run.ts';

/** Asks for a file and writes a run into it. Shows errors to the user. */
export async function saveRun(run: Run, title: string): Promise<void> {
	// The text is made before the save dialog, during which the tab may show another run.
	const text = runAsJson(run, title);
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

/** Returns a JSON text with everything that is stored of the run, and its answers in words. */
export function runAsJson({ id: _, questions, answers, ...facts }: Run, title: string): string {
	const inWords = Object.fromEntries(
		readOutcomes(questions, answers).map(([id, outcome]) => [id, [outcomeText(outcome), ...noteTexts(outcome)]]),
	);
	const fields = { format: 'errand-decision-1', title, note: opinionText(), ...facts, questions, answers, inWords };
	return `${JSON.stringify(fields, undefined, '\t')}\n`;
}
