import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { escapeIcons } from '../../base/plainText.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { executeCommand } from '../../platform/commands.ts';
import { hasMovedToEditor } from '../../platform/editorUse.ts';
import { commands } from '../../platform/ids.ts';
import { explainError, showExplanation } from '../../platform/notify.ts';
import { isKeyRefusal, type KeyCheck } from '../model/keyCheck.ts';
import { connectionKey, isSavedFor, KEY_KINDS, keyEnding, keyOrigins } from '../model/keyFormat.ts';
import { importKey } from './importKey.ts';
import type { StoredKey } from './keyStore.ts';
import {
	answerSentence,
	answerWord,
	connectionLabel,
	dateText,
	keyTitle,
	kindLabel,
	kindPurpose,
	originsText,
} from './messages.ts';
import { rotateKey } from './rotateKey.ts';
import { checkSaved, type KeysContext, saveKey, setKey, tellCheck } from './saveKey.ts';

const STATUS_MS = 5000;

interface KeyItem extends vscode.QuickPickItem {
	chosen: { kind: KeyKind; stored: StoredKey | undefined } | ServerKey | 'import' | 'servers' | undefined;
}

/** The key of a model server behind the local connection, or a secret of an MCP server. */
export interface ServerKey extends vscode.QuickPickItem {
	/** Lets the user enter, replace or remove it, or sign out. */
	manage(): Promise<void>;
}

export interface ManageKeysDependencies {
	activeConnection(): Promise<Connection>;
	/** Returns the keys of the model servers behind the local connection, which itself needs no key. */
	serverKeys(): Promise<readonly ServerKey[]>;
	/** Returns the sign-ins at MCP servers, and the values that were entered for them. */
	mcpSecrets(): Promise<readonly ServerKey[]>;
}

/**
 * Shows the keys of the active connection and their states, and lets the user set, check, replace, rotate, confirm and
 * remove them.
 */
export async function manageKeys(
	context: KeysContext,
	{ activeConnection, serverKeys, mcpSecrets }: ManageKeysDependencies,
): Promise<void> {
	let connection: Connection;
	try {
		connection = await activeConnection();
	} catch (error) {
		await showExplanation(explainError(error, ''));
		return;
	}
	const others = { servers: await serverKeys(), mcpSecrets: await mcpSecrets() };
	// After a check, the list is shown again with the result.
	while (await manageOnce(context, connection, others)) {}
}

/** The rows of the list besides the keys of the connection. */
interface Others {
	servers: readonly ServerKey[];
	mcpSecrets: readonly ServerKey[];
}

/** Resolves with true if the list is to be shown again. */
async function manageOnce(context: KeysContext, connection: Connection, others: Others): Promise<boolean> {
	const chosen = await chooseKey(context, connection, others);
	if (chosen === undefined) {
		return false;
	}
	if (chosen === 'import') {
		await importKey(context, connection);
		return false;
	}
	if (chosen === 'servers') {
		await executeCommand(commands.addService);
		return false;
	}
	if ('manage' in chosen) {
		await chosen.manage();
		return false;
	}
	const { kind, stored } = chosen;
	if (!stored) {
		await setKey(context, connection, kind);
		return false;
	}
	const fields = { connection: connection.name, keyKind: kind };
	switch (await chooseAction(kind, connection, stored)) {
		case 'confirm':
			await saveKey(context, connection, kind, stored.key);
			return false;
		case 'check':
			return checkAndShow(context, connection, kind, stored.key);
		case 'replace':
			await setKey(context, connection, kind);
			return false;
		case 'rotate':
			await rotateKey(context, connection, kind, stored.key);
			return false;
		case 'remove':
			if (await confirmRemoval(kind, connection)) {
				await context.store.remove(connectionKey(connection, kind));
				context.logger.log('info', 'key removed', fields);
				vscode.window.setStatusBarMessage(
					escapeIcons(vscode.l10n.t('{0} removed from {1}', kindLabel(kind), connectionLabel(connection))),
					STATUS_MS,
				);
			}
			return false;
		case undefined:
			return false;
	}
}

/**
 * Resolves with true if the list is to show the result. If the user has moved to an editor meanwhile, a notification
 * shows it instead, as a list would take the keyboard focus from the editor.
 */
async function checkAndShow(
	context: KeysContext,
	connection: Connection,
	kind: KeyKind,
	key: string,
): Promise<boolean> {
	let check: KeyCheck | undefined;
	const hasGone = await hasMovedToEditor(async () => {
		check = await vscode.window.withProgress(
			{ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Checking the key…') },
			() => checkSaved(context, connection, kind, key),
		);
	});
	if (hasGone && check) {
		tellCheck(context, connection, kind, check);
	}
	return !hasGone;
}

async function chooseKey(
	{ store }: KeysContext,
	connection: Connection,
	{ servers, mcpSecrets }: Others,
): Promise<KeyItem['chosen']> {
	const isLocal = connection.name === LOCAL_CONNECTION_NAME;
	const own = isLocal ? [] : await ownItems(store, connection);
	const items: KeyItem[] = [
		...own,
		{ chosen: undefined, label: vscode.l10n.t('Model servers'), kind: vscode.QuickPickItemKind.Separator },
		...servers.map(server => ({ ...server, chosen: server })),
		{
			chosen: 'servers',
			label: vscode.l10n.t('Add Service…'),
			iconPath: new vscode.ThemeIcon('add'),
		},
		...(mcpSecrets.length > 0
			? [{ chosen: undefined, label: vscode.l10n.t('MCP servers'), kind: vscode.QuickPickItemKind.Separator }]
			: []),
		...mcpSecrets.map(secret => ({ ...secret, chosen: secret })),
	];
	const item = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Keys of {0}', connectionLabel(connection)),
		placeHolder: isLocal
			? vscode.l10n.t('The local connection doesn’t need a key: its service runs on this machine.')
			: vscode.l10n.t('Select a key to set, check, replace or remove'),
	});
	return item?.chosen;
}

async function ownItems(store: KeysContext['store'], connection: Connection): Promise<KeyItem[]> {
	const keys = await Promise.all(
		KEY_KINDS.map(async kind => keyItem(kind, connection, await store.read(connectionKey(connection, kind)))),
	);
	return [
		...keys,
		{ chosen: undefined, label: '', kind: vscode.QuickPickItemKind.Separator },
		{
			chosen: 'import',
			label: vscode.l10n.t('Import from Environment Variable…'),
			iconPath: new vscode.ThemeIcon('symbol-variable'),
		},
	];
}

function keyItem(kind: KeyKind, connection: Connection, stored: StoredKey | undefined): KeyItem {
	const label = kindLabel(kind);
	const origins = originsText(kind, connection);
	if (origins === '') {
		return {
			chosen: undefined,
			label,
			description: vscode.l10n.t('not available'),
			detail: vscode.l10n.t('The connection has no address {0}.', kindPurpose(kind)),
			iconPath: new vscode.ThemeIcon('circle-slash'),
		};
	}
	const chosen = { kind, stored };
	const destination = vscode.l10n.t('Sent only to {0}, {1}', origins, kindPurpose(kind));
	if (!stored) {
		return {
			chosen,
			label,
			description: vscode.l10n.t('not set'),
			detail: destination,
			iconPath: new vscode.ThemeIcon('circle-outline'),
		};
	}
	const isConfirmed = isSavedFor(stored.origins, keyOrigins(kind, connection));
	return {
		chosen,
		label,
		description: stateText(stored),
		detail: isConfirmed
			? `${datesText(stored)} ${destination}`
			: vscode.l10n.t('Not sent: the addresses have changed since it was saved. Now: {0}', origins),
		iconPath: new vscode.ThemeIcon(!isConfirmed ? 'warning' : iconOf(stored)),
	};
}

function stateText({ key, check }: StoredKey): string {
	const ending = keyEnding(key);
	const set = ending === '' ? vscode.l10n.t('set') : vscode.l10n.t('set, ends in {0}', ending);
	return `${set} · ${check ? answerWord(check) : vscode.l10n.t('not checked yet')}`;
}

function datesText({ savedAt, check }: StoredKey): string {
	return check
		? vscode.l10n.t('Saved {0}, checked {1}.', dateText(savedAt), dateText(check.at))
		: vscode.l10n.t('Saved {0}.', dateText(savedAt));
}

function iconOf({ check }: StoredKey): string {
	if (!check) {
		return 'key';
	}
	return isKeyRefusal(check) ? 'error' : check.answer === 'accepted' ? 'pass' : 'key';
}

type Action = 'confirm' | 'check' | 'replace' | 'rotate' | 'remove';

async function chooseAction(kind: KeyKind, connection: Connection, stored: StoredKey): Promise<Action | undefined> {
	const isConfirmed = isSavedFor(stored.origins, keyOrigins(kind, connection));
	const items: (vscode.QuickPickItem & { action: Action })[] = [
		// A key that still needs confirmation is not sent anywhere, not even for a check.
		isConfirmed
			? {
					action: 'check',
					label: vscode.l10n.t('Check'),
					detail: vscode.l10n.t('Check whether the service accepts the key. Free of charge.'),
					iconPath: new vscode.ThemeIcon('check'),
				}
			: {
					action: 'confirm',
					label: vscode.l10n.t('Confirm'),
					detail: vscode.l10n.t('Use this key for {0}', originsText(kind, connection)),
					iconPath: new vscode.ThemeIcon('check'),
				},
		{ action: 'replace', label: vscode.l10n.t('Replace…'), iconPath: new vscode.ThemeIcon('edit') },
		{
			action: 'rotate',
			label: vscode.l10n.t('Rotate…'),
			detail: connection.dashboardUrl
				? vscode.l10n.t('Create a key in the dashboard, check it, then replace this one.')
				: vscode.l10n.t('Check a new key, then replace this one. The connection has no dashboard to open.'),
			iconPath: new vscode.ThemeIcon('sync'),
		},
		{
			action: 'remove',
			label: vscode.l10n.t('Remove…'),
			detail: vscode.l10n.t('It stays valid until you delete it at the service.'),
			iconPath: new vscode.ThemeIcon('trash'),
		},
	];
	const chosen = await vscode.window.showQuickPick(items, {
		title: keyTitle(kind, connection),
		...defined({ placeHolder: stored.check && answerSentence(stored.check, kind, connection) }),
	});
	return chosen?.action;
}

async function confirmRemoval(kind: KeyKind, connection: Connection): Promise<boolean> {
	const remove = vscode.l10n.t('Remove');
	const answer = await vscode.window.showWarningMessage(
		vscode.l10n.t('Remove the {0} of {1}?', kindLabel(kind), connectionLabel(connection)),
		{ modal: true, detail: vscode.l10n.t('Errand can’t show or restore it afterward.') },
		remove,
	);
	return answer === remove;
}
