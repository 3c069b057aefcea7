import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../../../src/contract/connection.ts';
import type { KeyKind } from '../../../../src/contract/routes.ts';
import { checkKey } from '../../../../src/models/keys/askKey.ts';
import { connectionKeyUse } from '../../../../src/models/keys/keyUse.ts';
import type { KeyCheck } from '../../../../src/models/model/keyCheck.ts';
import { type Answer, FaultServer, sendJson } from '../../../support/faultServer.ts';

const KEY = 'sk-check-0123456789';
const context = () => ({
	transport: createFetchTransport((address, init) => fetch(address, init)),
	logger: nullLogger,
	clock: systemClock,
	signal: new AbortController().signal,
});

describe('the check of a key', () => {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 500, {}));
	});

	afterEach(() => server.stop());

	async function check(kind: KeyKind, answer: Answer): Promise<Omit<KeyCheck, 'at'>> {
		server.answer = answer;
		const { origin } = server;
		const fields = { apiUrl: origin, cloudUrl: origin, agentUrl: origin, service: 'acme' };
		const connection = { ...connectionSchema.parse(fields), name: 'acme' };
		const before = Date.now();
		const { at, ...rest } = await checkKey(connectionKeyUse(connection, kind), KEY, context());
		assert.ok(at >= before && at <= Date.now());
		return rest;
	}

	const says =
		(status: number, body: unknown): Answer =>
		response =>
			sendJson(response, status, body);

	it('asks the endpoint of the kind for as little as it can, with the key', async () => {
		for (const [kind, path, query] of [
			['cloud', '/api/tasks', 'limit=1'],
			['agent', '/api/v1/tasks', 'limit=1'],
			['inference', '/v1/models', ''],
		] as const) {
			server.received.length = 0;
			await check(kind, says(401, { error: 'Unauthorized' }));
			const [request, ...others] = server.received;
			assert.equal(others.length, 0);
			assert.equal(`${request?.method} ${request?.path}`, `GET ${path}`);
			assert.equal(request?.query.toString(), query);
			assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
			assert.equal(request?.body, '');
		}
	});

	it('accepts a key that gets its list', async () => {
		assert.deepEqual(await check('cloud', says(200, { tasks: [], hasMore: false })), { answer: 'accepted' });
		assert.deepEqual(await check('agent', says(200, [])), { answer: 'accepted' });
		assert.deepEqual(await check('inference', says(200, { data: [{ id: 'large' }] })), { answer: 'accepted' });
	});

	it('tells a refused key from an account without the plan or outside the team, each in the service’s words', async () => {
		const said = 'Subscribe to Pro.';
		for (const kind of ['cloud', 'agent', 'inference'] as const) {
			assert.deepEqual(await check(kind, says(401, { error: said })), { answer: 'refused', said });
		}
		assert.deepEqual(await check('agent', says(403, { error: said })), { answer: 'plan-required', said });
		assert.deepEqual(await check('cloud', says(403, { error: said })), { answer: 'forbidden', said });
		assert.deepEqual(await check('inference', says(403, { error: { message: said } })), { answer: 'refused', said });
	});

	it('says that an inference key cannot be checked where there is no list of models', async () => {
		for (const answer of [says(404, {}), says(200, { models: 'large' }), says(400, {})]) {
			assert.equal((await check('inference', answer)).answer, 'not-checkable');
		}
		const page: Answer = response => {
			response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
		};
		assert.equal((await check('inference', page)).answer, 'not-checkable');
		assert.equal((await check('cloud', page)).answer, 'not-checkable');
	});

	it('does not take a service that is down or failing for one that refuses', async () => {
		assert.equal((await check('inference', says(500, {}))).answer, 'no-answer');
		assert.equal((await check('cloud', says(502, {}))).answer, 'no-answer');
		const hangsUp: Answer = response => {
			response.destroy();
		};
		assert.equal((await check('inference', hangsUp)).answer, 'no-answer');
	});

	it('keeps no key that the service repeats in its refusal', async () => {
		const { said } = await check('cloud', says(401, { error: `The token ${KEY} is unknown.` }));
		assert.match(said ?? '', /^The token .+ is unknown\.$/);
		assert.ok(!said?.includes(KEY));
		const long = await check('agent', says(401, { error: 'x'.repeat(5000) }));
		assert.equal(long.said?.length, 500);
	});
});
