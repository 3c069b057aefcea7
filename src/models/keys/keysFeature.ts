import * as vscode from 'vscode';
import { MutableDisposable } from '../../base/disposable.ts';
import { ClientError, UserFacingError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { showMessage } from '../../platform/notify.ts';
import type { KeyState, Keys } from '../api.ts';
import { isKeyRefusal } from '../model/keyCheck.ts';
import { connectionKey, connectionSecret, isSavedFor, KEY_KINDS } from '../model/keyFormat.ts';
import { askForKey } from './askForKey.ts';
import type { KeyStore } from './keyStore.ts';
import { type ManageKeysDependencies, manageKeys } from './manageKeys.ts';
import { answerSentence, connectionLabel, kindLabel } from './messages.ts';
import { checkSaved, type KeysContext, saveKey, setKey } from './saveKey.ts';

/** The dependencies for asking for, checking and storing keys. */
export interface KeysDependencies extends ManageKeysDependencies {
	store: KeyStore;
	/** Creates a client for the connection that sends this key. */
	client(connection: Connection, key: string): Promise<Client>;
	logger: Logger;
}

/** A service's answer about a key, with a sentence about it. */
export interface KeyAnswer {
	answer: 'accepted' | 'turned-down' | 'unknown';
	sentence: string;
}

export interface KeysFeature extends Pick<Keys, 'key' | 'state' | 'ensure'> {
	/** Asks for a key and saves it. */
	set(connection: Connection, kind: KeyKind): Promise<void>;
	/** Stores a key that was checked elsewhere, for the origins of this connection. */
	save(connection: Connection, kind: KeyKind, key: string): Promise<void>;
	/** Removes the keys of the connection of that name, which need not be usable. */
	removeAll(name: string): Promise<void>;
	/** Asks the service whether it accepts the saved key. */
	check(connection: Connection, kind: KeyKind): Promise<KeyAnswer>;
	manage(): Promise<void>;
}

export function createKeysFeature(dependencies: KeysDependencies): KeysFeature {
	const { store, client, logger } = dependencies;
	const context: KeysContext = { store, client, logger, note: new MutableDisposable() };
	const prompts = new KeyPrompts(context);
	return {
		key: (connection, kind) => keyForRequest(store, connection, kind),
		state: (connection, kind) => keyStateOf(store, connection, kind),
		ensure: (connection, kind, onAsk) => prompts.ensure(connection, kind, onAsk),
		set: (connection, kind) => setKey(context, connection, kind),
		save: (connection, kind, key) => saveKey(context, connection, kind, key),
		async removeAll(name) {
			await Promise.all(KEY_KINDS.map(kind => store.remove({ secret: connectionSecret(name, kind) })));
			logger.log('info', 'keys removed', { connection: name });
		},
		check: (connection, kind) => checkUsable(context, connection, kind),
		manage: () => manageKeys(context, dependencies),
	};
}

async function keyStateOf(store: KeyStore, connection: Connection, kind: KeyKind): Promise<KeyState> {
	const slot = connectionKey(connection, kind);
	if (connection.name === LOCAL_CONNECTION_NAME || slot.origins.length === 0) {
		return 'not-needed';
	}
	const stored = await store.read(slot);
	if (!stored) {
		return 'missing';
	}
	return isSavedFor(stored.origins, slot.origins) ? 'set' : 'unconfirmed';
}

/**
 * Returns the key for a request, or undefined if none is stored.
 * @throws UserFacingError when the key was saved for other hosts.
 */
async function keyForRequest(store: KeyStore, connection: Connection, kind: KeyKind): Promise<string | undefined> {
	const { key, mustBeConfirmed } = await store.usable(connectionKey(connection, kind));
	if (mustBeConfirmed) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The addresses of {0} have changed since its key was saved, so the key wasn’t sent. Confirm it with “Errand: Manage Keys”.',
				connectionLabel(connection),
			),
			{ action: 'manageKeys' },
		);
	}
	return key;
}

/** Throws if there is no key that may be sent. */
async function checkUsable(context: KeysContext, connection: Connection, kind: KeyKind): Promise<KeyAnswer> {
	const key = await keyForRequest(context.store, connection, kind);
	const check = key === undefined ? undefined : await checkSaved(context, connection, kind, key);
	if (check === undefined) {
		throw new ClientError('no-key', 'the key was removed or replaced meanwhile', { unsent: true });
	}
	const answer = check.answer === 'accepted' ? 'accepted' : isKeyRefusal(check) ? 'turned-down' : 'unknown';
	return { answer, sentence: answerSentence(check, kind, connection) };
}

/** Asks for missing keys when an action of the user needs them. */
class KeyPrompts {
	private readonly context: KeysContext;
	/** The open questions by name of the secret, so that two actions that need the same key ask for it once. */
	private readonly open = new Map<string, Promise<boolean>>();

	constructor(context: KeysContext) {
		this.context = context;
	}

	/**
	 * Asks for the key if it is missing. Resolves with false if the user gave none, which a notification then says.
	 * `onAsk` is called when the question is shown.
	 */
	async ensure(connection: Connection, kind: KeyKind, onAsk?: () => void): Promise<boolean> {
		if ((await keyStateOf(this.context.store, connection, kind)) !== 'missing') {
			return true;
		}
		onAsk?.();
		const { secret: name } = connectionKey(connection, kind);
		const asking = this.open.get(name) ?? this.ask(connection, kind).finally(() => this.open.delete(name));
		this.open.set(name, asking);
		return asking;
	}

	private async ask(connection: Connection, kind: KeyKind): Promise<boolean> {
		const key = await askForKey({
			connection,
			kind,
			reason: vscode.l10n.t('{0} requires a key for this.', connectionLabel(connection)),
		});
		if (key === undefined) {
			void this.sayMissing(connection, kind);
			return false;
		}
		await saveKey(this.context, connection, kind, key);
		// The check runs silently: the request that needs the key follows at once and reports a refused key itself.
		void checkSaved(this.context, connection, kind, key);
		return true;
	}

	private async sayMissing(connection: Connection, kind: KeyKind): Promise<void> {
		const add = vscode.l10n.t('Add Key');
		const message = vscode.l10n.t(
			'Nothing was sent: {0} requires a key for this ({1}). Add one, then try again.',
			connectionLabel(connection),
			kindLabel(kind),
		);
		if ((await showMessage('warning', message, add)) === add) {
			await setKey(this.context, connection, kind);
		}
	}
}
