// Helpers for the editor's quick picks and input boxes.
import * as vscode from 'vscode';

export interface Choice<T> extends vscode.QuickPickItem {
	value: T;
}

export const separator = <T>(label: string): Choice<T> => ({
	label,
	kind: vscode.QuickPickItemKind.Separator,
	value: undefined as T,
});

/** Returns undefined when the list was dismissed. `active` is the item that is focused first. */
export async function choose<T>(
	title: string,
	items: readonly Choice<T>[],
	{ placeHolder = '', active }: { placeHolder?: string; active?: T } = {},
): Promise<T | undefined> {
	const list = vscode.window.createQuickPick<Choice<T>>();
	list.title = title;
	list.placeholder = placeHolder;
	list.matchOnDescription = true;
	list.matchOnDetail = true;
	list.items = items;
	list.activeItems = items
		.filter(
			({ kind, value }) => active !== undefined && kind !== vscode.QuickPickItemKind.Separator && value === active,
		)
		.slice(0, 1);
	return new Promise<T | undefined>(resolve => {
		list.onDidAccept(() => {
			const [chosen] = list.selectedItems;
			if (chosen) {
				resolve(chosen.value);
				list.hide();
			}
		});
		list.onDidHide(() => resolve(undefined));
		list.show();
	}).finally(() => list.dispose());
}

/** Lets the user choose any number of items. Returns undefined when the list was dismissed. */
export async function chooseSome(
	title: string,
	placeHolder: string,
	items: readonly Choice<string>[],
): Promise<string[] | undefined> {
	const chosen = await vscode.window.showQuickPick(items, {
		title,
		placeHolder,
		canPickMany: true,
		matchOnDescription: true,
	});
	return chosen?.map(({ value }) => value);
}

/** `problem` returns what is wrong with a text, if anything. Resolves to undefined when the input box was dismissed. */
export function input(
	title: string,
	prompt: string,
	value: string,
	problem: (text: string) => string | undefined,
): Thenable<string | undefined> {
	return vscode.window.showInputBox({ title, prompt, value, validateInput: problem, ignoreFocusOut: true });
}
