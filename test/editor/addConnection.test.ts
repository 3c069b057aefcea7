import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { addConnection } from '../../src/connections/addConnection.ts';
import { keys as contractKeys, models } from '../support/contractServer/fixtures.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { InputBoxes } from './inputBoxes.ts';
import { useConnectionFlow } from './useConnectionFlow.ts';

const KEY = contractKeys.inference;

describe('connections are added', () => {
	const flow = useConnectionFlow();
	let boxes: InputBoxes;

	beforeEach(() => {
		boxes = new InputBoxes();
	});
	afterEach(() => boxes.stop());

	function add(): void {
		// A box of an earlier flow must not be taken for one of this flow.
		boxes.shown.length = 0;
		flow.begin(addConnection(flow.dependencies(), flow.actions));
	}

	async function giveName(name: string): Promise<void> {
		await waitFor('the first step', () => flow.lists.last?.title === 'Add Connection');
		flow.type(name);
		await flow.lists.pick(name);
	}

	async function giveAddress(url: string, row = `Use ${url}`): Promise<void> {
		await waitFor('the second step', () => flow.lists.last?.step === 2);
		flow.type(url);
		await flow.lists.pick(row);
	}

	const keyBox = () => waitFor('the third step', () => boxes.last?.step === 3 && boxes.last);

	async function enter(text: string): Promise<void> {
		await keyBox();
		await boxes.enter(text);
	}

	it('by name, address and key, with the rest as the service says', async () => {
		add();
		await giveName('acme');
		await waitFor('the second step', () => flow.lists.last?.step === 2);
		flow.type(`${flow.service.hosts.public}/v1`);
		await flow.shows(/It answers and wants a key\./);
		await flow.lists.pick(`Use ${flow.service.hosts.public}`);
		assert.match(String((await keyBox()).prompt), /sent to http:\/\/127\.0\.0\.1:\d+ only/);
		assert.equal((await keyBox()).password, true);
		await enter(KEY);
		await flow.ended();
		const { acme } = flow.entries() as { acme: { models: { id: string }[] } };
		assert.deepEqual(
			{ ...acme, models: acme.models.map(({ id }) => id) },
			{ apiUrl: flow.service.hosts.public, service: 'quillon', models: models.map(({ id }) => id) },
		);
		assert.deepEqual(
			acme.models.find(({ id }) => id === 'quillon-search'),
			{ id: 'quillon-search', kinds: ['search'] },
		);
		assert.equal(await flow.keys.state(flow.connectionOf('acme'), 'inference'), 'set');
		assert.ok(!JSON.stringify(flow.entries()).includes(KEY));
		assert.match(flow.messages.join('\n'), /The connection “acme” was added\./);
	});

	it('with the right key, after a wrong one has been reported', async () => {
		add();
		await giveName('acme');
		await giveAddress(flow.service.hosts.public);
		await enter('has blanks');
		await waitFor('the form', () => /no spaces/.test(String(boxes.last?.validationMessage)));
		await enter('sk-wrong-0123456789');
		await waitFor('the refusal', () => /refuses the key/.test(String(boxes.last?.validationMessage)));
		assert.equal(flow.entries(), undefined);
		await enter(KEY);
		await flow.ended();
		assert.ok(Object.hasOwn(flow.entries() as object, 'acme'));
	});

	it('without showing anything that a service says as a link, which could run a command', async () => {
		const said = '[Repair](command:workbench.action.quit) \u202e';
		const server = await FaultServer.start(response => sendJson(response, 401, { error: said }));
		add();
		await giveName('acme');
		await giveAddress(server.origin);
		await enter(KEY);
		await waitFor('the refusal', () => /Repair/.test(String(boxes.last?.validationMessage)));
		assert.doesNotMatch(String(boxes.last?.validationMessage), /\]\(|\u202e/);
		await flow.leave();
		await server.stop();
	});

	it('with a wrong key only if the user insists', async () => {
		add();
		await giveName('acme');
		await giveAddress(flow.service.hosts.public);
		await enter('sk-wrong-0123456789');
		await waitFor('the refusal', () => boxes.last?.validationMessage !== undefined && boxes.last?.enabled === true);
		await enter('sk-wrong-0123456789');
		await flow.lists.pick('Save It Anyway');
		await flow.ended();
		assert.deepEqual(flow.entries(), { acme: { apiUrl: flow.service.hosts.public, service: 'acme' } });
	});

	it('at an address where nothing answers only if the user insists, after being told', async () => {
		const gone = await FaultServer.start(() => {});
		const { origin } = gone;
		await gone.stop();
		add();
		await giveName('acme');
		await giveAddress(origin, `Use ${origin} Anyway`);
		await enter('');
		await flow.shows(/Nothing answers at .*: the connection was refused\./);
		await flow.lists.pick('Change the Address…');
		await giveAddress(flow.service.hosts.public);
		await enter(KEY);
		await flow.ended();
		assert.equal(flow.connectionOf('acme').apiUrl, flow.service.hosts.public);
	});

	it('with a model that the user names if the service lists none', async () => {
		const server = await FaultServer.start((response, { path }) =>
			path === '/v1/chat/completions'
				? sendJson(response, 401, { error: 'Unauthorized' })
				: void response.writeHead(404).end(),
		);
		Object.assign(vscode.window, { showInputBox: async () => ' by-name ' });
		add();
		await giveName('acme');
		await giveAddress(server.origin);
		await enter(KEY);
		await flow.shows(/lists no models, so neither a key nor a/);
		await flow.lists.pick('Save It with a Model That You Name…');
		await flow.ended();
		assert.deepEqual(flow.entries(), {
			acme: { apiUrl: server.origin, service: 'acme', models: [{ id: 'by-name' }] },
		});
		assert.ok(server.received.every(({ path, headers }) => path !== '/v1/chat/completions' || !headers.authorization));
		await server.stop();
	});

	it('with at least one model of a long list', async () => {
		const data = Array.from({ length: 25 }, (_, at) => ({
			id: `model-${at}`,
			name: at === 1 ? 'M\u202eodel' : `Model ${at}`,
		}));
		const server = await FaultServer.start((response, { path }) =>
			path === '/v1/models' ? sendJson(response, 200, { data }) : void response.writeHead(404).end(),
		);
		const { showQuickPick } = vscode.window;
		const asked: (string | undefined)[] = [];
		Object.assign(vscode.window, {
			showQuickPick: async (rows: vscode.QuickPickItem[], options: vscode.QuickPickOptions) =>
				asked.push(options.placeHolder) === 1 ? [] : rows.slice(0, 2),
		});
		try {
			add();
			await giveName('acme');
			await giveAddress(server.origin);
			await enter('');
			await flow.ended();
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
		assert.match(asked.join('\n'), /^It works\. It lists 25 models: .*\nChoose at least one of the 25 models/);
		assert.deepEqual(flow.entries(), {
			acme: {
				apiUrl: server.origin,
				service: 'acme',
				models: [{ id: 'model-0', label: 'Model 0' }, { id: 'model-1' }],
			},
		});
		await server.stop();
	});

	it('with the parts that answer at the same address', async () => {
		const server = await FaultServer.start((response, { path, headers }) => {
			if (path === '/v1/models') {
				sendJson(response, 200, { data: [{ id: 'one', context_length: 8000 }] });
			} else if (path === '/health') {
				sendJson(response, 200, { status: 'healthy', crypto_status: 'ready' });
			} else {
				sendJson(response, headers.authorization ? 500 : 404, { error: 'Not found' });
			}
		});
		add();
		await giveName('box');
		await giveAddress(server.origin);
		await enter('');
		await flow.ended();
		assert.deepEqual(flow.entries(), {
			box: {
				apiUrl: server.origin,
				encryptUrl: server.origin,
				service: 'box',
				models: [{ id: 'one', contextLength: 8000 }],
			},
		});
		await server.stop();
	});

	it('with a key that was pasted into the address, which leaves the box and is sent only when it is accepted', async () => {
		add();
		await giveName('acme');
		await waitFor('the second step', () => flow.lists.last?.step === 2);
		flow.type(`${flow.service.hosts.public}?api_key=${KEY}`);
		await flow.shows(/never into the settings/);
		assert.equal(flow.lists.last?.value, flow.service.hosts.public);
		await flow.shows(/wants a key/);
		assert.ok(flow.service.received.every(({ headers }) => headers.authorization === undefined));
		await flow.lists.pick(`Use ${flow.service.hosts.public}`);
		assert.equal((await keyBox()).value, KEY);
		await enter(KEY);
		await flow.ended();
		assert.ok(!JSON.stringify(flow.entries()).includes(KEY));
		assert.equal(await flow.keys.state(flow.connectionOf('acme'), 'inference'), 'set');
	});

	it('never with an address that is reached without encryption', async () => {
		add();
		await giveName('acme');
		await waitFor('the second step', () => flow.lists.last?.step === 2);
		flow.type('http://api.example.com');
		await flow.shows(/Type an https address/);
		assert.ok(!flow.lists.rows().some(row => /Use http/.test(row)));
		await flow.leave();
		assert.equal(flow.entries(), undefined);
	});

	it('under no name that is taken or not allowed', async () => {
		await flow.write('errand.connections', { acme: { apiUrl: flow.service.hosts.public, service: 'quillon' } });
		add();
		await waitFor('the first step', () => flow.lists.last?.title === 'Add Connection');
		for (const [name, words] of [
			['acme', /There is a connection of this name/],
			['local', /is the connection to this machine/],
			['$(bug)', /Use letters, digits/],
			[KEY, /That looks like a key\./],
			['', /Type a name for a new connection/],
		] as const) {
			flow.type(name);
			await flow.shows(words);
			assert.ok(!flow.lists.rows().some(row => row.includes('new connection') && !row.includes('Type')), name);
		}
		await flow.leave();
	});

	it('by none of the steps that are left', async () => {
		const before = [
			() => Promise.resolve(),
			() => giveName('acme'),
			async () => {
				await giveName('acme');
				await giveAddress(flow.service.hosts.public);
				await keyBox();
			},
			async () => {
				await giveName('acme');
				await giveAddress(flow.service.hosts.public);
				await enter('');
				await flow.shows(/wants a key, so nothing more could be checked/);
			},
		];
		for (const steps of before) {
			add();
			await steps();
			await flow.leave();
			assert.equal(flow.entries(), undefined);
			assert.equal(flow.secrets.size, 0);
		}
	});
});
