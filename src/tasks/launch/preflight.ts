import * as vscode from 'vscode';

/** A row of the preflight. `id` tells it from the others while the rows are drawn anew. */
export interface PreflightRow extends vscode.QuickPickItem {
	id: string;
}

/** The list that stands between the wish and the request. One list is used for the whole of a launch, so that nothing jumps. */
export class Preflight {
	private picker: vscode.QuickPick<PreflightRow> | undefined;
	private readonly title: string;

	constructor(title: string) {
		this.title = title;
	}

	/**
	 * Shows the rows and resolves with the id of the one that was taken, by Enter or by its button; undefined: dismissed.
	 * `active`: the row that Enter takes; the last one where that is not there. `hasChanged`: what was shown last no longer holds.
	 */
	ask(rows: readonly PreflightRow[], active: string, hasChanged: boolean): Promise<string | undefined> {
		const picker = vscode.window.createQuickPick<PreflightRow>();
		this.picker = picker;
		picker.title = this.title;
		picker.placeholder = hasChanged
			? vscode.l10n.t('The repository has changed meanwhile. Look again, then start.')
			: vscode.l10n.t('Enter on “Start Task” sends it. Enter on another row changes that row.');
		picker.ignoreFocusOut = true;
		picker.matchOnDetail = true;
		picker.items = rows;
		picker.activeItems = [rows.find(({ id }) => id === active) ?? rows.at(-1)].filter(row => row !== undefined);
		return new Promise(resolve => {
			const finish = (id: string | undefined) => {
				this.picker = undefined;
				resolve(id);
				picker.dispose();
			};
			picker.onDidAccept(() => {
				const id = picker.activeItems[0]?.id;
				if (id) {
					finish(id);
				}
			});
			picker.onDidTriggerItemButton(({ item }) => finish(item.id));
			picker.onDidHide(() => finish(undefined));
			picker.show();
		});
	}

	/** Draws the rows anew while the list is open; the active one stays. */
	update(rows: readonly PreflightRow[]): void {
		const { picker } = this;
		if (picker) {
			const active = picker.activeItems[0]?.id;
			picker.keepScrollPosition = true;
			picker.items = rows;
			picker.activeItems = rows.filter(({ id }) => id === active);
		}
	}
}
