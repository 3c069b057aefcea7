import * as vscode from 'vscode';
import { systemClock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import { createFetchTransport } from '../../client/core/fetchTransport.ts';
import type { Connection } from '../../contract/connection.ts';
import type { KeyKind } from '../../contract/routes.ts';
import { editorFetch } from '../../platform/editorFetch.ts';
import { showMessage } from '../../platform/notify.ts';
import type { Keys } from '../api.ts';
import type { HostContext } from '../hosts/askHost.ts';
import { connectionSecret, KEY_KINDS } from '../model/keyFormat.ts';
import type { KeyStore } from './keyStore.ts';
import { connectionKeyUse, type KeyUse } from './keyUse.ts';
import { kindLabel } from './messages.ts';
import { type KeysContext, ServiceKey } from './serviceKey.ts';

/** Hosts are asked through the editor's own fetch, which knows the user's proxy and certificates. */
export function hostContext(logger: Logger): HostContext {
	return { transport: createFetchTransport(editorFetch), logger, clock: systemClock };
}

export class KeysFeature implements Omit<Keys, 'onDidChange'> {
	readonly store: KeyStore;
	/** The parts that asking a host takes. */
	readonly host: HostContext;
	/** The open questions by name of the secret, so that two actions that need the same key ask for it once. */
	private readonly open = new Map<string, Promise<boolean>>();

	constructor({ store, host }: KeysContext) {
		this.store = store;
		this.host = host;
	}

	of(connection: Connection, kind: KeyKind): ServiceKey {
		return this.for(connectionKeyUse(connection, kind));
	}

	for(use: KeyUse): ServiceKey {
		return new ServiceKey(this, use);
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

	/** Removes the keys of the connection of that name, which need not be usable. */
	async removeAll(name: string): Promise<void> {
		await Promise.all(KEY_KINDS.map(kind => this.store.remove({ secret: connectionSecret(name, kind) })));
		this.host.logger.log('info', 'keys removed', { connection: name });
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
