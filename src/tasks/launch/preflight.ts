import * as vscode from 'vscode';

/** A row of the preflight. `id` identifies it when the rows are redrawn. */
export interface PreflightRow extends vscode.QuickPickItem {
	id: string;
}

interface Question {
	placeholder: string;
	/** The filter text that the user typed. */
	value: string;
	answer(id: string | undefined): void;
}

/**
 * The list that the user confirms before the request is sent. A launch uses the same kind of list throughout, so that
 * nothing jumps.
 */
export class Preflight {
	private shown: { picker: vscode.QuickPick<PreflightRow>; question: Question } | undefined;
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
		const placeholder = hasChanged
			? vscode.l10n.t('The repository has changed meanwhile. Look again, then start.')
			: vscode.l10n.t('Enter on “Start Task” sends it. Enter on another row changes that row.');
		return new Promise(answer => {
			this.show(rows, rows.find(({ id }) => id === active) ?? rows.at(-1), { placeholder, value: '', answer });
		});
	}

	/**
	 * Redraws the rows while the list is open and keeps the active one. It shows a new list, because the editor
	 * identifies a row by its position, and a click in flight would choose whichever row has moved to that position.
	 */
	update(rows: readonly PreflightRow[]): void {
		if (this.shown) {
			const { picker, question } = this.shown;
			const active = picker.activeItems[0]?.id;
			this.show(
				rows,
				rows.find(({ id }) => id === active),
				{ ...question, value: picker.value },
			);
			picker.dispose();
		}
	}

	private show(rows: readonly PreflightRow[], active: PreflightRow | undefined, question: Question): void {
		const picker = vscode.window.createQuickPick<PreflightRow>();
		this.shown = { picker, question };
		picker.title = this.title;
		picker.placeholder = question.placeholder;
		picker.value = question.value;
		picker.ignoreFocusOut = true;
		picker.matchOnDetail = true;
		picker.items = rows;
		// Without an active row the editor uses the first, which sends nothing.
		if (active) {
			picker.activeItems = [active];
		}
		const finish = (id: string | undefined) => {
			// A list that was replaced ends without an answer.
			if (this.shown?.picker === picker) {
				this.shown = undefined;
				question.answer(id);
				picker.dispose();
			}
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
	}
}
