import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, offer } from '../platform/notify.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import { connectionNames, readConnection } from './model/readConnection.ts';

/** What this feature needs from the keys feature. */
export interface ConnectionKeys {
	/** Returns the state of a key. `unconfirmed`: the connection's hosts have changed since the key was saved. */
	state(connection: Connection, kind: KeyKind): Promise<'not-needed' | 'missing' | 'unconfirmed' | 'set'>;
	/** Asks for a key and saves it. */
	set(connection: Connection, kind: KeyKind): Promise<void>;
}

/**
 * Reads the connection of that name. `sentence` is the whole message; `problem` is for places that already show the
 * name.
 */
function describe(name: string): { connection: Connection } | { sentence: string; problem: string } {
	const read = readConnection(name, readSetting('errand.connections'));
	if ('connection' in read) {
		return read;
	}
	if (read.problem === 'unknown') {
		return {
			problem: vscode.l10n.t('not in the settings'),
			sentence: vscode.l10n.t(
				'There is no connection named “{0}” in the setting errand.connections. Switch to another or add it.',
				name,
			),
		};
	}
	const problem = settingIssueText(read.issue, read.value);
	return {
		problem,
		sentence: vscode.l10n.t(
			'The connection “{0}” cannot be used: {1}. Correct it in the setting errand.connections.',
			name,
			problem,
		),
	};
}

/** @throws UserFacingError when the settings name no usable connection. */
export function activeConnection(): Connection {
	const described = describe(readSetting('errand.connection'));
	if ('sentence' in described) {
		throw new UserFacingError(described.sentence, { action: 'switchConnection' });
	}
	return described.connection;
}

interface ConnectionItem extends vscode.QuickPickItem {
	choice: { connection: Connection } | 'broken' | 'add' | 'settings' | undefined;
}

/** Lists the connections with their host and state, and makes the chosen one the active one. */
export async function switchConnection(keys: ConnectionKeys): Promise<void> {
	// The setting may name a connection that does not exist (any more); it is listed too, as it is the one in use.
	const names = new Set([...connectionNames(readSetting('errand.connections')), readSetting('errand.connection')]);
	const items: ConnectionItem[] = [
		...(await Promise.all([...names].map(name => connectionItem(name, keys)))),
		{ choice: undefined, label: '', kind: vscode.QuickPickItemKind.Separator },
		{ choice: 'add', label: vscode.l10n.t('Add a connection…'), iconPath: new vscode.ThemeIcon('add') },
		{
			choice: 'settings',
			label: vscode.l10n.t('Change connections in the settings'),
			iconPath: new vscode.ThemeIcon('gear'),
		},
	];
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Switch Connection'),
		placeHolder: vscode.l10n.t('The service that chat and tasks use'),
		matchOnDetail: true,
	});
	const choice = chosen?.choice;
	if (choice === 'add') {
		await executeCommand(commands.addConnection);
	} else if (choice === 'broken' || choice === 'settings') {
		await openConnectionSettings();
	} else if (choice) {
		await use(choice.connection.name, keys);
	}
}

async function connectionItem(name: string, keys: ConnectionKeys): Promise<ConnectionItem> {
	const isActive = name === readSetting('errand.connection');
	const inUse = isActive ? vscode.l10n.t('in use') : '';
	const described = describe(name);
	if ('sentence' in described) {
		return {
			choice: 'broken',
			label: name,
			description: [vscode.l10n.t('cannot be used'), inUse].filter(Boolean).join(' · '),
			detail: described.problem,
			iconPath: new vscode.ThemeIcon('warning'),
		};
	}
	const { connection } = described;
	const isLocal = name === LOCAL_CONNECTION_NAME;
	return {
		choice: described,
		// Labels are arbitrary and may be the same for two connections; only the name identifies one in the settings.
		label: connection.label ?? name,
		description: [connection.label === undefined || isLocal ? '' : name, inUse].filter(Boolean).join(' · '),
		detail: isLocal
			? vscode.l10n.t('Runs on this machine, needs no account')
			: `${hostOf(connection)} · ${await keyText(connection, keys)}`,
		iconPath: new vscode.ThemeIcon(isActive ? 'check' : 'plug'),
	};
}

function hostOf({ plan, apiUrl, enterpriseUrl }: Connection): string {
	return (plan === 'enterprise' && enterpriseUrl) || apiUrl;
}

async function keyText(connection: Connection, keys: ConnectionKeys): Promise<string> {
	switch (await keys.state(connection, 'inference')) {
		case 'set':
			return vscode.l10n.t('key set');
		case 'missing':
			return vscode.l10n.t('no key yet');
		case 'unconfirmed':
			return vscode.l10n.t('key to be confirmed: the addresses changed');
		case 'not-needed':
			return vscode.l10n.t('needs no key');
	}
}

/** Makes a connection the active one. If its key is missing, the user is offered to set it. */
export async function use(name: string, keys: ConnectionKeys): Promise<void> {
	await writeSetting('errand.connection', name);
	const described = describe(name);
	if ('sentence' in described || (await keys.state(described.connection, 'inference')) !== 'missing') {
		return;
	}
	const { connection } = described;
	const label = connection.label ?? name;
	offer(
		vscode.l10n.t('{0} is in use now. Chat needs its inference key.', label),
		vscode.l10n.t('Add Key'),
		() => keys.set(connection, 'inference'),
		error => explainError(error, label),
	);
}

/** Opens the user's settings.json at the connections. */
export async function openConnectionSettings(): Promise<void> {
	await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
		revealSetting: { key: 'errand.connections', edit: false },
	});
}
