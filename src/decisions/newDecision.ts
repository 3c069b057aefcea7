import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import { CHANGE_SCHEME } from '../platform/ids.ts';
import { type Choice, choose, separator } from '../platform/pick.ts';
import type { Tasks } from '../tasks/api.ts';
import { EXAMPLE } from './model/examples.ts';

/** A question about a task that needs no file. */
type TaskQuestion = 'why-failed' | 'which-better' | 'is-ready';

/**
 * Resolves with the question about the subject of the argument, which the user chooses if several fit. If the argument
 * names nothing, the user may also begin a file. Resolves with undefined when dismissed, and rejects with a
 * UserFacingError if no question fits.
 */
export async function chooseDecision(
	argument: unknown,
	tasks: Pick<Tasks, 'choose'>,
): Promise<TaskQuestion | 'new-file' | undefined> {
	const title = vscode.l10n.t('Ask Model for Decision');
	if (argument instanceof vscode.Uri && argument.scheme === CHANGE_SCHEME) {
		return 'is-ready';
	}
	const named = typeof argument === 'object' && argument !== null ? argument : {};
	if ('contenders' in named) {
		return 'which-better';
	}
	if (!('taskId' in named)) {
		return choose<TaskQuestion | 'new-file'>(title, [
			// The first one can be evaluated at once, even if there is no task.
			separator(vscode.l10n.t('Write a file')),
			{
				label: vscode.l10n.t('Classify a Diff'),
				detail: vscode.l10n.t('What kind of change are the uncommitted changes, and how risky are they?'),
				value: 'new-file',
			},
			separator(vscode.l10n.t('About a task')),
			...questions(),
		]);
	}
	const task = await tasks.choose(argument, title, 'any');
	if (!task) {
		return undefined;
	}
	const fits = { 'why-failed': task.hasFailed, 'which-better': task.isRace, 'is-ready': task.hasChanges };
	const fitting = questions().filter(({ value }) => fits[value]);
	if (fitting.length === 0) {
		throw new UserFacingError(vscode.l10n.t('The task hasn’t failed, and has no changes to ask about.'));
	}
	return fitting.length === 1 ? fitting[0]?.value : choose(title, fitting, { placeHolder: task.title });
}

function questions(): Choice<TaskQuestion>[] {
	return [
		{
			label: vscode.l10n.t('Why Did It Fail?'),
			detail: vscode.l10n.t('The cause, which entries of the log show it, and whether to start it again'),
			value: 'why-failed',
		},
		{
			label: vscode.l10n.t('Which Is Better?'),
			detail: vscode.l10n.t('Which of several results does best what the prompt asks, by criteria that you write'),
			value: 'which-better',
		},
		{
			label: vscode.l10n.t('Is It Ready?'),
			detail: vscode.l10n.t('Whether the changes do exactly what the prompt asks, and can be merged'),
			value: 'is-ready',
		},
	];
}

/** Opens an example as a file that is not saved yet. */
export async function openExample(): Promise<void> {
	const uri = await freeName('classify');
	const document = await vscode.workspace.openTextDocument(uri);
	const edit = new vscode.WorkspaceEdit();
	const text = `${JSON.stringify(EXAMPLE, undefined, 2)}\n`;
	edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
	await vscode.workspace.applyEdit(edit);
	await vscode.window.showTextDocument(document, { preview: false });
}

/** The file gets its place in the workspace when the user saves it; until then nothing is written. */
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
