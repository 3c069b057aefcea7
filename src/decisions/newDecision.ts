import * as vscode from 'vscode';
import { choose } from '../platform/pick.ts';
import { EXAMPLES, type ExampleName } from './model/examples.ts';

/** Lets the user choose an example, and opens it as a file that is not saved yet. */
export async function newDecision(): Promise<void> {
	const name = await choose<ExampleName>(
		vscode.l10n.t('New Decision'),
		[
			{
				label: vscode.l10n.t('Classify a Diff'),
				detail: vscode.l10n.t('What kind of change are the uncommitted changes, and how risky are they?'),
				value: 'classify',
			},
			{
				label: vscode.l10n.t('Triage a Failed Task'),
				detail: vscode.l10n.t('Why did it fail, how much is to be done, and would it help to start it again?'),
				value: 'triage',
			},
			{
				label: vscode.l10n.t('Is This Ready to Merge?'),
				detail: vscode.l10n.t('Does the work of a task do what its prompt asks, and what stands in the way?'),
				value: 'ready',
			},
		],
		{ placeHolder: vscode.l10n.t('Choose an example to begin with') },
	);
	if (name === undefined) {
		return;
	}
	const uri = await freeName(name);
	const document = await vscode.workspace.openTextDocument(uri);
	const edit = new vscode.WorkspaceEdit();
	const text = `${JSON.stringify(EXAMPLES[name], undefined, 2)}\n`;
	edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
	await vscode.workspace.applyEdit(edit);
	await vscode.window.showTextDocument(document, { preview: false });
}

/** The file gets a place in the workspace when the user saves it; until then nothing is written. */
async function freeName(name: string): Promise<vscode.Uri> {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
	const taken = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.path));
	for (let count = 1; ; count++) {
		const file = `${name}${count === 1 ? '' : `-${count}`}.decision.json`;
		const place = folder ? vscode.Uri.joinPath(folder, file) : vscode.Uri.file(`/${file}`);
		const isTaken =
			taken.has(place.path) ||
			(folder !== undefined &&
				(await vscode.workspace.fs.stat(place).then(
					() => true,
					() => false,
				)));
		if (!isTaken) {
			return folder ? place.with({ scheme: 'untitled' }) : vscode.Uri.from({ scheme: 'untitled', path: file });
		}
	}
}
