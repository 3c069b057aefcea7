import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';

/**
 * A quick pick whose rows change while the user points at them. Each time in a list of its own: the editor names a row by
 * its place, so a click that is still on its way would mean whichever row has come to that place.
 */
export class RedrawnPick<T extends vscode.QuickPickItem> implements Disposable {
	private readonly prepare: (pick: vscode.QuickPick<T>) => void;
	private readonly hidden: () => void;
	private pick: vscode.QuickPick<T> | undefined;

	/** `prepare` makes ready each list before it is shown. `hidden`: the list has gone, and no other one came for it. */
	constructor(prepare: (pick: vscode.QuickPick<T>) => void, hidden: () => void) {
		this.prepare = prepare;
		this.hidden = hidden;
	}

	/** The list that was shown last, unless it was disposed of. */
	get current(): vscode.QuickPick<T> | undefined {
		return this.pick;
	}

	/** Shows the rows, with what was typed before. `selected`: those that are ticked, where several can be. */
	show(items: readonly T[], active?: T, selected?: readonly T[]): vscode.QuickPick<T> {
		const before = this.pick;
		const pick = vscode.window.createQuickPick<T>();
		this.pick = pick;
		this.prepare(pick);
		pick.items = items;
		// Before it is shown: Enter may come at once.
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
			// Now: what a list is shown with is selected, and the next letter would be typed over it.
			pick.value = before.value;
			// Again, as a search goes to its first row.
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
