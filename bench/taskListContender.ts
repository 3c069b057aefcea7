import process from 'node:process';
import { contend, parameters } from './contender.ts';
import { openStore, PAGE, rowsOf } from './taskListPage.ts';
import type { TaskListServer } from './taskListServer.ts';

const { tasks, ...server } = parameters<TaskListServer & { tasks: number }>();

/** Returns the bytes of the heap that are in use after garbage collection. */
function held(): number {
	globalThis.gc?.();
	globalThis.gc?.();
	return process.memoryUsage().heapUsed;
}

await contend(async () => {
	const store = openStore(server);
	await store.refresh();
	const first = held();
	let half = 0;
	while (store.hasMore) {
		await store.loadMore();
		if (half === 0 && [...store.all()].length >= tasks / 2) {
			half = held();
		}
	}
	const all = held();
	// The thread's own time is measured, which excludes other load on the machine.
	const scrolls = Array.from({ length: 100 }, () => {
		const start = process.threadCpuUsage();
		rowsOf(store, PAGE);
		const { user, system } = process.threadCpuUsage(start);
		return (user + system) / 1000;
	});
	return {
		count: [...store.all()].length,
		worst: Math.max(...scrolls),
		halfBytes: half - first,
		allBytes: all - first,
	};
});
process.disconnect();
