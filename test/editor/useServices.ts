import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import type { UpstreamProblem } from '../../src/base/errors.ts';
import { nullLogger } from '../../src/base/logger.ts';
import type { PortOwner } from '../../src/base/portOwner.ts';
import { createClient } from '../../src/client/client.ts';
import type { Connection } from '../../src/contract/connection.ts';
import type { FoundAnswer, FoundServer } from '../../src/contract/foundServers.ts';
import { localConnection } from '../../src/contract/localConnection.ts';
import type { UsualServer } from '../../src/contract/usualServers.ts';
import { addService } from '../../src/models/addService.ts';
import type { AddedModel } from '../../src/models/api.ts';
import type { HostContext } from '../../src/models/hosts/askHost.ts';
import { findServers } from '../../src/models/hosts/findServers.ts';
import { KeyStore } from '../../src/models/keys/keyStore.ts';
import { hostContext, KeysFeature } from '../../src/models/keys/keysFeature.ts';
import { readConnection } from '../../src/models/model/readConnection.ts';
import { readUpstreamSettings } from '../../src/models/model/upstreamSettings.ts';
import type { Offer, Services } from '../../src/models/services.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { InputBoxes } from './inputBoxes.ts';
import { QuickPicks } from './quickPicks.ts';

/** A host is asked half a second after the last key press of a user. Tests type an address at once. */
const TYPING_MS = 500;

const context: HostContext = {
	...hostContext(nullLogger),
	clock: {
		...systemClock,
		after: (milliseconds, run) => systemClock.after(milliseconds === TYPING_MS ? 0 : milliseconds, run),
	},
};

const SETTINGS = ['errand.connections', 'errand.connection', 'errand.local.upstreams', 'errand.chat.model'];

/**
 * Sets up a service of the contract, a model server, the secret storage and the settings for each test of a `describe`, in
 * whose body it is called. The test begins a flow on them, and works it as a user does.
 */
export function useServices() {
	const { showInputBox, showInformationMessage, showWarningMessage, showErrorMessage } = vscode.window;
	let lists: QuickPicks;
	let boxes: InputBoxes;
	let secrets: Map<string, string>;
	let store: KeyStore;
	let keys: KeysFeature;
	let service: ContractServer;
	let upstream: UpstreamServer;
	let messages: string[];
	let chosen: { words: RegExp; button: string } | undefined;
	let isOver: boolean;
	let diagnosed: string[];
	/** What the local service tells, which the tests stand in for. */
	let local: {
		found: FoundServer[];
		problems: UpstreamProblem[];
		/** The answers that it was sent. */
		answered: FoundAnswer[];
		/** The models that it does not offer, although their server lists them. */
		unoffered: string[];
	};
	let added: AddedModel | undefined;
	/** The answer to the question for the name of a connection. */
	let naming: PromiseWithResolvers<(proposed?: string) => string | undefined>;
	let isNaming: boolean;

	const write = (id: string, value: unknown) =>
		vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);

	const clearSettings = async () => {
		for (const id of SETTINGS) {
			await write(id, undefined);
		}
	};

	before(clearSettings);
	beforeEach(async () => {
		[lists, boxes] = [new QuickPicks(), new InputBoxes()];
		[messages, chosen, isOver, added] = [[], undefined, false, undefined];
		local = { found: [], problems: [], answered: [], unoffered: [] };
		diagnosed = [];
		secrets = new Map();
		store = new KeyStore(
			{
				get: async name => secrets.get(name),
				store: async (name, value) => void secrets.set(name, value),
				delete: async name => void secrets.delete(name),
			},
			() => {},
		);
		keys = new KeysFeature({ store, host: context });
		service = await ContractServer.start();
		upstream = await UpstreamServer.start({ models: [{ id: 'one' }, { id: 'two' }] });
		const show = async (message: string, ...rest: unknown[]) => {
			const [options] = rest;
			const detail = (options as { detail?: string } | undefined)?.detail;
			messages.push([message, detail].filter(Boolean).join(' '));
			return chosen?.words.test(message) && rest.includes(chosen.button) ? chosen.button : undefined;
		};
		[naming, isNaming] = [Promise.withResolvers(), false];
		Object.assign(vscode.window, {
			showInputBox: async (options: vscode.InputBoxOptions) => {
				const isName = options.title === 'Name of the Connection';
				isNaming ||= isName;
				return isName ? (await naming.promise)(options.value) : showInputBox(options);
			},
			showInformationMessage: show,
			showWarningMessage: show,
			showErrorMessage: show,
		});
	});
	afterEach(async () => {
		Object.assign(vscode.window, {
			showInputBox,
			showInformationMessage,
			showWarningMessage,
			showErrorMessage,
		});
		boxes.stop();
		await lists.stop();
		await Promise.all([service.stop(), upstream.stop()]);
		await clearSettings();
	});

	/** The local service offers the models of the settings, as it does once it has read their lists. */
	const offer = async (): Promise<Offer> => {
		const { upstreams } = readUpstreamSettings(readSetting('errand.local.upstreams'));
		const servers = [
			...upstreams.map(({ slug, setting: { models } }) => ({ slug, models: (models ?? ['one', 'two']) as string[] })),
			...local.answered.filter(({ use }) => use).map(() => ({ slug: 'ollama', models: ['one'] })),
		].map(({ slug, models }) => ({ slug, models: models.filter(id => !local.unoffered.includes(id)) }));
		return {
			...localConnection,
			models: [...new Set(servers.flatMap(({ models }) => models))].map(id => ({ id, kinds: ['chat' as const] })),
			providers: servers,
			providerPrefixes: servers.map(({ slug }) => ({ prefix: slug, provider: slug })),
			upstreamProblems: local.problems,
		};
	};

	function begin(flow: Promise<unknown>): void {
		isOver = false;
		// A box of an earlier flow must not be taken for one of this flow.
		boxes.shown.length = 0;
		void flow.then(() => {
			isOver = true;
		});
	}

	return {
		context,
		/** The lists that are shown. */
		get lists() {
			return lists;
		},
		/** The boxes that are shown. */
		get boxes() {
			return boxes;
		},
		/** The content of the secret storage. */
		get secrets() {
			return secrets;
		},
		get store() {
			return store;
		},
		get keys() {
			return keys;
		},
		/** A service of the contract. */
		get service() {
			return service;
		},
		/** A plain model server. */
		get upstream() {
			return upstream;
		},
		get local() {
			return local;
		},
		/** Every message that was shown. */
		get messages() {
			return messages;
		},
		/** The model that chat uses since the flow has ended. */
		get added() {
			return added;
		},

		/** The names of the connections whose report was opened. */
		get diagnosed() {
			return diagnosed;
		},
		/** What the flows work on. */
		get services(): Services {
			return {
				keys,
				client: async (connection: Connection) =>
					createClient({ connection, transport: context.transport, keys: kind => keys.key(connection, kind) }),
				local: {
					offer,
					described: () => ({ foundServers: local.found, upstreamProblems: local.problems }),
					answerFoundServer: async answer => void local.answered.push(answer),
				},
				diagnose: async name => void diagnosed.push(name),
			};
		},

		/** Begins to add a service. `usual` are the servers that are looked for on this machine. */
		add({
			usual = [],
			owner = { kind: 'own', user: 'me' },
			slug,
		}: {
			usual?: UsualServer[];
			owner?: PortOwner;
			slug?: string;
		} = {}): void {
			// Each is given up after two seconds of silence, which this process may itself take to answer.
			const adding = addService(this.services, slug, signal =>
				waitFor('the servers of this machine', async () => {
					const here = await findServers(usual, { ...context, signal, ownerOf: async () => owner });
					return here.length === usual.length && here;
				}),
			);
			begin(
				adding.then(end => {
					added = end;
				}),
			);
		},
		/** Gives an address to the flow that adds, and chooses the row. */
		async giveAddress(url: string, row = `Use ${url}`): Promise<void> {
			await lists.pick('Another Address…');
			await waitFor('the address', () => lists.last?.title === 'Address of the Service');
			this.type(url);
			await lists.pick(row);
		},
		/** Waits for the box for a key. */
		keyBox: () =>
			waitFor(
				'the question for the key',
				() => /^(?:Key|Inference key) of /.test(boxes.last?.title ?? '') && boxes.last,
			),
		async enterKey(text: string): Promise<void> {
			await this.keyBox();
			await boxes.enter(text);
		},

		/** Writes a setting of the user, or takes it out where the value is undefined. */
		write,
		/** The connections, or the model servers, that the user's settings hold. */
		entries: () => vscode.workspace.getConfiguration().inspect('errand.connections')?.globalValue,
		servers: () => vscode.workspace.getConfiguration().inspect('errand.local.upstreams')?.globalValue,
		/** A connection of the settings, which must be a usable one. */
		connectionOf(name: string): Connection {
			const read = readConnection(name, readSetting('errand.connections'));
			assert.ok('connection' in read);
			return read.connection;
		},

		/** Gives the connection a name, the proposed one by default. */
		async name(text?: string): Promise<void> {
			naming.resolve(proposed => text ?? proposed);
			await waitFor('the connection', () => /^Connection /.test(lists.last?.title ?? ''));
		},
		/** Leaves the question for the name of the connection. */
		async leaveName(): Promise<void> {
			await waitFor('the question', () => isNaming);
			naming.resolve(() => undefined);
		},

		/** Chooses a button in the messages with these words. All other messages are dismissed. */
		choose(words: RegExp, button: string): void {
			chosen = { words, button };
		},
		/** Takes the flow that was just started as the one that the test works. */
		begin,
		/** Waits until the flow has ended by itself. */
		ended: () => waitFor('the flow to end', () => isOver),
		/** Closes what the flow shows until it has ended. */
		leave: () => lists.leave(() => isOver),
		/** Answers the input boxes that come next, one after the other. */
		answers(...texts: string[]): void {
			Object.assign(vscode.window, { showInputBox: async () => texts.shift() });
		},

		/** Types into the list in front, at once as when it is pasted. */
		type(text: string): void {
			assert.ok(lists.last);
			lists.last.value = text;
		},
		/** Waits for a row of the list in front. */
		shows: (words: RegExp) => waitFor(`a row with ${words}`, () => lists.rows().some(row => words.test(row))),
		isAt: (title: string) => waitFor(`the list ${title}`, () => lists.last?.title === title),
	};
}
