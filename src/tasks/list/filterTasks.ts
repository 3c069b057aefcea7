import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { escapeIcons } from '../../base/plainText.ts';
import { TASK_FILTERS, TASK_STATUS_FILTERS } from '../../contract/tasks.ts';
import { NO_ICON, PickList } from '../../platform/pick.ts';
import { filterWords } from '../common/messages.ts';
import { isFiltered, NO_FILTER, type TaskFilter } from '../model/taskFilter.ts';

const MAXIMUM_TEXT = 200;

interface FilterItem extends vscode.QuickPickItem {
	next?: TaskFilter;
}

/**
 * Lets the user choose which tasks the list shows. Each choice applies at once, so that several can be made. Resolves
 * when the picker is closed.
 */
export function pickTaskFilter(current: TaskFilter, apply: (filter: TaskFilter) => void): Promise<void> {
	let filter = current;
	const rowsFor = (text: string) => [...textItems(text, filter), ...itemsOf(filter)];
	const list = new PickList<FilterItem>(picker => {
		picker.title = vscode.l10n.t('Filter Tasks');
		picker.placeholder = vscode.l10n.t('Select what to show, or type to search the tasks');
		picker.onDidChangeValue(text => {
			picker.items = rowsFor(text);
		});
		picker.onDidAccept(() => {
			// Enter may be pressed before the row for the typed text exists.
			const next = (picker.activeItems[0] ?? textItems(picker.value, filter)[0])?.next;
			if (!next) {
				return;
			}
			const isText = next.text !== filter.text;
			filter = next;
			apply(filter);
			if (isText) {
				list.end();
			} else {
				picker.items = rowsFor(picker.value);
			}
		});
	});
	list.show(rowsFor(''));
	return list.result;
}

function textItems(typed: string, filter: TaskFilter): FilterItem[] {
	const text = typed.trim().slice(0, MAXIMUM_TEXT);
	if (text === '') {
		return [];
	}
	const label = vscode.l10n.t('Only tasks that contain “{0}”', escapeIcons(text));
	return [{ label: `$(search) ${label}`, alwaysShow: true, next: { ...filter, text } }];
}

function itemsOf(filter: TaskFilter): FilterItem[] {
	const item = (label: string, isChosen: boolean, next: TaskFilter): FilterItem => ({
		label: `${isChosen ? '$(check)' : NO_ICON} ${label}`,
		next,
		// A check mark is also described in text, for screen readers.
		...defined({ description: isChosen ? vscode.l10n.t('shown') : undefined }),
	});
	const separator = (label: string): FilterItem => ({ label, kind: vscode.QuickPickItemKind.Separator });
	const { kind, status, text, isOwnRepositoryOnly, showsArchived } = filter;
	return [
		...(isFiltered(filter) ? [{ label: `$(clear-all) ${vscode.l10n.t('Clear Filter')}`, next: NO_FILTER }] : []),
		separator(vscode.l10n.t('State')),
		item(filterWords.anyStatus, status === undefined, { ...filter, status: undefined }),
		...TASK_STATUS_FILTERS.map(value =>
			item(filterWords.status[value], value === status, { ...filter, status: value }),
		),
		separator(vscode.l10n.t('Kind')),
		...TASK_FILTERS.map(value => item(filterWords.kind[value], value === kind, { ...filter, kind: value })),
		separator(vscode.l10n.t('Repository')),
		item(filterWords.ownRepository, isOwnRepositoryOnly, { ...filter, isOwnRepositoryOnly: !isOwnRepositoryOnly }),
		separator(vscode.l10n.t('Archive')),
		item(filterWords.archived, showsArchived, { ...filter, showsArchived: !showsArchived }),
		...(text === ''
			? []
			: [separator(vscode.l10n.t('Text')), item(filterWords.text(text), true, { ...filter, text: '' })]),
	];
}
