import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { createTask, errorOf, finalTask, logOf, readTask, stopTask, type TaskView } from '../helpers.ts';
import { useTaskService } from './taskService.ts';

interface SeveralView extends TaskView {
	multiLaunch?: boolean;
	selectedAgents?: { agent: string; model: string }[];
	agentExecutions?: { agent: string; status: string; branchName: string | null; gitDiff: string | null }[];
}

describe('the routes of tasks', () => {
	const local = useTaskService();
	const { create, completed } = local;
	const goOn = (id: string, json: object = { currentPrompt: 'And more' }) =>
		local.service.fetch(`/api/tasks/${id}/continue`, { json });

	describe('continue', () => {
		it('answers {success, message}, and the same task goes on: log, branch, statistics', async () => {
			const first = await completed();
			const before = await logOf(local.service, first.id);
			const reply = await goOn(first.id);
			assert.equal(reply.status, 200);
			const body = (await reply.json()) as Record<string, unknown>;
			assert.equal(body['success'], true);
			assert.match(String(body['message']), new RegExp(first.branchName));
			const active = await readTask(local.service, first.id);
			assert.match(active.status, /^(?:pending|processing)$/);
			assert.equal(active.completedAt, null);
			const second = await finalTask(local.service, first.id);
			assert.equal(second.status, 'completed', second.error ?? '');
			assert.equal(second.branchName, first.branchName);
			assert.equal(second.diffStats?.totalFilesChanged, 2);
			const log = await logOf(local.service, first.id);
			assert.deepEqual(
				log.slice(0, before.length).map(({ log }) => log),
				before.map(({ log }) => log),
			);
			assert.equal(log[before.length]?.index, before.length);
			assert.equal(log[before.length]?.log.step, 'task_continued');
			assert.equal((await local.repository.git('rev-list', '--count', `main..${first.branchName}`)).trim(), '2');
		});

		it('takes an agent and a model that are here, and names the field of one that is not', async () => {
			const { id, branchName } = await completed();
			const refused = async (json: object) => errorOf(await goOn(id, { currentPrompt: 'x', ...json }), 400);
			assert.match(await refused({ selectedAgent: 'other' }), /^selectedAgent: .*"demo"/);
			assert.match(await refused({ selectedModel: 'other' }), /^selectedModel: .*"demo"/);
			assert.match(await refused({ currentPrompt: ' ' }), /^currentPrompt: /);
			assert.match(await refused({ currentPrompt: undefined }), /^currentPrompt: /);
			assert.match(await refused({ prompt: 'x' }), /prompt/);
			assert.equal((await readTask(local.service, id)).status, 'completed');
			assert.equal((await goOn(id, { currentPrompt: 'x', selectedAgent: 'demo', selectedModel: 'demo' })).status, 200);
			assert.equal((await finalTask(local.service, id)).branchName, branchName);
		});

		it('is refused with 404 to an unknown task', async () => {
			assert.equal(await errorOf(await goOn('no-such-task'), 404), 'Task not found');
		});

		it('is refused with 409 while the task is at work', async () => {
			const { id } = await create({ prompt: '/demo slow' });
			assert.match(await errorOf(await goOn(id), 409), /still at work/);
			await stopTask(local.service, id);
		});

		it('is refused with 409 to a task without a branch', async () => {
			const { id } = await create({ prompt: '/demo fail' });
			assert.equal((await finalTask(local.service, id)).branchName, null);
			assert.match(await errorOf(await goOn(id), 409), /has made no branch/);
		});

		it('is refused with 409 when the branch is checked out, is gone, or its repository is', async () => {
			const { id, branchName } = await completed();
			await local.repository.git('checkout', '--quiet', branchName);
			assert.match(await errorOf(await goOn(id), 409), /is checked out in .*Switch to another branch/);
			await local.repository.git('checkout', '--quiet', 'main');
			await local.repository.git('branch', '-D', branchName);
			assert.match(await errorOf(await goOn(id), 409), /no longer in .*Start a new task/);
			await rm(local.repository.path, { recursive: true });
			assert.match(await errorOf(await goOn(id), 409), /^there is no folder/);
			assert.equal((await readTask(local.service, id)).status, 'completed');
		});

		it('takes one of two that come at once', async () => {
			const { id } = await completed();
			const replies = await Promise.all([goOn(id), goOn(id)]);
			assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
			await finalTask(local.service, id);
		});
	});

	describe('several agents', () => {
		const two = [
			{ agent: 'demo', model: 'demo' },
			{ agent: 'demo', model: 'demo' },
		];

		it('make one task with what each of them does', async () => {
			const created = (await create({ selectedAgents: two })) as SeveralView;
			assert.equal(created.multiLaunch, true);
			assert.deepEqual(created.selectedAgents, two);
			const task = (await finalTask(local.service, created.id)) as SeveralView;
			assert.equal(task.status, 'completed');
			assert.equal(task.branchName, null);
			assert.equal(task.diffStats, null);
			const branches = task.agentExecutions?.map(({ branchName }) => branchName);
			assert.deepEqual(
				branches,
				[1, 2].map(number => `errand/try-it-${task.id.slice(0, 8)}-${number}`),
			);
			assert.deepEqual(await local.repository.branches(), [...(branches ?? []), 'main']);
			for (const { agent, status, branchName, gitDiff } of task.agentExecutions ?? []) {
				assert.equal(agent, 'demo');
				assert.equal(status, 'completed');
				assert.equal(gitDiff, await local.repository.git('diff', 'main', branchName ?? ''));
			}
			const { tasks } = (await (await local.service.fetch('/api/tasks?limit=1')).json()) as { tasks: SeveralView[] };
			assert.equal(tasks[0]?.id, task.id);
			assert.deepEqual(
				tasks[0]?.agentExecutions?.map(({ branchName, gitDiff }) => [branchName, gitDiff]),
				branches?.map(name => [name, null]),
				'a list carries no diffs',
			);
			assert.match(await errorOf(await goOn(task.id), 409), /have a branch each/);
		});

		it('are stopped by one stop', async () => {
			const { id } = await create({ prompt: '/demo slow', selectedAgents: two });
			const task = (await stopTask(local.service, id)) as SeveralView;
			assert.equal(task.status, 'stopped');
			assert.ok(task.agentExecutions?.every(({ status }) => status === 'stopped'));
		});

		it('of which there is one make a plain task', async () => {
			const task = (await create({ selectedAgents: two.slice(1) })) as SeveralView;
			assert.ok(!('multiLaunch' in task));
			assert.ok((await finalTask(local.service, task.id)).branchName);
		});

		it('are refused when there are none, too many, or one that is not here', async () => {
			const refused = async (fields: object) =>
				errorOf(
					await local.service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: local.repository.path, ...fields } }),
					400,
				);
			assert.match(await refused({ selectedAgents: [] }), /^selectedAgents/);
			assert.match(await refused({ selectedAgents: Array(9).fill(two[0]) }), /^selectedAgents: at most 8/);
			assert.match(
				await refused({ selectedAgents: [two[0], { agent: 'x', model: 'demo' }] }),
				/^selectedAgents\[1\]\.agent/,
			);
			assert.match(await refused({ selectedAgents: [{ agent: 'demo', model: 'x' }] }), /^selectedAgents\[0\]\.model/);
			assert.match(await refused({ selectedAgents: two, selectedAgent: 'demo' }), /in place of/);
		});
	});

	it('refuses with 429 what the queue has no room for, and takes it when there is', async () => {
		const own = await ServiceProcess.start();
		try {
			const json = {
				prompt: '/demo slow',
				repoUrl: local.repository.path,
				selectedAgents: Array(8).fill({ agent: 'demo', model: 'demo' }),
			};
			const ids: string[] = [];
			// Two run and two hundred wait: 25 times eight, and two more.
			for (let number = 0; number < 25; number++) {
				ids.push((await createTask(own, json)).id);
			}
			await waitFor('two to run', async () => {
				const task = (await readTask(own, ids[0] ?? '')) as SeveralView;
				return task.agentExecutions?.filter(({ status }) => status === 'processing').length === 2;
			});
			const message = await errorOf(await own.fetch('/api/tasks', { json }), 429);
			assert.match(message, /Too many tasks are waiting\. Try again when some have ended, or stop some/);
			const { tasks } = (await (await own.fetch('/api/tasks?limit=100')).json()) as { tasks: unknown[] };
			assert.equal(tasks.length, 25);
			await stopTask(own, ids.at(-1) ?? '');
			await createTask(own, json);
		} finally {
			await own.stop();
		}
	});

	describe('of the agent API', () => {
		interface AgentTask {
			taskId: string;
			runId: string;
			status: string;
			model: string;
			createdAt: string;
			startedAt: string | null;
			completedAt: string | null;
		}

		const list = async (from: ServiceProcess, query = '') => {
			const response = await from.fetch(`/api/v1/tasks${query}`);
			assert.equal(response.status, 200);
			return (await response.json()) as { tasks: AgentTask[]; page: number; limit: number; hasMore: boolean };
		};

		it('give the same tasks with their state, run and times; by page and by state', async () => {
			const own = await ServiceProcess.start();
			try {
				assert.deepEqual(await list(own), { tasks: [], page: 1, limit: 20, hasMore: false });
				const made = async (fields: object) =>
					(await createTask(own, { prompt: 'x', repoUrl: local.repository.path, ...fields })).id;
				const done = await made({});
				const failed = await made({ prompt: '/demo fail' });
				await Promise.all([finalTask(own, done), finalTask(own, failed)]);
				const late = await made({ prompt: '/demo slow', maxDuration: 0.2 });
				await finalTask(own, late);
				const cancelled = await made({ prompt: '/demo slow' });
				await stopTask(own, cancelled);
				const running = [await made({ prompt: '/demo slow' }), await made({ prompt: '/demo slow' })];
				const queued = await made({ prompt: '/demo slow' });
				await waitFor('two to run', async () =>
					(await Promise.all(running.map(id => readTask(own, id)))).every(({ status }) => status === 'processing'),
				);
				const { tasks } = await list(own);
				assert.deepEqual(
					tasks.map(({ taskId, status }) => [taskId, status]),
					[
						[queued, 'queued'],
						[running[1], 'running'],
						[running[0], 'running'],
						[cancelled, 'cancelled'],
						[late, 'failed'],
						[failed, 'failed'],
						[done, 'completed'],
					],
				);
				const { createdAt, completedAt } = await readTask(own, done);
				const { startedAt, ...rest } = tasks.at(-1) ?? assert.fail();
				assert.deepEqual(rest, {
					taskId: done,
					runId: `${done}-1`,
					status: 'completed',
					model: 'demo',
					createdAt,
					completedAt,
				});
				assert.ok(startedAt !== null && startedAt >= createdAt && startedAt <= (completedAt ?? ''));
				assert.equal(tasks[0]?.startedAt, null);
				assert.equal(tasks[0]?.completedAt, null);

				for (const [status, expected] of [
					['queued', [queued]],
					['running', [running[1], running[0]]],
					['completed', [done]],
					['failed', [late, failed]],
					['cancelled', [cancelled]],
					['interrupted', []],
				] as const) {
					const page = await list(own, `?status=${status}`);
					assert.deepEqual(
						page.tasks.map(({ taskId }) => taskId),
						expected,
						status,
					);
				}
				const second = await list(own, '?page=2&limit=3');
				assert.deepEqual(
					second.tasks.map(({ taskId }) => taskId),
					[cancelled, late, failed],
				);
				assert.deepEqual([second.page, second.limit, second.hasMore], [2, 3, true]);
				assert.equal((await list(own, '?page=3&limit=3')).hasMore, false);

				await own.fetch(`/api/tasks/${done}/continue`, { json: { currentPrompt: 'more' } });
				const [again] = (await list(own)).tasks.filter(({ taskId }) => taskId === done);
				assert.equal(again?.runId, `${done}-2`);
			} finally {
				await own.stop();
			}
		});

		it('call interrupted what the end of the service has ended', async () => {
			const first = await ServiceProcess.start();
			const { stateFolder } = first;
			let second: ServiceProcess | undefined;
			try {
				const { id } = await createTask(first, { prompt: '/demo slow', repoUrl: local.repository.path });
				await waitFor('the agent', async () => (await readTask(first, id)).progress === 20);
				await first.crash();
				second = await ServiceProcess.start({ stateFolder });
				const { tasks } = await list(second, '?status=interrupted');
				assert.deepEqual(
					tasks.map(({ taskId, status }) => [taskId, status]),
					[[id, 'interrupted']],
				);
				assert.deepEqual((await list(second, '?status=failed')).tasks, []);
			} finally {
				await second?.stop();
				await first.stop();
			}
		});

		it('refuse what is outside its range, naming it, and a key that is none with the documented body', async () => {
			for (const query of ['page=0', 'limit=0', 'limit=101', 'limit=x', 'status=odd', 'page=1.5']) {
				const error = await errorOf(await local.service.fetch(`/api/v1/tasks?${query}`), 400);
				assert.match(error, new RegExp(`^${query.split('=')[0]}`), query);
			}
			for (const authorization of ['', 'Bearer sk-wrong', 'Basic x']) {
				const response = await local.service.fetch('/api/v1/tasks', { headers: { authorization } });
				assert.equal(response.status, 401);
				assert.deepEqual(await response.json(), { error: 'Unauthorized' });
			}
		});
	});
});
