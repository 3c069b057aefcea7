import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { KeyStore } from '../../src/models/keys/keyStore.ts';
import { createKeysFeature } from '../../src/models/keys/keysFeature.ts';
import { serverKey } from '../../src/models/model/keyFormat.ts';
import { changeKeyOf, readServerKeys } from '../../src/models/serverKeys.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { answerLists } from '../support/answeredLists.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { InputBoxes } from './inputBoxes.ts';

const KEY = 'sk-lab-Ab3dEf6hIj9kLm2n';
const { createQuickPick } = vscode.window;

describe('the list of keys', () => {
	let lab: FaultServer;
	let boxes: InputBoxes;
	let secrets: Map<string, string>;
	let keys: KeyStore;
	let rows: vscode.QuickPickItem[];
	const context = { transport: createFetchTransport(editorFetch), logger: nullLogger, clock: systemClock };
	const setServers = (value: unknown) =>
		vscode.workspace.getConfiguration().update('errand.local.upstreams', value, vscode.ConfigurationTarget.Global);

	beforeEach(async () => {
		lab = await FaultServer.start((response, { headers }) =>
			headers.authorization === `Bearer ${KEY}`
				? sendJson(response, 200, { data: [{ id: 'lab-1' }] })
				: sendJson(response, 401, { error: { message: 'Incorrect API key provided.' } }),
		);
		await setServers({ lab: { url: `${lab.origin}/v1` } });
		boxes = new InputBoxes();
		secrets = new Map();
		keys = new KeyStore(
			{
				get: async name => secrets.get(name),
				store: async (name, value) => void secrets.set(name, value),
				delete: async name => void secrets.delete(name),
			},
			() => {},
		);
		rows = [];
	});
	afterEach(async () => {
		boxes.stop();
		Object.assign(vscode.window, { createQuickPick });
		await setServers(undefined);
		await lab.stop();
	});

	/** Opens the list for a connection, and chooses the row of that label. */
	async function manage(name: string, row: string): Promise<void> {
		const lists = answerLists(row);
		const feature = createKeysFeature({
			store: keys,
			client: () => Promise.reject(new Error('not needed here')),
			logger: nullLogger,
		});
		const connection = { ...connectionSchema.parse({ apiUrl: 'https://service.invalid', service: name }), name };
		await feature.manage(connection, { model: await readServerKeys(context, keys), mcp: [] });
		rows = lists[0] ?? [];
	}

	it('has those of the model servers behind those of a connection, and of the local one nothing else', async () => {
		await manage('acme', 'none');
		const labels = rows.map(({ label }) => label);
		assert.deepEqual(labels.slice(0, 3), ['Inference key', 'Cloud token', 'Agent key']);
		assert.deepEqual(labels.slice(-3), ['Model servers', 'lab', 'Add Service…']);
		assert.equal(rows.find(({ label }) => label === 'lab')?.description, 'no key');
		await manage('local', 'none');
		assert.deepEqual(
			rows.map(({ label }) => label),
			['Model servers', 'lab', 'Add Service…'],
		);
	});

	it('takes a key for a model server once the server accepts it, and starts anew after one that is refused', async () => {
		const managing = manage('local', 'lab');
		await waitFor('the box', () => boxes.shown.length === 1);
		await boxes.enter('sk-wrong');
		await waitFor('the refusal', () =>
			/rejected the key: Incorrect API key provided\./.test(String(boxes.last?.validationMessage)),
		);
		assert.equal(boxes.last?.value, '');
		await boxes.enter(KEY);
		await managing;
		assert.equal((await keys.usable(serverKey('lab', `${lab.origin}/v1`))).key, KEY);
	});

	it('is not needed to change the key that an error is about', async () => {
		const changing = changeKeyOf('lab', context, keys);
		await waitFor('the box', () => boxes.shown.length === 1);
		assert.equal(boxes.last?.title, 'Key of lab');
		await boxes.enter(KEY);
		await changing;
		assert.equal((await keys.usable(serverKey('lab', `${lab.origin}/v1`))).key, KEY);
	});
});
