// The services of the settings: connections, and the model servers behind the local one.
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { UserFacingError } from '../base/errors.ts';
import { type Fields, fieldsOf, isFields } from '../base/fields.ts';
import type { Logger } from '../base/logger.ts';
import { oneLine } from '../base/plainText.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { GatewayDescription } from '../contract/control.ts';
import type { FoundAnswer, FoundServer } from '../contract/foundServers.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { UpstreamHandoverInput, UpstreamSetting } from '../contract/upstreams.ts';
import { type Action, action, toSetting } from '../platform/actionList.ts';
import { explainError, offer } from '../platform/notify.ts';
import { shownText } from '../platform/pick.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { notWritten, readSetting, settingHolds, writeSetting } from '../platform/settings.ts';
import type { DescribedServers, NamedConnection } from './api.ts';
import type { KeyStore } from './keys/keyStore.ts';
import type { KeysFeature } from './keys/keysFeature.ts';
import { type KeySlot, serverKey } from './model/keyFormat.ts';
import { connectionNames, readConnection } from './model/readConnection.ts';
import { readUpstreamSettings } from './model/upstreamSettings.ts';

export type Offer = Omit<GatewayDescription, 'foundServers'>;

/** The end of a list that changes a service: it was removed, or the user goes elsewhere. */
export type ManageEnd = 'removed' | 'leave';

/** What the lists of services work on. */
export interface Services {
	keys: KeysFeature;
	/** Returns a client for a connection, which sends the keys saved for it. */
	client(connection: Connection): Promise<Client>;
	/** The local service, behind which the model servers are. */
	local: {
		/** Hands the settings over and resolves with the service's offer after that. */
		offer(): Promise<Offer>;
		/** Returns the service's last report about its model servers. */
		described(): DescribedServers;
		/** Sends the user's answer about a found server. */
		answerFoundServer(answer: FoundAnswer): Promise<void>;
	};
	/** Opens the report of a diagnosis of the connection of that name. */
	diagnose(name: string): Promise<void>;
}

/** The settings with the entries of both kinds of services. */
const SETTINGS = { connection: 'errand.connections', server: 'errand.local.upstreams' } as const;
type ServiceKind = keyof typeof SETTINGS;

export function readEntry(kind: ServiceKind, name: string): Readonly<Fields> {
	return fieldsOf(fieldsOf(readSetting(SETTINGS[kind]))[name]);
}

/**
 * Writes what `change` makes of the entry, which is empty if there is none, or removes it if the result is undefined.
 * Resolves once the change is visible here. @throws UserFacingError if the settings cannot be written.
 */
export async function changeEntry(
	kind: ServiceKind,
	name: string,
	change: (before: Readonly<Fields>) => Readonly<Fields> | undefined,
): Promise<void> {
	const id = SETTINGS[kind];
	// The entries are read again, as they may have changed while questions were answered.
	const entries: unknown = readSetting(id);
	if (!isFields(entries)) {
		throw new UserFacingError(vscode.l10n.t('The setting {0} isn’t valid. Correct it first.', id));
	}
	const entry = change(fieldsOf(entries[name]));
	try {
		await writeSetting(id, defined({ ...entries, [name]: entry }));
	} catch (error) {
		throw notWritten(error);
	}
	const text = JSON.stringify(entry);
	await settingHolds(id, value => JSON.stringify(fieldsOf(value)[name]) === text);
}

/** Writes an entry. A key is saved before it, so that the service is never asked without the key. */
export async function saveEntry(
	kind: ServiceKind,
	name: string,
	change: (before: Readonly<Fields>) => Readonly<Fields>,
	{ store, slot, key }: { store: KeyStore; slot: KeySlot; key: string | undefined },
): Promise<void> {
	const write = () => changeEntry(kind, name, change);
	await (key === undefined ? write() : store.saveWith(slot, key, write));
}

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
	const problem = oneLine(settingIssueText(read.issue, read.value));
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

/** @throws UserFacingError when the settings have no usable connection of that name; by default, the one in use. */
export function namedConnection(name = readSetting('errand.connection')): Connection {
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

/** Opens the user's settings.json at the connections. */
export async function openConnectionSettings(): Promise<void> {
	await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
		revealSetting: { key: 'errand.connections', edit: false },
	});
}

/** A model server of the settings. */
export interface OwnServer {
	slug: string;
	label: string;
	setting: UpstreamSetting;
}

export function readOwnServers(): OwnServer[] {
	const { upstreams } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	return upstreams.map(({ slug, setting }) => ({ slug, label: setting.label ?? slug, setting }));
}

export function ownServer(slug: unknown): OwnServer | undefined {
	return readOwnServers().find(server => server.slug === slug);
}

/** Returns the found servers that are in use. */
export function usedServers({ foundServers }: DescribedServers): FoundServer[] {
	return foundServers.filter(({ use }) => use === true);
}

const MAXIMUM_DETAIL = 200;

/** The entries of model servers that cannot be used, each of which leads to the setting. */
export function unusableRows(): Action<'leave'>[] {
	const { problems } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	return problems.map(({ slug, issue, entry }) =>
		action(
			'warning',
			shownText(slug),
			toSetting('errand.local.upstreams'),
			vscode.l10n.t('cannot be used'),
			issue === undefined
				? vscode.l10n.t('the name is already in use, or isn’t in lowercase letters and digits')
				: oneLine(settingIssueText(issue, entry), MAXIMUM_DETAIL),
		),
	);
}

/** Returns the model servers of the settings with their keys from the secret storage. Never rejects. */
export async function currentUpstreams(
	store: KeyStore,
	logger: Logger,
): Promise<Pick<UpstreamHandoverInput, 'upstreams' | 'findOllama'>> {
	const { upstreams, problems, findOllama } = readUpstreamSettings(readSetting('errand.local.upstreams'));
	for (const { issue } of problems) {
		const reason = issue === undefined ? 'its name' : `${issue.path.join('.')}: ${issue.message}`;
		logger.log('warn', 'an entry of errand.local.upstreams cannot be used', { reason });
	}
	const list = upstreams.map(async ({ slug, setting }) => {
		const usable = await store.usable(serverKey(slug, setting.url)).catch(() => undefined);
		return { ...setting, slug, ...defined({ key: usable?.key }) };
	});
	return { upstreams: await Promise.all(list), findOllama };
}
