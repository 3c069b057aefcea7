import type { Disposable } from '../base/disposable.ts';
import { DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Connection } from '../contract/connection.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import type { ConnectionKeys } from './connections.ts';

export interface Connections extends Disposable {
	/**
	 * Returns the connection that the settings name.
	 * @throws UserFacingError when they name no usable connection.
	 */
	active(): Promise<Connection>;
	readonly onDidChange: Event<void>;
}

export function registerConnections(keys: ConnectionKeys): Connections {
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	store.add(onDidChangeSetting(['errand.connection', 'errand.connections'], () => changed.fire()));
	store.add(
		registerCommand(commands.switchConnection, async () => (await import('./connections.ts')).switchConnection(keys)),
	);
	store.add(
		registerCommand(commands.addConnection, async () => (await import('./addConnection.ts')).addConnection(keys)),
	);
	return {
		active: async () => (await import('./connections.ts')).activeConnection(),
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}
