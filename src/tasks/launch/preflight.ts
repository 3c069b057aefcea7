import * as vscode from 'vscode';

/** A row of the preflight. `id` tells it from the others while the rows are drawn anew. */
export interface PreflightRow extends vscode.QuickPickItem {
	id: string;
}

interface Question {
	placeholder: string;
	/** What was typed to find a row. */
	value: string;
	answer(id: string | undefined): void;
}

/** The list that stands between the wish and the request. One place is used for the whole of a launch, so that nothing jumps. */
export class Preflight {
	private shown: { picker: vscode.QuickPick<PreflightRow>; question: Question } | undefined;
	private readonly title: string;

	constructor(title: string) {
		this.title = title;
	}

	/**
	 * Shows the rows and resolves with the id of the one that was taken, by Enter or by its button; undefined: dismissed.
	 * `active`: the row that Enter takes; the last one where that is not there. `hasChanged`: what was shown last no longer holds.
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
	 * Draws the rows anew while the list is open; the active one stays. In a list of its own: the editor names a row by its
	 * place, so a click that was still on its way would take whichever row has come to that place.
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
		// Without one the editor takes the first, which sends nothing.
		if (active) {
			picker.activeItems = [active];
		}
		const finish = (id: string | undefined) => {
			// One that was replaced goes without an answer.
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
