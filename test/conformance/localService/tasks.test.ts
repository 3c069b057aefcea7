import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import { waitFor } from '../../support/waitFor.ts';
import { conformance } from './harness.ts';
import { all, create, ended, json, named, type RawEvent, STATES } from './taskCalls.ts';

const LIST = 'cloud-tasks/get-cloud-url-api-tasks/prose';

/** A task as it is in a reply. */
type Shown = Record<string, unknown>;

/** The kind of each documented field. */
const kinds: Record<string, string> = {
	id: 'string',
	userId: 'string',
	teamId: 'string or null',
	prompt: 'string',
	repoUrl: 'string',
	selectedAgent: 'string',
	selectedModel: 'string',
	installDependencies: 'boolean',
	maxDuration: 'number',
	status: 'string',
	progress: 'number',
	error: 'string or null',
	selectedBranch: 'string',
	branchName: 'string or null',
	sandboxUrl: 'string or null',
	sandboxId: 'string or null',
	merged: 'boolean',
	diffStats: 'object or null',
	autoDeployEnabled: 'boolean or null',
	deployments: 'object or null',
	badge: 'string or null',
	batchId: 'string or null',
	createdAt: 'string',
	updatedAt: 'string',
	completedAt: 'string or null',
	creatorName: 'string or null',
	creatorImage: 'string or null',
	prNumber: 'number or null',
	prUrl: 'string or null',
	isEmptyGitUser: 'boolean',
};

function hasFields(task: Shown): void {
	for (const [field, kind] of Object.entries(kinds)) {
		assert.ok(field in task, `${field} is missing`);
		assert.ok(kind.split(' or ').includes(task[field] === null ? 'null' : typeof task[field]), field);
	}
	assert.ok(STATES.includes(String(task['status'])));
	assert.equal(new Date(String(task['createdAt'])).toISOString(), task['createdAt']);
}

conformance('tasks', verifies => {
	verifies(
		[
			'cloud-tasks/errors/1',
			'cloud-tasks/get-cloud-url-api-tasks/1',
			'cloud-tasks/get-cloud-url-api-tasks/2',
			...[1, 2, 3, 4].map(position => `${LIST}/${position}`),
		],
		'no tasks: an empty page without more; limit 50, offset 0, both echoed',
		async implementation => {
			// Nothing makes batches, so there is none, whatever else the service has done.
			const page = await json(implementation, '/api/tasks?filter=batch');
			assert.deepEqual(page, { tasks: [], hasMore: false, offset: 0, limit: 50 });
			assert.deepEqual(await implementation.client.tasks.list({ filter: 'batch' }), page);
		},
	);

	verifies(
		['cloud-tasks/authentication/1', 'cloud-tasks/errors/2', 'cloud-tasks/errors/prose/1'],
		'a request without a valid key gets 401 and an error',
		async implementation => {
			for (const path of ['/api/tasks', '/api/tasks/any', '/api/tasks/any/stream']) {
				const { error } = await json<{ error: string }>(implementation, path, 401, {
					headers: { authorization: 'Bearer wrong' },
				});
				assert.match(error, /credentials/);
			}
		},
	);

	verifies(
		['unspecified/cloud-tasks/1', 'unspecified/cloud-tasks/3'],
		'a created task is answered with its fields; one task can be read; an unknown id gets 404',
		async implementation => {
			const { task } = await json<{ task: Shown }>(implementation, '/api/tasks', 200, {
				method: 'POST',
				body: JSON.stringify({ prompt: 'Fields', repoUrl: implementation.repoUrl, maxDuration: 60 }),
			});
			hasFields(task);
			assert.equal(task['prompt'], 'Fields');
			assert.equal(task['maxDuration'], 60);
			const read = await implementation.client.tasks.get(String(task['id']));
			assert.equal(read.id, task['id']);
			assert.equal((await json<{ task: Task }>(implementation, `/api/tasks/${task['id']}`)).task.prompt, 'Fields');
			await json(implementation, '/api/tasks/no-such-task', 404);
			await assert.rejects(implementation.client.tasks.get('no-such-task'), error =>
				ClientError.is(error, 'not-found'),
			);
			await implementation.client.tasks.stop(read.id);
		},
	);

	verifies(
		Array.from({ length: 31 }, (_, index) => `cloud-tasks/task/${index + 1}`),
		'a task has every documented field, of its kind, in the list and alone',
		async implementation => {
			const list = async () => (await json<{ tasks: Shown[] }>(implementation, '/api/tasks')).tasks;
			// A task that is there already is as good, and there are 31 faults of its fields.
			if ((await list()).length === 0) {
				await create(implementation, 'Fields');
			}
			const [listed = assert.fail('no task is in the list')] = await list();
			hasFields(listed);
			hasFields((await json<{ task: Shown }>(implementation, `/api/tasks/${listed['id']}`)).task);
		},
	);

	verifies(
		'unspecified/cloud-tasks/1',
		'an invalid prompt, agent, model or repository gets 400 and a reason',
		async implementation => {
			const { repoUrl } = implementation;
			for (const [body, field] of [
				[{ repoUrl }, /prompt/],
				[{ prompt: ' ', repoUrl }, /prompt/],
				[{ prompt: 'x' }, /repoUrl/],
				[{ prompt: 'x', repoUrl: 'ext::sh -c true' }, /repoUrl/],
				[{ prompt: 'x', repoUrl, selectedAgent: 'nobody' }, /selectedAgent/],
				[{ prompt: 'x', repoUrl, selectedModel: 'nothing' }, /selectedModel/],
				[{ prompt: 'x', repoUrl, selectedBranch: 'no-such-branch' }, /no-such-branch/],
				[{ prompt: 'x', repoUrl, maxDuration: -1 }, /maxDuration/],
			] as const) {
				const { error } = await json<{ error: string }>(implementation, '/api/tasks', 400, {
					method: 'POST',
					body: JSON.stringify(body),
				});
				assert.match(error, field);
			}
		},
	);

	verifies(
		[
			'cloud-tasks/states-and-transitions/8',
			'cloud-tasks/states-and-transitions/9',
			'cloud-tasks/task/14',
			'cloud-tasks/task/18',
			'cloud-tasks/events/2',
			'cloud-tasks/events/3',
			'cloud-tasks/limits/3',
		],
		'a task goes from processing to saving to completed; a completed task has a new branch and diffStats; entries come while it runs; status comes about every 2 s, and not at all with includeStatus=false',
		async implementation => {
			// The task waits for a place until both streams are open, so that they see all of its states.
			const { slowTask } = implementation.prompts;
			const busy = await Promise.all([1, 2].map(() => create(implementation, slowTask)));
			const { id } = await create(implementation, 'States');
			const events: RawEvent[] = [];
			const quiet: RawEvent[] = [];
			const read = Promise.all([
				all(implementation, id, '', events),
				all(implementation, id, '?includeStatus=false', quiet),
			]);
			await waitFor('both streams', () => events.length > 0 && quiet.length > 0);
			await Promise.all(busy.map(task => implementation.client.tasks.stop(task.id)));
			await read;
			const statuses = named(events, 'status').map(({ data }) => String(data['status']));
			const order = statuses.filter((status, index) => status !== statuses[index - 1]);
			assert.deepEqual(order.slice(-3), ['processing', 'saving', 'completed']);
			assert.deepEqual(named(quiet, 'status'), []);
			assert.equal(events.at(-1)?.data['status'], 'completed');
			const task = await implementation.client.tasks.get(id);
			assert.equal(task.status, 'completed');
			assert.equal(task.progress, 100);
			assert.ok(task.branchName && task.completedAt);
			assert.ok((task.diffStats?.totalFilesChanged ?? 0) > 0);
			// Entries that came in one go at the end would not be live.
			const first = events.findIndex(({ name }) => name === 'log');
			const saving = events.findIndex(({ data }) => data['status'] === 'saving');
			assert.ok(first >= 0 && first < saving, `entry ${first} came first, and saving was event ${saving}`);
			assert.equal(named(quiet, 'log').length, named(events, 'log').length);
		},
	);

	verifies('cloud-tasks/task/12', 'a failed task says why in error', async implementation => {
		const { id } = await create(implementation, implementation.prompts.failingTask);
		const task = await ended(implementation, id);
		assert.equal(task.status, 'error');
		assert.ok((task.error ?? '').length > 10);
		assert.equal(task.branchName, undefined);
	});

	verifies('cloud-tasks/limits/2', 'a task over maxDuration ends as timeout', async implementation => {
		const { id } = await create(implementation, implementation.prompts.slowTask, { maxDuration: 0.5 });
		const task = await ended(implementation, id);
		assert.equal(task.status, 'timeout');
		assert.ok(task.error);
	});

	verifies('unspecified/cloud-tasks/4', 'stop ends a task as stopped; {message, task}', async implementation => {
		const { id } = await create(implementation, implementation.prompts.slowTask);
		const path = `/api/tasks/${id}`;
		const reply = await json<{ message: string; task: Task }>(implementation, path, 200, {
			method: 'PATCH',
			body: JSON.stringify({ action: 'stop' }),
		});
		assert.ok(reply.message);
		assert.equal(reply.task.status, 'stopped');
		assert.equal((await implementation.client.tasks.get(id)).status, 'stopped');
		await json(implementation, path, 400, { method: 'PATCH', body: JSON.stringify({ action: 'dance' }) });
	});

	verifies(
		[
			'cloud-tasks/get-cloud-url-api-tasks/4',
			'cloud-tasks/states-and-transitions/1',
			'cloud-tasks/states-and-transitions/2',
			'cloud-tasks/states-and-transitions/3',
			'cloud-tasks/states-and-transitions/4',
			'cloud-tasks/states-and-transitions/5',
			'cloud-tasks/states-and-transitions/6',
			'cloud-tasks/states-and-transitions/7',
			'cloud-tasks/get-cloud-url-api-tasks/3',
			'cloud-tasks/get-cloud-url-api-tasks/1',
			'cloud-tasks/get-cloud-url-api-tasks/2',
			'cloud-tasks/limits/1',
			'cloud-tasks/states-and-transitions/prose/1',
			...[1, 2, 3].map(position => `${LIST}/${position}`),
		],
		'status filters by group; active is three states; filter: all, tasks or batch; limit and offset page through all tasks once; hasMore says whether there are more; limit is 1 to 100, offset at least 0',
		async implementation => {
			const { tasks } = implementation.client;
			const { failingTask, slowTask } = implementation.prompts;
			await ended(implementation, (await create(implementation)).id);
			await ended(implementation, (await create(implementation, failingTask)).id);
			await tasks.stop((await create(implementation, slowTask)).id);
			const { id } = await create(implementation, slowTask);
			try {
				const everything = await tasks.list({ limit: 100 });
				assert.equal(everything.tasks[0]?.id, id, 'the newest comes first');
				const groups = {
					active: ['pending', 'processing', 'saving'],
					completed: ['completed'],
					failed: ['error', 'timeout'],
					stopped: ['stopped'],
				};
				for (const [status, states] of Object.entries(groups)) {
					const page = await tasks.list({ status: status as keyof typeof groups, limit: 100 });
					const expected = everything.tasks.filter(task => states.includes(task.status ?? ''));
					assert.ok(expected.length > 0, `no task to show what ${status} finds`);
					assert.deepEqual(
						page.tasks.map(task => task.id),
						expected.map(task => task.id),
					);
				}
				assert.equal((await tasks.list({ filter: 'tasks', limit: 100 })).tasks.length, everything.tasks.length);
				assert.deepEqual((await tasks.list({ filter: 'batch' })).tasks, []);

				const paged: string[] = [];
				for (let offset = 0; ; offset += 2) {
					const page = await tasks.list({ limit: 2, offset });
					assert.equal(page.limit, 2);
					assert.equal(page.offset, offset);
					paged.push(...page.tasks.map(task => task.id));
					assert.equal(page.hasMore, paged.length < everything.tasks.length);
					if (!page.hasMore) {
						break;
					}
				}
				assert.deepEqual(
					paged,
					everything.tasks.map(task => task.id),
				);
				for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'status=odd', 'filter=odd']) {
					const { error } = await json<{ error: string }>(implementation, `/api/tasks?${query}`, 400);
					assert.match(error, new RegExp(query.split('=')[0] ?? ''));
				}
			} finally {
				await tasks.stop(id);
			}
		},
	);

	verifies(
		'cloud-tasks/versioning/prose/1',
		'the agent API stands under /v1, and nothing else does',
		async implementation => {
			await json(implementation, '/api/v1/tasks');
			await json(implementation, '/api/tasks');
			await json(implementation, '/api/local/orgs');
			for (const path of ['/api/v2/tasks', '/api/v1/local/orgs', '/v1/api/tasks', '/v1/tasks']) {
				assert.equal((await implementation.fetch(path)).status, 404, path);
			}
		},
	);

	verifies(
		['cloud-tasks/states-and-transitions/3', 'cloud-tasks/states-and-transitions/prose/1'],
		'a task that is being saved is in the list of the active ones',
		async implementation => {
			const { tasks } = implementation.client;
			// Saving is short, so a task may be saved between two looks.
			for (let attempt = 0; attempt < 10; attempt++) {
				const { id } = await create(implementation, 'Save this');
				for (let status: string | undefined; status !== 'completed'; ) {
					({ status } = await tasks.get(id));
					const { tasks: active } = await tasks.list({ status: 'active' });
					if (status === 'saving' && (await tasks.get(id)).status === 'saving') {
						assert.ok(active.some(task => task.id === id));
						return;
					}
					assert.ok(STATES.includes(status ?? ''), status);
				}
			}
			assert.fail('no task was seen while it was saved');
		},
	);

	verifies(
		'unspecified/cloud-tasks/5',
		'a follow-up makes the same task active again, on its branch, with its log going on; {success, message}',
		async implementation => {
			const { client } = implementation;
			const { id } = await create(implementation, 'Begin');
			const first = await ended(implementation, id);
			const before = named(await all(implementation, id), 'log').length;
			const reply = await json<{ success: boolean; message: string }>(
				implementation,
				`/api/tasks/${id}/continue`,
				200,
				{ method: 'POST', body: JSON.stringify({ currentPrompt: 'Go on' }) },
			);
			assert.equal(reply.success, true);
			assert.ok(reply.message);
			assert.ok(['pending', 'processing'].includes((await client.tasks.get(id)).status ?? ''));
			const second = await ended(implementation, id);
			assert.equal(second.status, 'completed');
			assert.equal(second.branchName, first.branchName);
			assert.ok((second.diffStats?.totalFilesChanged ?? 0) > (first.diffStats?.totalFilesChanged ?? 0));
			const rest = named(await all(implementation, id, `?fromIndex=${before}`), 'log');
			assert.equal(rest[0]?.data['index'], before);
			assert.ok(rest.length > 3);

			await client.tasks.continue(id, { prompt: 'Once more', agent: 'demo', model: 'demo' });
			assert.equal((await ended(implementation, id)).branchName, first.branchName);
		},
	);

	verifies(
		'unspecified/cloud-tasks/5',
		'a follow-up is refused with a reason: 400, 404, and 409 where there is nothing to go on with',
		async implementation => {
			const ask = async (id: string, body: object, status: number) =>
				(
					await json<{ error: string }>(implementation, `/api/tasks/${id}/continue`, status, {
						method: 'POST',
						body: JSON.stringify(body),
					})
				).error;
			const running = await create(implementation, implementation.prompts.slowTask);
			assert.match(await ask(running.id, { currentPrompt: 'x' }, 409), /still at work/);
			await implementation.client.tasks.stop(running.id);
			assert.match(await ask(running.id, { currentPrompt: 'x' }, 409), /no branch/);
			assert.match(await ask(running.id, { currentPrompt: '' }, 400), /currentPrompt/);
			await ask('no-such-task', { currentPrompt: 'x' }, 404);
		},
	);

	verifies(
		'unspecified/cloud-tasks/2',
		'several agents make one task with multiLaunch, selectedAgents and agentExecutions, each with a branch and a diff',
		async implementation => {
			const { client, repoUrl } = implementation;
			const selectedAgents = [
				{ agent: 'demo', model: 'demo' },
				{ agent: 'demo', model: 'demo' },
			];
			const { id } = await client.tasks.create({ prompt: 'Several', repoUrl, selectedAgents });
			const task = await ended(implementation, id);
			assert.equal(task.status, 'completed');
			assert.equal(task.multiLaunch, true);
			assert.deepEqual(task.selectedAgents, selectedAgents);
			assert.equal(task.agentExecutions?.length, 2);
			for (const { agent, status, branchName, gitDiff } of task.agentExecutions ?? []) {
				assert.equal(agent, 'demo');
				assert.equal(status, 'completed');
				assert.match(branchName ?? '', /^errand\//);
				assert.match(gitDiff ?? '', /^diff --git /);
			}
			assert.equal(new Set(task.agentExecutions?.map(({ branchName }) => branchName)).size, 2);
		},
	);

	verifies(
		['unspecified/cloud-tasks/9', 'cloud-tasks/authentication/4', 'cloud-tasks/authentication/5'],
		'the agent API lists the tasks by page and state with its key, which begins with sk-; 401 is {error: Unauthorized}',
		async implementation => {
			const { client, key } = implementation;
			assert.match(key, /^sk-/);
			const { id } = await create(implementation, 'Listed');
			const { completedAt } = await ended(implementation, id);
			const page = await client.agentTasks.list({ page: 1, limit: 1 });
			assert.deepEqual([page.page, page.limit], [1, 1]);
			const [task] = page.tasks;
			assert.equal(task?.taskId, id);
			assert.equal(task?.status, 'completed');
			assert.equal(task?.model, 'demo');
			assert.equal(task?.completedAt, completedAt);
			assert.ok(task?.runId && task.createdAt && task.startedAt);
			const completed = await client.agentTasks.list({ status: 'completed' });
			assert.ok(completed.tasks.length > 0 && completed.tasks.every(({ status }) => status === 'completed'));
			for (const authorization of ['', 'Bearer sk-wrong', 'Bearer wrong']) {
				const body = await json(implementation, '/api/v1/tasks', 401, { headers: { authorization } });
				assert.deepEqual(body, { error: 'Unauthorized' });
			}
		},
	);
});
