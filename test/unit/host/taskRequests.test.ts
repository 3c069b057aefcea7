import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import type { Client } from '../../../src/client/types.ts';
import { StateEntries } from '../../../src/platform/sharedState.ts';
import { sendTask, settlePending } from '../../../src/tasks/launch/taskRequests.ts';
import { PENDING_ENTRIES } from '../../../src/tasks/model/storageKeys.ts';
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
	});

	afterEach(() => server.stop());

	const request = { prompt: 'Fix it', repoUrl: 'https://host.example/acme/widgets' };
	const dependencies = () => ({
		workspaceState: state,
		client,
		connection,
		tasks: () => server.tasks.map(readTask),
		made: async () => {},
	});
	const posts = () => server.requestsOf('POST').length;
	const pendings = () => new StateEntries(state, PENDING_ENTRIES, (value): value is unknown => value !== undefined);
	const id = JSON.stringify(['test', request.repoUrl, request.prompt]);

	const made = async (...args: Parameters<typeof sendTask>) => {
		const outcome = await sendTask(...args);
		assert.equal(outcome.kind, 'made');
		return outcome.kind === 'made' ? outcome.task.id : '';
	};

	it('is sent once, and leaves nothing behind', async () => {
		assert.equal(await made(dependencies(), request), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.deepEqual(state.keys(), []);
	});

	it('is not sent again if only its reply was lost', async () => {
		server.createFault = 'lost after';
		assert.equal(await made(dependencies(), request), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.equal(server.tasks.length, 1);
		assert.deepEqual(state.keys(), []);
	});

	it('for several agents is also sent only once, even if its reply was lost', async () => {
		const several = { ...request, selectedAgents: ['a', 'b'].map(agent => ({ agent, model: `${agent}-1` })) };
		server.createFault = 'lost after';
		assert.equal(await made(dependencies(), several), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.deepEqual(server.tasks[0]?.['selectedAgents'], several.selectedAgents);
	});

	it('does not take an earlier task with the same prompt for its own', async () => {
		server.add({ id: 'earlier', ...request });
		server.createFault = 'lost after';
		const known = server.tasks.map(readTask);
		assert.notEqual(await made({ ...dependencies(), tasks: () => known }, request), 'earlier');
		assert.equal(server.tasks.length, 2);
	});

	it('is sent again only when the user says so, and not if the first one made a task after all', async () => {
		server.createFault = 'lost before';
		const first = await sendTask(dependencies(), request);
		assert.ok(first.kind === 'unsure');
		assert.match(first.message, /^No new task was found\. .+ Your prompt is kept\.$/);
		assert.equal(posts(), 1);
		assert.equal(pendings().values().length, 1);

		server.add({ id: 'made-all-the-same', ...request });
		assert.equal(await made(dependencies(), request, first.again), 'made-all-the-same');
		assert.equal(posts(), 1);

		server.tasks.length = 0;
		await made(dependencies(), request, first.again);
		assert.equal(posts(), 2);
		assert.deepEqual(state.keys(), []);
	});

	it('is not called unsent while the list cannot be read', async () => {
		server.createFault = 'lost after';
		server.listFailure = { status: 403, body: {} };
		const first = await sendTask(dependencies(), request);
		assert.ok(first.kind === 'unsure');
		assert.match(first.message, /^It isn’t known yet whether the task was started\./);
		const second = await sendTask(dependencies(), request, first.again);
		assert.equal(second.kind, 'unsure');
		assert.equal(posts(), 1);
		server.listFailure = undefined;
		assert.equal((await settlePending(dependencies(), () => true))?.id, server.tasks[0]?.id);
		assert.deepEqual(state.keys(), []);
	});

	it('that the service refuses leaves nothing open', async () => {
		await assert.rejects(sendTask({ ...dependencies(), client: taskClient(server, '') }, request));
		assert.equal(posts(), 0);
		assert.deepEqual(state.keys(), []);
	});

	it('that found no connection leaves nothing open, and no doubt', async () => {
		await server.stop();
		await assert.rejects(sendTask(dependencies(), request), { code: 'offline', wasSent: false });
		assert.deepEqual(state.keys(), []);
	});

	it('is never called unsent if only the look into the list found no connection', async () => {
		server.createFault = 'lost after';
		const cause = Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
		const expired = () => Promise.reject(new ClientError('offline', 'no exchange', { cause, unsent: true }));
		const first = await sendTask({ ...dependencies(), client: { tasks: { ...client.tasks, list: expired } } }, request);
		assert.ok(first.kind === 'unsure');
		assert.equal(posts(), 1);
		const second = await sendTask(
			{ ...dependencies(), client: { tasks: { ...client.tasks, list: expired, create: expired } } },
			request,
			first.again,
		);
		assert.ok(second.kind === 'unsure');
		for (const { message } of [first, second]) {
			assert.match(message, /^It isn’t known yet whether the task was started\./);
			assert.doesNotMatch(message, /othing was sent/);
		}
		assert.equal(pendings().values().length, 1);
	});

	it('is not sent if no note of it can be written, and says what to do', async () => {
		state.update = () => Promise.reject(new Error('ENOSPC: no space left on device'));
		await assert.rejects(sendTask(dependencies(), request), {
			name: 'UserFacingError',
			message: /wasn’t sent.*ENOSPC.*Free up disk space/,
		});
		assert.equal(posts(), 0);
	});

	it('stays open if its task cannot be noted, although the task exists', async () => {
		const full = { ...dependencies(), made: () => Promise.reject(new Error('ENOSPC: no space left on device')) };
		assert.equal(await made(full, request), server.tasks[0]?.id);
		assert.equal(pendings().values().length, 1);
		assert.equal((await settlePending(dependencies(), () => true))?.id, server.tasks[0]?.id);
		assert.deepEqual(state.keys(), []);
	});

	it('is settled as not sent if the list does not show it', async () => {
		const pending = { connection: 'test', ...request, known: [] };
		await pendings().set(id, { ...pending, sentAt: Date.now() });
		assert.equal(await settlePending(dependencies(), () => true), undefined);
		assert.equal(pendings().values().length, 1, 'the service may still be working on it');
		await pendings().set(id, { ...pending, sentAt: Date.now() - 5 * 60_000 });
		assert.equal(await settlePending(dependencies(), () => true), undefined);
		assert.deepEqual(state.keys(), []);
	});

	it('tells the branch it was sent with, even after a reload and if the service does not', async () => {
		const pending = { connection: 'test', ...request, known: [], sentAt: Date.now() };
		await pendings().set(id, { ...pending, branch: 'errand-scratch-1' });
		server.add({ id: 'made', ...request });
		assert.equal((await settlePending(dependencies(), () => true))?.selectedBranch, 'errand-scratch-1');
	});

	it('looks into the list first if it is made again while an earlier attempt is open', async () => {
		server.createFault = 'lost after';
		server.listFailure = { status: 403, body: {} };
		const first = await sendTask(dependencies(), request);
		assert.equal(first.kind, 'unsure');
		server.listFailure = undefined;
		// Unlike “Try Again”, a new command is handed nothing of the first attempt.
		assert.equal(await made({ ...dependencies(), tasks: () => [] }, request), server.tasks[0]?.id);
		assert.equal(posts(), 1);
		assert.deepEqual(state.keys(), []);
	});
});
