// Runs inside the extension host, where starting git takes as long as it does for the extension.
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { resultsOf } from '../src/contract/taskResults.ts';
import { taskSchema } from '../src/contract/tasks.ts';
import { getGitApi } from '../src/platform/git.ts';
import { ResultRows } from '../src/tasks/results/resultRows.ts';
import { TaskChanges } from '../src/tasks/results/taskChanges.ts';
import { TaskSteps } from '../src/tasks/results/taskSteps.ts';
import { median } from './row.ts';
import { watchDelay } from './watchDelay.ts';

const ROUNDS = 15;

/** All times are in milliseconds. */
export interface UnfoldedChanges {
	/** The time from the click to the items of the first rows. */
	unfolded: number;
	/** The time from the click to the line counts of all files. */
	counted: number;
	byHand: number;
	/** The longest wait of anything else, even while lines were counted. */
	longest: number;
	rows: number;
	files: number;
}

const runProgram = promisify(execFile);

async function unfold(): Promise<UnfoldedChanges> {
	const { folder, start, branch } = JSON.parse(process.env['ERRAND_BENCH_TASK'] ?? '{}');
	const git = await getGitApi();
	const task = taskSchema.parse({
		id: 'task',
		status: 'completed',
		repoUrl: folder,
		selectedBranch: start,
		branchName: branch,
	});
	const [result] = resultsOf(task);
	if (!result) {
		throw new Error('The task has no result.');
	}
	const unfolded: number[] = [];
	const counted: number[] = [];
	const byHand: number[] = [];
	let longest = 0;
	let rows = 0;
	let files = 0;
	for (let round = 0; round < ROUNDS; round++) {
		const before = performance.now();
		await runProgram(git.git.path, ['diff', '--raw', '-z', `${start}...${branch}`], {
			cwd: folder,
			encoding: 'latin1',
		});
		byHand.push(performance.now() - before);

		const references = { remember: () => {}, remove: () => Promise.resolve() };
		const changes = new TaskChanges({ isLocal: () => true, startCommit: () => undefined, references });
		const steps = new TaskSteps({
			isLocal: () => false,
			task: () => task,
			read: async () => ({ steps: [], nextIndex: null }),
			explain: String,
		});
		const below = new ResultRows({ task: () => task, changes, steps, onUnfold: () => {} });
		const watch = watchDelay();
		const click = performance.now();
		await below.unfold({ taskId: task.id });
		await changes.list(task, result);
		const nodes = below.rowsBelow({ taskId: task.id });
		const items = nodes.map(node => below.itemOf(node, {}));
		unfolded.push(performance.now() - click);
		rows = items.filter(({ contextValue }) => contextValue !== undefined).length;
		files = (await changes.read(task, result)).files.length;
		counted.push(performance.now() - click);
		longest = Math.max(longest, watch());
		changes.dispose();
	}
	return { unfolded: median(unfolded), counted: median(counted), byHand: median(byHand), longest, rows, files };
}

export async function run(): Promise<void> {
	console.log(`bench| ${JSON.stringify(await unfold())}`);
}
