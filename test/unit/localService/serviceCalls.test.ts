import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { controlPaths } from '../../../src/contract/control.ts';
import { ask, serviceCalls as calls } from '../../../src/localService/serviceCalls.ts';
import { FaultServer, sendJson } from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';

describe('what the service is asked about agents and tasks', () => {
	let server: FaultServer;
	let address: string;
	const service = () => ({ address, token: 'the-token' });

	beforeEach(async () => {
		server = await FaultServer.start(() => {});
		address = server.origin;
	});
	afterEach(() => server.stop());

	/** Every question, with an answer and what it is to become. */
	const never = new AbortController().signal;
	const status = { id: 'opencode', label: 'OpenCode', source: 'path' };
	const check = {
		sandbox: { works: true },
		unusable: [],
		asksForUnsandboxed: false,
		unpricedModels: [],
		ownDependencies: { shown: [], unmet: [] },
		dependencies: null,
	};
	const consent = { kind: 'unsandboxed', repoUrl: '/repository', problem: 'platform' } as const;
	const kept = { kind: 'unsandboxed', folder: '/repository', problem: 'platform', allowedAt: '2026-01-01' };
	const report = { sandbox: { works: false, problem: 'platform' }, agents: [status] };
	const trial = { ok: true, name: 'OpenCode', version: '1.0.0', seconds: 2 };
	const questions = [
		{ ask: () => ask(service(), calls.agents), path: controlPaths.agents, body: '', answer: report, is: report },
		{
			ask: () => ask(service(), calls.tryAgent, { id: 'opencode' }, never),
			path: controlPaths.tryAgent,
			body: '{"id":"opencode"}',
			answer: trial,
			is: trial,
		},
		{
			ask: () => ask(service(), calls.installAgent, { id: 'opencode' }, never),
			path: controlPaths.installAgent,
			body: '{"id":"opencode"}',
			answer: { ok: false, message: 'npm is not there.' },
			is: { ok: false, message: 'npm is not there.' },
		},
		{
			ask: () => ask(service(), calls.checkTask, { repoUrl: '/repository', agents: ['demo'] }),
			path: controlPaths.taskCheck,
			body: '{"repoUrl":"/repository","agents":["demo"]}',
			answer: check,
			is: check,
		},
		{
			ask: () => ask(service(), calls.sendConsent, consent),
			path: controlPaths.consents,
			body: JSON.stringify(consent),
			answer: { taken: true },
			is: { taken: true },
		},
		{
			ask: () => ask(service(), calls.consents),
			path: controlPaths.consents,
			body: '',
			answer: { consents: [kept] },
			is: { consents: [kept] },
		},
		{
			ask: () => ask(service(), calls.monthlyUse),
			path: controlPaths.costs,
			body: '',
			answer: { months: [{ month: '2026-11', tasks: 1, models: [{ model: 'small', cost: 0.5 }, 'odd'] }] },
			is: { months: [{ month: '2026-11', tasks: 1, models: [{ model: 'small', cost: 0.5 }] }] },
		},
		{
			ask: () => ask(service(), calls.withdrawConsent, { folder: '/repository', kind: 'unsandboxed' }),
			path: controlPaths.withdrawConsent,
			body: '{"folder":"/repository","kind":"unsandboxed"}',
			answer: { taken: true },
			is: { taken: true },
		},
		{
			ask: () => ask(service(), calls.keepWork, { taskId: 'task-1' }),
			path: controlPaths.keepWork,
			body: '{"taskId":"task-1"}',
			answer: { branchName: 'errand/kept' },
			is: { branchName: 'errand/kept' },
		},
	];

	for (const { ask, path, body, answer, is } of questions) {
		it(`is asked at ${path} with the token, and read`, async () => {
			server.answer = response => sendJson(response, 200, answer);
			assert.deepEqual(await ask(), is);
			const [received] = server.received;
			assert.equal(`${received?.method} ${received?.path}`, `${body === '' ? 'GET' : 'POST'} ${path}`);
			assert.equal(received?.headers.authorization, 'Bearer the-token');
			assert.equal(received?.body, body);
		});

		it(`is an error with the sentence of ${path} where that refuses, and one where its answer has another form`, async () => {
			server.answer = response => sendJson(response, 409, { error: 'There is nothing to keep.' });
			const refused = await ask().catch((error: unknown) => error);
			assert.ok(ClientError.is(refused, 'invalid-request'));
			assert.equal(refused.serviceMessage, 'There is nothing to keep.');
			server.answer = response => sendJson(response, 200, { taken: 'no' });
			assert.ok(ClientError.is(await ask().catch((error: unknown) => error), 'bad-response'));
			await server.stop();
			assert.ok(ClientError.is(await ask().catch((error: unknown) => error), 'offline'));
		});
	}

	it('is given up when the user cancels, which the service notices', async () => {
		const cancelled = new AbortController();
		server.answer = () => new Promise(() => {});
		const installing = ask(service(), calls.installAgent, { id: 'opencode' }, cancelled.signal);
		await waitFor('the request', () => server.received.length > 0);
		cancelled.abort();
		await assert.rejects(installing, { name: 'AbortError' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});
});
