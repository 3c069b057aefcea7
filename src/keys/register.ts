import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Connection } from '../contract/connection.ts';
import type { KeyKind } from '../contract/routes.ts';
import { registerCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';

export interface KeysDependencies {
	secrets: vscode.SecretStorage;
	activeConnection(): Promise<Connection>;
	logger: Logger;
}

export interface Keys extends Disposable {
	/** The key for a request. Rejects with a sentence for the user when the connection's hosts changed since it was saved. */
	key(connection: Connection, kind: KeyKind): Promise<string | undefined>;
	/** In this window or in another. */
	readonly onDidChange: Event<void>;
}

export function registerKeys(dependencies: KeysDependencies): Keys {
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	store.add(
		dependencies.secrets.onDidChange(event => {
			if (event.key.startsWith('errand.key.')) {
				changed.fire();
			}
		}),
	);
	store.add(
		registerCommand(commands.manageKeys, async () => (await import('./manageKeys.ts')).manageKeys(dependencies)),
	);
	return {
		key: async (connection, kind) =>
			(await import('./manageKeys.ts')).keyForRequest(dependencies.secrets, connection, kind),
		onDidChange: changed.event,
		dispose: () => store.dispose(),
	};
}
