import * as vscode from 'vscode';
import { DRAFT_KEY } from './storageKeys.ts';

/** How long typing has to rest until the draft is written down, in milliseconds. */
const SAVE_MS = 400;

/**
 * Asks what the task should do. What was written stays as a draft until `clearDraft`, through dismissal, failure and a
 * reload of the window. Undefined: dismissed.
 */
export function askPrompt(workspaceState: vscode.Memento, proposal: string | undefined): Promise<string | undefined> {
	const input = vscode.window.createInputBox();
	input.title = vscode.l10n.t('Start Task: Prompt');
	input.placeholder = vscode.l10n.t('What the task should do, for example: fix the flaky upload test');
	input.ignoreFocusOut = true;
	input.value = proposal ?? readDraft(workspaceState);
	let timer: ReturnType<typeof setTimeout> | undefined;
	const save = () => {
		clearTimeout(timer);
		timer = undefined;
		void workspaceState.update(DRAFT_KEY, input.value === '' ? undefined : input.value);
	};
	return new Promise(resolve => {
		const finish = (prompt: string | undefined) => {
			save();
			resolve(prompt);
			input.dispose();
		};
		input.onDidChangeValue(value => {
			input.validationMessage = value.trim() === '' && value !== '' ? emptyPrompt() : undefined;
			timer ??= setTimeout(save, SAVE_MS);
		});
		input.onDidAccept(() => {
			if (input.value.trim() === '') {
				input.validationMessage = emptyPrompt();
			} else {
				finish(input.value.trim());
			}
		});
		input.onDidHide(() => finish(undefined));
		input.show();
	});
}

function emptyPrompt(): string {
	return vscode.l10n.t('Write what the task should do.');
}

function readDraft(workspaceState: vscode.Memento): string {
	const draft = workspaceState.get<unknown>(DRAFT_KEY);
	return typeof draft === 'string' ? draft : '';
}

/** Forgets the draft once a task was made of it. */
export function clearDraft(workspaceState: vscode.Memento): Thenable<void> {
	return workspaceState.update(DRAFT_KEY, undefined);
}
