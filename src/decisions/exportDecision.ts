import * as vscode from 'vscode';
import { exportJson, fileNameOf, offerToOpen } from '../platform/saveTarget.ts';
import { noteTexts, opinionText, outcomeText } from './messages.ts';
import { readOutcomes } from './model/outcome.ts';
import type { Run } from './model/run.ts';

/** Asks for a file and writes a run into it. Shows errors to the user. */
export async function saveRun(run: Run, title: string): Promise<void> {
	// The text is made before the save dialog, during which the tab may show another run.
	const text = runAsJson(run, title);
	const time = run.at.slice(0, 19).replaceAll(':', '-');
	const file = await exportJson(vscode.l10n.t('Export Decision'), `${fileNameOf(title, 'decision')}-${time}`, text);
	if (file) {
		offerToOpen(file, vscode.l10n.t('The decision was exported to {0}.', vscode.workspace.asRelativePath(file)));
	}
}

/** Returns a JSON text with everything that is stored of the run, and its answers in words. */
export function runAsJson({ id: _, questions, answers, ...facts }: Run, title: string): string {
	const inWords = Object.fromEntries(
		readOutcomes(questions, answers).map(([id, outcome]) => [id, [outcomeText(outcome), ...noteTexts(outcome)]]),
	);
	const fields = { format: 'errand-decision-1', title, note: opinionText(), ...facts, questions, answers, inWords };
	return `${JSON.stringify(fields, undefined, '\t')}\n`;
}
