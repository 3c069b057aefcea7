// Computes the rows of the task tree without the editor's own drawing, and loads the list in the simplest possible way
// for comparison.
import { systemClock } from '../src/base/async.ts';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { TaskListStore } from '../src/tasks/list/taskListStore.ts';
import { groupTasks } from '../src/tasks/model/taskGroups.ts';
import { describeTask } from '../src/tasks/model/taskRow.ts';
import { rowWords } from '../test/support/rowWords.ts';
import { median } from './row.ts';
import type { TaskListServer } from './taskListServer.ts';

export const PAGE = 50;
const REQUESTS = 500;
/** The number of unmeasured requests, until the runtime has compiled both contenders. */
const WARM = 500;

export function openStore({ address, token }: TaskListServer): TaskListStore {
	const client = createClient({
		connection: { name: 'bench', ...connectionSchema.parse({ apiUrl: address, cloudUrl: address, service: 'bench' }) },
		keys: () => Promise.resolve(token),
		transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
	});
	return new TaskListStore(() => Promise.resolve(client), systemClock);
}

/** Groups every task and describes those in view, because the editor asks for no others. */
export function rowsOf(store: TaskListStore, inSight: number): number {
	const groups = groupTasks(store.shown(), Date.now(), () => false);
	for (const task of groups.flatMap(group => group.tasks).slice(0, inSight)) {
		describeTask(task, { now: Date.now(), follow: undefined, isStopping: false }, rowWords);
	}
	return groups.length;
}

export interface FirstPage {
	/** The milliseconds for a request and the parsing of its JSON, and nothing else. */
	bare: number;
	/** The milliseconds for the page as the tree shows it. */
	first: number;
}

/** Measures both in turn. */
export async function firstPage(server: TaskListServer, store: TaskListStore): Promise<FirstPage> {
	const headers = { authorization: `Bearer ${server.token}`, accept: 'application/json' };
	const bare = async () => {
		await (await globalThis.fetch(`${server.address}/api/tasks?limit=${PAGE}&offset=0`, { headers })).json();
	};
	const first = async () => {
		await store.refresh();
		rowsOf(store, PAGE);
	};
	const times: [number[], number[]] = [[], []];
	for (let request = 0; request < REQUESTS + WARM; request++) {
		for (const [index, run] of [bare, first].entries()) {
			const start = performance.now();
			await run();
			if (request >= WARM) {
				times[index]?.push(performance.now() - start);
			}
		}
	}
	return { bare: median(times[0]), first: median(times[1]) };
}
