import type { Disposable } from '../base/disposable.ts';
import { DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Connection } from '../contract/connection.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands, internalCommands } from '../platform/ids.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import type { NamedConnection } from './connections.ts';
import type { ConnectionsFeature } from './connectionsFeature.ts';
import type { ConnectionsDependencies } from './model/connectionsDependencies.ts';

export interface Connections extends Disposable {
	/**
	 * Returns the connection that the settings name.
	 * @throws UserFacingError when they name no usable connection.
	 */
	active(): Promise<Connection>;
	/** Returns all connections of the settings, the local one first. */
	all(): Promise<NamedConnection[]>;
	readonly onDidChange: Event<void>;
}

export function registerConnections(dependencies: ConnectionsDependencies): Connections {
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	let loaded: Promise<ConnectionsFeature> | undefined;
	const feature = () => {
		loaded ??= import('./connectionsFeature.ts').then(({ ConnectionsFeature }) => new ConnectionsFeature(dependencies));
		return loaded;
	};
	store.add(onDidChangeSetting(['errand.connection', 'errand.connections'], () => changed.fire()));
	store.add(
		registerCommand(commands.switchConnection, async () =>
			(await import('./connections.ts')).switchConnection(dependencies.keys, async name =>
				(await feature()).manage(name),
			),
		),
	);
	store.add(registerCommand(internalCommands.addConnection, async () => (await feature()).add()));
	store.add(registerCommand(commands.diagnoseConnection, async () => (await feature()).diagnose()));
	return {
		active: async () => (await import('./connections.ts')).activeConnection(),
		all: async () => (await import('./connections.ts')).namedConnections(),
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}
