import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { checkService } from '../../../src/tasks/launch/serviceCheck.ts';
import { ContractServer } from '../../support/contractServer/contractServer.ts';
import { agents, connectionFields, keys, specialKeys } from '../../support/contractServer/fixtures.ts';

const connection = { name: 'quillon', label: 'Quillon', isLocal: false, hasLookUps: true, agents };

describe('the answer of a service about the repository', () => {
	let service: ContractServer;

	before(async () => {
		service = await ContractServer.start();
	});
	after(() => service.stop());

	const look = (repoUrl: string, key = keys.cloud, without: object = {}) => {
		const { sources } = createClient({
			connection: { name: 'quillon', ...connectionFields(service), ...without } as never,
			keys: () => Promise.resolve(key),
			transport: createFetchTransport((input, init) => fetch(input, init)),
		});
		return checkService({ sources }, connection, repoUrl, () => Promise.reject(new Error('not this machine')));
	};
	const harbour = 'https://forge.example/harbour-crew/harbour.git';

	it('is that it knows it, with its branches', async () => {
		const known = await look(harbour);
		assert.ok(known.kind === 'known' && known.isWhole && known.branches.has('main'));
		assert.equal((await look('https://forge.example/harbour-crew/harbour')).kind, 'known');
	});

	it('is that it does not list it, or has no link, or could not be asked', async () => {
		assert.equal((await look('https://forge.example/harbour-crew/unknown')).kind, 'unlisted');
		assert.equal((await look('https://forge.example/nobody/harbour')).kind, 'unlisted');
		assert.equal((await look(harbour, specialKeys.withoutSourceLink)).kind, 'no-link');
		const failed = await look(harbour, specialKeys.brokenDatabase);
		assert.ok(failed.kind === 'failed' && failed.reason !== '');
	});

	it('is not asked for if the connection has no look-ups, or the address names no owner', async () => {
		assert.equal((await look(harbour, keys.cloud, { scm: undefined })).kind, 'not-asked');
		assert.equal((await look('https://forge.example/harbour')).kind, 'not-asked');
	});
});
