import { type Client, createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { TaskServer } from '../unit/tasks/taskServer.ts';

/** A client of the server as the extension has it; without a key where it is empty. */
export function taskClient({ connection }: TaskServer, key = 'test'): Client {
	return createClient({
		connection,
		keys: () => Promise.resolve(key === '' ? undefined : key),
		transport: createFetchTransport((input, init) => fetch(input, init)),
	});
}
