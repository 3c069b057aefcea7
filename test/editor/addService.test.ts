import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { LOCAL_CONNECTION_NAME } from '../../src/contract/localConnection.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { keys as contractKeys, models } from '../support/contractServer/fixtures.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const KEY = contractKeys.inference;

describe('a service is added', () => {
	const flow = useServices();

	describe('that speaks the contract', () => {
		it('by its address and its key, with the rest as it says', async () => {
			flow.add();
			await flow.lists.pick('Another Address…');
			await flow.isAt('Address of the Service');
			flow.type(`${flow.service.hosts.public}/v1`);
			await flow.shows(/It responds and requires a key\./);
			await flow.lists.pick(`Use ${flow.service.hosts.public}/v1`);
			assert.match(String((await flow.keyBox()).prompt), /sent only to http:\/\/127\.0\.0\.1:\d+/);
			assert.equal((await flow.keyBox()).password, true);
			await flow.enterKey(KEY);
			await flow.name('acme');
			await flow.leave();
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
			assert.deepEqual([flow.added, readSetting('errand.connection')], [undefined, LOCAL_CONNECTION_NAME]);
		});

		it('with further hosts, each asked, and with its agents, and is used at once', async () => {
			flow.add();
			await flow.giveAddress(flow.service.hosts.public, `Use ${flow.service.hosts.public}/v1`);
			await flow.enterKey(KEY);
			await flow.name();
			await flow.lists.pick('Host of cloud tasks and look-ups');
			flow.type(flow.service.hosts.cloud);
			await flow.shows(/It responds and requires a key\./);
			await flow.lists.pick(`Use ${flow.service.hosts.cloud}`);
			await flow.isAt('Connection quillon');
			flow.answers('mason, carver');
			await flow.lists.pick('Agents of cloud tasks');
			await flow.shows(/^Agents of cloud tasks \| 2$/);
			await flow.lists.pick('Switch to It');
			await flow.ended();
			const { quillon } = flow.entries() as { quillon: { cloudUrl: string; agents: unknown } };
			assert.equal(quillon.cloudUrl, flow.service.hosts.cloud);
			assert.deepEqual(quillon.agents, [{ id: 'mason' }, { id: 'carver' }]);
			assert.equal(readSetting('errand.connection'), 'quillon');
			assert.deepEqual(flow.added?.server, 'quillon');
			assert.equal(await flow.keys.state(flow.connectionOf('quillon'), 'inference'), 'set');
			assert.equal(await flow.keys.state(flow.connectionOf('quillon'), 'cloud'), 'missing');
		});

		it('and a host of another origin gets its key only once that is confirmed', async () => {
			flow.add();
			await flow.giveAddress(flow.service.hosts.public, `Use ${flow.service.hosts.public}/v1`);
			await flow.enterKey(KEY);
			await flow.name();
			await flow.lists.pick('Shared host of the encrypted channel');
			flow.type(flow.service.hosts.encrypt);
			await flow.shows(/It responds as expected/);
			await flow.lists.pick(`Use ${flow.service.hosts.encrypt}`);
			await flow.isAt('Connection quillon');
			await flow.leave();
			assert.equal(await flow.keys.state(flow.connectionOf('quillon'), 'inference'), 'unconfirmed');
		});

		it('without showing anything that a service says as a link, which could run a command', async () => {
			const said = '[Repair](command:workbench.action.quit) \u202e';
			const server = await FaultServer.start(response => sendJson(response, 401, { error: said }));
			flow.add();
			await flow.giveAddress(server.origin, `Use ${server.origin}/v1`);
			await flow.enterKey(KEY);
			await waitFor('the refusal', () => /Repair/.test(String(flow.boxes.last?.validationMessage)));
			assert.doesNotMatch(String(flow.boxes.last?.validationMessage), /\]\(|\u202e/);
			await flow.leave();
			await server.stop();
		});

		it('with a wrong key only if the user insists', async () => {
			flow.add();
			await flow.giveAddress(flow.service.hosts.public, `Use ${flow.service.hosts.public}/v1`);
			await flow.enterKey('sk-wrong-0123456789');
			const isRefused = () => flow.boxes.last?.validationMessage !== undefined && flow.boxes.last?.enabled === true;
			await waitFor('the refusal', isRefused);
			await flow.enterKey('sk-wrong-0123456789');
			await flow.shows(/rejected the key/);
			await flow.lists.pick('Add It as a Connection…');
			await flow.name();
			await flow.leave();
			assert.deepEqual(flow.entries(), { service: { apiUrl: flow.service.hosts.public, service: 'service' } });
		});

		it('without a list of models, with one that the user names', async () => {
			const server = await FaultServer.start((response, { path, headers }) =>
				path !== '/v1/chat/completions'
					? void response.writeHead(404).end()
					: headers.authorization === `Bearer ${KEY}`
						? sendJson(response, 400, { error: 'model is required' })
						: sendJson(response, 401, { error: 'Unauthorized' }),
			);
			flow.add();
			await flow.lists.pick('Another Address…');
			await flow.isAt('Address of the Service');
			flow.type(server.origin);
			await flow.shows(/It responds and requires a key\. It lists no models\./);
			await flow.lists.pick(`Use ${server.origin}`);
			await flow.enterKey(KEY);
			await flow.shows(/lists no models\. Enter one for the chat/);
			await flow.lists.pick('Add It as a Connection…');
			await flow.name();
			assert.match(flow.lists.last?.placeholder ?? '', /^Added\. It lists no models: enter one/);
			flow.answers(' by-name ');
			await flow.lists.pick('Models');
			await flow.shows(/^Models \| 1$/);
			await flow.leave();
			assert.deepEqual(flow.entries(), {
				service: { apiUrl: server.origin, service: 'service', models: [{ id: 'by-name' }] },
			});
			await server.stop();
		});

		it('never with a key that has not the form of its keys', async () => {
			const server = await FaultServer.start((response, { path, headers }) =>
				path === '/v1/models'
					? headers.authorization === undefined
						? sendJson(response, 401, { error: 'Unauthorized' })
						: sendJson(response, 200, { data: [{ id: 'one' }] })
					: void response.writeHead(404).end(),
			);
			flow.add();
			await flow.giveAddress(server.origin, `Use ${server.origin}/v1`);
			await flow.enterKey('token');
			await flow.lists.pick('Add It as a Connection…');
			assert.match(String((await flow.keyBox()).prompt), /^This kind of key starts with “sk-”\./);
			await flow.enterKey('token');
			await waitFor('the form', () => /starts with “sk-”/.test(String(flow.boxes.last?.validationMessage)));
			assert.equal(flow.entries(), undefined);
			await flow.enterKey(KEY);
			await flow.name();
			await flow.leave();
			assert.equal(await flow.keys.state(flow.connectionOf('service'), 'inference'), 'set');
			await server.stop();
		});

		it('with at least one model of a long list', async () => {
			const data = [
				{ id: 'acme-search', owned_by: 'acme' },
				...Array.from({ length: 25 }, (_, at) => ({
					id: `model-${at}`,
					name: at === 1 ? 'M\u202eodel' : `Model ${at}`,
				})),
			];
			const server = await FaultServer.start((response, { path }) =>
				path === '/v1/models' ? sendJson(response, 200, { data }) : void response.writeHead(404).end(),
			);
			const { showQuickPick } = vscode.window;
			const asked: (string | undefined)[] = [];
			Object.assign(vscode.window, {
				showQuickPick: async (rows: vscode.QuickPickItem[], options: vscode.QuickPickOptions) =>
					asked.push(options.placeHolder) === 1 ? [] : rows.slice(1, 3),
			});
			try {
				flow.add();
				await flow.giveAddress(server.origin, `Use ${server.origin}/v1`);
				assert.match(String((await flow.keyBox()).prompt), /Leave empty to continue without a key\./);
				await flow.enterKey('');
				await flow.name();
				await flow.leave();
			} finally {
				Object.assign(vscode.window, { showQuickPick });
			}
			assert.match(asked.join('\n'), /^It works and lists 26 models\. .*\nSelect at least one of the 26 models/);
			assert.deepEqual(flow.entries(), {
				acme: {
					apiUrl: server.origin,
					service: 'acme',
					models: [{ id: 'model-0', label: 'Model 0' }, { id: 'model-1' }],
				},
			});
			await server.stop();
		});

		it('with the parts that answer at the same address, by which it is recognised', async () => {
			const server = await FaultServer.start((response, { path, headers }) => {
				if (path === '/v1/models') {
					sendJson(response, 200, { data: [{ id: 'one', context_length: 8000 }] });
				} else if (path === '/health') {
					sendJson(response, 200, { status: 'healthy', crypto_status: 'ready' });
				} else {
					sendJson(response, headers.authorization ? 500 : 404, { error: 'Not found' });
				}
			});
			flow.add();
			await flow.giveAddress(server.origin, `Use ${server.origin}/v1`);
			await flow.enterKey('');
			await flow.name();
			await flow.leave();
			assert.deepEqual(flow.entries(), {
				service: {
					apiUrl: server.origin,
					encryptUrl: server.origin,
					service: 'service',
					models: [{ id: 'one', contextLength: 8000 }],
				},
			});
			await server.stop();
		});

		it('with a key that was pasted into the address, which leaves the box and is sent only when it is accepted', async () => {
			flow.add();
			await flow.lists.pick('Another Address…');
			await flow.isAt('Address of the Service');
			flow.type(`${flow.service.hosts.public}?api_key=${KEY}`);
			await flow.shows(/never in the settings/);
			assert.equal(flow.lists.last?.value, flow.service.hosts.public);
			await flow.shows(/requires a key/);
			assert.ok(flow.service.received.every(({ headers }) => headers.authorization === undefined));
			await flow.lists.pick(`Use ${flow.service.hosts.public}/v1`);
			await flow.name();
			await flow.leave();
			assert.ok(!JSON.stringify(flow.entries()).includes(KEY));
			assert.equal(await flow.keys.state(flow.connectionOf('quillon'), 'inference'), 'set');
		});

		it('under no name that is taken or not allowed', async () => {
			await flow.write('errand.connections', { acme: { apiUrl: flow.service.hosts.public, service: 'quillon' } });
			let problemOf: ((text: string) => string | undefined) | undefined;
			Object.assign(vscode.window, {
				showInputBox: async ({ validateInput }: { validateInput(text: string): string | undefined }) => {
					problemOf = validateInput;
				},
			});
			flow.add();
			await flow.giveAddress(flow.service.hosts.public, `Use ${flow.service.hosts.public}/v1`);
			await flow.enterKey(KEY);
			const problem = await waitFor('the box', () => problemOf);
			for (const [name, words] of [
				['acme', /A connection with this name already exists/],
				['local', /is the connection to this machine/],
				['$(bug)', /Use at most 60 letters, digits/],
				[KEY, /That looks like a key\./],
				['', /Enter a name for the new connection/],
			] as const) {
				assert.match(problem(name) ?? '', words);
			}
			assert.equal(problem('fine'), undefined);
			await flow.leave();
		});

		it('by none of the steps that are left', async () => {
			const toKey = async () => {
				await flow.giveAddress(flow.service.hosts.public, `Use ${flow.service.hosts.public}/v1`);
				await flow.keyBox();
			};
			const steps = [
				() => Promise.resolve(),
				toKey,
				async () => {
					await toKey();
					await flow.enterKey(KEY);
					await flow.leaveName();
				},
			];
			for (const take of steps) {
				flow.add();
				await take();
				await flow.leave();
				assert.equal(flow.entries(), undefined);
				assert.equal(flow.secrets.size, 0);
			}
		});
	});
});
