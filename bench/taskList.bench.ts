import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startEditor } from '../test/support/editor.ts';
import { type Measured, measure, withServer } from './freshProcess.ts';
import { bundleProbe, emptyExtension, measureInHost } from './hostProbe.ts';
import { type BenchRow, median } from './row.ts';
import type { FirstPage } from './taskListPage.ts';
import type { TaskListServer } from './taskListServer.ts';

const ROUNDS = 5;
const TASKS = 10_000;
const COUNT = TASKS.toLocaleString('en');

/** Measures goal 13, with the local service and this number of tasks in its database. */
export function rows(): Promise<BenchRow[]> {
	return withServer('taskListServer.ts', { tasks: TASKS }, async (server: TaskListServer) => [
		await firstPageInHost(server),
		...(await growth(server)),
	]);
}

async function firstPageInHost(server: TaskListServer): Promise<BenchRow> {
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-'));
	const probe = await bundleProbe('taskListProbe.ts', scratch);
	const env = { ERRAND_BENCH_SERVER: JSON.stringify(server) };
	const editor = await startEditor({ extension: emptyExtension(scratch), extensionTests: probe, env });
	try {
		const runs: FirstPage[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			runs.push(await measureInHost<FirstPage>(editor));
		}
		const of = (name: keyof FirstPage) => median(runs.map(run => run[name]));
		const ratio = of('first') / of('bare');
		return {
			goal: '13',
			what: `first page of the task tree from the local service with ${COUNT} tasks, grouped and described, in a real extension host`,
			ours: `${of('first').toFixed(2)} ms`,
			peers: `bare request and JSON ${of('bare').toFixed(2)} ms = 1`,
			ratio: ratio.toFixed(2),
			met: ratio <= 1.2 ? 'yes' : 'no',
		};
	} finally {
		await editor.stop();
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

async function growth(server: TaskListServer): Promise<BenchRow[]> {
	const runs: Measured[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		runs.push(await measure('taskListContender.ts', { ...server, tasks: TASKS }));
	}
	const of = (name: string) => median(runs.map(run => run[name] ?? Number.NaN));
	const worst = of('worst');
	const ratio = of('allBytes') / of('halfBytes');
	return [
		{
			goal: '13',
			what: `grouping ${COUNT} opened tasks and describing those in sight, worst of 100, CPU`,
			ours: `${worst.toFixed(0)} ms`,
			peers: 'one long task of a page: 50 ms',
			ratio: (worst / 50).toFixed(2),
			met: of('count') === TASKS && worst <= 50 ? 'yes' : 'no',
		},
		{
			goal: '13',
			what: `memory with all ${COUNT} tasks opened, over half of them`,
			ours: `${(of('allBytes') / 2 ** 20).toFixed(1)} MB`,
			peers: `half ${(of('halfBytes') / 2 ** 20).toFixed(1)} MB`,
			ratio: ratio.toFixed(2),
			// Twice the pages may take twice the memory, so nothing else may be held.
			met: ratio <= 2.2 ? 'yes' : 'no',
		},
	];
}
