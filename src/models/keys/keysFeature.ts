import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { showMessage } from '../../platform/notify.ts';
import type { Keys } from '../api.ts';
import { isKeyRefusal } from '../model/keyCheck.ts';
import { connectionSecret, KEY_KINDS } from '../model/keyFormat.ts';
import { connectionKeyUse, type KeyUse } from './keyUse.ts';
import { kindLabel } from './messages.ts';
import { type KeysContext, ServiceKey } from './serviceKey.ts';

/** A service's answer about a key, with a sentence about it. */
export interface KeyAnswer {
	answer: 'accepted' | 'turned-down' | 'unknown';
	sentence: string;
}

/** The keys of all services. */
export class KeysFeature implements Omit<Keys, 'onDidChange'> {
	private readonly context: KeysContext;
	/** The open questions by name of the secret, so that two actions that need the same key ask for it once. */
	private readonly open = new Map<string, Promise<boolean>>();

	constructor(context: KeysContext) {
		this.context = context;
	}

	/** Returns the key of a connection. */
	of(connection: Connection, kind: KeyKind): ServiceKey {
		return this.for(connectionKeyUse(connection, kind));
	}

	for(use: KeyUse): ServiceKey {
		return new ServiceKey(this.context, use);
	}

	key(connection: Connection, kind: KeyKind) {
		return this.of(connection, kind).forRequest();
	}

	state(connection: Connection, kind: KeyKind) {
		return this.of(connection, kind).state();
	}

	async ensure(connection: Connection, kind: KeyKind, onAsk?: () => void): Promise<boolean> {
		const key = this.of(connection, kind);
		if ((await key.state()) !== 'missing') {
			return true;
		}
		onAsk?.();
		const { secret } = key.use.slot;
		const asking = this.open.get(secret) ?? askMissing(key).finally(() => this.open.delete(secret));
		this.open.set(secret, asking);
		return asking;
	}

	/** Asks the service whether it accepts the saved key. Rejects if there is no key that may be sent. */
	async check(connection: Connection, kind: KeyKind): Promise<KeyAnswer> {
		const asked = this.of(connection, kind);
		const key = await asked.forRequest();
		const check = key === undefined ? undefined : await asked.checkSaved(key);
		if (check === undefined) {
			throw new ClientError('no-key', 'the key was removed or replaced meanwhile', { unsent: true });
		}
		const answer = check.answer === 'accepted' ? 'accepted' : isKeyRefusal(check) ? 'turned-down' : 'unknown';
		return { answer, sentence: asked.sentenceOf(check) };
	}

	/** Removes the keys of the connection of that name, which need not be usable. */
	async removeAll(name: string): Promise<void> {
		const { store, host } = this.context;
		await Promise.all(KEY_KINDS.map(kind => store.remove({ secret: connectionSecret(name, kind) })));
		host.logger.log('info', 'keys removed', { connection: name });
	}
}

/** Asks for a key that an action of the user needs. Resolves with false if the user gave none. */
async function askMissing(asked: ServiceKey): Promise<boolean> {
	const { service, kind } = asked.use;
	const isGiven = await asked.set({ reason: vscode.l10n.t('{0} requires a key for this.', service) });
	if (!isGiven) {
		const add = vscode.l10n.t('Add Key');
		const message = vscode.l10n.t(
			'Nothing was sent: {0} requires a key for this ({1}). Add one, then try again.',
			service,
			kindLabel(kind),
		);
		void showMessage('warning', message, add).then(chosen => (chosen === add ? asked.set() : undefined));
	}
	return isGiven;
}
