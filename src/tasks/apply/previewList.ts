import path from 'node:path';
import * as vscode from 'vscode';
import { append } from '../../base/append.ts';
import { decisiveReason } from '../../base/decisiveFiles.ts';
import { escapeIcons, shortName } from '../../base/plainText.ts';
import { PickList } from '../../platform/pick.ts';
import { describeFile } from '../common/fileMessages.ts';
import { type ChangedFile, pathOf } from '../model/changedFile.ts';
import { outcomeWords } from './applyMessages.ts';
import { MAXIMUM_RECORD } from './applyRecord.ts';
import type { Planned } from './plan.ts';

interface Row extends vscode.QuickPickItem {
	/** Undefined for a heading. */
	planned: Planned<ChangedFile> | undefined;
	folder: string;
}

export interface PreviewOptions {
	title: string;
	/** The paths that are checked at first; undefined means all. */
	checked: ReadonlySet<string> | undefined;
	/** True if the list is shown again because it was out of date. */
	hasChanged: boolean;
}

/**
 * Shows the outcome for each file. Resolves with the files that the user has left checked, or with undefined when
 * dismissed. Files that cannot be applied, or are there already, cannot be checked.
 */
export function choosePlanned(
	planned: readonly Planned<ChangedFile>[],
	{ title, checked, hasChanged }: PreviewOptions,
): Promise<Planned<ChangedFile>[] | undefined> {
	const rows = rowsOf(planned);
	const choosable = new Set(rows.filter(isChoosable));
	const isChecked = ({ planned: file }: Row) => file !== undefined && (checked?.has(pathOf(file.change)) ?? true);
	const list = new PickList<Row, Planned<ChangedFile>[]>(picker => {
		picker.title = title;
		picker.placeholder = hasChanged
			? vscode.l10n.t('Something has changed in the meantime. Review it, then continue.')
			: vscode.l10n.t('Select files to apply. Type to search by folder or name.');
		picker.canSelectMany = true;
		picker.matchOnDescription = true;
		picker.ignoreFocusOut = true;
		picker.onDidChangeSelection(selected => {
			const allowed = selected.filter(row => choosable.has(row));
			if (allowed.length < selected.length) {
				picker.selectedItems = allowed;
			}
			sayIfTooLarge(picker, allowed);
		});
		picker.onDidTriggerItemButton(({ item }) => {
			const inFolder = [...choosable].filter(({ folder }) => folder === item.folder);
			const others = picker.selectedItems.filter(({ folder }) => folder !== item.folder);
			const isWhole = picker.selectedItems.length - others.length === inFolder.length;
			picker.selectedItems = isWhole ? others : [...others, ...inFolder];
			sayIfTooLarge(picker, picker.selectedItems);
		});
		picker.onDidAccept(() =>
			list.end(picker.selectedItems.flatMap(row => (row.planned && choosable.has(row) ? [row.planned] : []))),
		);
	});
	const picker = list.show(
		rows,
		rows.find(row => choosable.has(row)),
		[...choosable].filter(isChecked),
	);
	sayIfTooLarge(picker, picker.selectedItems);
	return list.result;
}

function sayIfTooLarge(picker: vscode.QuickPick<Row>, selected: readonly Row[]): void {
	const size = selected.reduce((sum, row) => sum + (row.planned?.size ?? 0), 0);
	picker.prompt = size > MAXIMUM_RECORD ? vscode.l10n.t('This is too large to undo afterward.') : undefined;
}

function isChoosable({ planned }: Row): boolean {
	return planned?.outcome.kind === 'applies' || planned?.outcome.kind === 'conflicts';
}

/** The files that can be applied, grouped by folder, then the others. */
function rowsOf(planned: readonly Planned<ChangedFile>[]): Row[] {
	const all = planned.map(rowOf);
	const rows: Row[] = [];
	const folders = Map.groupBy(all.filter(isChoosable), ({ folder }) => folder);
	for (const [folder, files] of folders) {
		rows.push(heading(folder === '' ? vscode.l10n.t('Top folder') : escapeIcons(shortName(folder))));
		append(rows, files);
	}
	const there = all.filter(row => row.planned?.outcome.kind === 'there');
	const refused = all.filter(row => row.planned?.outcome.kind === 'cannot');
	return [
		...rows,
		...(there.length === 0 ? [] : [heading(vscode.l10n.t('Already Applied')), ...there]),
		...(refused.length === 0 ? [] : [heading(vscode.l10n.t('Not Applied')), ...refused]),
	];
}

function heading(label: string): Row {
	return { label, kind: vscode.QuickPickItemKind.Separator, planned: undefined, folder: '' };
}

function rowOf(planned: Planned<ChangedFile>): Row {
	const { change, outcome } = planned;
	const name = pathOf(change);
	const directory = path.posix.dirname(name);
	const folder = directory === '.' ? '' : directory;
	const { label, description } = describeFile(change, true);
	const row: Row = {
		label: `${change.status}  ${escapeIcons(label)}`,
		description: [escapeIcons(description), outcomeWords(outcome), decidesWords(change)]
			.filter(text => text !== '')
			.join(' · '),
		planned,
		folder,
	};
	const wholeFolder = {
		iconPath: new vscode.ThemeIcon('folder'),
		tooltip: vscode.l10n.t('Toggle Folder'),
	};
	return isChoosable(row) ? { ...row, buttons: [wholeFolder] } : row;
}

/**
 * Returns a mark for files that decide what programs do, judged by name and mode, so that the user sees it before
 * taking any change.
 */
function decidesWords({ before, after }: ChangedFile): string {
	const versions = [before, after].flatMap(version => version ?? []);
	const decides = versions.some(
		({ path: named, kind }) => decisiveReason({ path: named, isExecutable: kind === 'executable' }) !== undefined,
	);
	return decides ? vscode.l10n.t('$(warning) decides what runs') : '';
}
