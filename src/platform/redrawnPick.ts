import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';

/**
 * A quick pick whose rows change while the user points at them. Every change shows a new list, because the editor
 * identifies a row by its position, and a click in flight would hit whichever row has moved to that position.
 */
export class RedrawnPick<T extends vscode.QuickPickItem> implements Disposable {
	private readonly prepare: (pick: vscode.QuickPick<T>) => void;
	private readonly hidden: () => void;
	private pick: vscode.QuickPick<T> | undefined;

	/**
	 * `prepare` sets up each list before it is shown. `hidden` is called when the list has been hidden without another
	 * one replacing it.
	 */
	constructor(prepare: (pick: vscode.QuickPick<T>) => void, hidden: () => void) {
		this.prepare = prepare;
		this.hidden = hidden;
	}

	/** The list that was shown last, unless it has been disposed of. */
	get current(): vscode.QuickPick<T> | undefined {
		return this.pick;
	}

	/**
	 * Shows the rows and keeps the filter text that was typed before. `selected` are the checked rows, where several can
	 * be chosen.
	 */
	show(items: readonly T[], active?: T, selected?: readonly T[]): vscode.QuickPick<T> {
		const before = this.pick;
		const pick = vscode.window.createQuickPick<T>();
		this.pick = pick;
		this.prepare(pick);
		pick.items = items;
		// Set before the list is shown, because Enter may be pressed at once.
		if (selected) {
			pick.selectedItems = selected;
		}
		if (active) {
			pick.activeItems = [active];
		}
		pick.onDidHide(() => {
			if (this.pick === pick) {
				this.hidden();
			}
		});
		pick.show();
		if (before?.value) {
			// Set after the list is shown: an initial value would be selected, and the next letter would replace it.
			pick.value = before.value;
			// Set again, because filtering activates the first row.
			if (active) {
				pick.activeItems = [active];
			}
		}
		before?.dispose();
		return pick;
	}

	dispose(): void {
		const { pick } = this;
		this.pick = undefined;
		pick?.dispose();
	}
}
