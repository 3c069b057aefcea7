import * as vscode from 'vscode';
import { UserFacingError } from '../base/errors.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import { connectionNames, readConnection } from './model/readConnection.ts';

function describe(name: string): { connection: Connection } | { sentence: string } {
	const read = readConnection(name, readSetting('errand.connections'));
	if ('connection' in read) {
		return read;
	}
	return read.problem === 'unknown'
		? {
				sentence: vscode.l10n.t(
					'There is no connection named “{0}” in the setting errand.connections. Switch to another or add it.',
					name,
				),
			}
		: {
				sentence: vscode.l10n.t(
					'The connection “{0}” cannot be used: {1}: {2}. Correct it in the setting errand.connections.',
					name,
					read.field === '' ? 'connection' : read.field,
					read.reason,
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

export async function switchConnection(): Promise<void> {
	const current = readSetting('errand.connection');
	const items = connectionNames(readSetting('errand.connections')).map(name => {
		const described = describe(name);
		const detail =
			'sentence' in described
				? described.sentence
				: name === LOCAL_CONNECTION_NAME
					? vscode.l10n.t('Runs on this machine, needs no account')
					: described.connection.apiUrl;
		return {
			name,
			usable: !('sentence' in described),
			label: ('connection' in described && described.connection.label) || name,
			description: name === current ? vscode.l10n.t('in use') : '',
			detail,
			iconPath: new vscode.ThemeIcon('sentence' in described ? 'warning' : 'plug'),
		};
	});
	const openSettings = {
		name: undefined,
		usable: true,
		label: vscode.l10n.t('Add or change connections in Settings'),
		description: '',
		detail: '',
		iconPath: new vscode.ThemeIcon('gear'),
	};
	const chosen = await vscode.window.showQuickPick([...items, openSettings], {
		title: vscode.l10n.t('Switch Connection'),
		placeHolder: vscode.l10n.t('The service that chat and tasks use'),
	});
	if (!chosen) {
		return;
	}
	if (chosen.name === undefined || !chosen.usable) {
		await vscode.commands.executeCommand('workbench.action.openSettings', 'errand.connections');
		return;
	}
	await writeSetting('errand.connection', chosen.name);
}
