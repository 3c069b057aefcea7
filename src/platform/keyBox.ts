import * as vscode from 'vscode';
import { inertText } from './inertText.ts';

export interface KeyQuestion<Accepted> {
	title: string;
	/** Says where the key is kept and sent. */
	prompt: string;
	/** A key that was pasted before. */
	value?: string;
	/** A page that the title bar opens, such as the one on which keys are made. */
	page?: { address: string; tooltip: string };
	/** Returns what is wrong with the form of a key, as a sentence. */
	formProblem(key: string): string | undefined;
	/** Asks the server about the key. A problem is shown, and the box stays for another key. */
	check(key: string, signal: AbortSignal): Promise<{ problem: string } | { accepted: Accepted }>;
}

/** Asks for a key, which is hidden, and takes it once it has been checked. */
export async function askCheckedKey<Accepted>(
	question: KeyQuestion<Accepted>,
): Promise<{ accepted: Accepted } | 'back' | undefined> {
	const { title, prompt, value = '', page, formProblem, check } = question;
	const box = vscode.window.createInputBox();
	const ended = Promise.withResolvers<{ accepted: Accepted } | 'back' | undefined>();
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
	/** What the server has said of the last key, which stays until another one is typed. */
	let refusal: string | undefined;
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
		if ('problem' in answer) {
			// The problem may repeat what the server said. What is typed next must not stand behind the refused key, unseen.
			refusal = inertText(answer.problem);
			box.value = '';
			box.validationMessage = refusal;
		} else {
			ended.resolve(answer);
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
