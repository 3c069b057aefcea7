import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { State } from './state.ts';
import { TaskServer } from './taskServer.ts';

/** What the parts of the tasks feature are told of it. */
export const connection = { name: 'test', label: 'Test' };

/** A client of the server as the extension has it; without a key where it is empty. */
export function taskClient({ connection }: TaskServer, key = 'test'): Client {
	return createClient({
		connection,
		keys: () => Promise.resolve(key === '' ? undefined : key),
		transport: createFetchTransport((input, init) => fetch(input, init)),
	});
}

/** What each test of the tasks begins with. The server is to be stopped. */
export async function startTasks(): Promise<{ server: TaskServer; client: Client; state: State }> {
	const server = await TaskServer.start();
	return { server, client: taskClient(server), state: new State() };
}
