import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import { ClientError } from '../../src/base/errors.ts';
import { taskStepSchema } from '../../src/contract/taskSteps.ts';
import { isActiveTask } from '../../src/contract/tasks.ts';
import { StateEntries } from '../../src/platform/sharedState.ts';
import { TaskFollowUps } from '../../src/tasks/continueTask.ts';
import { TaskListStore } from '../../src/tasks/list/taskListStore.ts';
import { FOLLOW_UP_ENTRIES } from '../../src/tasks/model/storageKeys.ts';
import { State } from '../support/state.ts';
import { taskClient } from '../support/taskClient.ts';
import { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';
import { activeConnection } from './taskRows.ts';

describe('a further prompt for a task that is over', () => {
	let server: TaskServer;
	let state: State;
	let store: TaskListStore;
	let followUps: TaskFollowUps;
	let shown: string[];
	let problems: unknown[];
	/** Where the task's branch is. */
	let checkedOut: { branch: string; worktree: string } | undefined;
	/** Whether a new task is made from what is sent. */
	let isMade: boolean;
	let isTrusted: boolean;
	let isLocal: boolean;
	/** What was asked before a new task, and whether the answer is yes. */
	let asked: string[];
	let isAgreed: boolean;
	let agents: { id: string; models: string[] }[];

	beforeEach(async () => {
		server = await TaskServer.start();
		server.add({
			id: 'over',
			status: 'error',
			error: 'red',
			completedAt: new Date().toISOString(),
			branchName: 'errand/over',
			selectedAgent: 'demo',
			selectedModel: 'demo',
			maxDuration: 60,
		});
		checkedOut = undefined;
		isMade = true;
		state = new State();
		shown = [];
		problems = [];
		const client = taskClient(server);
		store = new TaskListStore(() => Promise.resolve(client), systemClock);
		await store.refresh();
		isTrusted = true;
		const active = activeConnection(client);
		const target = () => active.target().then(found => ({ ...found, connection: { ...found.connection, isLocal } }));
		isLocal = false;
		asked = [];
		agents = [];
		isAgreed = true;
		followUps = new TaskFollowUps({
			workspaceState: state,
			tasks: {
				store,
				findWorktree: async () => checkedOut,
			},
			active: Object.assign(Object.create(active), { target }),
			agents: async () => agents,
			runner: {
				goesOn: task => shown.push(`${task.id} ${isActiveTask(task)}`),
				start: async (request, target) => {
					const made = await target.client.tasks.create(request);
					return isMade ? made.id : undefined;
				},
			},
			user: {
				isTrusted: () => isTrusted,
				askModal: async (message, detail, ...buttons) => {
					asked.push(`${message} ${detail}`);
					return isAgreed ? buttons[0] : undefined;
				},
				explain: error => problems.push(error),
			},
		});
	});

	afterEach(async () => {
		store.dispose();
		await server.stop();
	});

	const drafts = () =>
		new StateEntries(state, FOLLOW_UP_ENTRIES, (value): value is string => typeof value === 'string');
	const posts = () => server.requestsOf('POST');

	/** Follows the task up, and runs the command on the question that opens, until all is over. */
	async function answer(command: string, argument?: unknown): Promise<void> {
		let isDone = false;
		const done = followUps.goOn('over', argument).then(() => {
			isDone = true;
		});
		await waitFor('the answer', async () => {
			await vscode.commands.executeCommand(command);
			return isDone;
		});
		await done;
	}
	const accept = () => answer('workbench.action.acceptSelectedQuickOpenItem');

	it('is sent once, makes the task active again and its log followed further, and leaves no draft', async () => {
		await drafts().set('over', 'Now green');
		await drafts().set('other', 'Mine');
		await accept();
		assert.deepEqual(problems, []);
		assert.deepEqual(posts(), ['POST /api/tasks/over/continue']);
		assert.deepEqual(shown, ['over true']);
		const task = store.get('over');
		assert.ok(task && isActiveTask(task));
		assert.equal(task.error, undefined);
		assert.deepEqual(drafts().values(), ['Mine']);
	});

	it('is not asked for in a workspace that is not trusted, where an agent would run on this machine', async () => {
		await drafts().set('over', 'Now green');
		isTrusted = false;
		isLocal = true;
		await followUps.goOn('over');
		assert.match(String(problems[0]), /requires a trusted workspace.*Manage Workspace Trust/);
		assert.deepEqual(posts(), []);
		isLocal = false;
		await accept();
		assert.deepEqual(posts(), ['POST /api/tasks/over/continue']);
	});

	const step = taskStepSchema.parse({
		...{ index: 4, step: 9, tool: 'edit', title: 'Edited src/a.ts', tree: 'a'.repeat(40), files: [] },
		...{ fileCount: 1, linesAdded: 2, linesRemoved: 1, approximate: false },
	});

	it('goes on from a step of the task, by the same agent or by another one that is chosen', async () => {
		agents = [
			{ id: 'demo', models: ['demo'] },
			{ id: 'other', models: ['large', 'small'] },
		];
		const picks = new QuickPicks();
		try {
			await drafts().set('over', 'Now green');
			let isDone = false;
			const done = followUps.goOnFrom('over', step).then(() => {
				isDone = true;
			});
			await waitFor('the agents', () => picks.rows().length === 3);
			assert.deepEqual(picks.rows(), ['demo (demo) | has worked on it until here', 'other (large)', 'other (small)']);
			await picks.pick('other (large)');
			await waitFor('the answer', async () => {
				await picks.accept();
				return isDone;
			});
			await done;
		} finally {
			await picks.stop();
		}
		assert.deepEqual(problems, []);
		assert.deepEqual(server.furtherPrompts, [{ taskId: 'over', prompt: 'Now green', fromStep: 4, agent: 'other' }]);
		assert.deepEqual(shown, ['over true']);
		assert.deepEqual(drafts().values(), []);
	});

	it('does not go on from a step of a task on which several agents worked', async () => {
		server.add({
			id: 'race',
			status: 'completed',
			multiLaunch: true,
			agentExecutions: [{ agent: 'demo' }, { agent: 'other' }],
		});
		await store.refresh();
		await followUps.goOnFrom('race', step);
		assert.match(String(problems[0]), /Several agents worked on this task, so it can’t be continued from one of/);
		assert.deepEqual(posts(), []);
	});

	it('stays as a draft if it is dismissed or refused, and the task stays as it ended', async () => {
		await drafts().set('over', 'Now green');
		await answer('workbench.action.closeQuickOpen');
		assert.deepEqual(posts(), []);
		server.continueFault = 'refused';
		await accept();
		assert.ok(ClientError.is(problems[0], 'payment-required'));
		assert.equal(posts().length, 1);
		assert.deepEqual(shown, []);
		assert.equal(store.get('over')?.status, 'error');
		assert.deepEqual(drafts().values(), ['Now green']);
	});

	it('is neither sent again nor called a failure if only its reply was lost', async () => {
		await drafts().set('over', 'Now green');
		server.continueFault = 'lost after';
		await accept();
		assert.deepEqual(problems, []);
		assert.equal(posts().length, 1);
		assert.deepEqual(shown, ['over true']);
		assert.deepEqual(drafts().values(), []);
	});

	it('starts a new task from the branch if that is checked out, and leaves the old task as it ended', async () => {
		checkedOut = { branch: 'errand/over', worktree: '/somewhere' };
		await drafts().set('over', 'Now green');
		await accept();
		assert.deepEqual(problems, []);
		assert.deepEqual(posts(), ['POST /api/tasks']);
		const { prompt, repoUrl, selectedBranch, selectedAgent, selectedModel, maxDuration } =
			server.tasks[0] ?? assert.fail();
		assert.deepEqual(
			{ prompt, repoUrl, selectedBranch, selectedAgent, selectedModel, maxDuration },
			{
				prompt: 'Now green',
				repoUrl: 'https://host.example/acme/widgets',
				selectedBranch: 'errand/over',
				selectedAgent: 'demo',
				selectedModel: 'demo',
				maxDuration: 60,
			},
		);
		assert.equal(store.get('over')?.status, 'error');
		assert.deepEqual(drafts().values(), []);
	});

	it('keeps what was written if the new task was not made', async () => {
		checkedOut = { branch: 'errand/over', worktree: '/somewhere' };
		isMade = false;
		await drafts().set('over', 'Now green');
		await accept();
		assert.deepEqual(drafts().values(), ['Now green']);
	});

	it('is not asked for while the task is at work', async () => {
		server.finish('over', 'processing');
		Object.assign(server.tasks[0] ?? {}, { completedAt: null });
		await store.refresh();
		await followUps.goOn('over');
		assert.deepEqual(posts(), []);
	});

	describe('for one of several agents', () => {
		beforeEach(async () => {
			Object.assign(server.tasks[0] ?? assert.fail(), {
				multiLaunch: true,
				selectedAgents: [
					{ agent: 'demo', model: 'small' },
					{ agent: 'demo', model: 'large' },
				],
				agentExecutions: [
					{ agent: 'demo', status: 'completed', branchName: 'errand/over-1' },
					{ agent: 'demo', status: 'completed', branchName: 'errand/over-2' },
				],
			});
			await store.refresh();
			await drafts().set('over', 'Now green');
		});
		const sent = () => {
			const { selectedBranch, selectedAgent, selectedModel, prompt } = server.tasks[0] ?? assert.fail();
			return [selectedBranch, selectedAgent, selectedModel, prompt];
		};

		it('asks first which, then for the prompt, and starts a new task from that agent’s branch', async () => {
			await accept();
			assert.deepEqual(problems, []);
			assert.deepEqual(posts(), ['POST /api/tasks']);
			assert.deepEqual(sent(), ['errand/over-1', 'demo', 'small', 'Now green']);
			assert.deepEqual(drafts().values(), []);
		});

		it('asks for the prompt alone where the row names the agent', async () => {
			await answer('workbench.action.acceptSelectedQuickOpenItem', { taskId: 'over', resultKey: 'over:1' });
			assert.deepEqual(sent(), ['errand/over-2', 'demo', 'large', 'Now green']);
		});

		it('sends nothing where none is chosen, and says where none has made a branch', async () => {
			await answer('workbench.action.closeQuickOpen');
			assert.deepEqual(posts(), []);
			Object.assign(server.tasks[0] ?? assert.fail(), {
				agentExecutions: [
					{ agent: 'demo', status: 'error' },
					{ agent: 'demo', status: 'error' },
				],
			});
			await store.refresh();
			await followUps.goOn('over');
			assert.match(String(problems[0]), /None of the agents created a branch/);
			assert.deepEqual([posts(), drafts().values()], [[], ['Now green']]);
		});
	});

	describe('that was written elsewhere', () => {
		it('is sent without a further question, and says whether the service has taken it', async () => {
			assert.equal(await followUps.sendPrompt('over', 'Now\n\ngreen'), true);
			assert.deepEqual([posts(), shown, asked], [['POST /api/tasks/over/continue'], ['over true'], []]);
		});

		it('is not accepted if the service refuses it, nor in a workspace that is not trusted, nor while the task works', async () => {
			server.continueFault = 'refused';
			assert.equal(await followUps.sendPrompt('over', 'Now green'), false);
			assert.ok(ClientError.is(problems[0], 'payment-required'));
			isTrusted = false;
			isLocal = true;
			assert.equal(await followUps.sendPrompt('over', 'Now green'), false);
			assert.match(String(problems[1]), /requires a trusted workspace/);
			isTrusted = true;
			server.finish('over', 'processing');
			Object.assign(server.tasks[0] ?? {}, { completedAt: null });
			await store.refresh();
			assert.equal(await followUps.sendPrompt('over', 'Now green'), false);
			assert.equal(posts().length, 1);
		});

		it('starts a new task from a branch that is checked out only after a yes, and keeps the draft of another prompt', async () => {
			checkedOut = { branch: 'errand/over', worktree: '/somewhere' };
			await drafts().set('over', 'Mine');
			isAgreed = false;
			assert.equal(await followUps.sendPrompt('over', 'Now green'), false);
			assert.deepEqual(posts(), []);
			assert.match(asked[0] ?? '', /errand\/over.*checked out in \/somewhere/);
			isAgreed = true;
			assert.equal(await followUps.sendPrompt('over', 'Now green'), true);
			assert.equal(server.tasks[0]?.['selectedBranch'], 'errand/over');
			assert.deepEqual(drafts().values(), ['Mine']);
		});

		it('goes to one of several agents as a new task, from its branch and with its model', async () => {
			const agent = { branch: 'errand/over-2', agent: 'demo-b', model: 'large' };
			assert.equal(await followUps.sendPrompt('over', 'Now green', agent), true);
			assert.deepEqual(posts(), ['POST /api/tasks']);
			const { selectedBranch, selectedAgent, selectedModel } = server.tasks[0] ?? assert.fail();
			assert.deepEqual([selectedBranch, selectedAgent, selectedModel], ['errand/over-2', 'demo-b', 'large']);
		});
	});
});
