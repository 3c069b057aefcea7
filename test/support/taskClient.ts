import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { State } from './state.ts';
import { TaskServer } from './taskServer.ts';

/** The connection as the parts of the tasks feature see it. */
export const connection = { name: 'test', label: 'Test' };

/** Creates a client of the server like the extension's; an empty `key` means none. */
export function taskClient({ connection }: TaskServer, key = 'test'): Client {
	return createClient({
		connection,
		keys: () => Promise.resolve(key === '' ? undefined : key),
		transport: createFetchTransport((input, init) => fetch(input, init)),
	});
}

/** Starts the things that every test of the tasks needs. The test must stop the server. */
export async function startTasks(): Promise<{ server: TaskServer; client: Client; state: State }> {
	const server = await TaskServer.start();
	return { server, client: taskClient(server), state: new State() };
}
