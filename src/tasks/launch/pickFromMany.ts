import * as vscode from 'vscode';
import { holdsWords } from '../../base/plainText.ts';
import { PickList } from '../../platform/pick.ts';

/** The number of rows that are shown at first, and that each “Show More” adds. */
const PAGE = 200;

interface Row<T extends vscode.QuickPickItem> extends vscode.QuickPickItem {
	/** Undefined for the row “Show More”. */
	item: T | undefined;
}

/**
 * Lets the user choose from a list of any length, which is searched as a whole and shown in pages. `more` may bring
 * further items while the list is open. Resolves with undefined when dismissed.
 */
export function pickFromMany<T extends vscode.QuickPickItem>(
	title: string,
	placeholder: string,
	first: readonly T[],
	more?: Promise<readonly T[]>,
): Promise<T | undefined> {
	let items = first;
	let shown = PAGE;
	const rowsFor = (text: string): Row<T>[] => {
		// The editor's own filter would only see the shown rows and their labels.
		const matching = items.filter(item => holdsWords(item, text));
		const rows = matching.slice(0, shown).map(item => ({ ...item, alwaysShow: true, item }));
		const rest = matching.length - rows.length;
		const label = `$(ellipsis) ${vscode.l10n.t('Show More')}`;
		const showMore = { label, description: vscode.l10n.t('{0} more', rest), alwaysShow: true, item: undefined };
		return rest === 0 ? rows : [...rows, showMore];
	};
	const list = new PickList<Row<T>, T>(picker => {
		picker.title = title;
		picker.placeholder = placeholder;
		picker.ignoreFocusOut = true;
		picker.onDidChangeValue(text => {
			shown = PAGE;
			picker.items = rowsFor(text);
		});
		picker.onDidAccept(() => {
			// Enter may be pressed before the editor has the rows for the typed text. It then means the first of those
			// rows.
			const [active] = picker.activeItems;
			const row = (active && picker.items.find(({ item }) => item === active.item)) ?? picker.items[0];
			if (row?.item) {
				list.end(row.item);
			} else if (row) {
				const next = shown;
				shown += PAGE;
				picker.items = rowsFor(picker.value);
				picker.activeItems = picker.items.slice(next, next + 1);
			}
		});
	});
	const picker = list.show(rowsFor(''));
	if (more) {
		picker.busy = true;
		void more
			.catch(() => [])
			.then(found => {
				items = [...items, ...found];
				picker.busy = false;
				picker.keepScrollPosition = true;
				if (found.length > 0) {
					picker.items = rowsFor(picker.value);
				}
			});
	}
	return list.result;
}
