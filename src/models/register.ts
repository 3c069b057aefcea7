import { onFirstUse } from '../base/async.ts';
import { DisposableStore } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands, internalCommands } from '../platform/ids.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import type { Models } from './api.ts';
import { SECRET_PREFIX, SERVER_SECRET_PREFIX } from './model/keyFormat.ts';
import type { ModelsDependencies, ModelsFeature } from './modelsFeature.ts';

/**
 * Registers the commands and the listeners that are needed from the start. The rest is loaded when it is first used.
 */
export function registerModels(dependencies: ModelsDependencies): Models {
	const { secrets, logger } = dependencies;
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	const keysChanged = store.add(new Emitter<void>());
	const upstreamsChanged = store.add(new Emitter<void>());
	let loaded: Promise<ModelsFeature> | undefined;

	const keysFeature = onFirstUse(async () => {
		const [{ hostContext, KeysFeature }, { KeyStore }] = await Promise.all([
			import('./keys/keysFeature.ts'),
			import('./keys/keyStore.ts'),
		]);
		const keyStore = new KeyStore(secrets, secret =>
			(secret.startsWith(SERVER_SECRET_PREFIX) ? upstreamsChanged : keysChanged).fire(),
		);
		return new KeysFeature({ store: keyStore, host: hostContext(logger) });
	});
	const load = async () => {
		const [{ ModelsFeature }, keys] = await Promise.all([import('./modelsFeature.ts'), keysFeature()]);
		return new ModelsFeature(dependencies, keys);
	};
	const feature = () => {
		loaded ??= load();
		return loaded;
	};

	store.add(onDidChangeSetting(['errand.connection', 'errand.connections'], () => changed.fire()));
	store.add(onDidChangeSetting(['errand.local.upstreams'], () => upstreamsChanged.fire()));
	store.add(
		secrets.onDidChange(({ key }) => {
			if (key.startsWith(SECRET_PREFIX) || key.startsWith(SERVER_SECRET_PREFIX)) {
				keysFeature()
					.then(keys => keys.store.secretChanged(key))
					.catch((error: unknown) =>
						logger.log('warn', 'a changed key cannot be read', { reason: describeError(error) }),
					);
			}
		}),
	);
	store.add(registerCommand(commands.switchConnection, async () => (await feature()).showServices()));
	store.add(registerCommand(commands.manageKeys, async () => (await feature()).manageKeys()));
	store.add(registerCommand(internalCommands.changeServerKey, async slug => (await feature()).changeServerKey(slug)));
	return {
		keys: {
			key: async (connection, kind) => (await keysFeature()).key(connection, kind),
			state: async (connection, kind) => (await keysFeature()).state(connection, kind),
			ensure: async (connection, kind, onAsk) =>
				// The local connection never needs a key, so nothing is loaded for it.
				connection.name === LOCAL_CONNECTION_NAME || (await keysFeature()).ensure(connection, kind, onAsk),
			onDidChange: keysChanged.event,
		},
		active: async () => (await import('./services.ts')).namedConnection(),
		all: async () => (await import('./services.ts')).namedConnections(),
		onDidChange: changed.event,
		async upstreams() {
			const [{ currentUpstreams }, keys] = await Promise.all([import('./services.ts'), keysFeature()]);
			return currentUpstreams(keys.store, logger);
		},
		onDidChangeUpstreams: upstreamsChanged.event,
		noteDescription: described => void feature().then(models => models.noteDescription(described)),
		unusedServers: async () => (await loaded)?.unusedServers() ?? [],
		addService: async slug => (await feature()).addService(slug),
		dispose: () => store.dispose(),
	};
}
