import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StepChain } from '../src/agents/steps/stepChain.ts';
import { openDatabase } from '../src/service/store/database.ts';
import { TaskStore } from '../src/service/store/taskStore.ts';
import { Checkout } from '../src/service/tasks/checkout.ts';
import { readSource, writeGitConfiguration } from '../src/service/tasks/sourceRepository.ts';
import { beginSteps } from '../src/service/tasks/steps/taskSteps.ts';
import { TaskLog } from '../src/service/tasks/taskLog.ts';
import { type BenchRow, median } from './row.ts';

const FILES = 10_000;
const PER_FOLDER = 100;
const CHANGED = 10;
const ROUNDS = 25;
const LIMIT_MS = 30;
const GOAL = 1.5;
/** How long an agent works that calls a tool every tenth of a second, and the share of that in which it may wait. */
const RUN_MS = 60_000;
const CALL_MS = 100;
const SHARE = 0.05;

/**
 * Measures goal 21: how long an agent waits for the state of a step, beside git that adds the files and writes their
 * tree, and for which share of its time an agent of many quick steps waits.
 */
export async function rows(): Promise<BenchRow[]> {
	const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'errand-bench-')));
	try {
		const sourceFolder = makeRepository(path.join(scratch, 'repository'));
		const folder = path.join(scratch, 'work');
		fs.mkdirSync(folder);
		const signal = new AbortController().signal;
		await writeGitConfiguration(folder, signal);
		const query = { folder: sourceFolder, branch: 'main', scratchFolder: folder, signal };
		const options = { folder, sourceFolder, agent: 'bench', signal };
		const checkout = await Checkout.create({ ...options, source: await readSource(query) });
		const chain = await StepChain.begin(checkout, folder, { prefix: 'refs/errand/steps/bench', name: '0-1' });
		const byHand = repositoryByHand(path.join(scratch, 'by-hand'), checkout.tree);
		const [ours, theirs]: [number[], number[]] = [[], []];
		let isSame = true;
		for (let round = 0; round < ROUNDS; round++) {
			change(checkout.tree, round);
			let tree = '';
			const first = round % 2 === 0;
			const hand = async () => {
				theirs.push(
					await timeOf(async () => {
						tree = byHand();
					}),
				);
			};
			await (first ? hand() : undefined);
			let commit = '';
			ours.push(
				await timeOf(async () => {
					await chain.look(chain.mark());
					const state = await chain.keep('A step');
					commit = state?.commit ?? '';
				}),
			);
			await (first ? undefined : hand());
			isSame &&= tree === treeOf(path.join(folder, 'steps'), commit);
		}
		const [mean, other] = [median(ours), median(theirs)];
		const ratio = mean / other;
		// If git itself takes longer than the limit, its time is the limit: nothing that calls git can be faster.
		const limit = Math.max(LIMIT_MS, other);
		const [share, calls, states] = await quickSteps(scratch, checkout, folder);
		const load = os.loadavg()[0] ?? 0;
		const loaded = load > os.availableParallelism() * 2 && {
			reason: `measured on a loaded machine (load ${Math.round(load)} on ${os.availableParallelism()} cores)`,
		};
		return [
			{
				goal: '21',
				what: `the state of a step with ${CHANGED} changed files in a repository of ${FILES.toLocaleString('en')}, read and written`,
				ours: `${mean.toFixed(1)} ms`,
				peers: `git add --all and git write-tree by hand ${other.toFixed(1)} ms = 1; limit ${LIMIT_MS} ms`,
				ratio: ratio.toFixed(2),
				met: isSame && mean <= limit && ratio <= GOAL ? 'yes' : 'no',
				...(other > LIMIT_MS && {
					reason: `git by hand takes more than ${LIMIT_MS} ms here, so the limit is what that takes`,
				}),
				...loaded,
			},
			{
				goal: '21',
				what: `the share of its time that an agent waits for states in a minute with such a step each ${CALL_MS} ms`,
				ours: `${(share * 100).toFixed(1)} %; ${states} states of ${calls} calls`,
				peers: `limit ${SHARE * 100} %`,
				ratio: '',
				met: share <= SHARE ? 'yes' : 'no',
				...loaded,
			},
		];
	} finally {
		fs.rmSync(scratch, { recursive: true, force: true });
	}
}

const nameOf = (folder: string, file: number) =>
	path.join(folder, 'src', `part${Math.floor(file / PER_FOLDER)}`, `file${file}.ts`);

function change(tree: string, round: number): void {
	for (let file = 0; file < CHANGED; file++) {
		fs.appendFileSync(nameOf(tree, file * 997), `export const round${round} = ${file};\n`);
	}
}

/** Returns the share of its time that an agent has waited, and the numbers of its calls and of the states. */
async function quickSteps(scratch: string, checkout: Checkout, folder: string): Promise<[number, number, number]> {
	const database = openDatabase(path.join(scratch, 'state.sqlite'));
	try {
		const store = new TaskStore(database);
		const task = store.create({
			...{ id: 'bench', prompt: 'Quick', repoUrl: scratch, selectedBranch: 'main', mcpServers: [] },
			...{ agents: [{ agent: 'bench', model: 'none' }], installDependencies: false, maxDuration: 60 },
		});
		const [execution] = store.executions(task);
		if (execution === undefined) {
			throw new Error('the task has no agent');
		}
		const log = new TaskLog(store, task, execution);
		const steps = await beginSteps({ checkout, folder, task, execution, store, log });
		if (steps === undefined) {
			throw new Error('the states cannot be kept');
		}
		let waited = 0;
		let calls = 0;
		const began = performance.now();
		for (; performance.now() - began < RUN_MS; calls++) {
			change(checkout.tree, calls);
			await delay(CALL_MS);
			const call = { id: `${calls}`, title: 'Edit', kind: 'edit', status: 'completed', output: '' } as const;
			steps.add({ ...call, locations: [], diffs: [] }, log.said('agent_tool', 'Edit'), checkout.tree);
			waited += await timeOf(() => steps.settled());
		}
		waited += await timeOf(() => steps.end());
		return [waited / (performance.now() - began), calls, store.steps.count(task)];
	} finally {
		database.close();
	}
}

async function timeOf(work: () => Promise<void>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

function makeRepository(folder: string): string {
	const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
	fs.mkdirSync(folder);
	git('init', '--quiet', '--initial-branch=main');
	git('config', 'user.name', 'Tester');
	git('config', 'user.email', 'tester@example.invalid');
	for (let file = 0; file < FILES; file++) {
		const name = nameOf(folder, file);
		fs.mkdirSync(path.dirname(name), { recursive: true });
		fs.writeFileSync(name, `export const value = ${file};\n`.repeat(40));
	}
	git('add', '--all');
	git('commit', '--quiet', '-m', 'First');
	return folder;
}

/** Returns what a user would do: add all files of a folder to an index, and write its tree. */
function repositoryByHand(gitFolder: string, tree: string): () => string {
	const env = { ...process.env, GIT_DIR: gitFolder, GIT_WORK_TREE: tree };
	const git = (...args: string[]) => execFileSync('git', args, { env, cwd: tree, encoding: 'utf8' });
	git('init', '--quiet', '--template=');
	const write = () => {
		git('add', '--all');
		return git('write-tree').trim();
	};
	write();
	return write;
}

function treeOf(gitFolder: string, commit: string): string {
	return execFileSync('git', ['--git-dir', gitFolder, 'rev-parse', `${commit}^{tree}`], { encoding: 'utf8' }).trim();
}
