import assert from 'node:assert/strict';
import type { Client } from '../../src/client/types.ts';
import { absentText, scm, specialKeys } from '../support/contractServer/fixtures.ts';
import { branches, organisations, repositories } from '../support/contractServer/taskFixtures.ts';
import { prove } from './harness.ts';

const RECORDS = 'cloud-tasks/repository-branch-and-organisation-records';

const prose = (name: string) => [1, 2].map(position => `cloud-tasks/get-cloud-url-api-scm-${name}/prose/${position}`);

/** Returns records as the client reads them: null and the text None are absent. */
const asRead = (records: readonly object[]) =>
	records.map(record =>
		Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null && value !== absentText)),
	);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const lookUps: readonly [string, (client: Client) => Promise<unknown>][] = [
	['repos', client => client.sources.repositories('harbour-crew')],
	['branches', client => client.sources.branches('harbour-crew', 'harbour')],
	['orgs', client => client.sources.organisations()],
];

describe('the look-ups of a source host', () => {
	prove(
		[`${RECORDS}/1`, 'cloud-tasks/errors/5', ...prose('repos')],
		'give the repositories of an owner',
		async context => {
			const { client, lastRequest } = context;
			const read = await client.sources.repositories('harbour-crew');
			assert.deepEqual(plain(read), asRead(repositories['harbour-crew']));
			assert.deepEqual(lastRequest().query, { owner: 'harbour-crew' });
			assert.deepEqual(await client.sources.repositories('tide-lab'), []);
		},
	);

	prove(
		[`${RECORDS}/2`, 'cloud-tasks/errors/5', ...prose('branches')],
		'give the branches of a repository',
		async context => {
			const { client, lastRequest } = context;
			assert.deepEqual(await client.sources.branches('harbour-crew', 'harbour'), branches);
			assert.deepEqual(lastRequest().query, { owner: 'harbour-crew', repo: 'harbour' });
		},
	);

	prove(
		[`${RECORDS}/3`, 'cloud-tasks/errors/5', ...prose('orgs')],
		'give the organisations',
		async ({ client, lastRequest }) => {
			assert.deepEqual(await client.sources.organisations(), organisations);
			assert.deepEqual(lastRequest().query, {});
		},
	);

	prove('cloud-tasks/errors/6', 'are not asked without an owner or a repository', async ({ client, server }) => {
		for (const asked of [
			client.sources.repositories(''),
			client.sources.branches('', 'harbour'),
			client.sources.branches('harbour-crew', ' '),
		]) {
			await assert.rejects(asked, { code: 'invalid-request', message: /^(owner|repo) is / });
		}
		assert.equal(server.received.length, 0);
		const json = { error: 'Bad Request', message: 'Missing owner', status: 400 };
		server.answer(() => true, { status: 400, headers: {}, json });
		const refused = { code: 'invalid-request', status: 400, serviceMessage: 'Missing owner' };
		await assert.rejects(client.sources.repositories('harbour-crew'), refused);
	});

	for (const [position, key, failure] of [
		[7, 'qcl_of-nobody', { code: 'unauthorised', status: 401, serviceMessage: 'Please provide valid credentials' }],
		[
			8,
			specialKeys.withoutSourceLink,
			{ code: 'source-link-missing', status: 404, serviceMessage: 'Source-hosting token not found or expired' },
		],
		[9, specialKeys.brokenSource, { code: 'upstream', status: 502, serviceMessage: 'Source-hosting API error' }],
		[10, specialKeys.brokenDatabase, { code: 'server', status: 500, serviceMessage: 'Database error' }],
	] as const) {
		const ids = [
			`cloud-tasks/errors/${position}`,
			'cloud-tasks/errors/prose/3',
			...(position === 8 ? ['cloud-tasks/authentication/3'] : []),
		];
		prove(ids, `say ${failure.code} after ${failure.status}`, async ({ connect, server }) => {
			const client = connect({}, { cloud: key });
			for (const [, ask] of lookUps) {
				await assert.rejects(ask(client), failure);
			}
			assert.equal(server.received.length, lookUps.length);
		});
	}

	prove('cloud-tasks/authentication/5', 'say that they need a plan', async ({ client, server }) => {
		const json = { error: 'Please subscribe to the Pro plan' };
		server.answer(() => true, { status: 403, headers: {}, json });
		for (const [, ask] of lookUps) {
			await assert.rejects(ask(client), { code: 'plan-required', status: 403, serviceMessage: json.error });
		}
	});

	prove('cloud-tasks/errors/8', 'keep the sentence on a repository that is not there', async ({ client }) => {
		await assert.rejects(client.sources.branches('harbour-crew', 'nothing'), {
			code: 'not-found',
			status: 404,
			serviceMessage: 'Repository not found or no access',
		});
	});

	prove('unspecified/cloud-tasks/16', 'are at the segment that the connection names', async context => {
		const { client, connect, server, lastRequest } = context;
		for (const [name, ask] of lookUps) {
			await ask(client);
			assert.equal(lastRequest().path, `/api/${scm}/${name}`);
		}
		server.answer(() => true, { status: 200, headers: {}, json: [] });
		for (const [name, ask] of lookUps) {
			await ask(connect({ scm: 'wharf' }));
			assert.equal(lastRequest().path, `/api/wharf/${name}`);
			await assert.rejects(ask(connect({ scm: undefined })), { code: 'not-supported' });
		}
	});
});
