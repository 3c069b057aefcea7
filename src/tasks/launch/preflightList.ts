import * as vscode from 'vscode';
import { PickList } from '../../platform/pick.ts';
import type { FindingFix } from './findingText.ts';
import type { PreflightRow } from './preflightRows.ts';

/**
 * The list that the user confirms before the request is sent. A launch uses the same kind of list throughout, so that
 * nothing jumps.
 */
export class PreflightList {
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
				? vscode.l10n.t('Something has changed meanwhile. Look again, then start.')
				: vscode.l10n.t('Press Enter on “Start Task” to send it, or on another row to change it.');
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

	/** Draws the rows again and keeps the active one. Returns false where no list is open. */
	update(rows: readonly PreflightRow[]): boolean {
		const shown = this.list?.current;
		if (shown) {
			const active = shown.activeItems[0]?.id;
			// Without an active row the editor uses the first, which sends nothing.
			this.list?.show(
				rows,
				rows.find(({ id }) => id === active),
			);
		}
		return shown !== undefined;
	}
}

/** Lets the user choose one of several fixes. `placeHolder` says what they are for. */
export async function pickFix(fixes: readonly FindingFix[], placeHolder: string): Promise<FindingFix | undefined> {
	const picked = await vscode.window.showQuickPick(
		fixes.map(fix => ({ label: `$(${fix.icon}) ${fix.title}`, fix })),
		{ title: vscode.l10n.t('Start Task: What to Do'), placeHolder, ignoreFocusOut: true },
	);
	return picked?.fix;
}
