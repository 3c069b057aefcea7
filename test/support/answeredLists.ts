import * as vscode from 'vscode';

/**
 * Takes the place of the editor's lists. Each is answered with the row of the next label, and left where there is none.
 * Returns the rows of every list.
 */
export function answerLists(...labels: string[]): vscode.QuickPickItem[][] {
	const shown: vscode.QuickPickItem[][] = [];
	const createQuickPick = () => {
		let [accept, hide] = [() => {}, () => {}];
		const list = {
			items: [] as vscode.QuickPickItem[],
			selectedItems: [] as vscode.QuickPickItem[],
			onDidAccept(listener: () => void) {
				accept = listener;
			},
			onDidHide(listener: () => void) {
				hide = listener;
			},
			onDidChangeActive() {},
			onDidTriggerButton() {},
			show() {
				shown.push(list.items);
				const label = labels.shift();
				list.selectedItems = list.items.filter(item => item.label === label).slice(0, 1);
				queueMicrotask(list.selectedItems.length > 0 ? () => accept() : () => hide());
			},
			dispose() {},
		};
		return list;
	};
	Object.assign(vscode.window, { createQuickPick });
	return shown;
}
