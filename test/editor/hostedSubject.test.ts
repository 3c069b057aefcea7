import assert from 'node:assert/strict';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { pickHostedSubject } from '../../src/tasks/launch/hostedSubject.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, keys } from '../support/contractServer/fixtures.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const connection = { name: 'quillon', label: 'Quillon', isLocal: false, hasLookUps: true, agents: [] };

describe('a repository that only the service sees', () => {
	let service: ContractServer;
	let picks: QuickPicks;

	before(async () => {
		service = await ContractServer.start();
	});
	beforeEach(() => {
		picks = new QuickPicks();
	});
	afterEach(() => picks.stop());
	after(() => service.stop());

	const sourcesOf = (fields: object) =>
		createClient({
			connection: { name: 'quillon', ...connectionSchema.parse(fields) },
			keys: async () => keys.cloud,
			transport: createFetchTransport((input, init) => fetch(input, init)),
		}).sources;

	it('starts from its default branch, and its list of branches says which are protected', async () => {
		const picking = pickHostedSubject(sourcesOf(connectionFields(service)), connection, undefined);
		await picks.pick('harbour-crew');
		await waitFor('the repositories', () => picks.rows().some(row => row.includes('The harbour page')));
		assert.equal(picks.rows()[0], '$(repo) harbour | TypeScript · private · The harbour page');
		await picks.pick('harbour');
		const subject = await picking;
		assert.equal(subject?.branch, 'main');
		const choosing = subject.chooseBranch();
		await waitFor('the branches', () => picks.last?.title === 'Start Task: Branch');
		assert.deepEqual(picks.rows(), [
			'$(git-branch) main | default · protected from force push and deletion',
			'$(git-branch) release/2025 | protected from force push and deletion',
			'$(git-branch) feature/tide#4',
		]);
		await picks.pick('release/2025');
		await choosing;
		assert.equal(subject.branch, 'release/2025');
	});

	it('is said to be no longer visible if its branches are answered with 404, in the service’s words', async () => {
		const server = await FaultServer.start((response, { path }) => {
			if (path.endsWith('/orgs')) {
				sendJson(response, 200, [{ login: 'crew', name: 'Crew' }]);
			} else if (path.endsWith('/repos')) {
				sendJson(response, 200, [{ name: 'gone', clone_url: 'https://forge.example/crew/gone.git' }]);
			} else {
				const message = 'It is [gone](command:x)';
				sendJson(response, 404, { error: 'Not found', message, status: 404 });
			}
		});
		const fields = { ...connectionFields(service), cloudUrl: server.origin };
		const picking = pickHostedSubject(sourcesOf(fields), connection, undefined);
		const refused = assert.rejects(
			picking,
			/^UserFacingError: Quillon no longer has access to “crew\/gone”: .* It said: “It is \[gone\]\(command:x\)”$/,
		);
		await picks.pick('crew');
		await picks.pick('gone');
		await refused;
		await server.stop();
	});
});
