import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { manageConnection } from '../../src/connections/manageConnection.ts';
import { readConnection } from '../../src/connections/model/readConnection.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { keys as contractKeys, models } from '../support/contractServer/fixtures.ts';
import { waitFor } from '../support/waitFor.ts';
import { useConnectionFlow } from './useConnectionFlow.ts';

const KEY = contractKeys.inference;

describe('a connection is changed', () => {
	const flow = useConnectionFlow();

	const manage = (name: string) => flow.begin(manageConnection(name, flow.dependencies(), flow.actions));
	const isAt = (title: string) => waitFor(`the list ${title}`, () => flow.lists.last?.title === title);

	/** Leaves the list in front and waits for the one behind it. */
	async function backTo(title: string): Promise<void> {
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		await isAt(title);
	}

	const small = () => ({ acme: { apiUrl: flow.service.hosts.public, service: 'quillon' } });
	/** Answers the input boxes that come next, one after the other. */
	const answers = (...texts: string[]) => {
		Object.assign(vscode.window, { showInputBox: async () => texts.shift() });
	};
	const acme = () => (flow.entries() as Record<string, Record<string, unknown>>)['acme'];
	const modelIds = () => ((acme()?.['models'] ?? []) as { id: string }[]).map(({ id }) => id);

	it('with hosts that are asked before they are saved', async () => {
		await flow.write('errand.connections', small());
		manage('acme');
		await flow.lists.pick('Shared host of the encrypted channel');
		flow.type(flow.service.hosts.public);
		await flow.shows(/answers, but not as the service does/);
		flow.type(flow.service.hosts.encrypt);
		await flow.shows(/It answers as it should/);
		await flow.lists.pick(`Use ${flow.service.hosts.encrypt}`);
		await waitFor('the host', () => acme()?.['encryptUrl'] === flow.service.hosts.encrypt);
		await flow.lists.pick('Shared host of the encrypted channel');
		await flow.lists.pick('Take the Address Out');
		await waitFor('the host to be gone', () => acme()?.['encryptUrl'] === undefined);
		await flow.leave();
		assert.deepEqual(flow.entries(), small());
	});

	it('with a search model, providers, aliases and agents, without JSON', async () => {
		await flow.write('errand.connections', small());
		manage('acme');
		await flow.shows(/^Search model \| quillon-search, after/);
		answers('own');
		await flow.lists.pick('Search model');
		await flow.shows(/^Search model \| own-search, after/);
		answers('forge');
		await flow.lists.pick('Source hosting for look-ups');
		await waitFor('the look-ups', () => acme()?.['scm'] === 'forge');
		answers('openhub');
		await flow.lists.pick('Providers');
		await flow.lists.pick('Add a Provider…');
		await isAt('openhub');
		await backTo('Providers of acme');
		await backTo('Connection acme');
		answers('fast', 'large');
		await flow.lists.pick('Aliases');
		await flow.lists.pick('Add an Alias…');
		await isAt('fast');
		await backTo('Aliases of acme');
		await backTo('Connection acme');
		answers('agent-a', 'large, small');
		await flow.lists.pick('Agents of cloud tasks');
		await flow.lists.pick('Add an Agent…');
		await flow.lists.pick('Models');
		await waitFor('the agent', () => JSON.stringify(acme()?.['agents'] ?? '').includes('small'));
		await flow.leave();
		assert.deepEqual(acme(), {
			apiUrl: flow.service.hosts.public,
			service: 'own',
			scm: 'forge',
			providers: [{ slug: 'openhub' }],
			aliases: [{ name: 'fast', model: 'large' }],
			agents: [{ id: 'agent-a', models: ['large', 'small'] }],
		});
		assert.ok('connection' in readConnection('acme', flow.entries()));
	});

	it('with a key, for which no icon in a label from elsewhere vouches in the status bar', async () => {
		await flow.write('errand.connections', { acme: { ...small().acme, label: '$(verified) Local' } });
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
			await flow.lists.pick('Inference key');
			await waitFor('the answer of the service', () => told.some(text => /accepts the key/.test(text)));
		} finally {
			Object.assign(vscode.window, { setStatusBarMessage });
		}
		assert.ok(
			told.every(text => !/(?<!\\)\$\(verified\)/.test(text)),
			told.join('\n'),
		);
		await flow.leave();
	});

	it('never with a key in a field, which would be in the settings', async () => {
		const problems: (string | undefined | null)[] = [];
		Object.assign(vscode.window, {
			showInputBox: async ({ validateInput }: { validateInput(text: string): string | undefined }) => {
				problems.push(validateInput(' tok-0123456789abcdefCLOUD'), validateInput('tok-'));
				return undefined;
			},
		});
		await flow.write('errand.connections', small());
		manage('acme');
		await flow.lists.pick('Beginning of cloud tokens');
		await waitFor('the box', () => problems.length > 0);
		assert.match(String(problems[0]), /^That looks like a key\. It would stand in the settings/);
		assert.equal(problems[1], undefined);
		await flow.leave();
	});

	it('with prices and with an alias that has a whole routing policy, without JSON', async () => {
		const acmeWith = { ...small().acme, models: [{ id: 'large' }], aliases: [{ name: 'fast', model: 'large' }] };
		await flow.write('errand.connections', { acme: acmeWith });
		manage('acme');
		await flow.lists.pick('Models');
		await flow.lists.pick('large');
		await flow.lists.pick('Prices');
		await isAt('Prices');
		answers('0.5');
		await flow.lists.pick('Prompt');
		await flow.shows(/^Prompt \| 0\.5$/);
		answers('2');
		await flow.lists.pick('Reply');
		await flow.shows(/^Reply \| 2$/);
		await backTo('large');
		await flow.shows(/^Prices \| Prompt: 0\.5 · Reply: 2$/);
		await backTo('Models of acme');
		await flow.shows(/^large \| Prompt: 0\.5 · Reply: 2$/);
		await backTo('Connection acme');
		await flow.lists.pick('Aliases');
		await flow.lists.pick('fast');
		await flow.lists.pick('Provider');
		await flow.lists.pick('A Routing Policy…');
		await flow.lists.pick('Sorted by');
		await flow.lists.pick('Latency');
		answers('one, two');
		await flow.lists.pick('The only ones that may serve');
		await flow.shows(/^The only ones that may serve \| one, two$/);
		await flow.lists.pick('Zero data retention');
		await flow.lists.pick('Yes');
		await flow.shows(/^Zero data retention \| Yes$/);
		await backTo('fast');
		await flow.shows(
			/^Provider \| Sorted by: Latency · The only ones that may serve: one, two · Zero data retention: Yes$/,
		);
		// What is left without a change stays as it is.
		await flow.lists.pick('Provider');
		await flow.lists.pick('A Routing Policy…');
		await isAt('Routing policy');
		await backTo('fast');
		await flow.leave();
		assert.deepEqual(acme(), {
			...acmeWith,
			models: [{ id: 'large', prices: { input: 0.5, output: 2 } }],
			aliases: [{ name: 'fast', model: 'large', provider: { sort: 'latency', only: ['one', 'two'], zdr: true } }],
		});
		assert.ok('connection' in readConnection('acme', flow.entries()));
	});

	it('under a name that exists already, whose entry keeps what is known of it', async () => {
		const known = { id: 'large', label: 'Large', kinds: ['chat'], contextLength: 8000 };
		await flow.write('errand.connections', { acme: { ...small().acme, models: [known, { id: 'small' }] } });
		manage('acme');
		answers('large');
		await flow.lists.pick('Models');
		await flow.lists.pick('Add a Model by Its Id…');
		await isAt('Large');
		await flow.leave();
		assert.deepEqual(acme()?.['models'], [known, { id: 'small' }]);
	});

	it('with models of the service’s list: one that is no longer checked is removed, and one that is not listed stays', async () => {
		const [first, second] = models;
		const own = { id: 'own' };
		await flow.write('errand.connections', {
			acme: { ...small().acme, models: [own, { id: first?.id, tools: true }] },
		});
		await flow.keys.save(flow.connectionOf('acme'), 'inference', KEY);
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
			await flow.lists.pick('Models');
			choose(first?.id, second?.id);
			await flow.lists.pick('Ask the Service for Its Models…');
			await has('own', first?.id, second?.id);
			assert.deepEqual((acme()?.['models'] as object[] | undefined)?.[1], { id: first?.id, tools: true });
			choose(second?.id);
			await flow.lists.pick('Ask the Service for Its Models…');
			await has('own', second?.id);
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
		await flow.leave();
	});

	it('never into one that cannot be used: an incomplete entry is not written', async () => {
		await flow.write('errand.connections', small());
		manage('acme');
		answers('fast');
		await flow.lists.pick('Aliases');
		await flow.lists.pick('Add an Alias…');
		await waitFor('the list again', () => flow.lists.last?.title === 'Aliases of acme');
		await flow.leave();
		assert.deepEqual(flow.entries(), small());
	});

	it('by removal after a yes, with its keys, and what used it is back at this machine', async () => {
		await flow.write('errand.connections', { ...small(), other: { apiUrl: flow.service.hosts.public, service: 'o' } });
		await flow.write('errand.connection', 'acme');
		await flow.keys.save(flow.connectionOf('acme'), 'inference', KEY);
		await flow.keys.save(flow.connectionOf('other'), 'inference', KEY);
		manage('acme');
		await flow.lists.pick('Remove…');
		await waitFor('the question', () => flow.messages.some(message => /Remove the connection acme\?/.test(message)));
		assert.ok(Object.hasOwn(flow.entries() as object, 'acme'));
		flow.choose(/Remove the connection acme/, 'Remove');
		await flow.lists.pick('Remove…');
		await flow.ended();
		assert.deepEqual(Object.keys(flow.entries() as object), ['other']);
		assert.deepEqual([...flow.secrets.keys()], ['errand.key.other.inference']);
		assert.equal(readSetting('errand.connection'), 'local');
	});

	it('even if it cannot be used, so that its address can be corrected', async () => {
		await flow.write('errand.connections', { acme: { apiUrl: 'http://api.example', service: 'quillon' } });
		manage('acme');
		await flow.lists.pick('Public host for chat');
		flow.type(flow.service.hosts.public);
		await flow.shows(/wants a key/);
		await flow.lists.pick(`Use ${flow.service.hosts.public}`);
		await waitFor('the host', () => acme()?.['apiUrl'] === flow.service.hosts.public);
		await flow.leave();
	});
});
