import { type Measured, measure, withServer } from './freshProcess.ts';
import { type BenchRow, median } from './row.ts';
import type { TaskListServer } from './taskListServer.ts';

const ROUNDS = 3;
const TASKS = 10_000;

/** Goal 13: the rows of the task tree without the editor's own drawing, over the host's kind of fetch, from the local service. */
export async function rows(): Promise<BenchRow[]> {
	const runs = await withServer('taskListServer.ts', { tasks: TASKS }, async (server: TaskListServer) => {
		const results: Measured[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			results.push(await measure('taskListContender.ts', { ...server, tasks: TASKS }));
		}
		return results;
	});
	const of = (name: string) => median(runs.map(run => run[name] ?? Number.NaN));
	const count = of('count');
	const ratio = of('first') / of('bare');
	const worst = of('worst');
	const growth = of('allBytes') / of('halfBytes');
	const tasks = TASKS.toLocaleString('en');
	return [
		{
			goal: '13',
			what: `first page of the task tree from the local service with ${tasks} tasks, grouped and described`,
			ours: `${of('first').toFixed(2)} ms`,
			peers: `bare request and JSON ${of('bare').toFixed(2)} ms = 1`,
			ratio: ratio.toFixed(2),
			met: ratio <= 1.2 ? 'yes' : 'no',
		},
		{
			goal: '13',
			what: `grouping ${tasks} opened tasks and describing those in sight, worst of 100, CPU`,
			ours: `${worst.toFixed(0)} ms`,
			peers: 'one long task of a page: 50 ms',
			ratio: (worst / 50).toFixed(2),
			met: count === TASKS && worst <= 50 ? 'yes' : 'no',
		},
		{
			goal: '13',
			what: `memory with all ${tasks} tasks opened, over half of them`,
			ours: `${(of('allBytes') / 2 ** 20).toFixed(1)} MB`,
			peers: `half ${(of('halfBytes') / 2 ** 20).toFixed(1)} MB`,
			ratio: growth.toFixed(2),
			// Twice the pages, twice the memory: nothing is held beside them.
			met: growth <= 2.2 ? 'yes' : 'no',
		},
	];
}
