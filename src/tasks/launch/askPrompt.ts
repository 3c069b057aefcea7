import * as vscode from 'vscode';
import { DRAFT_KEY } from '../storageKeys.ts';

/** How often the draft is written down while it is typed, in milliseconds. */
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
			// A proposal that was dismissed untouched must not take the place of an earlier draft.
			if (prompt !== undefined || timer !== undefined) {
				save();
			}
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

/** Forgets the draft once a task was made of it; another one that was written meanwhile stays. */
export async function clearDraft(workspaceState: vscode.Memento, prompt: string): Promise<void> {
	if (readDraft(workspaceState).trim() === prompt.trim()) {
		await workspaceState.update(DRAFT_KEY, undefined);
	}
}
