import assert from 'node:assert/strict';
import { FaultServer, sendJson } from '../../support/faultServer.ts';
import { type TestClient, testClient } from './testClient.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const organisation = { login: 'acme', name: 'Acme', avatar_url: 'https://host.example/acme.png' };
const repository = {
	name: 'widgets',
	full_name: 'acme/widgets',
	description: null,
	private: true,
	clone_url: 'https://host.example/acme/widgets.git',
	updated_at: '2026-11-21T10:00:00Z',
	language: 'TypeScript',
};
const branch = { name: 'main', protected: true, isDefault: true };

/** The three look-ups with the request and the record of each. */
const lookUps = [
	{
		name: 'organisations',
		ask: (client: TestClient) => client.sources.organisations(),
		query: '',
		record: organisation,
	},
	{
		name: 'repositories',
		ask: (client: TestClient) => client.sources.repositories('acme & co'),
		query: 'owner=acme+%26+co',
		record: repository,
	},
	{
		name: 'branches',
		ask: (client: TestClient) => client.sources.branches('acme', 'widgets'),
		query: 'owner=acme&repo=widgets',
		record: branch,
	},
];
const PATHS: Record<string, string> = {
	organisations: '/api/forge/orgs',
	repositories: '/api/forge/repos',
	branches: '/api/forge/branches',
};

describe('client.sources', () => {
	let server: FaultServer;
	let client: TestClient;

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 200, []));
		client = testClient(server.origin, { fields: { scm: 'forge' } });
	});
	afterEach(() => server.stop());

	for (const { name, ask, query, record } of lookUps) {
		describe(name, () => {
			it('asks at the segment of the source host, with the cloud key', async () => {
				server.answer = response => sendJson(response, 200, [record, { ...record, extra: 1 }]);
				const { description: _, ...read } = record as typeof repository;
				assert.deepEqual(plain(await ask(client)), [read, { ...read, extra: 1 }]);
				const [received] = server.received;
				assert.equal(received?.method, 'GET');
				assert.equal(received?.path, PATHS[name]);
				assert.equal(received?.query.toString(), query);
				assert.equal(received?.headers.authorization, 'Bearer sk-cloud');
			});

			it('leaves out what is no record', async () => {
				server.answer = response => sendJson(response, 200, [null, 7, {}, record, { name: '', login: '' }]);
				assert.equal((await ask(client)).length, 1);
			});

			it('gives an empty list as one', async () => {
				assert.deepEqual(await ask(client), []);
				server.answer = response => sendJson(response, 200, null);
				assert.deepEqual(await ask(client), []);
			});

			for (const body of [{}, { records: [] }, 'text', 7]) {
				it(`takes ${JSON.stringify(body)} for a bad response, not for an empty list`, async () => {
					server.answer = response => sendJson(response, 200, body);
					await assert.rejects(ask(client), { code: 'bad-response' });
				});
			}

			for (const [status, code] of [
				[400, 'invalid-request'],
				[401, 'unauthorised'],
				[403, 'plan-required'],
				[404, name === 'branches' ? 'not-found' : 'source-link-missing'],
				[500, 'server'],
				[502, 'upstream'],
			] as const) {
				it(`takes ${status} for ${code} and keeps the service’s sentence`, async () => {
					const body = { error: 'Short', message: 'Repository not found or no access.', status };
					server.answer = response => sendJson(response, status, body);
					await assert.rejects(ask(client), { code, status, serviceMessage: 'Repository not found or no access.' });
					assert.equal(server.received.length, 1);
				});
			}

			it('tries again after 503', async () => {
				server.answer = response => {
					server.answer = next => sendJson(next, 200, [record]);
					sendJson(response, 503, {});
				};
				assert.equal((await ask(client)).length, 1);
			});

			it('is not supported by a connection that names no source host', async () => {
				await assert.rejects(ask(testClient(server.origin)), { code: 'not-supported' });
				assert.equal(server.received.length, 0);
			});
		});
	}

	it('tells a repository that is not there from a link that is missing, as far as the words do', async () => {
		for (const [message, code] of [
			['Repository not found or no access.', 'not-found'],
			['The repository could not be read: your source-hosting token has expired.', 'source-link-missing'],
			['Source-hosting token not found', 'source-link-missing'],
			['Not found', 'source-link-missing'],
		] as const) {
			server.answer = response => sendJson(response, 404, { error: 'Not Found', message, status: 404 });
			await assert.rejects(client.sources.branches('acme', 'widgets'), { code, serviceMessage: message });
		}
	});

	it('refuses an owner or a repository that is missing, before anything is sent', async () => {
		for (const missing of ['', '  ', undefined as unknown as string]) {
			await assert.rejects(client.sources.repositories(missing), { code: 'invalid-request', message: /^owner is / });
			await assert.rejects(client.sources.branches(missing, 'b'), { code: 'invalid-request', message: /^owner is / });
			await assert.rejects(client.sources.branches('a', missing), { code: 'invalid-request', message: /^repo is / });
		}
		assert.equal(server.received.length, 0);
	});

	it('keeps the name of the source host one segment of the address', async () => {
		await testClient(server.origin, { fields: { scm: 'a/b?c' } }).sources.organisations();
		assert.equal(server.received[0]?.path, '/api/a%2Fb%3Fc/orgs');
		await assert.rejects(testClient(server.origin, { fields: { scm: '..' } }).sources.organisations(), {
			code: 'invalid-request',
		});
	});
});
