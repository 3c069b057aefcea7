import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { PortOwner } from '../../src/base/portOwner.ts';
import { LOCAL_CONNECTION_NAME } from '../../src/contract/localConnection.ts';
import { serverKey } from '../../src/models/model/keyFormat.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { FaultServer, sendJson } from '../support/faultServer.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const SERVER_KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';
describe('a service is added', () => {
	const flow = useServices();

	describe('that is a plain model server', () => {
		async function openAddress(): Promise<void> {
			flow.add();
			await flow.lists.pick('Another Address…');
			await flow.isAt('Address of the Service');
		}
		const lmStudio = () => [{ slug: 'lmstudio', label: 'LM Studio', url: flow.upstream.url }];
		const usable = async (slug: string) => (await flow.store.usable(serverKey(slug, flow.upstream.url))).key;

		it('as a user would write it, if it runs here, and its model is the default of the local connection', async () => {
			await flow.write('errand.connection', 'elsewhere');
			flow.add({ usual: lmStudio() });
			await flow.lists.pick('LM Studio');
			await flow.lists.pick('two');
			await flow.ended();
			assert.deepEqual(flow.added, { name: 'two', server: 'LM Studio' });
			assert.deepEqual(flow.servers(), { lmstudio: { url: flow.upstream.url, label: 'LM Studio' } });
			assert.equal(readSetting('errand.chat.model'), 'two');
			assert.equal(readSetting('errand.connection'), LOCAL_CONNECTION_NAME);
		});

		it('after a question if another user runs it, and not after a no', async () => {
			const owner: PortOwner = { kind: 'other', user: 'eve' };
			flow.add({ usual: lmStudio(), owner });
			await flow.lists.pick('LM Studio');
			await waitFor('the question', () => flow.messages.length === 1);
			assert.match(
				flow.messages[0] ?? '',
				/Use LM Studio at .* eve, another user of this machine, who can read what you send to it/,
			);
			await waitFor('the list again', () => flow.lists.shown.length >= 2);
			await flow.leave();
			assert.deepEqual([flow.servers(), flow.added], [undefined, undefined]);
		});

		it('without an entry if it is a found Ollama, by the user’s yes for its user', async () => {
			flow.add({ usual: [{ slug: 'ollama', label: 'Ollama', url: flow.upstream.url }] });
			await flow.lists.pick('Ollama');
			await flow.lists.pick('one');
			await flow.ended();
			assert.deepEqual(flow.local.answered, [{ url: flow.upstream.url, user: 'me', use: true }]);
			assert.deepEqual([flow.servers(), readSetting('errand.chat.model')], [undefined, 'one']);
		});

		it('after it was said of what is no address that it is none, and how one looks', async () => {
			await openAddress();
			assert.deepEqual(flow.lists.rows(), []);
			flow.type('nonsense');
			await flow.shows(/“nonsense” isn’t an address\. Enter one with a host, such as/);
			flow.type('nonsens');
			await flow.shows(/“nonsens” isn’t an address/);
			flow.type('');
			await waitFor('nothing to say', () => flow.lists.rows().length === 0);
			await flow.leave();
		});

		it('at the address of the customer if it has one for each', async () => {
			flow.add();
			await flow.lists.pick('Azure OpenAI');
			await flow.isAt('Address of the Service');
			assert.equal(flow.lists.last?.value, 'https://your-resource.openai.azure.com/openai/v1');
			await flow.leave();
		});

		it('as one that is asked for responses if it has no chat completions', async () => {
			const server = await FaultServer.start((response, { path }) =>
				path.endsWith('/models')
					? sendJson(response, 200, { data: [{ id: 'one' }, { id: 'two' }] })
					: sendJson(response, path.endsWith('/responses') ? 400 : 404, {}),
			);
			const url = `${server.origin}/v1`;
			await openAddress();
			flow.type(url);
			await flow.shows(/It lists 2 models\./);
			await flow.lists.pick(`Use ${url}`);
			await flow.lists.pick('one');
			await flow.ended();
			await server.stop();
			assert.deepEqual(flow.servers(), { server: { url, kind: 'responses' } });
		});

		it('with a model that the user names if it lists nothing', async () => {
			const silent = await FaultServer.start(response => void response.writeHead(404).end());
			const url = `${silent.origin}/v1`;
			flow.answers(' by-name ');
			await flow.write('errand.local.upstreams', { mine: { url, prices: { input: 1, output: 2 } } });
			flow.add({ slug: 'mine' });
			await flow.shows(/There’s no list of models at/);
			await flow.lists.pick('Add It Anyway…');
			await flow.ended();
			await silent.stop();
			assert.deepEqual(flow.servers(), { mine: { url, prices: { input: 1, output: 2 }, models: ['by-name'] } });
			assert.deepEqual(flow.added, { name: 'by-name', server: 'mine' });
		});

		it('but changes no default if the local service does not offer the model, which is said', async () => {
			flow.local.unoffered = ['one'];
			flow.add({ usual: lmStudio() });
			await flow.lists.pick('LM Studio');
			await flow.lists.pick('one');
			const said = () => flow.messages.join('\n');
			await waitFor('the message', () => said() !== '');
			assert.match(
				said(),
				/The local service doesn’t offer one of 127\.0\.0\.1:\d+ for chat\. It may be another kind of model/,
			);
			await flow.isAt('Add Service');
			await flow.leave();
			assert.equal(readSetting('errand.chat.model'), '');
		});

		it('and it is said why the local service does not reach what the editor reaches', async () => {
			flow.local.unoffered = ['one'];
			flow.local.problems = [{ slug: 'lmstudio', code: 'offline', system: 'DEPTH_ZERO_SELF_SIGNED_CERT' }];
			flow.add({ usual: lmStudio() });
			await flow.lists.pick('LM Studio');
			await flow.lists.pick('one');
			await waitFor('the message', () =>
				flow.messages.some(message =>
					/The editor can reach 127\.0\.0\.1:\d+, but the local service can’t: The certificate of .* is self-signed/.test(
						message,
					),
				),
			);
			await flow.leave();
		});

		it('at an address where nothing answers only if the user insists, after being told', async () => {
			const gone = await FaultServer.start(() => {});
			const { origin } = gone;
			await gone.stop();
			flow.add();
			await flow.giveAddress(origin, `Use ${origin} Anyway`);
			await flow.shows(/Nothing responds at .*: the connection was refused\./);
			await flow.lists.pick('Change the Address…');
			flow.type(flow.upstream.url);
			await flow.shows(/It lists 2 models\./);
			await flow.lists.pick(`Use ${flow.upstream.url}`);
			await flow.lists.pick('one');
			await flow.ended();
			assert.deepEqual(flow.servers(), { server: { url: flow.upstream.url } });
		});

		it('by its address and a key that was pasted with it, which leaves the box and is sent when it is accepted', async () => {
			await openAddress();
			flow.type(`${flow.upstream.origin}?api_key=${SERVER_KEY}`);
			await flow.shows(/It lists 2 models\./);
			assert.equal(flow.lists.last?.value, flow.upstream.origin);
			assert.ok(flow.lists.rows().some(row => row.includes('secret storage, never in the settings')));
			assert.ok(flow.upstream.requests.every(({ headers }) => headers.authorization === undefined));
			await flow.lists.pick(`Use ${flow.upstream.url}`);
			await flow.lists.pick('two');
			await flow.ended();
			assert.deepEqual(flow.servers(), { server: { url: flow.upstream.url } });
			assert.equal(await usable('server'), SERVER_KEY);
		});

		it('and a pasted key is sent to no other server than the one that it was pasted for', async () => {
			const other = await UpstreamServer.start({ models: [{ id: 'two' }] });
			await openAddress();
			flow.type(`${flow.upstream.url} ${SERVER_KEY}`);
			await flow.shows(/It lists 2 models\./);
			flow.type(other.url);
			await flow.shows(/It lists one model\./);
			await flow.lists.pick(`Use ${other.url}`);
			await flow.lists.pick('two');
			await flow.ended();
			assert.ok(other.requests.every(({ headers }) => headers.authorization === undefined));
			assert.equal(flow.secrets.size, 0);
			await other.stop();
		});

		it('without a key if its address has no encryption, which is said', async () => {
			await openAddress();
			flow.type(`http://192.0.2.1/v1 ${SERVER_KEY}`);
			await flow.shows(/It isn’t sent without encryption\. Use an https address\./);
			await flow.leave();
			assert.equal(flow.secrets.size, 0);
		});

		it('and a key that was pasted alone is not sent before an address is chosen', async () => {
			await openAddress();
			flow.type(SERVER_KEY);
			await flow.shows(/secret storage/);
			assert.equal(flow.lists.last?.value, '');
			flow.type(flow.upstream.url);
			await flow.shows(/It lists 2 models\./);
			assert.ok(flow.upstream.requests.every(({ headers }) => headers.authorization === undefined));
			await flow.lists.pick(`Use ${flow.upstream.url}`);
			await flow.isAt(`Model of ${new URL(flow.upstream.url).host}`);
			await flow.lists.pick('one');
			await flow.ended();
			assert.equal(await usable('server'), SERVER_KEY);
		});

		it('and nothing is sent while its address is incomplete', async () => {
			await openAddress();
			for (const text of ['h', 'http', 'http://']) {
				flow.type(text);
				await flow.lists.editorHasCaughtUp();
				assert.deepEqual(flow.lists.rows(), [], text);
			}
			for (const text of ['localhos', 'models']) {
				flow.type(text);
				await flow.shows(new RegExp(`“${text}” isn’t an address`));
			}
			assert.deepEqual(flow.upstream.requests, []);
			await flow.leave();
		});

		it('under its name if it exists already, and not a second time', async () => {
			await flow.write('errand.local.upstreams', { mine: { url: flow.upstream.url } });
			await openAddress();
			flow.type(flow.upstream.url);
			await flow.shows(/It lists 2 models\./);
			await flow.lists.pick(`Use ${flow.upstream.url}`);
			await flow.lists.pick('one');
			await flow.ended();
			assert.deepEqual(flow.servers(), { mine: { url: flow.upstream.url } });
		});

		it('as a connection if the user wants that, as what it lists does not tell', async () => {
			flow.add();
			await flow.giveAddress(flow.upstream.url);
			await flow.lists.pick('Add It as a Connection…');
			await flow.name();
			await flow.leave();
			const { service } = flow.entries() as { service: { apiUrl: string } };
			assert.equal(service.apiUrl, flow.upstream.origin);
			assert.equal(flow.servers(), undefined);
		});

		it('and everything stays as it was if the user leaves it', async () => {
			await openAddress();
			flow.type('http://127.0.0.1');
			await vscode.commands.executeCommand('workbench.action.quickInputBack');
			await flow.isAt('Add Service');
			await flow.leave();
			assert.deepEqual([flow.added, flow.servers(), readSetting('errand.chat.model')], [undefined, undefined, '']);
		});
	});
});
