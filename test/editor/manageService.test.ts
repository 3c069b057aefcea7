import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { manageConnection, manageFoundServer, manageServer } from '../../src/models/manageService.ts';
import { serverKey } from '../../src/models/model/keyFormat.ts';
import { readConnection } from '../../src/models/model/readConnection.ts';
import { showServices } from '../../src/models/serviceList.ts';
import { ownServer } from '../../src/models/services.ts';
import { commands } from '../../src/platform/ids.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { keys as contractKeys, models } from '../support/contractServer/fixtures.ts';
import { spoken } from '../support/spoken.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const KEY = contractKeys.inference;

describe('a connection is changed', () => {
	const flow = useServices();

	const manage = (name: string) => flow.begin(manageConnection(name, flow.services));

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
		flow.type('http://api.example.com');
		await flow.shows(/Enter an https address/);
		assert.ok(!flow.lists.rows().some(row => /Use http/.test(row)));
		flow.type(`${flow.service.hosts.public} ${KEY}`);
		await flow.shows(/It’s left out: keys are never saved in the settings\./);
		assert.equal(flow.lists.last?.value, flow.service.hosts.public);
		await flow.shows(/responds, but not like the service/);
		flow.type(flow.service.hosts.encrypt);
		await flow.shows(/It responds as expected/);
		await flow.lists.pick(`Use ${flow.service.hosts.encrypt}`);
		await waitFor('the host', () => acme()?.['encryptUrl'] === flow.service.hosts.encrypt);
		await flow.lists.pick('Shared host of the encrypted channel');
		await flow.lists.pick('Remove the Address');
		await waitFor('the host to be gone', () => acme()?.['encryptUrl'] === undefined);
		await flow.leave();
		assert.deepEqual(flow.entries(), small());
	});

	it('with a name for its search model, and agents, which keep what the settings say of them', async () => {
		const agents = [{ id: 'mason', label: 'Mason', models: ['large'] }];
		await flow.write('errand.connections', { acme: { ...small().acme, agents } });
		manage('acme');
		await flow.shows(/^Service identifier \| quillon$/);
		answers('own');
		await flow.lists.pick('Service identifier');
		await flow.shows(/^Service identifier \| own$/);
		answers('forge');
		await flow.lists.pick('Source-hosting provider');
		await waitFor('the look-ups', () => acme()?.['scm'] === 'forge');
		const { showQuickPick } = vscode.window;
		// All that are there stay, and another one is typed.
		Object.assign(vscode.window, {
			showQuickPick: async (rows: { value: string }[]) => rows.filter(({ value }) => value === '' || value === 'mason'),
		});
		answers('carver');
		try {
			await flow.lists.pick('Agents of cloud tasks');
			await waitFor('the agent', () => (acme()?.['agents'] as unknown[])?.length === 2);
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
		await flow.leave();
		assert.deepEqual(acme(), {
			apiUrl: flow.service.hosts.public,
			service: 'own',
			scm: 'forge',
			agents: [...agents, { id: 'carver' }],
		});
		assert.ok('connection' in readConnection('acme', flow.entries()));
	});

	it('with a key, for which no icon in a label from elsewhere vouches in the status bar', async () => {
		await flow.write('errand.connections', { acme: { ...small().acme, label: '$(verified) Local' } });
		const { setStatusBarMessage } = vscode.window;
		const told: string[] = [];
		Object.assign(vscode.window, {
			setStatusBarMessage: (text: string) => {
				told.push(text);
				return { dispose() {} };
			},
		});
		try {
			manage('acme');
			await flow.lists.pick('Inference key');
			await waitFor('the box', () => flow.boxes.last);
			await flow.boxes.enter(KEY);
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
		await flow.lists.pick('Cloud token prefix');
		await waitFor('the box', () => problems.length > 0);
		assert.match(String(problems[0]), /^That looks like a key, which would be saved in the settings/);
		assert.equal(problems[1], undefined);
		await flow.leave();
	});

	it('with models of the service’s list, of which each that stays keeps what is written of it', async () => {
		const [first, second] = models;
		const own = { id: 'own', kinds: ['image'] };
		await flow.write('errand.connections', {
			acme: { ...small().acme, models: [own, { id: first?.id, tools: true }] },
		});
		await flow.keys.of(flow.connectionOf('acme'), 'inference').save(KEY);
		const { showQuickPick } = vscode.window;
		const choose = (...ids: (string | undefined)[]) =>
			Object.assign(vscode.window, {
				showQuickPick: async (rows: { value: string; picked?: boolean }[]) => {
					assert.deepEqual(rows.flatMap(({ picked, value }) => (picked ? [value] : [])).sort(), [...modelIds()].sort());
					return rows.filter(({ value }) => ids.includes(value));
				},
			});
		const has = (...ids: (string | undefined)[]) =>
			waitFor(`the models ${ids}`, () => JSON.stringify(modelIds()) === JSON.stringify(ids));
		try {
			manage('acme');
			choose('own', first?.id, second?.id);
			await flow.lists.pick('Models');
			await has('own', first?.id, second?.id);
			assert.deepEqual((acme()?.['models'] as object[] | undefined)?.slice(0, 2), [
				own,
				{ id: first?.id, tools: true },
			]);
			choose('own', second?.id);
			await flow.lists.pick('Models');
			await has('own', second?.id);
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
		await flow.leave();
	});

	it('by removal after a yes, with its keys, and what used it is back at this machine', async () => {
		await flow.write('errand.connections', { ...small(), other: { apiUrl: flow.service.hosts.public, service: 'o' } });
		await flow.write('errand.connection', 'acme');
		await flow.keys.of(flow.connectionOf('acme'), 'inference').save(KEY);
		await flow.keys.of(flow.connectionOf('other'), 'inference').save(KEY);
		manage('acme');
		await flow.lists.pick('Remove…');
		await waitFor('the question', () => flow.messages.some(message => /Remove acme\?/.test(message)));
		assert.ok(Object.hasOwn(flow.entries() as object, 'acme'));
		flow.choose(/Remove acme/, 'Remove');
		await flow.lists.pick('Remove…');
		await flow.ended();
		assert.deepEqual(Object.keys(flow.entries() as object), ['other']);
		assert.deepEqual([...flow.secrets.keys()], ['errand.key.other.inference']);
		assert.equal(readSetting('errand.connection'), 'local');
	});

	it('by removal with its keys, even if it cannot be used', async () => {
		await flow.write('errand.connections', small());
		await flow.keys.of(flow.connectionOf('acme'), 'inference').save(KEY);
		await flow.write('errand.connections', { acme: { apiUrl: 'http://api.example', service: 'quillon' } });
		flow.choose(/Remove acme/, 'Remove');
		manage('acme');
		await flow.lists.pick('Remove…');
		await flow.ended();
		assert.equal(flow.secrets.size, 0);
	});

	it('even if it cannot be used, so that its address can be corrected', async () => {
		await flow.write('errand.connections', { acme: { apiUrl: 'http://api.example', service: 'quillon' } });
		manage('acme');
		await flow.lists.pick('Public host for chat');
		flow.type(flow.service.hosts.public);
		await flow.shows(/requires a key/);
		await flow.lists.pick(`Use ${flow.service.hosts.public}`);
		await waitFor('the host', () => acme()?.['apiUrl'] === flow.service.hosts.public);
		await flow.leave();
	});
});

const SERVER_KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';

describe('a model server is changed', () => {
	const flow = useServices();

	const manage = async (slug = 'mine') => {
		const server = await waitFor('the setting', () => ownServer(slug));
		flow.begin(manageServer(server, flow.services));
	};
	const save = () => flow.store.save(serverKey('mine', flow.upstream.url), SERVER_KEY);

	it('after a test where it is listed, which says what it has found', async () => {
		await flow.write('errand.local.upstreams', { mine: { url: flow.upstream.url } });
		await save();
		flow.local.problems = [{ slug: 'mine', hasKey: false, code: 'unauthorised', status: 401 }];
		await manage();
		await flow.shows(/^Test \| .*requires a key \(HTTP 401\)\./);
		await flow.lists.pick('Test');
		await flow.shows(/^Test \| It works\. It lists 2 models\./);
		// The local service of the window may ask too, as the setting names the server. It has no key.
		assert.ok(flow.upstream.requests.some(({ headers }) => headers.authorization === `Bearer ${SERVER_KEY}`));
		flow.upstream.behaviour = { listStatus: 401 };
		await flow.lists.pick('Test');
		await flow.shows(/^Test \| .*rejected the key/);
		await flow.leave();
	});

	it('by removal after a yes with its key, and the default that was its model is gone', async () => {
		await flow.write('errand.local.upstreams', {
			mine: { url: flow.upstream.url },
			other: { url: 'https://models.invalid/v1', models: ['kept'] },
		});
		await flow.write('errand.chat.model', 'one');
		await save();
		await manage();
		await flow.lists.pick('Remove…');
		await waitFor('the question', () => flow.messages.length === 1);
		assert.match(flow.messages[0] ?? '', /Remove mine\? Its entry in the settings and its keys are removed/);
		assert.ok(Object.hasOwn(flow.servers() as object, 'mine'));
		flow.choose(/Remove mine/, 'Remove');
		await flow.lists.pick('Remove…');
		await flow.ended();
		assert.equal(flow.secrets.size, 0);
		assert.equal(readSetting('errand.chat.model'), '');
		assert.deepEqual(flow.servers(), { other: { url: 'https://models.invalid/v1', models: ['kept'] } });
	});

	it('by removal, and the default stays if it may be a model of a server that does not answer now', async () => {
		await flow.write('errand.local.upstreams', { mine: { url: flow.upstream.url } });
		await flow.write('errand.chat.model', 'of-another-server');
		flow.local.problems = [{ slug: 'other', code: 'offline', system: 'ECONNREFUSED' }];
		flow.choose(/Remove mine/, 'Remove');
		await manage();
		await flow.lists.pick('Remove…');
		await flow.ended();
		assert.equal(readSetting('errand.chat.model'), 'of-another-server');
	});

	it('by the removal of its key alone, of which no more than the end is ever shown', async () => {
		await flow.write('errand.local.upstreams', { mine: { url: flow.upstream.url } });
		await save();
		await manage();
		await flow.shows(/^Key \| set, ends in Lm2n · not checked yet/);
		flow.choose(/^Remove the Key of mine/, 'Remove');
		await flow.lists.pick('Key');
		await flow.lists.pick('Remove…');
		await flow.shows(/^Key \| not set/);
		assert.equal(flow.secrets.size, 0);
		assert.ok(!flow.lists.shown.some(({ items }) => items.some(item => spoken(item).includes(SERVER_KEY))));
		await flow.leave();
	});

	it('by another address without its key, which is not sent there until it is entered again', async () => {
		const moved = await UpstreamServer.start({ models: [{ id: 'one' }] });
		await flow.write('errand.local.upstreams', {
			mine: { url: flow.upstream.url, label: 'Mine', contextLength: 8000 },
		});
		await save();
		await manage();
		await flow.lists.pick('Change the Address…');
		flow.type(moved.url);
		await flow.shows(/It lists one model\./);
		await flow.lists.pick(`Use ${moved.url}`);
		await flow.shows(
			/^Key \| .* Not sent: the addresses have changed since it was saved\. Now: http:\/\/127\.0\.0\.1:\d+$/,
		);
		assert.deepEqual(flow.servers(), { mine: { url: moved.url, label: 'Mine', contextLength: 8000 } });
		assert.ok(moved.requests.every(({ headers }) => headers.authorization === undefined));
		await flow.lists.pick('Key');
		await flow.shows(/^Confirm \| Use this key for http/);
		assert.ok(!flow.lists.rows().some(row => row.startsWith('Check')));
		await moved.stop();
		await flow.leave();
	});

	it('by no more use of it, if it was found on this machine', async () => {
		const { url } = flow.upstream;
		const found = { slug: 'ollama', label: 'Ollama', url, owner: { kind: 'own' as const, user: 'me' }, use: true };
		flow.begin(manageFoundServer(found, flow.services));
		await flow.lists.pick('Test');
		await flow.shows(/^Test \| It works\. It lists 2 models\./);
		await flow.lists.pick('Stop Using It');
		await flow.ended();
		assert.deepEqual(flow.local.answered, [{ url, user: 'me', use: false }]);
	});
});

describe('the list of services', () => {
	const flow = useServices();
	const { executeCommand } = vscode.commands;
	let run: unknown[][];

	beforeEach(() => {
		run = [];
	});
	afterEach(() => {
		Object.assign(vscode.commands, { executeCommand });
	});

	const show = () => flow.begin(showServices(flow.services));

	it('has both kinds with their states, and why the local service does not know the models of some', async () => {
		const mine = { url: flow.upstream.url };
		await flow.write('errand.connections', {
			acme: { label: 'Acme', apiUrl: flow.service.hosts.public, service: 'quillon' },
			broken: { apiUrl: 'http://api.example', service: 'broken' },
		});
		await flow.write('errand.local.upstreams', {
			mine,
			keyless: mine,
			other: { url: 'https://models.invalid/v1' },
			fine: mine,
			'Not A Slug': mine,
		});
		await flow.store.save(serverKey('mine', flow.upstream.url), SERVER_KEY);
		const owner = { kind: 'own' as const, user: 'me' };
		flow.local.found = [{ slug: 'ollama', label: 'Ollama', url: 'http://127.0.0.1:11434/v1', owner, use: true }];
		flow.local.problems = [
			{ slug: 'mine', hasKey: true, code: 'unauthorised', status: 401 },
			{ slug: 'keyless', hasKey: false, code: 'unauthorised', status: 401 },
			{ slug: 'other', origin: 'https://models.invalid', code: 'offline', system: 'ENOTFOUND' },
		];
		show();
		for (const words of [
			/^Local \| in use \| Runs on this machine, no account needed/,
			/^Acme \| acme \| http:\/\/127\.0\.0\.1:\d+ · no key yet/,
			/^broken \| cannot be used \| apiUrl must be an https address/,
			/^mine .* rejected the key[^.]*\./,
			/^keyless .* requires a key \(HTTP 401\)\./,
			/^other .*no host named models\.invalid/,
			/^fine .* \| no key yet$/,
			/^Ollama \| 127\.0\.0\.1:11434 \| Found on this machine and used with your permission\./,
			/^Not A Slug \| cannot be used \| the name is already in use, or isn’t in lowercase/,
		]) {
			await flow.shows(words);
		}
		await flow.leave();
	});

	it('switches to a connection, and leads to what changes, adds and diagnoses', async () => {
		await flow.write('errand.connections', {
			acme: { apiUrl: flow.service.hosts.public, service: 'quillon' },
			broken: { apiUrl: 'http://api.example', service: 'broken' },
		});
		await flow.write('errand.local.upstreams', { mine: { url: flow.upstream.url } });
		for (const [row, title] of [
			['broken', 'Connection broken'],
			['mine', 'mine'],
		] as const) {
			show();
			await flow.lists.pick(row);
			await flow.isAt(title);
			await flow.leave();
		}
		show();
		await flow.lists.pick('Diagnose the Connection in Use');
		await flow.ended();
		assert.deepEqual(flow.diagnosed, ['local']);
		show();
		await flow.lists.pick('Change a Connection…');
		await flow.lists.pick('acme');
		await flow.isAt('Connection acme');
		await flow.leave();
		show();
		await flow.lists.pick('acme');
		await flow.ended();
		assert.equal(readSetting('errand.connection'), 'acme');
		show();
		await waitFor('the rows', () => flow.lists.rows().includes('Add Service…'));
		Object.assign(vscode.commands, {
			executeCommand: async (command: string, ...rest: unknown[]) => {
				const isOurs = command.startsWith('errand.');
				return isOurs ? void run.push([command, ...rest]) : executeCommand(command, ...rest);
			},
		});
		await flow.lists.pick('Add Service…');
		await flow.ended();
		assert.deepEqual(run, [[commands.addService]]);
	});
});
