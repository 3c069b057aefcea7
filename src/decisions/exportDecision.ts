import * as vscode from 'vscode';
import { describeError } from '../base/errors.ts';
import { showMessage } from '../platform/notify.ts';
import { defaultFolder, fileNameOf, offerToOpen } from '../platform/saveTarget.ts';
import { noteTexts, opinionText, ordersText, outcomeText, percentText, runFacts } from './messages.ts';
import { type ExportWords, runAsJson, runAsMarkdown } from './model/exportRun.ts';
import type { Run } from './model/run.ts';

/** Asks for a file and writes a run into it. Shows errors to the user. */
export async function saveRun(run: Run, title: string, format: 'json' | 'markdown'): Promise<void> {
	// The text is made before the save dialog, during which the tab may show another run.
	const words = exportWords(title);
	const [text, ending] = format === 'json' ? [runAsJson(run, words), 'json'] : [runAsMarkdown(run, words), 'md'];
	const time = run.at.slice(0, 19).replaceAll(':', '-');
	const target = await vscode.window.showSaveDialog({
		title: vscode.l10n.t('Export Decision'),
		filters: format === 'json' ? { JSON: ['json'] } : { Markdown: ['md'] },
		defaultUri: vscode.Uri.joinPath(defaultFolder(), `${fileNameOf(title, 'decision')}-${time}.${ending}`),
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

const exportWords = (title: string): ExportWords => ({
	title,
	opinion: opinionText(),
	facts: run => runFacts(run).map(({ label, text }) => `${label}: ${text}`),
	answer: outcomeText,
	notes: noteTexts,
	ordersDisagree: ordersText(),
	columns: {
		option: vscode.l10n.t('Answer'),
		meaning: vscode.l10n.t('Meaning'),
		probability: vscode.l10n.t('Probability'),
	},
	percent: percentText,
});
