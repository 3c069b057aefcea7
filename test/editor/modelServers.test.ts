import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import type { UpstreamProblem } from '../../src/base/errors.ts';
import { nullLogger } from '../../src/base/logger.ts';
import type { PortOwner } from '../../src/base/portOwner.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { FoundAnswer, FoundServer } from '../../src/contract/foundServers.ts';
import { LOCAL_CONNECTION_NAME, localConnection } from '../../src/contract/localConnection.ts';
import type { UsualServer } from '../../src/contract/usualServers.ts';
import { UpstreamKeyStore } from '../../src/localService/model/upstreamKeyStore.ts';
import { readUpstreamSettings } from '../../src/localService/model/upstreamSettings.ts';
import { type AddedModel, addModelServer } from '../../src/localService/servers/addModelServer.ts';
import { findServers } from '../../src/localService/servers/findServers.ts';
import { type Offer, requestName } from '../../src/localService/servers/saveServer.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { FaultServer } from '../support/faultServer.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks, spoken } from './quickPicks.ts';

const KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';
const context = { transport: createFetchTransport(editorFetch), logger: nullLogger, clock: systemClock };
const own: PortOwner = { kind: 'own', user: 'me' };

describe('the name by which a request reaches the chosen model', () => {
	const offer = (...hosts: string[]): Offer => ({
		...localConnection,
		models: [{ ...localConnection.models[0], id: 'm', kinds: ['chat'] }],
		providers: hosts.map(slug => ({ slug, models: ['m'] })),
		providerPrefixes: hosts.map(slug => ({ prefix: `${slug}-x`, provider: slug })),
		upstreamProblems: [],
	});

	it('is the model’s own, with a prefix where another server has a model of that name', () => {
		assert.equal(requestName(offer('mine', 'errand'), 'mine', 'm'), 'm');
		assert.equal(requestName(offer('mine', 'other'), 'mine', 'm'), 'mine-x/m');
		assert.equal(requestName(offer('other'), 'mine', 'm'), undefined);
		assert.equal(requestName(offer('mine'), 'mine', 'absent'), undefined);
	});
});

describe('adding a model server', () => {
	const settings = ['errand.local.upstreams', 'errand.chat.model', 'errand.connection'];
	const write = (id: string, value: unknown) =>
		vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);
	let lists: QuickPicks;
	let secrets: Map<string, string>;
	let keys: UpstreamKeyStore;
	let upstream: UpstreamServer;
	let answered: FoundAnswer[];
	let found: FoundServer[];
	let asked: string[];
	let answer: string | undefined;
	let owner: PortOwner;
	/** The models that the service does not offer, although their server lists them. */
	let unoffered: string[];
	let problems: UpstreamProblem[];
	let end: { added: AddedModel | undefined } | undefined;

	beforeEach(async () => {
		lists = new QuickPicks();
		secrets = new Map();
		keys = new UpstreamKeyStore({
			get: async name => secrets.get(name),
			store: async (name, value) => void secrets.set(name, value),
			delete: async name => void secrets.delete(name),
		});
		upstream = await UpstreamServer.start({ models: [{ id: 'one' }, { id: 'two' }] });
		[answered, found, asked, answer, owner, unoffered, problems, end] = [[], [], [], undefined, own, [], [], undefined];
	});
	afterEach(async () => {
		await lists.stop();
		await upstream.stop();
		for (const id of settings) {
			await write(id, undefined);
		}
	});

	/** Stands for the local service: it offers the models of the settings, as it does once it has read their lists. */
	const offer = async (): Promise<Offer> => {
		const { upstreams } = readUpstreamSettings(readSetting('errand.local.upstreams'));
		const servers = [
			...upstreams.map(({ slug, setting: { models } }) => ({ slug, models: (models ?? ['one', 'two']) as string[] })),
			...answered.filter(({ use }) => use).map(() => ({ slug: 'ollama', models: ['one'] })),
		].map(({ slug, models }) => ({ slug, models: models.filter(id => !unoffered.includes(id)) }));
		return {
			...localConnection,
			models: [...new Set(servers.flatMap(({ models }) => models))].map(id => ({ id, kinds: ['chat' as const] })),
			providers: servers,
			providerPrefixes: servers.map(({ slug }) => ({ prefix: slug, provider: slug })),
			upstreamProblems: problems,
		};
	};

	function open(usual: UsualServer[] = []): void {
		void addModelServer({
			context,
			keys,
			// Each is given up after two seconds of silence, which this process may itself take to answer.
			findHere: signal =>
				waitFor('the servers of this machine', async () => {
					const here = await findServers(usual, { ...context, signal, ownerOf: async () => owner });
					return here.length === usual.length && here;
				}),
			service: {
				servers: async () => ({ foundServers: found, upstreamProblems: problems }),
				answerFound: async given => void answered.push(given),
				offer,
			},
			askModal: async (message, detail) => {
				asked.push(`${message} ${detail}`);
				return answer;
			},
		}).then(added => {
			end = { added };
		});
	}
	const ended = () => waitFor('the flow to end', () => end !== undefined);
	const entries = () => vscode.workspace.getConfiguration().inspect('errand.local.upstreams')?.globalValue;
	const shows = (words: RegExp) => waitFor(`a row with ${words}`, () => lists.rows().some(row => words.test(row)));
	const back = () => vscode.commands.executeCommand('workbench.action.quickInputBack');

	/** Types into the list in front, at once as when it is pasted. */
	function type(text: string): void {
		assert.ok(lists.last);
		lists.last.value = text;
	}

	async function openAddress(): Promise<void> {
		open();
		await lists.pick('Another Address…');
		await waitFor('the address', () => lists.last?.title === 'Address of the Model Server');
	}

	it('writes a found server as a user would, and makes its model the default of the local connection', async () => {
		await write('errand.connections', {});
		await write('errand.connection', 'elsewhere');
		open([{ slug: 'lmstudio', label: 'LM Studio', url: upstream.url }]);
		await lists.pick('LM Studio');
		await lists.pick('two');
		await ended();
		assert.deepEqual(end?.added, { name: 'two', server: 'LM Studio' });
		assert.deepEqual(entries(), { lmstudio: { url: upstream.url, label: 'LM Studio' } });
		assert.equal(readSetting('errand.chat.model'), 'two');
		assert.equal(readSetting('errand.connection'), LOCAL_CONNECTION_NAME);
	});

	it('asks before it uses a server of another user, and does nothing after a no', async () => {
		owner = { kind: 'other', user: 'eve' };
		open([{ slug: 'lmstudio', label: 'LM Studio', url: upstream.url }]);
		await lists.pick('LM Studio');
		await waitFor('the question', () => asked.length === 1);
		assert.match(asked[0] ?? '', /Use LM Studio at .* eve, another user of this machine, who can read what it gets/);
		await waitFor('the list again', () => lists.shown.length >= 2);
		await lists.leave(() => end !== undefined);
		assert.deepEqual([entries(), end?.added], [undefined, undefined]);
	});

	it('uses a found Ollama by the user’s yes for its user, without an entry', async () => {
		open([{ slug: 'ollama', label: 'Ollama', url: upstream.url }]);
		await lists.pick('Ollama');
		await lists.pick('one');
		await ended();
		assert.deepEqual(answered, [{ url: upstream.url, user: 'me', use: true }]);
		assert.deepEqual([entries(), readSetting('errand.chat.model')], [undefined, 'one']);
	});

	it('says of what is no address that it is none, and how one looks', async () => {
		await openAddress();
		assert.deepEqual(lists.rows(), []);
		type('nonsense');
		await shows(/“nonsense” is not an address\. One has a host, such as/);
		type('nonsens');
		await shows(/“nonsens” is not an address/);
		type('');
		await waitFor('nothing to say', () => lists.rows().length === 0);
		await lists.leave(() => end !== undefined);
	});

	it('asks for the address of a service that has one for each customer', async () => {
		open();
		await lists.pick('Azure OpenAI');
		await waitFor('the address', () => lists.last?.title === 'Address of the Model Server');
		assert.equal(lists.last?.value, 'https://your-resource.openai.azure.com/openai/v1');
		await lists.leave(() => end !== undefined);
	});

	it('adds a server that lists nothing with a model that the user names', async () => {
		const silent = await FaultServer.start(response => void response.writeHead(404).end());
		const url = `${silent.origin}/v1`;
		const { showInputBox } = vscode.window;
		Object.assign(vscode.window, { showInputBox: async () => ' by-name ' });
		await write('errand.local.upstreams', { mine: { url, prices: { input: 1, output: 2 } } });
		open();
		await lists.pick('mine');
		await lists.pick('Choose a Model…');
		await shows(/There is no list of models at/);
		await lists.pick('Add It Anyway…');
		await ended();
		Object.assign(vscode.window, { showInputBox });
		await silent.stop();
		assert.deepEqual(entries(), { mine: { url, prices: { input: 1, output: 2 }, models: ['by-name'] } });
		assert.deepEqual(end?.added, { name: 'by-name', server: 'mine' });
	});

	it('says if the service does not offer the model, keeps the server, and changes no default', async () => {
		unoffered = ['one'];
		open([{ slug: 'lmstudio', label: 'LM Studio', url: upstream.url }]);
		await lists.pick('LM Studio');
		await lists.pick('one');
		await shows(
			/The local service does not offer one of 127\.0\.0\.1:\d+ for chat\. It may be a model of another kind/,
		);
		assert.equal(readSetting('errand.chat.model'), '');
		await lists.leave(() => end !== undefined);
	});

	it('says why the service does not reach a server that the editor reaches', async () => {
		unoffered = ['one'];
		problems = [{ slug: 'lmstudio', code: 'offline', system: 'DEPTH_ZERO_SELF_SIGNED_CERT' }];
		open([{ slug: 'lmstudio', label: 'LM Studio', url: upstream.url }]);
		await lists.pick('LM Studio');
		await lists.pick('one');
		await shows(
			/The editor reaches 127\.0\.0\.1:\d+, but the local service does not: The certificate of .* is self-signed/,
		);
		await lists.leave(() => end !== undefined);
	});

	it('shows of each server of the settings why the service does not know its models', async () => {
		const mine = { url: upstream.url };
		await write('errand.local.upstreams', { mine, keyless: mine, other: { url: 'https://models.invalid/v1' } });
		await keys.save('mine', upstream.url, KEY);
		problems = [
			{ slug: 'mine', hasKey: true, code: 'unauthorised', status: 401 },
			{ slug: 'keyless', hasKey: false, code: 'unauthorised', status: 401 },
			{ slug: 'other', origin: 'https://models.invalid', code: 'offline', system: 'ENOTFOUND' },
		];
		open();
		await shows(/^\$\(server\) mine .* refuses the key[^.]*\./);
		await shows(/^\$\(server\) keyless .* wants a key \(HTTP 401\)\./);
		await shows(/^\$\(server\) other .*no host named models\.invalid/);
		await lists.leave(() => end !== undefined);
	});

	it('tests a server where it is listed, and says what it has found', async () => {
		await write('errand.local.upstreams', { mine: { url: upstream.url } });
		await keys.save('mine', upstream.url, KEY);
		open();
		await lists.pick('mine');
		await lists.pick('Test');
		await shows(/mine .*It works: it lists 2 models\./);
		assert.equal(upstream.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
		upstream.behaviour = { listStatus: 401 };
		await lists.pick('mine');
		await lists.pick('Test');
		await shows(/mine .*refuses the key/);
		await lists.leave(() => end !== undefined);
	});

	it('removes a server after a yes with its key, and the default that was its model', async () => {
		await write('errand.local.upstreams', {
			mine: { url: upstream.url },
			other: { url: 'https://models.invalid/v1', models: ['kept'] },
		});
		await write('errand.chat.model', 'one');
		await keys.save('mine', upstream.url, KEY);
		open();
		await lists.pick('mine');
		await lists.pick('Remove the Server…');
		await waitFor('the question', () => asked.length === 1);
		assert.match(asked[0] ?? '', /Remove the model server mine at .* and its key are removed/);
		assert.ok(Object.hasOwn(entries() as object, 'mine'));
		answer = 'Remove';
		await lists.pick('mine');
		await lists.pick('Remove the Server…');
		await waitFor('the entry to be gone', () => !Object.hasOwn((entries() ?? {}) as object, 'mine'));
		await waitFor('its key to be gone', () => secrets.size === 0);
		await waitFor('the default to be gone', () => readSetting('errand.chat.model') === '');
		await lists.leave(() => end !== undefined);
		assert.deepEqual(entries(), { other: { url: 'https://models.invalid/v1', models: ['kept'] } });
	});

	it('keeps the default if it may be a model of a server that does not answer now', async () => {
		await write('errand.local.upstreams', { mine: { url: upstream.url } });
		await write('errand.chat.model', 'of-another-server');
		problems = [{ slug: 'other', code: 'offline', system: 'ECONNREFUSED' }];
		answer = 'Remove';
		open();
		await lists.pick('mine');
		await lists.pick('Remove the Server…');
		await waitFor('the list without it', () => asked.length === 1 && !lists.rows().some(row => row.includes(' mine ')));
		await lists.leave(() => end !== undefined);
		assert.equal(readSetting('errand.chat.model'), 'of-another-server');
	});

	it('removes a key alone, and never shows more of one than its end', async () => {
		await write('errand.local.upstreams', { mine: { url: upstream.url } });
		await keys.save('mine', upstream.url, KEY);
		open();
		await shows(/key set, ends in Lm2n/);
		await lists.pick('mine');
		await lists.pick('Remove the Key');
		await shows(/mine .*no key/);
		assert.equal(secrets.size, 0);
		assert.ok(!lists.shown.some(({ items }) => items.some(item => spoken(item).includes(KEY))));
		await lists.leave(() => end !== undefined);
	});

	it('lists the models while an address is typed, and takes the pasted key out of the box', async () => {
		await openAddress();
		type(`${upstream.origin}?api_key=${KEY}`);
		await shows(/It lists 2 models\./);
		assert.equal(lists.last?.value, upstream.origin);
		assert.ok(lists.rows().some(row => row.includes('secret storage, never into the settings')));
		assert.equal(upstream.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
		await lists.pick('two');
		await ended();
		assert.deepEqual(entries(), { server: { url: upstream.url } });
		assert.equal(await keys.usable('server', upstream.url), KEY);
	});

	it('sends a pasted key to no other server than the one that it was pasted for', async () => {
		const other = await UpstreamServer.start({ models: [{ id: 'two', name: 'elsewhere' }] });
		await openAddress();
		type(`${upstream.url} ${KEY}`);
		await shows(/It lists 2 models\./);
		type(other.url);
		await shows(/elsewhere/);
		await lists.pick('two');
		await ended();
		assert.ok(other.requests.every(({ headers }) => headers.authorization === undefined));
		assert.equal(secrets.size, 0);
		await other.stop();
	});

	it('accepts no key for an address without encryption, and says so', async () => {
		await openAddress();
		type(`http://192.0.2.1/v1 ${KEY}`);
		await shows(/It is not sent there without encryption: give an https address\./);
		await lists.pick('Use http://192.0.2.1/v1');
		await waitFor('the models', () => lists.last?.title === 'Model of 192.0.2.1');
		await lists.leave(() => end !== undefined);
		assert.equal(secrets.size, 0);
	});

	it('does not send a key that was pasted alone before an address is chosen', async () => {
		await openAddress();
		type(KEY);
		await shows(/secret storage/);
		assert.equal(lists.last?.value, '');
		type(upstream.url);
		await shows(/It lists 2 models\./);
		assert.ok(upstream.requests.every(({ headers }) => headers.authorization === undefined));
		await lists.pick(`Use ${upstream.url}`);
		await shows(/^\$\(blank\) one$/);
		assert.equal(upstream.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
		await lists.leave(() => end !== undefined);
	});

	it('sends no request while an address is incomplete', async () => {
		await openAddress();
		for (const text of ['h', 'http', 'http://']) {
			type(text);
			await lists.editorHasCaughtUp();
			assert.deepEqual(lists.rows(), [], text);
		}
		for (const text of ['localhos', 'models']) {
			type(text);
			await shows(new RegExp(`“${text}” is not an address`));
		}
		assert.deepEqual(upstream.requests, []);
		await lists.leave(() => end !== undefined);
	});

	it('moves a server without its key, which is not sent to the new place until it is entered again', async () => {
		const moved = await UpstreamServer.start({ models: [{ id: 'one' }] });
		await write('errand.local.upstreams', { mine: { url: upstream.url, label: 'Mine', contextLength: 8000 } });
		await keys.save('mine', upstream.url, KEY);
		open();
		await lists.pick('Mine');
		await lists.pick('Change the Address…');
		type(moved.url);
		await shows(/It lists one model\./);
		await lists.pick(`Use ${moved.url}`);
		await shows(/its key was saved for http:\/\/127\.0\.0\.1:\d+ and is not sent: enter it again/);
		assert.deepEqual(entries(), { mine: { url: moved.url, label: 'Mine', contextLength: 8000 } });
		assert.ok(moved.requests.every(({ headers }) => headers.authorization === undefined));
		await moved.stop();
		await lists.leave(() => end !== undefined);
	});

	it('adds a server that exists already under its name, and not a second time', async () => {
		await write('errand.local.upstreams', { mine: { url: upstream.url } });
		await openAddress();
		type(upstream.url);
		await shows(/It lists 2 models\./);
		await lists.pick('one');
		await ended();
		assert.deepEqual(entries(), { mine: { url: upstream.url } });
	});

	it('leaves everything as it was if the user leaves it', async () => {
		await openAddress();
		type('http://127.0.0.1');
		await back();
		await waitFor('the first list', () => lists.last?.title === 'Add Model Server');
		await lists.leave(() => end !== undefined);
		assert.deepEqual([end?.added, entries(), readSetting('errand.chat.model')], [undefined, undefined, '']);
	});
});
