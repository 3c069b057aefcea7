import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { ClientError } from '../../src/base/errors.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { connectionFields, scm } from '../support/contractServer/fixtures.ts';
import { taskIds } from '../support/contractServer/taskFixtures.ts';
import { collect } from '../unit/client/testClient.ts';
import { asking } from './chatProofs.ts';
import { callEverything } from './everyCall.ts';
import { prove } from './harness.ts';

/** Every endpoint that the contract names or public practice has, by host. No other one may be called. */
const ENDPOINTS: Record<string, readonly string[]> = {
	public: ['POST /chat/completions', 'POST /v1/chat/completions', 'GET /v1/models'],
	enterprise: ['POST /v1/responses', 'POST /typesafe/v1/systemone'],
	encrypt: ['GET /health', 'GET /attestation', 'POST /message', 'POST /message_stream'],
	cloud: [
		'GET /api/tasks',
		'POST /api/tasks',
		'GET /api/tasks/{id}',
		'PATCH /api/tasks/{id}',
		'POST /api/tasks/{id}/continue',
		'GET /api/tasks/{id}/stream',
		`GET /api/${scm}/orgs`,
		`GET /api/${scm}/repos`,
		`GET /api/${scm}/branches`,
	],
	agent: ['GET /api/v1/tasks'],
};

describe('the client as a whole', () => {
	prove(
		[
			'inference/authentication/3',
			'inference/model-alias/prose/1',
			'unspecified/inference/17',
			'unspecified/cloud-tasks/6',
			'cloud-tasks/versioning/prose/1',
		],
		'calls each documented endpoint, and none that manages keys, makes videos or deletes',
		async ({ client, server }) => {
			await callEverything(client);
			const called = Object.groupBy(server.received, ({ host }) => host);
			const ids = Object.values(taskIds).join('|');
			const endpoints = Object.entries(called).map(([host, requests]) => [
				host,
				new Set(
					requests.map(({ method, path }) => `${method} ${path.replace(new RegExp(`/(${ids})(?=/|$)`), '/{id}')}`),
				),
			]);
			assert.deepEqual(
				Object.fromEntries(endpoints),
				Object.fromEntries(Object.entries(ENDPOINTS).map(([host, list]) => [host, new Set(list)])),
			);
			for (const { path, text } of server.received) {
				assert.doesNotMatch(`${path} ${text}`, /video|api_?keys|\/keys\b/i);
			}
		},
	);

	prove('unspecified/cloud-tasks/15', 'names no team, as no connection names any', async ({ client, server }) => {
		const task = { prompt: 'Add a lamp', repoUrl: 'https://forge.example/skipper/harbour.git' };
		await client.tasks.list();
		await client.tasks.create(task);
		assert.equal(server.received.length, 2);
		for (const { query, text } of server.received) {
			assert.equal('team' in query, false);
			assert.doesNotMatch(text, /"teamId"/);
		}
		const isRefused = (error: unknown) => ClientError.is(error, 'invalid-request');
		await assert.rejects(client.tasks.create({ ...task, teamId: 'crew' } as typeof task), isRefused);
		await assert.rejects(client.tasks.list({ team: 'crew' } as object), isRefused);
		assert.equal(server.received.length, 2);
	});

	prove('unspecified/inference/17', 'knows no model for videos, and its documentation says so', async ({ server }) => {
		const [model] = connectionFields(server).models;
		const withKinds = (kinds: string[]) =>
			connectionSchema.safeParse({ ...connectionFields(server), models: [{ ...model, kinds }] }).success;
		assert.equal(withKinds(['image']), true);
		assert.equal(withKinds(['video']), false);
		const documentation = await readFile(new URL('../../docs/administrators.md', import.meta.url), 'utf8');
		assert.match(documentation, /video\. The contract gives no interface for that, so Errand has none\./);
	});

	prove(
		['cloud-tasks/authentication/7', 'cloud-tasks/authentication/8', 'unspecified/cloud-tasks/13'],
		'lets a key stand in its header alone: in no address, body, log or error',
		async ({ client, connect, server, logged }) => {
			const stranger = { inference: 'sk-of-a-stranger', cloud: 'qcl_of-a-stranger', agent: 'sk-agent-of-a-stranger' };
			const shown: string[] = [];
			await callEverything(client);
			await callEverything(connect({}, stranger), error =>
				shown.push(inspect(error, { depth: Number.POSITIVE_INFINITY })),
			);
			// The service may repeat a key in what it says of it.
			server.answer(
				() => true,
				({ headers }) => ({
					status: 401,
					headers: {},
					json: { error: `The key ${headers.authorization?.slice(7)} is not known` },
				}),
			);
			await callEverything(client, error => {
				if (ClientError.is(error)) {
					shown.push(error.message, error.stack ?? '');
				}
			});
			assert.ok(logged.length > 0 && shown.length > 0);
			const keys = [...Object.values(server.keys), ...Object.values(stranger)];
			for (const text of [
				...server.received.map(({ path, query, text }) => `${path} ${JSON.stringify(query)} ${text}`),
				...server.received.map(({ headers: { authorization: _, ...others } }) => JSON.stringify(others)),
				...logged,
				...shown,
			]) {
				assert.ok(!keys.some(key => text.includes(key)), text);
			}
		},
	);

	prove(
		['cloud-tasks/authentication/6', 'cloud-tasks/authentication/7'],
		'asks for the key before each request, so that a new one counts at once and a deleted one no more',
		async ({ connect, server }) => {
			const keys: { cloud: string | undefined } = { cloud: 'qcl_deleted' };
			const client = connect(
				{},
				{
					...server.keys,
					get cloud() {
						return keys.cloud;
					},
				},
			);
			const refused = { code: 'unauthorised', status: 401 };
			await assert.rejects(client.tasks.list(), refused);
			await assert.rejects(client.sources.organisations(), refused);
			keys.cloud = server.keys.cloud;
			await client.tasks.list();
			await client.sources.organisations();
			keys.cloud = 'qcl_deleted';
			await assert.rejects(client.tasks.list(), refused);
			keys.cloud = undefined;
			const before = server.received.length;
			await assert.rejects(client.tasks.list(), { code: 'no-key' });
			assert.equal(server.received.length, before);
		},
	);

	prove(
		'cloud-tasks/authentication/6',
		'tells of a key that is deleted while a reply or a log is under way',
		async ({ client, server }) => {
			const refusal = { status: 401, headers: {}, json: { error: 'Unauthorized' } };
			const deleted = { code: 'unauthorised', status: 401, serviceMessage: 'Unauthorized' };
			// The log breaks off, and the key is gone when it is continued.
			server.answer(({ path, query }) => path.endsWith('/stream') && query['fromIndex'] !== '0', refusal);
			const { events, error } = await collect(client.tasks.follow(taskIds.cut));
			assert.ok(events.some(({ type }) => type === 'log'));
			assert.ok(ClientError.is(error, 'unauthorised'), String(error));
			server.answer(() => true, refusal);
			await assert.rejects(client.chat.complete(asking('text')), deleted);
			await assert.rejects(client.tasks.list(), deleted);
			await assert.rejects(client.agentTasks.list(), deleted);
		},
	);

	prove(
		['inference/endpoints/prose/1', 'inference/authentication/1'],
		'sends the key and the type of the body to each endpoint of inference',
		async ({ client, server }) => {
			await callEverything(client);
			const asked = server.received.filter(
				({ host, method }) => (host === 'public' || host === 'enterprise') && method === 'POST',
			);
			assert.equal(new Set(asked.map(({ path }) => path)).size, 4);
			for (const { headers, path } of asked) {
				assert.equal(headers.authorization, `Bearer ${server.keys.inference}`, path);
				assert.equal(headers['content-type'], 'application/json', path);
			}
		},
	);

	prove('unspecified/inference/6', 'sends a user in no request by itself', async ({ client, server }) => {
		await callEverything(client);
		for (const { json, path } of server.received) {
			assert.ok(typeof json !== 'object' || json === null || !('user' in json), path);
		}
	});
});
