import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import type { KeysDependencies, KeysFeature } from './keysFeature.ts';
import { SECRET_PREFIX } from './model/keyFormat.ts';

export interface Keys
	extends Disposable,
		Pick<KeysFeature, 'key' | 'state' | 'ensure' | 'set' | 'save' | 'removeAll' | 'check'> {
	formOf(...of: Parameters<KeysFeature['formOf']>): Promise<ReturnType<KeysFeature['formOf']>>;
	label(kind: KeyKind): Promise<string>;
	/** Fires when a key has changed, in this or in another window. */
	readonly onDidChange: Event<void>;
}

export function registerKeys(dependencies: KeysDependencies): Keys {
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	let loaded: Promise<KeysFeature> | undefined;
	const feature = (): Promise<KeysFeature> => {
		loaded ??= import('./keysFeature.ts').then(({ createKeysFeature }) =>
			createKeysFeature(dependencies, () => changed.fire()),
		);
		return loaded;
	};
	store.add(
		dependencies.secrets.onDidChange(({ key }) => {
			if (key.startsWith(SECRET_PREFIX)) {
				feature()
					.then(keys => keys.secretChanged(key))
					.catch((error: unknown) =>
						dependencies.logger.log('warn', 'a changed key cannot be read', { reason: describeError(error) }),
					);
			}
		}),
	);
	store.add(registerCommand(commands.manageKeys, async () => (await feature()).manage()));
	return {
		key: async (connection, kind) => (await feature()).key(connection, kind),
		state: async (connection, kind) => (await feature()).state(connection, kind),
		ensure: async (connection, kind, onAsk) =>
			// The local connection never needs a key, so nothing is loaded for it.
			connection.name === LOCAL_CONNECTION_NAME || (await feature()).ensure(connection, kind, onAsk),
		set: async (connection, kind) => (await feature()).set(connection, kind),
		save: async (connection, kind, key) => (await feature()).save(connection, kind, key),
		removeAll: async connection => (await feature()).removeAll(connection),
		check: async (connection, kind) => (await feature()).check(connection, kind),
		formOf: async (connection, kind) => (await feature()).formOf(connection, kind),
		label: async kind => (await feature()).label(kind),
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}
