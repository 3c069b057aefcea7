import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { asRows } from '../platform/addressMessages.ts';
import { type Choice, PickList, separator, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import { nameProblem } from './model/newConnection.ts';
import { connectionNames, readConnection } from './model/readConnection.ts';

/** How many questions lead to a new connection. */
export const STEPS = 3;

/** What the first list leads to. */
export type NameChoice =
	| { kind: 'new'; name: string }
	| { kind: 'present'; name: string }
	| 'import'
	| 'export'
	| 'none';

/** The names of the connections that are the user's own. */
export const ownNames = () =>
	connectionNames(readSetting('errand.connections')).filter(name => name !== LOCAL_CONNECTION_NAME);

export function takenText(name: string): string {
	return name === LOCAL_CONNECTION_NAME
		? vscode.l10n.t('“{0}” is the connection to this machine. Choose another name.', LOCAL_CONNECTION_NAME)
		: vscode.l10n.t('There is a connection of this name. Choose another name, or change that one.');
}

/** The name of a new connection is typed; the connections that are there are rows below. */
export function chooseName(value: string): Promise<NameChoice | undefined> {
	const list = new PickList<Choice<NameChoice>, NameChoice>(picker => {
		picker.title = vscode.l10n.t('Add Connection');
		picker.placeholder = vscode.l10n.t('A name for the new connection, such as acme');
		picker.step = 1;
		picker.totalSteps = STEPS;
		picker.ignoreFocusOut = true;
		picker.onDidChangeValue(draw);
		picker.onDidAccept(() => {
			const [row] = picker.selectedItems;
			if (row && row.value !== 'none') {
				list.end(row.value);
			}
		});
	});
	function draw(text: string): void {
		if (list.current) {
			list.current.items = nameRows(text.trim());
		}
	}
	list.show(nameRows(value));
	if (list.current && value !== '') {
		list.current.value = value;
		draw(value);
	}
	return list.result;
}

function nameRows(typed: string): Choice<NameChoice>[] {
	const value: unknown = readSetting('errand.connections');
	const names = connectionNames(value);
	const problem = nameProblem(typed, names);
	const words = (text: string, icon: string): Choice<NameChoice>[] =>
		asRows(text).map((label, index) => ({
			label,
			iconPath: new vscode.ThemeIcon(index === 0 ? icon : 'blank'),
			alwaysShow: true,
			value: 'none',
		}));
	const first =
		problem === 'empty'
			? words(vscode.l10n.t('Type a name for a new connection'), 'edit')
			: problem === 'form'
				? words(
						vscode.l10n.t(
							'Use letters, digits, blanks, “.”, “_” and “-”, beginning with a letter or digit, 60 at most.',
						),
						'warning',
					)
				: problem === 'key'
					? words(
							vscode.l10n.t('That looks like a key. Type a name here; the key is asked for in the third step.'),
							'warning',
						)
					: problem === 'taken'
						? words(takenText(typed), 'warning')
						: [
								{
									// The row is called as it is typed, so that no other row that holds the letters comes before it.
									label: typed,
									description: vscode.l10n.t('new connection'),
									iconPath: new vscode.ThemeIcon('add'),
									alwaysShow: true,
									value: { kind: 'new' as const, name: typed },
								},
							];
	const own = names.filter(name => name !== LOCAL_CONNECTION_NAME);
	return [
		...first,
		...(own.length === 0 ? [] : [separator<NameChoice>(vscode.l10n.t('Change a connection'))]),
		...own.map((name): Choice<NameChoice> => {
			const read = readConnection(name, value);
			return {
				label: shownText(name),
				description: 'connection' in read ? placeOf(read.connection.apiUrl) : vscode.l10n.t('cannot be used'),
				iconPath: new vscode.ThemeIcon('plug'),
				value: { kind: 'present', name },
			};
		}),
		separator<NameChoice>(vscode.l10n.t('Files')),
		{ label: vscode.l10n.t('Import from a File…'), iconPath: new vscode.ThemeIcon('cloud-download'), value: 'import' },
		...(own.length === 0
			? []
			: [
					{
						label: vscode.l10n.t('Export to a File…'),
						iconPath: new vscode.ThemeIcon('export'),
						value: 'export' as const,
					},
				]),
	];
}
