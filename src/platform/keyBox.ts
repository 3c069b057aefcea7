import * as vscode from 'vscode';
import { inertText } from './inertText.ts';

export interface KeyQuestion<Accepted> {
	title: string;
	/** Says where the key is stored and sent. */
	prompt: string;
	/** A key that was pasted earlier. */
	value?: string;
	/** A page that the title bar opens, such as the one on which keys are made. */
	page?: { address: string; tooltip: string };
	/** Returns a sentence about the problem with the form of a key, if any. */
	formProblem(key: string): string | undefined;
	/** Asks the server about the key. A problem is shown, and the box stays open for another key, or for the same one. */
	check(key: string, signal: AbortSignal): Promise<{ accepted: Accepted; problem?: string }>;
}

/**
 * Asks for a key, which is hidden, and accepts it if its check has found no problem, or if the user enters it again
 * after the problem.
 */
export async function askCheckedKey<Accepted>(question: KeyQuestion<Accepted>): Promise<Accepted | 'back' | undefined> {
	const { title, prompt, value = '', page, formProblem, check } = question;
	const box = vscode.window.createInputBox();
	const ended = Promise.withResolvers<Accepted | 'back' | undefined>();
	const leaving = new AbortController();
	const pageButton = page && { iconPath: new vscode.ThemeIcon('link-external'), tooltip: page.tooltip };
	box.title = title;
	box.prompt = inertText(prompt);
	box.value = value;
	box.password = true;
	box.ignoreFocusOut = true;
	box.buttons = [vscode.QuickInputButtons.Back, ...(pageButton ? [pageButton] : [])];
	box.onDidTriggerButton(button => {
		if (button === pageButton && page) {
			void vscode.env.openExternal(vscode.Uri.parse(page.address));
		} else {
			ended.resolve('back');
		}
	});
	box.onDidHide(() => ended.resolve(undefined));
	/** The server's message about the last key, which stays until another one is typed. */
	let refusal: string | undefined;
	let refused: string | undefined;
	box.onDidChangeValue(text => {
		box.validationMessage = text.trim() === '' ? refusal : formProblem(text.trim());
	});
	const accept = async () => {
		const key = box.value.trim();
		box.validationMessage = formProblem(key);
		if (box.validationMessage !== undefined) {
			return;
		}
		box.busy = true;
		box.enabled = false;
		const answer = await check(key, leaving.signal).catch(() => undefined);
		box.busy = false;
		box.enabled = true;
		if (answer === undefined) {
			return;
		}
		if (answer.problem !== undefined && key !== refused) {
			// The problem may repeat the server's words. The box is cleared, as new input would hide behind the refused key.
			refusal = inertText(answer.problem);
			refused = key;
			box.value = '';
			box.validationMessage = refusal;
		} else {
			ended.resolve(answer.accepted);
		}
	};
	box.onDidAccept(() => {
		if (box.enabled) {
			void accept();
		}
	});
	box.show();
	return ended.promise.finally(() => {
		leaving.abort();
		box.dispose();
	});
}
