import { systemClock } from '../../src/base/async.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { ActiveConnection } from '../../src/tasks/activeConnection.ts';
import { FollowedLogs } from '../../src/tasks/followedLogs.ts';
import type { KeptLogs } from '../../src/tasks/keptLog.ts';
import { TaskEnds } from '../../src/tasks/model/taskEnds.ts';
import { TaskStore } from '../../src/tasks/taskStore.ts';
import { TaskServer } from '../unit/tasks/taskServer.ts';
import { State } from './state.ts';

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

/** The followed logs of a window whose active connection is `connection`. */
export async function followedLogs(client: Client, workspaceState: State, keptLogs?: KeptLogs): Promise<FollowedLogs> {
	const active = new ActiveConnection({
		connection: () => Promise.resolve({ ...connection, isLocal: false, hasLookUps: false, agents: [] }),
		client: () => Promise.resolve(client),
	});
	await active.read();
	const store = new TaskStore(() => Promise.resolve(client), systemClock);
	return new FollowedLogs({ workspaceState, keptLogs, store, active, ends: new TaskEnds() });
}
