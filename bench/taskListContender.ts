import process from 'node:process';
import { systemClock } from '../src/base/async.ts';
import { createClient } from '../src/client/client.ts';
import { createFetchTransport } from '../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../src/contract/connection.ts';
import { groupTasks } from '../src/tasks/model/taskGroups.ts';
import { describeTask, type RowWords } from '../src/tasks/model/taskRow.ts';
import { TaskStore } from '../src/tasks/taskStore.ts';
import { contend, parameters } from './contender.ts';

const { address, token, tasks } = parameters<{ address: string; token: string; tasks: number }>();
const REQUESTS = 500;
/** Until the runtime has compiled both. */
const WARM = 500;
const PAGE = 50;

const words: RowWords = {
	untitled: 'Untitled',
	queued: 'queued',
	running: 'running',
	saving: 'saving',
	stopping: 'stopping',
	percent: progress => `${progress} %`,
	outcome: kind => kind,
	changes: (added, removed, files) => `+${added} −${removed} in ${files} files`,
	pullRequest: number => `PR ${number}`,
	age: milliseconds => `${Math.floor(milliseconds / 60_000)} min`,
	follow: state => state.kind,
};

const client = createClient({
	connection: { name: 'bench', ...connectionSchema.parse({ apiUrl: address, cloudUrl: address, service: 'bench' }) },
	keys: () => Promise.resolve(token),
	transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
});

/** A request and its JSON, nothing else. */
async function bare(): Promise<void> {
	const response = await fetch(`${address}/api/tasks?limit=${PAGE}&offset=0`, {
		headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
	});
	await response.json();
}

/** The first page as the tree shows it. */
async function firstPage(store: TaskStore): Promise<void> {
	await store.refresh();
	rowsOf(store, PAGE);
}

/** Groups every task and describes the rows that are in sight: the editor asks for no others. */
function rowsOf(store: TaskStore, inSight: number): number {
	const groups = groupTasks(store.shown(), Date.now(), () => false);
	for (const task of groups.flatMap(group => group.tasks).slice(0, inSight)) {
		describeTask(task, { now: Date.now(), follow: undefined, isStopping: false }, words);
	}
	return groups.length;
}

const median = (values: number[]) => values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** In bytes, of what is held. */
function held(): number {
	globalThis.gc?.();
	globalThis.gc?.();
	return process.memoryUsage().heapUsed;
}

await contend(async () => {
	const store = new TaskStore(() => Promise.resolve(client), systemClock);
	const times: [number[], number[]] = [[], []];
	for (let request = 0; request < REQUESTS + WARM; request++) {
		for (const [index, run] of [bare, () => firstPage(store)].entries()) {
			const start = performance.now();
			await run();
			if (request >= WARM) {
				times[index]?.push(performance.now() - start);
			}
		}
	}
	const first = held();
	let half = 0;
	while (store.hasMore) {
		await store.loadMore();
		if (half === 0 && [...store.all()].length >= tasks / 2) {
			half = held();
		}
	}
	const all = held();
	// What else the machine does is no time of this thread's.
	const scrolls = Array.from({ length: 100 }, () => {
		const start = process.threadCpuUsage();
		rowsOf(store, PAGE);
		const { user, system } = process.threadCpuUsage(start);
		return (user + system) / 1000;
	});
	return {
		count: [...store.all()].length,
		bare: median(times[0]),
		first: median(times[1]),
		worst: Math.max(...scrolls),
		firstBytes: first,
		halfBytes: half - first,
		allBytes: all - first,
	};
});
process.disconnect();
