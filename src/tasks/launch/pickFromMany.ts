import type * as vscode from 'vscode';
import { PickList } from '../../platform/pick.ts';

/**
 * Lets the user choose from a list. `more` may bring further items while it is open. Resolves with undefined when
 * dismissed.
 */
export function pickFromMany<T extends vscode.QuickPickItem>(
	title: string,
	placeholder: string,
	first: readonly T[],
	more?: Promise<readonly T[]>,
): Promise<T | undefined> {
	const list = new PickList<T, T>(picker => {
		picker.title = title;
		picker.placeholder = placeholder;
		picker.matchOnDescription = true;
		picker.ignoreFocusOut = true;
		picker.onDidAccept(() => {
			const [chosen] = picker.selectedItems;
			if (chosen) {
				list.end(chosen);
			}
		});
	});
	const picker = list.show(first);
	if (more) {
		picker.busy = true;
		void more
			.catch(() => [])
			.then(found => {
				picker.busy = false;
				picker.keepScrollPosition = true;
				if (found.length > 0) {
					picker.items = [...first, ...found];
				}
			});
	}
	return list.result;
}
