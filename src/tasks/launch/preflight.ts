import * as vscode from 'vscode';
import { PickList } from '../../platform/pick.ts';

/** A row of the preflight. `id` identifies it when the rows are redrawn. */
export interface PreflightRow extends vscode.QuickPickItem {
	id: string;
}

/**
 * The list that the user confirms before the request is sent. A launch uses the same kind of list throughout, so that
 * nothing jumps.
 */
export class Preflight {
	private list: PickList<PreflightRow, string> | undefined;
	private readonly title: string;

	constructor(title: string) {
		this.title = title;
	}

	/**
	 * Shows the rows and resolves with the id of the one that was chosen with Enter or by its button, or with undefined
	 * when dismissed. `active` is the row that Enter chooses, or the last row where it does not exist. `hasChanged` says
	 * that what was shown last no longer holds.
	 */
	ask(rows: readonly PreflightRow[], active: string, hasChanged: boolean): Promise<string | undefined> {
		const list = new PickList<PreflightRow, string>(picker => {
			picker.title = this.title;
			picker.placeholder = hasChanged
				? vscode.l10n.t('The repository has changed meanwhile. Look again, then start.')
				: vscode.l10n.t('Enter on “Start Task” sends it. Enter on another row changes that row.');
			picker.ignoreFocusOut = true;
			picker.matchOnDetail = true;
			picker.onDidAccept(() => {
				const id = picker.activeItems[0]?.id;
				if (id) {
					list.end(id);
				}
			});
			picker.onDidTriggerItemButton(({ item }) => list.end(item.id));
		});
		this.list = list;
		list.show(rows, rows.find(({ id }) => id === active) ?? rows.at(-1));
		return list.result;
	}

	/** Draws the rows again while the list is open, and keeps the active one. */
	update(rows: readonly PreflightRow[]): void {
		const shown = this.list?.current;
		if (shown) {
			const active = shown.activeItems[0]?.id;
			// Without an active row the editor uses the first, which sends nothing.
			this.list?.show(
				rows,
				rows.find(({ id }) => id === active),
			);
		}
	}
}
