import { DisposableStore } from './base/disposable.ts';
import { Emitter } from './base/event.ts';
import type { Logger } from './base/logger.ts';
import type { ChannelMemory, MemoryStore } from './client/channel/memory.ts';
import type { Transport } from './client/core/transport.ts';
import type { Client } from './client/types.ts';
import type { Connection } from './contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from './contract/localConnection.ts';
import type { KeyKind } from './contract/routes.ts';
import type { LocalService } from './localService/api.ts';
import type { Keys, Models } from './models/api.ts';
import { editorFetch } from './platform/editorFetch.ts';

interface ActiveClient {
	client: Client;
	connection: Connection;
	/** The connection's name for the user. */
	label: string;
	isLocal: boolean;
}

export interface ConnectDependencies {
	connections: Pick<Models, 'active' | 'onDidChange'>;
	keys: Keys;
	localService: LocalService;
	/** The storage of the encrypted channel for accepted attestations. */
	channelMemory: MemoryStore;
	/** Returns the chat model that the settings name; empty if they name none. */
	chosenModel(): string;
	logger: Logger;
}

/** Combines the active connection, its keys and its transport into one client. */
export function createConnect({
	connections,
	keys,
	localService,
	channelMemory,
	chosenModel,
	logger,
}: ConnectDependencies) {
	/** One for all clients, as some of it lasts as long as the window. */
	let memory: ChannelMemory | undefined;
	const store = new DisposableStore();
	const changed = store.add(new Emitter<void>());
	const learned = store.add(new Emitter<void>());
	/** The last known models and providers. */
	let known: string | undefined;
	let current: Promise<ActiveClient> | undefined;
	const begin = (): void => {
		current = undefined;
		changed.fire();
	};
	store.add(connections.onDidChange(begin));
	store.add(localService.onDidChange(begin));
	store.add(keys.onDidChange(() => changed.fire()));

	const transportFor = async (connection: Connection): Promise<Transport> => {
		const { createFetchTransport } = await import('./client/core/fetchTransport.ts');
		const transport = createFetchTransport(editorFetch);
		return connection.name === LOCAL_CONNECTION_NAME ? localService.transport(transport) : transport;
	};

	/** Returns the active connection with the models, prefixes and aliases that only the local service knows. */
	const describeActive = async (): Promise<Connection> => {
		const connection = await connections.active();
		const described =
			connection.name === LOCAL_CONNECTION_NAME ? { ...connection, ...(await localService.describe()) } : connection;
		const { name, models, providers } = described;
		const now = JSON.stringify([name, models, providers]);
		if (now !== known) {
			known = now;
			learned.fire();
		}
		return described;
	};

	const build = async (
		connection: Connection,
		key: (kind: KeyKind) => Promise<string | undefined>,
	): Promise<Client> => {
		const [{ createClient }, { ChannelMemory }, transport] = await Promise.all([
			import('./client/client.ts'),
			import('./client/channel/memory.ts'),
			transportFor(connection),
		]);
		memory ??= new ChannelMemory(channelMemory);
		return createClient({ connection, transport, logger, channel: { memory }, keys: key });
	};

	const buildWithKeys = (connection: Connection): Promise<Client> => {
		// The local transport replaces this value by the service's token, so it never leaves the window. It is random
		// because every key is removed from a service's messages, and a word would be removed as well.
		const local = Promise.resolve(crypto.randomUUID());
		return build(connection, kind => (connection.name === LOCAL_CONNECTION_NAME ? local : keys.key(connection, kind)));
	};

	const buildActive = async (): Promise<ActiveClient> => {
		const connection = await describeActive();
		const { name, label = name } = connection;
		return { client: await buildWithKeys(connection), connection, label, isLocal: name === LOCAL_CONNECTION_NAME };
	};

	const active = (): Promise<ActiveClient> => {
		const building = current ?? buildActive();
		current = building;
		building.catch(() => {
			if (current === building) {
				current = undefined;
			}
		});
		return building;
	};

	const warm = async (): Promise<void> => {
		const connection = await connections.active();
		if (connection.name === LOCAL_CONNECTION_NAME) {
			await localService.warm();
			return;
		}
		const [{ warmUp }, transport] = await Promise.all([import('./client/warmUp.ts'), transportFor(connection)]);
		await warmUp(connection, transport);
	};

	return {
		/**
		 * Returns a client for the active connection, which is recreated when the settings change. Starts the local service
		 * for the local connection.
		 */
		client: async () => (await active()).client,
		/** Returns that client and its connection. */
		active,
		/**
		 * Returns the active connection; for the local one, including its service's present report. Starts that service.
		 */
		describe: describeActive,
		/**
		 * Returns the active connection in the terms of the chat. `model` is that of the settings, or else the connection's
		 * first one: for the local connection that of a model server before the demo, as far as the service has reported
		 * it. `isDemo`: only the demo answers there.
		 */
		async ofChat() {
			const { name, label = name, models } = await connections.active();
			const offered = name === LOCAL_CONNECTION_NAME ? localService.defaultModel() : undefined;
			const first = offered ?? models.find(({ kinds }) => kinds.includes('chat'))?.id;
			const isDemo = name === LOCAL_CONNECTION_NAME && offered === undefined;
			return { name, label, model: chosenModel() || first, isDemo };
		},
		/** Returns the facts about the active connection that tasks need. */
		async ofTasks() {
			const { name, label = name, scm, agents, dashboardUrl } = await connections.active();
			const isLocal = name === LOCAL_CONNECTION_NAME;
			return { name, label, isLocal, hasLookUps: !isLocal && scm !== undefined, agents, dashboardUrl };
		},
		/**
		 * Asks for the key of the active connection if it is missing. Resolves with false if there is still none, which the
		 * user was told. A problem with the connection is reported by the request itself.
		 */
		async ensureKey(kind: KeyKind, onAsk?: () => void): Promise<boolean> {
			const connection = await connections.active().catch(() => undefined);
			return connection === undefined || keys.ensure(connection, kind, onAsk);
		},
		/** Returns the current origins of its hosts. Starts the local service for the local connection. */
		async origins(): Promise<string[]> {
			const connection = await connections.active();
			if (connection.name === LOCAL_CONNECTION_NAME) {
				return [await localService.origin()];
			}
			const { apiUrl, enterpriseUrl } = connection;
			return [apiUrl, enterpriseUrl].flatMap(url => (url === undefined ? [] : [new URL(url).origin]));
		},
		/** Returns a client for any connection that sends the keys saved for it. Starts the local service for its own. */
		clientOf: buildWithKeys,
		/** Opens a connection ahead of the first request. A failure shows with the first request. */
		warm: () =>
			void warm().catch((error: Error) =>
				logger.log('debug', 'the connection could not be warmed', { reason: error.message }),
			),
		/** Fires when another connection becomes active or keys have changed. */
		onDidChange: changed.event,
		/** Fires when the active connection's models have changed, and when they are first known. */
		onDidLearnModels: learned.event,
		dispose: () => store.dispose(),
	};
}
