import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import { escapeIcons, oneLine } from '../base/plainText.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { executeCommand } from '../platform/commands.ts';
import { internalCommands } from '../platform/ids.ts';
import { explainError, offer } from '../platform/notify.ts';
import { shownText } from '../platform/pick.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import { keyStateText } from './keyStateMessages.ts';
import type { ConnectionKeys } from './model/connectionsDependencies.ts';
import { connectionNames, readConnection } from './model/readConnection.ts';

/**
 * Reads the connection of that name. `sentence` is the whole message; `problem` is for places that already show the
 * name. `isThere` tells one that cannot be used from one that the settings do not have.
 */
function describe(name: string): { connection: Connection } | { sentence: string; problem: string; isThere: boolean } {
	const read = readConnection(name, readSetting('errand.connections'));
	if ('connection' in read) {
		return read;
	}
	if (read.problem === 'unknown') {
		return {
			isThere: false,
			problem: vscode.l10n.t('not in the settings'),
			sentence: vscode.l10n.t(
				'There is no connection named “{0}” in the setting errand.connections. Switch to another or add it.',
				name,
			),
		};
	}
	const problem = settingIssueText(read.issue, read.value);
	return {
		isThere: true,
		problem,
		sentence: vscode.l10n.t(
			'The connection “{0}” cannot be used: {1}. Correct it, or switch to another.',
			name,
			problem,
		),
	};
}

/** Returns what keeps the connection of that name from being used, or undefined. */
export function connectionProblem(name: string): string | undefined {
	const described = describe(name);
	return 'sentence' in described ? oneLine(described.problem) : undefined;
}

/** @throws UserFacingError when the settings name no usable connection. */
export function activeConnection(): Connection {
	return namedConnection(readSetting('errand.connection'));
}

/** @throws UserFacingError when the settings have no usable connection of that name. */
export function namedConnection(name: string): Connection {
	const described = describe(name);
	if ('sentence' in described) {
		throw new UserFacingError(described.sentence, { action: 'switchConnection' });
	}
	return described.connection;
}

/** A connection of the settings, which may be unusable. */
export interface NamedConnection {
	name: string;
	label: string;
	/** Whether it names a service for tasks. */
	hasTasks: boolean;
}

/** Returns all connections of the settings, the local one first. */
export function namedConnections(): NamedConnection[] {
	return connectionNames(readSetting('errand.connections')).map(name => {
		const described = describe(name);
		const { label = name, cloudUrl } = 'connection' in described ? described.connection : {};
		return { name, label, hasTasks: cloudUrl !== undefined || name === LOCAL_CONNECTION_NAME };
	});
}

interface ConnectionItem extends vscode.QuickPickItem {
	/** `broken` names one that stands in the settings and cannot be used as it does. */
	choice: { connection: Connection } | { broken: string } | 'add' | 'add-server' | undefined;
}

/**
 * Lists the connections with their host and state, and makes the chosen one the active one. `manage` opens the list in
 * which one that cannot be used is put right.
 */
export async function switchConnection(keys: ConnectionKeys, manage: (name: string) => Promise<void>): Promise<void> {
	// The setting may name a connection that does not exist (any more); it is listed too, as it is the one in use.
	const names = new Set([...connectionNames(readSetting('errand.connections')), readSetting('errand.connection')]);
	const items: ConnectionItem[] = [
		...(await Promise.all([...names].map(name => connectionItem(name, keys)))),
		{ choice: undefined, label: '', kind: vscode.QuickPickItemKind.Separator },
		{ choice: 'add', label: vscode.l10n.t('Add or change a connection…'), iconPath: new vscode.ThemeIcon('add') },
		{ choice: 'add-server', label: vscode.l10n.t('Add a model server…'), iconPath: new vscode.ThemeIcon('server') },
	];
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Switch or Add Connection'),
		placeHolder: vscode.l10n.t('The service that chat and tasks use'),
		matchOnDetail: true,
	});
	const choice = chosen?.choice;
	if (choice === 'add') {
		await executeCommand(internalCommands.addConnection);
	} else if (choice === 'add-server') {
		await executeCommand(internalCommands.addModelServer);
	} else if (choice && 'broken' in choice) {
		await manage(choice.broken);
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
			choice: described.isThere ? { broken: name } : 'add',
			label: shownText(name),
			description: [vscode.l10n.t('cannot be used'), inUse].filter(Boolean).join(' · '),
			detail: escapeIcons(oneLine(described.problem)),
			iconPath: new vscode.ThemeIcon('warning'),
		};
	}
	const { connection } = described;
	const isLocal = name === LOCAL_CONNECTION_NAME;
	return {
		choice: described,
		// Labels are arbitrary and may be the same for two connections; only the name identifies one in the settings.
		label: shownText(connection.label ?? name),
		description: [connection.label === undefined || isLocal ? '' : shownText(name), inUse].filter(Boolean).join(' · '),
		detail: isLocal
			? vscode.l10n.t('Runs on this machine, needs no account')
			: `${hostOf(connection)} · ${keyStateText(await keys.state(connection, 'inference'))}`,
		iconPath: new vscode.ThemeIcon(isActive ? 'check' : 'plug'),
	};
}

function hostOf({ plan, apiUrl, enterpriseUrl }: Connection): string {
	return (plan === 'enterprise' && enterpriseUrl) || apiUrl;
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
