import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, showExplanation } from '../platform/notify.ts';
import { KEY_KINDS, KeyStore, type StoredKey } from './keyStore.ts';
import { isSavedFor, keyEnding, keyOrigins, keyProblem } from './model/keyFormat.ts';
import type { KeysDependencies } from './register.ts';

const kindLabel = (kind: KeyKind): string =>
	({
		inference: vscode.l10n.t('Inference key'),
		cloud: vscode.l10n.t('Cloud token'),
		agent: vscode.l10n.t('Agent key'),
	})[kind];

const kindPurpose = (kind: KeyKind): string =>
	({
		inference: vscode.l10n.t('for chat'),
		cloud: vscode.l10n.t('for tasks and their logs'),
		agent: vscode.l10n.t('for the agent task API'),
	})[kind];

/** @throws UserFacingError when the key was saved for other hosts. */
export async function keyForRequest(
	secrets: vscode.SecretStorage,
	connection: Connection,
	kind: KeyKind,
): Promise<string | undefined> {
	const { key, mustBeConfirmed } = await new KeyStore(secrets).usable(connection, kind);
	if (mustBeConfirmed) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The addresses of {0} changed since its key was saved, so the key was not sent. Confirm it with “Errand: Manage Keys”.',
				connection.label ?? connection.name,
			),
			{ action: 'manageKeys' },
		);
	}
	return key;
}

interface KeyItem extends vscode.QuickPickItem {
	keyKind: KeyKind | undefined;
	stored?: StoredKey | undefined;
}

/** Shows the three kinds of keys of the active connection with their state; sets, replaces, confirms and removes them. */
export async function manageKeys({ secrets, activeConnection, logger }: KeysDependencies): Promise<void> {
	let connection: Connection;
	try {
		connection = await activeConnection();
	} catch (error) {
		await showExplanation(explainError(error, ''));
		return;
	}
	const store = new KeyStore(secrets);
	const label = connection.label ?? connection.name;
	if (connection.name === LOCAL_CONNECTION_NAME) {
		const switchConnection = vscode.l10n.t('Switch Connection');
		const chosen = await vscode.window.showInformationMessage(
			vscode.l10n.t('The local connection needs no key: its service runs on this machine.'),
			switchConnection,
		);
		if (chosen === switchConnection) {
			await executeCommand(commands.switchConnection);
		}
		return;
	}
	const chosen = await vscode.window.showQuickPick(
		Promise.all(KEY_KINDS.map(async kind => keyItem(kind, connection, await store.read(connection, kind)))),
		{
			title: vscode.l10n.t('Keys of {0}', label),
			placeHolder: vscode.l10n.t('Choose a key to set, replace or remove'),
		},
	);
	if (!chosen?.keyKind) {
		return;
	}
	const action = chosen.stored ? await chooseAction(chosen.keyKind, connection, chosen.stored) : 'set';
	if (action === 'set') {
		const key = await askForKey(chosen.keyKind, connection);
		if (key !== undefined) {
			await store.save(connection, chosen.keyKind, key);
			logger.log('info', 'key saved', { connection: connection.name, keyKind: chosen.keyKind });
			vscode.window.setStatusBarMessage(vscode.l10n.t('{0} saved for {1}', kindLabel(chosen.keyKind), label), 5000);
		}
	} else if (action === 'confirm' && chosen.stored) {
		await store.save(connection, chosen.keyKind, chosen.stored.key);
		logger.log('info', 'key confirmed for changed hosts', { connection: connection.name, keyKind: chosen.keyKind });
	} else if (action === 'remove') {
		await store.remove(connection, chosen.keyKind);
		logger.log('info', 'key removed', { connection: connection.name, keyKind: chosen.keyKind });
		vscode.window.setStatusBarMessage(vscode.l10n.t('{0} removed from {1}', kindLabel(chosen.keyKind), label), 5000);
	}
}

function keyItem(kind: KeyKind, connection: Connection, stored: StoredKey | undefined): KeyItem {
	const origins = keyOrigins(kind, connection);
	const label = kindLabel(kind);
	if (origins.length === 0) {
		return {
			keyKind: undefined,
			label,
			description: vscode.l10n.t('not available'),
			detail: vscode.l10n.t('The connection has no address {0}.', kindPurpose(kind)),
			iconPath: new vscode.ThemeIcon('circle-slash'),
		};
	}
	const detail = vscode.l10n.t('Sent to {0} only, {1}', origins.join(', '), kindPurpose(kind));
	if (!stored) {
		return {
			keyKind: kind,
			label,
			description: vscode.l10n.t('not set'),
			detail,
			iconPath: new vscode.ThemeIcon('circle-outline'),
		};
	}
	const ending = keyEnding(stored.key);
	const saved = new Date(stored.savedAt).toLocaleString(vscode.env.language, {
		dateStyle: 'medium',
		timeStyle: 'short',
	});
	const state =
		ending === ''
			? vscode.l10n.t('set, saved {0}', saved)
			: vscode.l10n.t('set, ends in {0}, saved {1}', ending, saved);
	const confirmed = isSavedFor(stored.origins, origins);
	return {
		keyKind: kind,
		stored,
		label,
		description: state,
		detail: confirmed
			? detail
			: vscode.l10n.t('Not sent: the addresses changed since it was saved. Now: {0}', origins.join(', ')),
		iconPath: new vscode.ThemeIcon(confirmed ? 'key' : 'warning'),
	};
}

async function chooseAction(
	kind: KeyKind,
	connection: Connection,
	stored: StoredKey,
): Promise<'set' | 'confirm' | 'remove' | undefined> {
	const origins = keyOrigins(kind, connection);
	const confirm = {
		action: 'confirm' as const,
		label: vscode.l10n.t('Confirm'),
		detail: vscode.l10n.t('Use this key for {0}', origins.join(', ')),
		iconPath: new vscode.ThemeIcon('check'),
	};
	const items = [
		...(isSavedFor(stored.origins, origins) ? [] : [confirm]),
		{ action: 'set' as const, label: vscode.l10n.t('Replace…'), detail: '', iconPath: new vscode.ThemeIcon('edit') },
		{
			action: 'remove' as const,
			label: vscode.l10n.t('Remove…'),
			detail: vscode.l10n.t('It stays valid at the service until it is deleted there.'),
			iconPath: new vscode.ThemeIcon('trash'),
		},
	];
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('{0} of {1}', kindLabel(kind), connection.label ?? connection.name),
	});
	if (chosen?.action !== 'remove') {
		return chosen?.action;
	}
	const remove = vscode.l10n.t('Remove');
	const answer = await vscode.window.showWarningMessage(
		vscode.l10n.t('Remove the {0} of {1}?', kindLabel(kind), connection.label ?? connection.name),
		{ modal: true, detail: vscode.l10n.t('Errand cannot show or restore it afterwards.') },
		remove,
	);
	return answer === remove ? 'remove' : undefined;
}

function askForKey(kind: KeyKind, connection: Connection): Thenable<string | undefined> {
	return vscode.window
		.showInputBox({
			title: vscode.l10n.t('{0} of {1}', kindLabel(kind), connection.label ?? connection.name),
			prompt: vscode.l10n.t(
				'Kept in the editor’s secret storage and sent to {0} only.',
				keyOrigins(kind, connection).join(', '),
			),
			password: true,
			ignoreFocusOut: true,
			validateInput: text => validate(kind, text.trim(), connection),
		})
		.then(text => text?.trim());
}

function validate(kind: KeyKind, key: string, connection: Connection): string | undefined {
	switch (keyProblem(kind, key, connection)) {
		case undefined:
			return undefined;
		case 'empty':
			return vscode.l10n.t('Paste the key.');
		case 'characters':
			return vscode.l10n.t('A key has no spaces or special characters. Paste it alone.');
		case 'inference-form':
			return vscode.l10n.t('This kind of key begins with “sk-”.');
		case 'prefix':
			return vscode.l10n.t('The cloud tokens of this service begin with “{0}”.', connection.cloudTokenPrefix ?? '');
	}
}
