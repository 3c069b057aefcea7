import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { addConnection } from '../../src/connections/addConnection.ts';
import { diagnose } from '../../src/connections/diagnose/diagnoseConnection.ts';
import { manageConnection } from '../../src/connections/manageConnection.ts';
import type { ConnectionsDependencies } from '../../src/connections/model/connectionsDependencies.ts';
import { readConnection } from '../../src/connections/model/readConnection.ts';
import { exportConnections, importConnections } from '../../src/connections/transferConnections.ts';
import type { Connection } from '../../src/contract/connection.ts';
import { createKeysFeature, type KeysFeature } from '../../src/keys/keysFeature.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { BufferingProxy } from '../support/bufferingProxy.ts';
import { makeCertificate } from '../support/certificates.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { keys as contractKeys, models } from '../support/contractServer/fixtures.ts';
import { beginEvents, FaultServer, sendJson, sseEvent } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const KEY = contractKeys.inference;

describe('connections', function () {
	this.timeout(90_000);
	const { createInputBox, showInputBox, showOpenDialog, showSaveDialog, showInformationMessage, showWarningMessage } =
		vscode.window;
	const { showErrorMessage } = vscode.window;
	const write = (id: string, value: unknown) =>
		vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);
	let lists: QuickPicks;
	let boxes: vscode.InputBox[];
	let secrets: Map<string, string>;
	let keys: KeysFeature;
	let service: ContractServer;
	let messages: string[];
	/** The buttons that are chosen in messages, by what the message holds. */
	let chosen: [words: RegExp, button: string][];
	let folder: string;
	let isOver: boolean;

	const transport = createFetchTransport(editorFetch);
	const clientOf = async (connection: Connection) =>
		createClient({ connection, transport, keys: kind => keys.key(connection, kind) });

	beforeEach(async () => {
		lists = new QuickPicks();
		[boxes, messages, chosen, isOver] = [[], [], [], false];
		secrets = new Map();
		keys = createKeysFeature(
			{
				secrets: {
					get: async name => secrets.get(name),
					store: async (name, value) => void secrets.set(name, value),
					delete: async name => void secrets.delete(name),
					keys: async () => [...secrets.keys()],
					onDidChange: () => ({ dispose() {} }),
				},
				client: async (connection, key) => createClient({ connection, transport, keys: async () => key }),
				logger: nullLogger,
				activeConnection: () => Promise.reject(new Error('not needed here')),
				manageLocalKeys: async () => {},
			},
			() => {},
		);
		service = await ContractServer.start();
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-connections-'));
		const show = async (message: string, ...buttons: unknown[]) => {
			messages.push(message);
			const button = chosen.find(([words]) => words.test(message))?.[1];
			return buttons.includes(button) ? button : undefined;
		};
		Object.assign(vscode.window, {
			createInputBox: () => {
				const box = createInputBox();
				boxes.push(box);
				return box;
			},
			showInformationMessage: show,
			showWarningMessage: show,
			showErrorMessage: show,
		});
		await write('errand.connections', undefined);
	});
	afterEach(async () => {
		Object.assign(vscode.window, {
			...{ createInputBox, showInputBox, showOpenDialog, showSaveDialog },
			...{ showInformationMessage, showWarningMessage, showErrorMessage },
		});
		await lists.stop();
		await service.stop();
		fs.rmSync(folder, { recursive: true, force: true });
		for (const id of ['errand.connections', 'errand.connection']) {
			await write(id, undefined);
		}
	});

	const dependencies = (): ConnectionsDependencies => ({
		keys: { ...keys, formOf: async (...of) => keys.formOf(...of), label: async kind => keys.label(kind) },
		client: clientOf,
		logger: nullLogger,
	});
	const actions = {
		diagnose: async () => {},
		exportSome: exportConnections,
		importSome: importConnections,
	};
	const entries = () => vscode.workspace.getConfiguration().inspect('errand.connections')?.globalValue;
	const shows = (words: RegExp) => waitFor(`a row with ${words}`, () => lists.rows().some(row => words.test(row)));
	const connectionOf = (name: string): Connection => {
		const read = readConnection(name, readSetting('errand.connections'));
		assert.ok('connection' in read);
		return read.connection;
	};

	function add(): void {
		void addConnection(dependencies(), actions).then(() => {
			isOver = true;
		});
	}

	function manage(name: string): void {
		void manageConnection(name, dependencies(), actions).then(() => {
			isOver = true;
		});
	}

	/** Types into the list in front, at once as when it is pasted. */
	function type(text: string): void {
		assert.ok(lists.last);
		lists.last.value = text;
	}

	async function giveName(name: string): Promise<void> {
		await waitFor('the first step', () => lists.last?.title === 'Add Connection');
		type(name);
		await lists.pick(name);
	}

	async function giveAddress(url: string, row = `Use ${url}`): Promise<void> {
		await waitFor('the second step', () => lists.last?.step === 2);
		type(url);
		await lists.pick(row);
	}

	async function keyBox(): Promise<vscode.InputBox> {
		return waitFor('the third step', () => boxes.find(box => box.step === 3 && box === boxes.at(-1)));
	}

	async function enter(text: string): Promise<void> {
		const box = await keyBox();
		box.value = text;
		await vscode.commands.executeCommand('setContext', 'errand.test', text.length);
		await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
	}

	/** Leaves the list in front and waits for the one behind it. */
	async function backTo(title: string): Promise<void> {
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		await isAt(title);
	}

	const isAt = (title: string) => waitFor(`the list ${title}`, () => lists.last?.title === title);
	const ended = () => waitFor('the flow to end', () => isOver);

	describe('are added', () => {
		it('by name, address and key, and the rest is what the service says', async () => {
			add();
			await giveName('acme');
			await waitFor('the second step', () => lists.last?.step === 2);
			type(`${service.hosts.public}/v1`);
			await shows(/It answers and wants a key\./);
			await lists.pick(`Use ${service.hosts.public}`);
			assert.match(String((await keyBox()).prompt), /sent to http:\/\/127\.0\.0\.1:\d+ only/);
			assert.equal((await keyBox()).password, true);
			await enter(KEY);
			await ended();
			const { acme } = entries() as { acme: { models: { id: string }[] } };
			assert.deepEqual(
				{ ...acme, models: acme.models.map(({ id }) => id) },
				{ apiUrl: service.hosts.public, service: 'quillon', models: models.map(({ id }) => id) },
			);
			assert.deepEqual(
				acme.models.find(({ id }) => id === 'quillon-search'),
				{ id: 'quillon-search', kinds: ['search'] },
			);
			assert.equal(await keys.state(connectionOf('acme'), 'inference'), 'set');
			assert.ok(!JSON.stringify(entries()).includes(KEY));
			assert.match(messages.join('\n'), /The connection “acme” was added\./);
		});

		it('after a wrong key has been said to be one, with the right one', async () => {
			add();
			await giveName('acme');
			await giveAddress(service.hosts.public);
			await enter('has blanks');
			await waitFor('the form', () => /no spaces/.test(String(boxes.at(-1)?.validationMessage)));
			await enter('sk-wrong-0123456789');
			await waitFor('the refusal', () => /refused the key \(HTTP 401\)/.test(String(boxes.at(-1)?.validationMessage)));
			assert.equal(entries(), undefined);
			await enter(KEY);
			await ended();
			assert.ok(Object.hasOwn(entries() as object, 'acme'));
		});

		it('and draw nothing of what a service says as a link, which could run a command', async () => {
			const said = '[Repair](command:workbench.action.quit) \u202e';
			const server = await FaultServer.start(response => sendJson(response, 401, { error: said }));
			add();
			await giveName('acme');
			await giveAddress(server.origin);
			await enter(KEY);
			await waitFor('the refusal', () => /Repair/.test(String(boxes.at(-1)?.validationMessage)));
			assert.doesNotMatch(String(boxes.at(-1)?.validationMessage), /\]\(|\u202e/);
			await lists.leave(() => isOver);
			await server.stop();
		});

		it('with a wrong key only where the user insists', async () => {
			add();
			await giveName('acme');
			await giveAddress(service.hosts.public);
			await enter('sk-wrong-0123456789');
			await waitFor(
				'the refusal',
				() => boxes.at(-1)?.validationMessage !== undefined && boxes.at(-1)?.enabled === true,
			);
			await enter('sk-wrong-0123456789');
			await lists.pick('Save It Anyway');
			await ended();
			assert.deepEqual(entries(), { acme: { apiUrl: service.hosts.public, service: 'acme' } });
		});

		it('where nothing answers only where the user insists, after it was said', async () => {
			const gone = await FaultServer.start(() => {});
			const { origin } = gone;
			await gone.stop();
			add();
			await giveName('acme');
			await giveAddress(origin, `Use ${origin} Anyway`);
			await enter('');
			await shows(/Nothing answers at .*: the connection was refused\./);
			await lists.pick('Change the Address…');
			await giveAddress(service.hosts.public);
			await enter(KEY);
			await ended();
			assert.equal(connectionOf('acme').apiUrl, service.hosts.public);
		});

		it('with a model that the user names, where the service lists none', async () => {
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
			await shows(/lists no models, so neither a key nor a/);
			await lists.pick('Save It with a Model That You Name…');
			await ended();
			assert.deepEqual(entries(), {
				acme: { apiUrl: server.origin, service: 'acme', models: [{ id: 'by-name' }] },
			});
			assert.ok(
				server.received.every(({ path, headers }) => path !== '/v1/chat/completions' || !headers.authorization),
			);
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
				await ended();
			} finally {
				Object.assign(vscode.window, { showQuickPick });
			}
			assert.match(asked.join('\n'), /^It works\. It lists 25 models: .*\nChoose at least one of the 25 models/);
			assert.deepEqual(entries(), {
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
			await ended();
			assert.deepEqual(entries(), {
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
			await waitFor('the second step', () => lists.last?.step === 2);
			type(`${service.hosts.public}?api_key=${KEY}`);
			await shows(/never into the settings/);
			assert.equal(lists.last?.value, service.hosts.public);
			await shows(/wants a key/);
			assert.ok(service.received.every(({ headers }) => headers.authorization === undefined));
			await lists.pick(`Use ${service.hosts.public}`);
			assert.equal((await keyBox()).value, KEY);
			await enter(KEY);
			await ended();
			assert.ok(!JSON.stringify(entries()).includes(KEY));
			assert.equal(await keys.state(connectionOf('acme'), 'inference'), 'set');
		});

		it('never with an address that is reached without encryption', async () => {
			add();
			await giveName('acme');
			await waitFor('the second step', () => lists.last?.step === 2);
			type('http://api.example.com');
			await shows(/Type an https address/);
			assert.ok(!lists.rows().some(row => /Use http/.test(row)));
			await lists.leave(() => isOver);
			assert.equal(entries(), undefined);
		});

		it('under no name that is taken or cannot stand there', async () => {
			await write('errand.connections', { acme: { apiUrl: service.hosts.public, service: 'quillon' } });
			add();
			await waitFor('the first step', () => lists.last?.title === 'Add Connection');
			for (const [name, words] of [
				['acme', /There is a connection of this name/],
				['local', /is the connection to this machine/],
				['$(bug)', /Use letters, digits/],
				[KEY, /That looks like a key\./],
				['', /Type a name for a new connection/],
			] as const) {
				type(name);
				await shows(words);
				assert.ok(!lists.rows().some(row => row.includes('new connection') && !row.includes('Type')), name);
			}
			await lists.leave(() => isOver);
		});

		it('by none of the steps that are left', async () => {
			const before = [
				() => Promise.resolve(),
				() => giveName('acme'),
				async () => {
					await giveName('acme');
					await giveAddress(service.hosts.public);
					await keyBox();
				},
				async () => {
					await giveName('acme');
					await giveAddress(service.hosts.public);
					await enter('');
					await shows(/wants a key, so nothing more could be checked/);
				},
			];
			for (const steps of before) {
				isOver = false;
				boxes = [];
				add();
				await steps();
				await lists.leave(() => isOver);
				assert.equal(entries(), undefined);
				assert.equal(secrets.size, 0);
			}
		});
	});

	describe('are changed', () => {
		const small = () => ({ acme: { apiUrl: service.hosts.public, service: 'quillon' } });
		const answers = (...texts: string[]) => {
			Object.assign(vscode.window, { showInputBox: async () => texts.shift() });
		};
		const acme = () => (entries() as Record<string, Record<string, unknown>>)['acme'];
		const modelIds = () => ((acme()?.['models'] ?? []) as { id: string }[]).map(({ id }) => id);

		it('by hosts that are asked before they are kept', async () => {
			await write('errand.connections', small());
			manage('acme');
			await lists.pick('Shared host of the encrypted channel');
			type(service.hosts.public);
			await shows(/answers, but not as the service does/);
			type(service.hosts.encrypt);
			await shows(/It answers as it should/);
			await lists.pick(`Use ${service.hosts.encrypt}`);
			await waitFor('the host', () => acme()?.['encryptUrl'] === service.hosts.encrypt);
			await lists.pick('Shared host of the encrypted channel');
			await lists.pick('Take the Address Out');
			await waitFor('the host to be gone', () => acme()?.['encryptUrl'] === undefined);
			await lists.leave(() => isOver);
			assert.deepEqual(entries(), small());
		});

		it('by the search model, providers, aliases and agents, without JSON', async () => {
			await write('errand.connections', small());
			manage('acme');
			await shows(/^Search model \| quillon-search, after/);
			answers('own');
			await lists.pick('Search model');
			await shows(/^Search model \| own-search, after/);
			answers('forge');
			await lists.pick('Source hosting for look-ups');
			await waitFor('the look-ups', () => acme()?.['scm'] === 'forge');
			answers('openhub');
			await lists.pick('Providers');
			await lists.pick('Add a Provider…');
			await isAt('openhub');
			await backTo('Providers of acme');
			await backTo('Connection acme');
			answers('fast', 'large');
			await lists.pick('Aliases');
			await lists.pick('Add an Alias…');
			await isAt('fast');
			await backTo('Aliases of acme');
			await backTo('Connection acme');
			answers('agent-a', 'large, small');
			await lists.pick('Agents of cloud tasks');
			await lists.pick('Add an Agent…');
			await lists.pick('Models');
			await waitFor('the agent', () => JSON.stringify(acme()?.['agents'] ?? '').includes('small'));
			await lists.leave(() => isOver);
			assert.deepEqual(acme(), {
				apiUrl: service.hosts.public,
				service: 'own',
				scm: 'forge',
				providers: [{ slug: 'openhub' }],
				aliases: [{ name: 'fast', model: 'large' }],
				agents: [{ id: 'agent-a', models: ['large', 'small'] }],
			});
			assert.ok('connection' in readConnection('acme', entries()));
		});

		it('by a key, and no icon of a label that others have chosen vouches for it in the status bar', async () => {
			await write('errand.connections', { acme: { ...small().acme, label: '$(verified) Local' } });
			const { setStatusBarMessage } = vscode.window;
			const told: string[] = [];
			Object.assign(vscode.window, {
				showInputBox: async () => KEY,
				setStatusBarMessage: (text: string) => {
					told.push(text);
					return { dispose() {} };
				},
			});
			try {
				manage('acme');
				await lists.pick('Inference key');
				await waitFor('the answer of the service', () => told.some(text => /accepts the key/.test(text)));
			} finally {
				Object.assign(vscode.window, { setStatusBarMessage });
			}
			assert.ok(
				told.every(text => !/(?<!\\)\$\(verified\)/.test(text)),
				told.join('\n'),
			);
			await lists.leave(() => isOver);
		});

		it('never by a key in a field, which stands in the settings', async () => {
			const problems: (string | undefined | null)[] = [];
			Object.assign(vscode.window, {
				showInputBox: async ({ validateInput }: { validateInput(text: string): string | undefined }) => {
					problems.push(validateInput(' tok-0123456789abcdefCLOUD'), validateInput('tok-'));
					return undefined;
				},
			});
			await write('errand.connections', small());
			manage('acme');
			await lists.pick('Beginning of cloud tokens');
			await waitFor('the box', () => problems.length > 0);
			assert.match(String(problems[0]), /^That looks like a key\. It would stand in the settings/);
			assert.equal(problems[1], undefined);
			await lists.leave(() => isOver);
		});

		it('by prices and by an alias with a whole routing policy, without JSON', async () => {
			const acmeWith = { ...small().acme, models: [{ id: 'large' }], aliases: [{ name: 'fast', model: 'large' }] };
			await write('errand.connections', { acme: acmeWith });
			manage('acme');
			await lists.pick('Models');
			await lists.pick('large');
			await lists.pick('Prices');
			await isAt('Prices');
			answers('0.5');
			await lists.pick('Prompt');
			await shows(/^Prompt \| 0\.5$/);
			answers('2');
			await lists.pick('Reply');
			await shows(/^Reply \| 2$/);
			await backTo('large');
			await shows(/^Prices \| Prompt: 0\.5 · Reply: 2$/);
			await backTo('Models of acme');
			await shows(/^large \| Prompt: 0\.5 · Reply: 2$/);
			await backTo('Connection acme');
			await lists.pick('Aliases');
			await lists.pick('fast');
			await lists.pick('Provider');
			await lists.pick('A Routing Policy…');
			await lists.pick('Sorted by');
			await lists.pick('Latency');
			answers('one, two');
			await lists.pick('The only ones that may serve');
			await shows(/^The only ones that may serve \| one, two$/);
			await lists.pick('Zero data retention');
			await lists.pick('Yes');
			await shows(/^Zero data retention \| Yes$/);
			await backTo('fast');
			await shows(
				/^Provider \| Sorted by: Latency · The only ones that may serve: one, two · Zero data retention: Yes$/,
			);
			// What is left without a change stays as it is.
			await lists.pick('Provider');
			await lists.pick('A Routing Policy…');
			await isAt('Routing policy');
			await backTo('fast');
			await lists.leave(() => isOver);
			assert.deepEqual(acme(), {
				...acmeWith,
				models: [{ id: 'large', prices: { input: 0.5, output: 2 } }],
				aliases: [{ name: 'fast', model: 'large', provider: { sort: 'latency', only: ['one', 'two'], zdr: true } }],
			});
			assert.ok('connection' in readConnection('acme', entries()));
		});

		it('by a name that is there already, whose entry keeps what is known of it', async () => {
			const known = { id: 'large', label: 'Large', kinds: ['chat'], contextLength: 8000 };
			await write('errand.connections', { acme: { ...small().acme, models: [known, { id: 'small' }] } });
			manage('acme');
			answers('large');
			await lists.pick('Models');
			await lists.pick('Add a Model by Its Id…');
			await isAt('Large');
			await lists.leave(() => isOver);
			assert.deepEqual(acme()?.['models'], [known, { id: 'small' }]);
		});

		it('by models of the service’s list: one that is no longer checked goes, and one that it does not list stays', async () => {
			const [first, second] = models;
			const own = { id: 'own' };
			await write('errand.connections', { acme: { ...small().acme, models: [own, { id: first?.id, tools: true }] } });
			await keys.save(connectionOf('acme'), 'inference', KEY);
			const { showQuickPick } = vscode.window;
			const choose = (...ids: (string | undefined)[]) =>
				Object.assign(vscode.window, {
					showQuickPick: async (rows: { value: string; picked: boolean }[]) => {
						assert.deepEqual(
							rows.filter(({ picked }) => picked).map(({ value }) => value),
							modelIds().filter(id => id !== 'own'),
						);
						return rows.filter(({ value }) => ids.includes(value));
					},
				});
			const has = (...ids: (string | undefined)[]) =>
				waitFor(`the models ${ids}`, () => {
					const written = modelIds();
					return JSON.stringify(written) === JSON.stringify(ids);
				});
			try {
				manage('acme');
				await lists.pick('Models');
				choose(first?.id, second?.id);
				await lists.pick('Ask the Service for Its Models…');
				await has('own', first?.id, second?.id);
				assert.deepEqual((acme()?.['models'] as object[] | undefined)?.[1], { id: first?.id, tools: true });
				choose(second?.id);
				await lists.pick('Ask the Service for Its Models…');
				await has('own', second?.id);
			} finally {
				Object.assign(vscode.window, { showQuickPick });
			}
			await lists.leave(() => isOver);
		});

		it('never into ones that cannot be used: an entry without all that it needs is not written', async () => {
			await write('errand.connections', small());
			manage('acme');
			answers('fast');
			await lists.pick('Aliases');
			await lists.pick('Add an Alias…');
			await waitFor('the list again', () => lists.last?.title === 'Aliases of acme');
			await lists.leave(() => isOver);
			assert.deepEqual(entries(), small());
		});

		it('by removal after a yes, with their keys, and what used them is back at this machine', async () => {
			await write('errand.connections', { ...small(), other: { apiUrl: service.hosts.public, service: 'o' } });
			await write('errand.connection', 'acme');
			await keys.save(connectionOf('acme'), 'inference', KEY);
			await keys.save(connectionOf('other'), 'inference', KEY);
			manage('acme');
			await lists.pick('Remove…');
			await waitFor('the question', () => messages.some(message => /Remove the connection acme\?/.test(message)));
			assert.ok(Object.hasOwn(entries() as object, 'acme'));
			chosen = [[/Remove the connection acme/, 'Remove']];
			await lists.pick('Remove…');
			await ended();
			assert.deepEqual(Object.keys(entries() as object), ['other']);
			assert.deepEqual([...secrets.keys()], ['errand.key.other.inference']);
			assert.equal(readSetting('errand.connection'), 'local');
		});

		it('although one cannot be used, so that its address can be corrected', async () => {
			await write('errand.connections', { acme: { apiUrl: 'http://api.example', service: 'quillon' } });
			manage('acme');
			await lists.pick('Public host for chat');
			type(service.hosts.public);
			await shows(/wants a key/);
			await lists.pick(`Use ${service.hosts.public}`);
			await waitFor('the host', () => acme()?.['apiUrl'] === service.hosts.public);
			await lists.leave(() => isOver);
		});
	});

	describe('in files', () => {
		const open = (file: string) =>
			Object.assign(vscode.window, { showOpenDialog: async () => [vscode.Uri.file(file)] });
		const fileOf = (text: string): string => {
			const file = path.join(folder, 'connections.json');
			fs.writeFileSync(file, text);
			return file;
		};
		const importAll = async () => {
			const importing = importConnections().then(() => {
				isOver = true;
			});
			await vscode.commands.executeCommand('setContext', 'errand.test', 1);
			return importing;
		};
		const accept = async () => {
			await waitFor('the list to be accepted', async () => {
				await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
				return isOver;
			});
		};

		it('are written without keys, and come back under a name that is free, without one', async () => {
			await write('errand.connections', { acme: { apiUrl: service.hosts.public, service: 'quillon' } });
			await keys.save(connectionOf('acme'), 'inference', KEY);
			const file = path.join(folder, 'exported.json');
			Object.assign(vscode.window, { showSaveDialog: async () => vscode.Uri.file(file) });
			await exportConnections(['acme']);
			assert.ok(!fs.readFileSync(file, 'utf8').includes(KEY));
			await write('errand.connections', {
				acme: { apiUrl: service.hosts.public, service: 'changed' },
			});
			open(file);
			void importAll();
			await accept();
			assert.deepEqual(Object.keys(entries() as object), ['acme']);
			chosen = [[/^Add this connection\?$/, 'Add']];
			isOver = false;
			void importAll();
			await accept();
			assert.deepEqual(entries(), {
				acme: { apiUrl: service.hosts.public, service: 'changed' },
				'acme 2': { apiUrl: service.hosts.public, service: 'quillon' },
			});
			assert.equal(await keys.state(connectionOf('acme 2'), 'inference'), 'missing');
		});

		it('bring nothing where they are no such file, or too large', async () => {
			for (const [text, words] of [
				['not json', /not JSON/],
				['{"acme": {}}', /holds no connections/],
				['x'.repeat(1024 * 1024 + 1), /too large/],
				['{"errand.connections": {"acme": {"apiUrl": "http://api.example", "service": "x"}}}', /Not imported: “acme”/],
				[
					'{"errand.connections": {"acme": {"apiUrl": "https://a.example", "service": "sk-0123456789abcdef"}}}',
					/looks like a key/,
				],
			] as const) {
				open(fileOf(text));
				await importConnections();
				assert.match(messages.at(-1) ?? '', words);
				assert.ok(!messages.at(-1)?.includes('sk-0123456789'));
			}
			assert.equal(entries(), undefined);
		});

		it('never come into use by themselves, not even under the name that the settings use', async () => {
			await write('errand.connection', 'gone');
			chosen = [[/^Add this connection\?$/, 'Add']];
			open(fileOf('{"errand.connections": {"gone": {"apiUrl": "https://evil.example", "service": "x", "key": "k"}}}'));
			void importAll();
			await accept();
			assert.deepEqual(entries(), { 'gone 2': { apiUrl: 'https://evil.example', service: 'x' } });
			assert.equal(readSetting('errand.connection'), 'gone');
		});
	});

	describe('are diagnosed', () => {
		const entry = (fields: Record<string, unknown>) => ({ acme: { service: 'quillon', ...fields } });
		const report = () => diagnose(connectionOf('acme'), dependencies());

		it('with every host and key, the way, the clock and the look-ups, and no secret', async () => {
			const { hosts } = service;
			await write(
				'errand.connections',
				entry({
					apiUrl: hosts.public,
					cloudUrl: hosts.cloud,
					agentUrl: hosts.agent,
					encryptUrl: hosts.encrypt,
					scm: 'forge',
					models: [{ id: models[0]?.id }, { id: 'gone' }],
				}),
			);
			await keys.save(connectionOf('acme'), 'inference', KEY);
			await keys.save(connectionOf('acme'), 'cloud', contractKeys.cloud);
			await keys.save(connectionOf('acme'), 'agent', 'sk-wrong-0123456789');
			const diagnosing = report();
			// The server ends its tasks at once, so their log does not tell whether it is held back.
			await lists.pick('Leave It Unchecked');
			const text = await diagnosing;
			for (const words of [
				/^# Diagnosis of acme$/m,
				/^1 problem was found\.$/m,
				/Fine · Way to 127\.0\.0\.1:\d+: open, answered in \d+ ms\./,
				/Fine · Clock against .*: within a minute\./,
				/Fine · Public host for chat .*: It answers and wants a key\./,
				/Fine · Shared host of the encrypted channel .*: It answers as it should\./,
				/Fine · Inference key: acme accepts the key/,
				/Fine · Cloud token: acme accepts the key/,
				/\*\*Problem\*\* · Agent key: acme does not accept the key/,
				/Note · Models of the settings: the service does not list gone\./,
				/Fine · Look-ups at “forge”: \d+ organisations or users\./,
				/· Stream of a task’s log: /,
			]) {
				assert.match(text, words);
			}
			for (const key of [...Object.values(contractKeys), 'sk-wrong']) {
				assert.ok(!text.includes(key));
			}
		});

		it('say what is wrong with the way and what to do, within a bounded time', async () => {
			const late = await FaultServer.start(response =>
				sendJson(response, 401, { error: 'Unauthorized' }, { date: new Date(Date.now() - 3_600_000).toUTCString() }),
			);
			const gone = await FaultServer.start(() => {});
			const silent = await FaultServer.start(() => {});
			const [deadUrl] = [gone.origin, await gone.stop()];
			await write(
				'errand.connections',
				entry({ apiUrl: late.origin, cloudUrl: deadUrl, agentUrl: silent.origin, orgUrl: 'https://org.invalid' }),
			);
			const text = await report();
			assert.match(text, /\*\*Problem\*\* · Clock against .*: this machine is 60 min ahead\./);
			assert.match(
				text,
				/\*\*Problem\*\* · Host of cloud tasks.*: Nothing answers at .*: the connection was refused\./,
			);
			assert.match(text, /\*\*Problem\*\* · Host of the agent task API.*: .* did not answer in time\./);
			// The tests run with a proxy in their environment.
			assert.match(text, /Note · Name org\.invalid: not known on this machine \(ENOTFOUND\)/);
			assert.match(text, /Fine · Proxy for org\.invalid: 127\.0\.0\.1:\d+ of HTTPS_PROXY accepts connections\./);
			assert.match(
				text,
				/\*\*Problem\*\* · Way to org\.invalid: The proxy did not open the way to org\.invalid \(HTTP 502\)\./,
			);
			assert.match(text, /Note · Inference key: not set\./);
			assert.match(text, /Not checked · Replies and logs: /);
			await Promise.all([late.stop(), silent.stop()]);
		});

		it('read a certificate, and say no good of one that the editor refuses', async () => {
			const day = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
			for (const days of [undefined, { from: -9, to: -1 }]) {
				const server = https.createServer(makeCertificate({ hosts: ['127.0.0.1'], ...(days && { days }) }));
				server.listen(0, '127.0.0.1');
				await once(server, 'listening');
				const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
				await write('errand.connections', entry({ apiUrl: `https://${place}` }));
				const lines = (await report()).split('\n');
				const at = lines.findIndex(line => line.includes(`· TLS of ${place}:`));
				assert.equal(
					lines[at],
					`- Note · TLS of ${place}: TLSv1.3, certificate issued by “127.0.0.1”, valid until ${day(days?.to ?? 30)}.`,
				);
				assert.match(
					lines[at + 1] ?? '',
					/^- \*\*Problem\*\* · Way to .*: The certificate of .* (?:is self-signed|has expired)\./,
				);
				server.close();
				server.closeAllConnections();
			}
		});

		it('notice a proxy that holds the log of a task back, and that it does not any more', async () => {
			const server = await FaultServer.start(async (response, { path }) => {
				if (path === '/api/tasks') {
					const task = { id: 'task-1', prompt: 'Mend', repoUrl: 'https://e.example/a/b', status: 'processing' };
					sendJson(response, 200, { tasks: [task], hasMore: false });
					return;
				}
				beginEvents(response);
				response.write(sseEvent({ taskId: 'task-1', fromIndex: 0 }, 'connected'));
				const gone = new Promise<void>(resolve => response.once('close', () => resolve()));
				const timer = setInterval(() => response.write(sseEvent({ status: 'processing', error: null }, 'status')), 300);
				await gone;
				clearInterval(timer);
			});
			const proxy = await BufferingProxy.start(server.origin);
			await write('errand.connections', entry({ apiUrl: service.hosts.public, cloudUrl: proxy.origin }));
			await keys.save(connectionOf('acme'), 'cloud', contractKeys.cloud);
			assert.match(
				await report(),
				/\*\*Problem\*\* · Stream of a task’s log: nothing arrived for 8 s[\s\S]*holds replies back until they are whole/,
			);
			proxy.isBuffering = false;
			assert.match(await report(), /Fine · Stream of a task’s log: arrives piece by piece/);
			await proxy.stop();
			await server.stop();
		});

		it('ask before a reply is read that may cost, and notice that it is held back', async () => {
			let asked = 0;
			const server = await FaultServer.start(async (response, { path }) => {
				if (path === '/v1/models') {
					sendJson(response, 200, { data: [{ id: 'large' }] });
				} else if (path === '/chat/completions') {
					asked++;
					beginEvents(response);
					for (let number = 1; number <= 20; number++) {
						const delta = { content: `${number}\n` };
						response.write(sseEvent({ choices: [{ index: 0, delta, finish_reason: null }] }));
						await new Promise(resolve => setTimeout(resolve, 70));
					}
					response.end(sseEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + sseEvent('[DONE]'));
				} else {
					response.writeHead(404).end();
				}
			});
			const proxy = await BufferingProxy.start(server.origin);
			await write('errand.connections', entry({ apiUrl: proxy.origin, models: [{ id: 'large' }] }));
			await keys.save(connectionOf('acme'), 'inference', KEY);
			const choose = async (row: string) => {
				const diagnosing = report();
				await lists.pick(row);
				return diagnosing;
			};
			assert.match(await choose('Leave It Unchecked'), /Not checked · Replies and logs: .*no reply was asked for/);
			assert.equal(asked, 0);
			assert.match(
				await choose('Ask large to Count to 100'),
				/\*\*Problem\*\* · Stream of a reply of large: all 21 pieces arrived at once, after [\d,]+ ms\./,
			);
			proxy.isBuffering = false;
			assert.match(
				await choose('Ask large to Count to 100'),
				/Fine · Stream of a reply of large: arrives piece by piece/,
			);
			assert.equal(asked, 2);
			await proxy.stop();
			await server.stop();
		});
	});
});
