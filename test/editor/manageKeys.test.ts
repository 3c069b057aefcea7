import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { showKeys } from '../../src/models/keyList.ts';
import { serverKeyUse } from '../../src/models/keys/keyUse.ts';
import { serverKey } from '../../src/models/model/keyFormat.ts';
import { answerLists } from '../support/answeredLists.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const KEY = 'sk-lab-Ab3dEf6hIj9kLm2n';
const { createQuickPick } = vscode.window;

describe('the list of keys', () => {
	const flow = useServices();
	let lab: FaultServer;
	let rows: vscode.QuickPickItem[];

	beforeEach(async () => {
		lab = await FaultServer.start((response, { headers }) =>
			headers.authorization === `Bearer ${KEY}`
				? sendJson(response, 200, { data: [{ id: 'lab-1' }] })
				: sendJson(response, 401, { error: { message: 'Incorrect API key provided.' } }),
		);
		await flow.write('errand.local.upstreams', { lab: { url: `${lab.origin}/v1` } });
		await flow.write('errand.connections', { acme: { apiUrl: 'https://service.invalid', service: 'acme' } });
		rows = [];
	});
	afterEach(async () => {
		Object.assign(vscode.window, { createQuickPick });
		await lab.stop();
	});

	const saved = async () => (await flow.store.usable(serverKey('lab', `${lab.origin}/v1`))).key;

	/** Opens the list for a connection, and chooses these rows, one after the other. */
	async function manage(name: string, ...labels: string[]): Promise<void> {
		await flow.write('errand.connection', name);
		const lists = answerLists(...labels);
		await showKeys(flow.services, { keys: async () => [], get: async () => undefined, delete: async () => {} });
		rows = lists.at(-1) ?? [];
	}

	it('has those of the model servers behind those of a connection, and of the local one nothing else', async () => {
		await manage('acme');
		const labels = rows.map(({ label }) => label);
		assert.deepEqual(labels.slice(0, 3), ['Inference key', 'Cloud token', 'Agent key']);
		assert.deepEqual(labels.slice(-3), ['Model servers', 'lab', 'Add Service…']);
		assert.equal(rows.find(({ label }) => label === 'lab')?.description, 'not set');
		await manage('local');
		assert.deepEqual(
			rows.map(({ label }) => label),
			['Model servers', 'lab', 'Add Service…'],
		);
	});

	it('takes a key for a model server once the server accepts it, and starts anew after one that is refused', async () => {
		const managing = manage('local', 'lab');
		await flow.enterKey('sk-wrong');
		await waitFor('the refusal', () =>
			/rejected the key: Incorrect API key provided\./.test(String(flow.boxes.last?.validationMessage)),
		);
		assert.equal(flow.boxes.last?.value, '');
		await flow.enterKey(KEY);
		await managing;
		assert.equal(await saved(), KEY);
		assert.match(rows.find(({ label }) => label === 'lab')?.description ?? '', /^set, ends in Lm2n · accepted$/);
	});

	it('is not needed to change the key that an error is about', async () => {
		const setting = { url: `${lab.origin}/v1` };
		const changing = flow.keys.for(serverKeyUse({ slug: 'lab', setting })).set();
		assert.equal((await flow.keyBox()).title, 'Key of lab');
		await flow.enterKey(KEY);
		await changing;
		assert.equal(await saved(), KEY);
	});
});
