import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ClientError } from '../../../src/base/errors.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import type { Client } from '../../../src/client/types.ts';
import type { Task } from '../../../src/contract/tasks.ts';
import { StateEntries } from '../../../src/platform/sharedState.ts';
import type { ScratchBranches } from '../../../src/tasks/launch/scratchBranches.ts';
import { TaskRequests, type TaskRequestsDependencies } from '../../../src/tasks/launch/taskRequests.ts';
import type { PendingTask } from '../../../src/tasks/model/createdTask.ts';
import { PENDING_ENTRIES } from '../../../src/tasks/model/storageKeys.ts';
import type { TaskTarget } from '../../../src/tasks/model/taskConnection.ts';
import { readTask } from '../../support/readTask.ts';
import type { State } from '../../support/state.ts';
import { connection, startTasks, taskClient } from '../../support/taskClient.ts';
import type { TaskServer } from '../../support/taskServer.ts';

describe('the request for a task', () => {
	let server: TaskServer;
	let client: Client;
	let state: State;

	beforeEach(async () => {
		({ server, client, state } = await startTasks());
		Object.assign(vscode.window, { showInformationMessage: async () => undefined });
	});

	afterEach(async () => {
		Reflect.deleteProperty(vscode.window, 'showInformationMessage');
		await server.stop();
	});

	const request = { prompt: 'Fix it', repoUrl: 'https://host.example/acme/widgets' };
	/** The requests of a window that has just opened. */
	const open = (
		all: () => Task[] = () => server.tasks.map(readTask),
		remove: () => Promise<void> = async () => {},
	): TaskRequests =>
		new TaskRequests(
			{
				workspaceState: state,
				composer: { made() {} },
				promptEditor: { remove },
				store: { all },
				connection: {},
				logger: nullLogger,
			} as never as TaskRequestsDependencies,
			{ claim: async () => {} } as never as ScratchBranches,
			async () => {},
		);
	const targetOf = (tasks: Partial<Client['tasks']>) =>
		({ connection, client: { tasks: { ...client.tasks, ...tasks } } }) as never as TaskTarget;
	const send = (again?: PendingTask, tasks: Partial<Client['tasks']> = {}) =>
		open().send({ request }, targetOf(tasks), again);
	const findEarlier = () => open().findEarlier(targetOf({}));
	const posts = () => server.requestsOf('POST').length;
	const pendings = () => new StateEntries(state, PENDING_ENTRIES, (value): value is unknown => value !== undefined);
	const id = JSON.stringify(['test', request.repoUrl, request.prompt]);

	const made = async (sent: ReturnType<typeof send>) => {
		const outcome = await sent;
		assert.equal(outcome.kind, 'made');
		return outcome.kind === 'made' ? outcome.task.id : '';
	};

	it('is sent once, and leaves nothing behind', async () => {
		assert.equal(await made(send()), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.deepEqual(state.keys(), []);
	});

	it('is not sent again if only its reply was lost', async () => {
		server.createFault = 'lost after';
		assert.equal(await made(send()), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.equal(server.tasks.length, 1);
		assert.deepEqual(state.keys(), []);
	});

	it('for several agents is also sent only once, even if its reply was lost', async () => {
		const several = { ...request, selectedAgents: ['a', 'b'].map(agent => ({ agent, model: `${agent}-1` })) };
		server.createFault = 'lost after';
		assert.equal(await made(open().send({ request: several }, targetOf({}))), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.deepEqual(server.tasks[0]?.['selectedAgents'], several.selectedAgents);
	});

	it('does not take an earlier task with the same prompt for its own', async () => {
		server.add({ id: 'earlier', ...request });
		server.createFault = 'lost after';
		const known = server.tasks.map(readTask);
		assert.notEqual(await made(open(() => known).send({ request }, targetOf({}))), 'earlier');
		assert.equal(server.tasks.length, 2);
	});

	it('is sent again only when the user says so, and not if the first one made a task after all', async () => {
		server.createFault = 'lost before';
		const first = await send();
		assert.ok(first.kind === 'unsure');
		assert.match(first.message, /^No new task was found\. .+ Your prompt is kept\.$/);
		assert.equal(posts(), 1);
		assert.equal(pendings().values().length, 1);

		server.add({ id: 'made-all-the-same', ...request });
		assert.equal(await made(send(first.again)), 'made-all-the-same');
		assert.equal(posts(), 1);

		server.tasks.length = 0;
		await made(send(first.again));
		assert.equal(posts(), 2);
		assert.deepEqual(state.keys(), []);
	});

	it('is not called unsent while the list cannot be read', async () => {
		server.createFault = 'lost after';
		server.listFailure = { status: 403, body: {} };
		const first = await send();
		assert.ok(first.kind === 'unsure');
		assert.match(first.message, /^It isn’t known yet whether the task was started\./);
		const second = await send(first.again);
		assert.equal(second.kind, 'unsure');
		assert.equal(posts(), 1);
		server.listFailure = undefined;
		assert.equal((await findEarlier())?.id, server.tasks[0]?.id);
		assert.deepEqual(state.keys(), []);
	});

	it('that the service refuses leaves nothing open', async () => {
		await assert.rejects(send(undefined, taskClient(server, '').tasks));
		assert.equal(posts(), 0);
		assert.deepEqual(state.keys(), []);
	});

	it('that found no connection leaves nothing open, and no doubt', async () => {
		await server.stop();
		await assert.rejects(send(), { code: 'offline', wasSent: false });
		assert.deepEqual(state.keys(), []);
	});

	it('is never called unsent if only the look into the list found no connection', async () => {
		server.createFault = 'lost after';
		const cause = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
		const expired = () => Promise.reject(new ClientError('offline', 'no exchange', { cause, unsent: true }));
		const first = await send(undefined, { list: expired });
		assert.ok(first.kind === 'unsure');
		assert.equal(posts(), 1);
		const second = await send(first.again, { list: expired, create: expired });
		assert.ok(second.kind === 'unsure');
		for (const { message } of [first, second]) {
			assert.match(message, /^It isn’t known yet whether the task was started\./);
			assert.doesNotMatch(message, /othing was sent/);
		}
		assert.equal(pendings().values().length, 1);
	});

	it('is not sent if no note of it can be written, and says what to do', async () => {
		state.update = () => Promise.reject(new Error('ENOSPC: no space left on device'));
		await assert.rejects(send(), {
			name: 'UserFacingError',
			message: /wasn’t sent.*ENOSPC.*Free up disk space/,
		});
		assert.equal(posts(), 0);
	});

	it('stays open if its task cannot be noted, although the task exists', async () => {
		const full = () => Promise.reject(new Error('ENOSPC: no space left on device'));
		assert.equal(await made(open(undefined, full).send({ request }, targetOf({}))), server.tasks[0]?.id);
		assert.equal(pendings().values().length, 1);
		assert.equal((await findEarlier())?.id, server.tasks[0]?.id);
		assert.deepEqual(state.keys(), []);
	});

	it('is settled as not sent if the list does not show it', async () => {
		const pending = { connection: 'test', ...request, known: [] };
		await pendings().set(id, { ...pending, sentAt: Date.now() });
		assert.equal(await findEarlier(), undefined);
		assert.equal(pendings().values().length, 1, 'the service may still be working on it');
		await pendings().set(id, { ...pending, sentAt: Date.now() - 5 * 60_000 });
		assert.equal(await findEarlier(), undefined);
		assert.deepEqual(state.keys(), []);
	});

	it('tells the branch it was sent with, even after a reload and if the service does not', async () => {
		const pending = { connection: 'test', ...request, known: [], sentAt: Date.now() };
		await pendings().set(id, { ...pending, branch: 'errand-scratch-1' });
		server.add({ id: 'made', ...request });
		assert.equal((await findEarlier())?.selectedBranch, 'errand-scratch-1');
	});

	it('looks into the list first if it is made again while an earlier attempt is open', async () => {
		server.createFault = 'lost after';
		server.listFailure = { status: 403, body: {} };
		const first = await send();
		assert.equal(first.kind, 'unsure');
		server.listFailure = undefined;
		// Unlike “Try Again”, a new command is handed nothing of the first attempt.
		assert.equal(await made(open(() => []).send({ request }, targetOf({}))), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.deepEqual(state.keys(), []);
	});
});
