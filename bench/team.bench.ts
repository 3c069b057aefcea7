import path from 'node:path';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import type { Client } from '../src/client/types.ts';
import { isFinalStatus, type Task, type TaskCreateRequest } from '../src/contract/tasks.ts';
import { ScriptedModel } from '../test/support/scriptedModel.ts';
import { ServiceProcess } from '../test/support/serviceProcess.ts';
import { clientAt, TeamService } from '../test/support/teamService.ts';
import { TemporaryRepository } from '../test/support/temporaryRepository.ts';
import { waitFor } from '../test/support/waitFor.ts';
import { promptOf } from './agentStart.ts';
import { type BenchRow, median } from './row.ts';

const WORKERS = 4;
/** The tasks of each slot. */
const TASKS_OF_A_SLOT = 3;
/** The words of the model's reply, and the time between two of them: the wait of each task. */
const WORDS = 10;
const PAUSE_MS = 1_000;
const WAITING = 100;
const MINIMUM_RATIO = 3.5;
const MAXIMUM_DELAY_MS = 250;
const LIMIT_MS = 900_000;

const LIMITS = { tasksAtOnce: 1_000_000, requestsAMinute: 1_000_000, requestsAtOnce: 1_000_000 };

/** Measures goal 24: what more workers bring, and what the way over the database costs. */
export async function rows(): Promise<BenchRow[]> {
	const repository = await TemporaryRepository.create();
	try {
		return [await work(repository), await starts(repository)];
	} finally {
		await repository.remove();
	}
}

/** The throughput of tasks that wait for a model most of the time, with several workers over one. */
async function work(repository: TemporaryRepository): Promise<BenchRow> {
	const { tree } = insidePlaces(path.basename(repository.path));
	const said = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(' ');
	const scripts = {
		wait: [
			{ do: 'write', path: 'notes.txt', content: 'Done.\n' },
			{ do: 'say', text: said },
		],
	} as const;
	const model = await ScriptedModel.start({ scripts, tree });
	model.pauseMs = PAUSE_MS;
	const upstreams = [{ slug: 'scripted', url: model.url }];
	const team = await TeamService.start({
		bundle: true,
		configuration: { upstreams, allowLocalRepositories: true, limits: LIMITS },
	});
	try {
		await team.startFrontEnd();
		const client = team.client(await team.addUser('ann'));
		const task = {
			prompt: promptOf('wait'),
			repoUrl: repository.path,
			selectedBranch: 'main',
			selectedAgent: 'errand',
			selectedModel: model.name,
		};
		const run = async (workers: number) => {
			while (team.workers.size < workers) {
				await team.startWorker(1);
			}
			// The first task of a worker loads everything that all others share.
			await runAll(client, task, workers);
			const began = performance.now();
			await runAll(client, task, workers * TASKS_OF_A_SLOT);
			return (workers * TASKS_OF_A_SLOT) / (performance.now() - began);
		};
		const one = await run(1);
		const several = await run(WORKERS);
		const ratio = several / one;
		return {
			goal: '24',
			what: `tasks of Errand's own agent that wait ${(WORDS * PAUSE_MS) / 1000} s for a model, ${WORKERS} workers of one slot`,
			ours: `${(several * 60_000).toFixed(1)} tasks a minute`,
			peers: `one worker ${(one * 60_000).toFixed(1)} = 1`,
			ratio: ratio.toFixed(2),
			met: ratio >= MINIMUM_RATIO ? 'yes' : 'no',
		};
	} finally {
		await team.stop();
		await model.stop();
	}
}

/** The time from when a task could begin to its first step, with many that wait before it, here and locally. */
async function starts(repository: TemporaryRepository): Promise<BenchRow> {
	const local = await ServiceProcess.start({ bundle: true, runningTasks: WORKERS, idleSeconds: 3600 });
	const locally = await delaysOf(clientAt(local.address, local.token), repository);
	await local.stop();
	const team = await TeamService.start({
		bundle: true,
		configuration: { demo: true, allowLocalRepositories: true, limits: LIMITS },
	});
	try {
		await team.startFrontEnd();
		await Promise.all(Array.from({ length: WORKERS }, () => team.startWorker(1)));
		const ours = await delaysOf(team.client(await team.addUser('ann')), repository);
		const more = quantile(ours, 0.95) - quantile(locally, 0.95);
		const said = (delays: readonly number[]) =>
			`${median(delays).toFixed(0)} ms, ${quantile(delays, 0.95).toFixed(0)} ms`;
		return {
			goal: '24',
			what: `from creation, or the end of a task before it if all of ${WORKERS} slots are taken, to "cloning", with ${WAITING} tasks waiting: median, 95 of 100`,
			ours: said(ours),
			peers: `the local service ${said(locally)}`,
			ratio: `${more.toFixed(0)} ms more`,
			met: more <= MAXIMUM_DELAY_MS ? 'yes' : 'no',
		};
	} finally {
		await team.stop();
	}
}

async function delaysOf(client: Client, repository: TemporaryRepository): Promise<number[]> {
	const task = { prompt: 'Say hello.', repoUrl: repository.path, selectedBranch: 'main', selectedAgent: 'demo' };
	await runAll(client, task, WORKERS);
	const tasks = await runAll(client, task, WAITING);
	const times = await Promise.all(
		tasks.map(async ({ id, createdAt, completedAt }) => {
			for await (const event of client.tasks.follow(id)) {
				if (event.type === 'log' && event.entry.step === 'git_cloning') {
					return [createdAt, event.entry.timestamp, completedAt].map(time => Date.parse(time ?? '')) as Times;
				}
			}
			throw new Error('A task has not begun.');
		}),
	);
	// Tasks begin in the order in which they were created, each when a slot is free.
	const begins = times.map(([created, begun]) => ({ created, begun })).sort((one, other) => one.begun - other.begun);
	const ends = times.map(([, , ended]) => ended).sort((one, other) => one - other);
	return begins.map(({ created, begun }, index) => begun - Math.max(created, ends[index - WORKERS] ?? 0));
}

type Times = [created: number, begun: number, ended: number];

/** Creates tasks, and resolves with all of them when all have ended. */
async function runAll(client: Client, request: TaskCreateRequest, count: number): Promise<Task[]> {
	const tasks = await Promise.all(Array.from({ length: count }, () => client.tasks.create(request)));
	const ended: Task[] = [];
	for (const { id } of tasks) {
		ended.push(
			await waitFor(
				'the end of a task',
				async () => {
					const task = await client.tasks.get(id);
					return isFinalStatus(task.status ?? '') && task;
				},
				LIMIT_MS,
			),
		);
	}
	const failed = ended.find(({ status }) => status !== 'completed');
	if (failed !== undefined) {
		throw new Error(`A task has failed: ${failed.error}`);
	}
	return ended;
}

function quantile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((one, other) => one - other);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
