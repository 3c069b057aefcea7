import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { UserFacingError } from '../base/errors.ts';
import type { Fields } from '../base/fields.ts';
import { oneLine } from '../base/plainText.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { explainError, offer } from '../platform/notify.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import type { NamedConnection } from './api.ts';
import type { KeysFeature } from './keys/keysFeature.ts';
import { entriesOf } from './model/entries.ts';
import { connectionNames, readConnection } from './model/readConnection.ts';
import { writeEntries } from './writeEntries.ts';

/**
 * Reads the connection of that name. `sentence` is the whole message; `problem` is for places that already show the
 * name. `isThere` distinguishes a connection that cannot be used from one that is not in the settings.
 */
export function describeConnection(
	name: string,
): { connection: Connection } | { sentence: string; problem: string; isThere: boolean } {
	const read = readConnection(name, readSetting('errand.connections'));
	if ('connection' in read) {
		return read;
	}
	if (read.problem === 'unknown') {
		return {
			isThere: false,
			problem: vscode.l10n.t('not in the settings'),
			sentence: vscode.l10n.t(
				'The setting errand.connections has no connection named “{0}”. Switch to a different one, or add it.',
				name,
			),
		};
	}
	const problem = settingIssueText(read.issue, read.value);
	return {
		isThere: true,
		problem,
		sentence: vscode.l10n.t(
			'Couldn’t use the connection “{0}”: {1}. Correct it, or switch to a different one.',
			name,
			problem,
		),
	};
}

/** Returns why the connection of that name cannot be used, or undefined if it can. */
export function connectionProblem(name: string): string | undefined {
	const described = describeConnection(name);
	return 'sentence' in described ? oneLine(described.problem) : undefined;
}

/** @throws UserFacingError when the settings name no usable connection. */
export function activeConnection(): Connection {
	return namedConnection(readSetting('errand.connection'));
}

/** @throws UserFacingError when the settings have no usable connection of that name. */
export function namedConnection(name: string): Connection {
	const described = describeConnection(name);
	if ('sentence' in described) {
		throw new UserFacingError(described.sentence, { action: 'switchConnection' });
	}
	return described.connection;
}

/** Returns all connections of the settings, the local one first. */
export function namedConnections(): NamedConnection[] {
	return connectionNames(readSetting('errand.connections')).map(name => {
		const described = describeConnection(name);
		const { label = name, cloudUrl } = 'connection' in described ? described.connection : {};
		return { name, label, hasTasks: cloudUrl !== undefined || name === LOCAL_CONNECTION_NAME };
	});
}

/** Makes a connection the active one. If its key is missing, the user is offered to set it. */
export async function use(name: string, keys: KeysFeature): Promise<void> {
	await writeSetting('errand.connection', name);
	const described = describeConnection(name);
	if ('sentence' in described) {
		return;
	}
	const key = keys.of(described.connection, 'inference');
	if ((await key.state()) !== 'missing') {
		return;
	}
	const { service: label } = key.use;
	offer(
		vscode.l10n.t('Now using {0}. Chat requires its inference key.', label),
		vscode.l10n.t('Add Key'),
		() => key.set(),
		error => explainError(error, label),
	);
}

/** Writes a connection in addition to the others, or in place of the one of its name. */
export async function saveConnection(name: string, entry: Readonly<Fields>): Promise<void> {
	const text = JSON.stringify(entry);
	await writeEntries(
		'errand.connections',
		entries => ({ ...entries, [name]: entry }),
		entries => JSON.stringify(entries[name]) === text,
	);
}

/** Changes some fields of a connection and keeps its other fields. An undefined value removes a field. */
export async function changeConnection(name: string, changes: Readonly<Fields>): Promise<void> {
	const before = entriesOf(entriesOf(readSetting('errand.connections'))[name]);
	await saveConnection(name, defined({ ...before, ...changes }));
}

export async function removeConnection(name: string): Promise<void> {
	await writeEntries(
		'errand.connections',
		entries => ({ ...entries, [name]: undefined }),
		entries => !Object.hasOwn(entries, name),
	);
}

/** Opens the user's settings.json at the connections. */
export async function openConnectionSettings(): Promise<void> {
	await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
		revealSetting: { key: 'errand.connections', edit: false },
	});
}
