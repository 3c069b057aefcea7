import { Emitter, type Event } from './base/event.ts';
import type { Logger } from './base/logger.ts';
import type { MemoryStore } from './client/channel/memory.ts';
import type { Transport } from './client/core/transport.ts';
import type { Client } from './client/types.ts';
import type { Connections } from './connections/register.ts';
import type { Connection } from './contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from './contract/localConnection.ts';
import type { KeyKind } from './contract/routes.ts';
import type { Keys } from './keys/register.ts';
import type { LocalService } from './localService/register.ts';
import { editorFetch } from './platform/editorFetch.ts';

export interface ActiveClient {
	client: Client;
	connection: Connection;
}

export interface Connect {
	/** A client for the active connection, made anew when the settings change. For the local one its service is started. */
	client(): Promise<Client>;
	/** That client, and the connection that it was made for. */
	active(): Promise<ActiveClient>;
	/** The active connection, for the local one with what its service tells now. Starts that service. */
	describe(): Promise<Connection>;
	/** Of the active connection's hosts, as they are now. Starts the local service where it is that. */
	origins(): Promise<string[]>;
	/** A client for any connection that sends this key, whatever is saved. */
	clientFor(connection: Connection, key: string): Promise<Client>;
	/** Opens the way to the active connection ahead of the first request. Its failure shows with the first request. */
	warm(): void;
	/** Another connection, or other keys. */
	readonly onDidChange: Event<void>;
	dispose(): void;
}

export interface ConnectDependencies {
	connections: Connections;
	keys: Keys;
	localService: LocalService;
	/** Where what the encrypted channel has accepted is kept. */
	channelMemory: MemoryStore;
	logger: Logger;
}

/** Ties the active connection, its keys and the way to it into one client. */
export function createConnect({
	connections,
	keys,
	localService,
	channelMemory,
	logger,
}: ConnectDependencies): Connect {
	const changed = new Emitter<void>();
	let current: Promise<ActiveClient> | undefined;
	const subscriptions = [
		connections.onDidChange(() => {
			current = undefined;
			changed.fire();
		}),
		localService.onDidChange(() => {
			current = undefined;
			changed.fire();
		}),
		keys.onDidChange(() => changed.fire()),
	];

	const transportFor = async (connection: Connection): Promise<Transport> => {
		const { createFetchTransport } = await import('./client/core/fetchTransport.ts');
		const transport = createFetchTransport(editorFetch);
		return connection.name === LOCAL_CONNECTION_NAME ? localService.transport(transport) : transport;
	};

	/** Which models, prefixes and aliases the local connection has, only its service knows. */
	const described = async (connection: Connection): Promise<Connection> =>
		connection.name === LOCAL_CONNECTION_NAME ? { ...connection, ...(await localService.describe()) } : connection;

	const build = async (
		connection: Connection,
		key: (kind: KeyKind) => Promise<string | undefined>,
	): Promise<Client> => {
		const [{ createClient }, { ChannelMemory }, transport] = await Promise.all([
			import('./client/client.ts'),
			import('./client/channel/memory.ts'),
			transportFor(connection),
		]);
		const channel = { memory: new ChannelMemory(channelMemory) };
		return createClient({ connection, transport, logger, channel, keys: key });
	};

	const buildActive = async (): Promise<ActiveClient> => {
		const connection = await described(await connections.active());
		// The local transport puts the service's token in the place of this; it never leaves the window. By chance, as every
		// key is taken out of what a service says: a word would go with it.
		const local = Promise.resolve(crypto.randomUUID());
		const client = await build(connection, kind =>
			connection.name === LOCAL_CONNECTION_NAME ? local : keys.key(connection, kind),
		);
		return { client, connection };
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
		client: async () => (await active()).client,
		active,
		describe: async () => described(await connections.active()),
		async origins() {
			const connection = await connections.active();
			if (connection.name === LOCAL_CONNECTION_NAME) {
				return [await localService.origin()];
			}
			const { apiUrl, enterpriseUrl } = connection;
			return [apiUrl, enterpriseUrl].flatMap(url => (url === undefined ? [] : [new URL(url).origin]));
		},
		clientFor: (connection, key) => build(connection, async () => key),
		warm: () =>
			void warm().catch((error: Error) =>
				logger.log('debug', 'the connection could not be warmed', { reason: error.message }),
			),
		onDidChange: changed.event,
		dispose() {
			for (const subscription of subscriptions) {
				subscription.dispose();
			}
			changed.dispose();
		},
	};
}
