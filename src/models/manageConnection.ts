import * as vscode from 'vscode';
import type { Connection } from '../contract/connection.ts';
import type { ListedModel } from '../contract/modelList.ts';
import { type Action, action, leaving, runActions } from '../platform/actionList.ts';
import { askModal } from '../platform/notify.ts';
import { separator, shownText } from '../platform/pick.ts';
import { readSetting } from '../platform/settings.ts';
import { ConnectionEditor } from './connectionEditor.ts';
import { changeConnection, connectionProblem, openConnectionSettings, removeConnection, use } from './connections.ts';
import { keyRow } from './keys/keyRow.ts';
import type { KeysFeature } from './keys/keysFeature.ts';
import { entriesOf } from './model/entries.ts';
import { KEY_KINDS } from './model/keyFormat.ts';
import type { ManageEnd, Services } from './services.ts';

/** Lets the user change a connection of the settings until the list is left. Each change is written at once. */
export async function manageConnection(
	name: string,
	{ keys, client, diagnose, context }: Services,
): Promise<ManageEnd | undefined> {
	const editor: ConnectionEditor<ManageEnd> = new ConnectionEditor(
		{
			name,
			read: () => entriesOf(entriesOf(readSetting('errand.connections'))[name]),
			change: changes => changeConnection(name, changes),
			async listModels(): Promise<readonly ListedModel[]> {
				const connection = editor.connection();
				return (connection && (await (await client(connection)).models.discover())) ?? [];
			},
		},
		context,
	);
	const switchTo = leaving(() => use(name, keys));
	const report = leaving(() => diagnose(name));
	return runActions<ManageEnd>({
		title: vscode.l10n.t('Connection {0}', shownText(name)),
		name,
		placeHolder() {
			const problem = connectionProblem(name);
			return problem === undefined
				? vscode.l10n.t('Select what to change')
				: vscode.l10n.t('Couldn’t use it: {0}. Select what to change', problem);
		},
		async rows() {
			const connection = editor.connection();
			const isActive = readSetting('errand.connection') === name;
			return [
				...(connection && !isActive ? [action('check', vscode.l10n.t('Switch to It'), switchTo)] : []),
				...(connection ? [action('pulse', vscode.l10n.t('Diagnose'), report)] : []),
				...editor.hostRows(),
				...(connection ? await keyRows(connection, keys) : []),
				...editor.serviceRows(),
				...editor.offerRows(),
				separator(''),
				action(
					'gear',
					vscode.l10n.t('Edit in Settings'),
					leaving(openConnectionSettings),
					vscode.l10n.t('including prices, kinds of models, providers, prefixes, aliases and routing policies'),
				),
				action('trash', vscode.l10n.t('Remove…'), () => remove(name, keys)),
			];
		},
	});
}

async function keyRows(connection: Connection, keys: KeysFeature): Promise<Action<ManageEnd>[]> {
	const present = KEY_KINDS.map(kind => keys.of(connection, kind)).filter(({ origins }) => origins !== '');
	return [separator(vscode.l10n.t('Keys')), ...(await Promise.all(present.map(key => keyRow(key))))];
}

async function remove(name: string, keys: KeysFeature): Promise<'removed' | undefined> {
	const yes = vscode.l10n.t('Remove');
	const question = vscode.l10n.t('Remove the connection {0}?', name);
	const detail = vscode.l10n.t(
		'Its entry in the settings and its keys are removed. Conversations that used it are kept.',
	);
	if ((await askModal(question, detail, yes)) !== yes) {
		return undefined;
	}
	await removeConnection(name);
	await keys.removeAll(name);
	if (readSetting('errand.connection') === name) {
		await use('local', keys);
	}
	return 'removed';
}
