import { MutableDisposable } from '../base/disposable.ts';
import { keyForRequest } from './keyForRequest.ts';
import { KeyPrompts } from './keyPrompts.ts';
import { keyStateOf } from './keyState.ts';
import { KeyStore } from './keyStore.ts';
import { manageKeys } from './manageKeys.ts';
import type { Keys, KeysDependencies } from './register.ts';
import { type KeysContext, setKey } from './saveKey.ts';

export interface KeysFeature extends Pick<Keys, 'key' | 'state' | 'ensure' | 'set'> {
	manage(): Promise<void>;
	/** A secret of that name was written, here or in another window. */
	secretChanged(name: string): Promise<void>;
}

export function createKeysFeature(dependencies: KeysDependencies, changed: () => void): KeysFeature {
	const { secrets, client, logger } = dependencies;
	const store = new KeyStore(secrets, changed);
	const context: KeysContext = { store, client, logger, note: new MutableDisposable() };
	const prompts = new KeyPrompts(context);
	return {
		key: (connection, kind) => keyForRequest(store, connection, kind),
		state: (connection, kind) => keyStateOf(store, connection, kind),
		ensure: (connection, kind, onAsk) => prompts.ensure(connection, kind, onAsk),
		set: (connection, kind) => setKey(context, connection, kind),
		manage: () => manageKeys(context, dependencies),
		secretChanged: name => store.secretChanged(name),
	};
}
