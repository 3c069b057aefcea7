import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event.ts';
import type { LogFields } from '../../src/base/redact.ts';
import { requestRules } from '../../src/chat/settings/requestRules.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { type Connection, connectionSchema } from '../../src/contract/connection.ts';
import { localConnection } from '../../src/contract/localConnection.ts';
import type { LanguageModelsDependencies } from '../../src/languageModels/dependencies.ts';
import { LanguageModelProvider } from '../../src/languageModels/languageModelProvider.ts';
import type { OfferedModel } from '../../src/languageModels/offeredModels.ts';
import { UseLedger } from '../../src/languageModels/useLedger.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import type { SettingId } from '../../src/platform/ids.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import {
	type Answer,
	beginEvents,
	breakOff,
	FaultServer,
	sendEvents,
	sendJson,
	sseEvent,
} from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';

const KEY = 'sk-quillon-4711';
const SECRET_PROMPT = 'the colour of the lighthouse';
const DONE = 'data: [DONE]\n\n';
const chunk = (delta: object, finish: string | null = null) =>
	sseEvent({ model: 'quill', provider: 'north', choices: [{ index: 0, delta, finish_reason: finish }] });
const says =
	(...texts: string[]): Answer =>
	response =>
		sendEvents(
			response,
			...texts.map(content => chunk({ content })),
			chunk({}, 'stop'),
			sseEvent({ choices: [], usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000 } }),
			DONE,
		);
const { User, Assistant } = vscode.LanguageModelChatMessage;
const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } };

const write = (id: SettingId, value: unknown) =>
	vscode.workspace.getConfiguration().update(id, value, vscode.ConfigurationTarget.Global);

type Part = vscode.LanguageModelResponsePart;

describe('the models that the editor gets', () => {
	const { showErrorMessage, showWarningMessage } = vscode.window;
	let folder: string;
	let server: FaultServer;
	let connection: Connection;
	let keyState: Awaited<ReturnType<LanguageModelsDependencies['keys']['state']>>;
	let asked: number;
	let described: number;
	let isStopped: boolean;
	let shown: string[];
	/** The button that is chosen in a question. */
	let answer: string | undefined;
	let logged: { message: string; fields: LogFields | undefined }[];
	let changes: number;
	let ledger: UseLedger;
	let provider: LanguageModelProvider;

	beforeEach(async () => {
		await write('errand.languageModels.access', 'allow');
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-language-models-'));
		server = await FaultServer.start(says('Blue', '.'));
		connection = {
			name: 'quillon',
			...connectionSchema.parse({
				label: 'Quillon',
				apiUrl: server.origin,
				service: 'quillon',
				models: [
					{ id: 'quill', label: 'Quill', contextLength: 32_000, maxOutputTokens: 2_000, images: true },
					{ id: 'feather', tools: false },
					{ id: 'brush', kinds: ['image'] },
				],
				providers: [
					{
						slug: 'north',
						label: 'North',
						prices: { input: 1, output: 2 },
						dataPolicy: 'stores no data',
						models: ['quill'],
					},
					{ slug: 'south', label: 'South', dataPolicy: 'stores data', models: ['quill'] },
				],
			}),
		};
		[keyState, asked, described, isStopped, answer, changes] = ['set', 0, 0, false, undefined, 0];
		[shown, logged] = [[], []];
		const show = async (message: string, ...rest: unknown[]) => {
			shown.push([message, (rest[0] as { detail?: string } | undefined)?.detail ?? ''].join(' '));
			return answer;
		};
		Object.assign(vscode.window, { showErrorMessage: show, showWarningMessage: show });
		ledger = new UseLedger(path.join(folder, 'languageModels'));
		const client = () =>
			createClient({ connection, transport: createFetchTransport(editorFetch), keys: async () => KEY });
		provider = new LanguageModelProvider({
			globalStorageUri: vscode.Uri.file(folder),
			connection: async () => connection,
			connect: {
				active: async () => ({ client: client(), connection, label: connection.label ?? connection.name }),
				describe: async () => {
					described++;
					return connection;
				},
				onDidChange: new Emitter<void>().event,
				onDidLearnModels: new Emitter<void>().event,
			},
			keys: {
				state: async () => keyState,
				ensure: async () => {
					asked++;
					return keyState === 'set';
				},
			},
			isStopped: () => isStopped,
			rules: async () => requestRules(async () => connection),
			logger: { log: (_level, message, fields) => logged.push({ message, fields }) },
			ledger,
			changed: () => changes++,
		});
	});

	afterEach(async () => {
		Object.assign(vscode.window, { showErrorMessage, showWarningMessage });
		await server.stop();
		rmSync(folder, { recursive: true, force: true });
		for (const id of ['errand.languageModels.access', 'errand.chat.routing', 'errand.chat.parameters'] as const) {
			await write(id, undefined);
		}
	});

	const list = (silent = true) => provider.provideLanguageModelChatInformation({ silent });
	const quill = async (): Promise<OfferedModel> =>
		(await list()).find(({ model }) => model === 'quill') ?? assert.fail();
	const bodyOf = (index: number) => JSON.parse(server.received[index]?.body ?? '');

	async function send(
		messages: vscode.LanguageModelChatMessage[],
		options: Partial<vscode.ProvideLanguageModelChatResponseOptions> = {},
		onPart: (part: Part) => void = () => {},
		token = new vscode.CancellationTokenSource().token,
	): Promise<{ parts: Part[]; error: unknown }> {
		const model = await quill();
		const parts: Part[] = [];
		const report = (part: Part) => {
			parts.push(part);
			onPart(part);
		};
		const error = await provider
			.provideLanguageModelChatResponse(
				model,
				messages,
				{ toolMode: vscode.LanguageModelChatToolMode.Auto, ...options },
				{ report },
				token,
			)
			.then(
				() => undefined,
				(reason: unknown) => reason,
			);
		return { parts, error };
	}
	const ask = () => send([User(SECRET_PROMPT)]);
	const textOf = (parts: readonly Part[]) =>
		parts.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
	const messageOf = (error: unknown) => (error instanceof Error ? error.message : assert.fail('nothing was wrong'));

	it('are the chat models of the connection, with their limits, what they take, and who may serve them', async () => {
		await write('errand.chat.routing', { data_collection: 'deny' });
		const [first, second, ...others] = await list();
		assert.deepEqual(others, []);
		assert.equal(first?.id, 'quillon/quill');
		assert.equal(first.name, 'Quill');
		assert.equal(first.maxInputTokens, 30_000);
		assert.equal(first.maxOutputTokens, 2_000);
		assert.deepEqual(first.capabilities, { imageInput: true, toolCalling: true });
		assert.match(first.detail ?? '', /^Quillon · North · .*private/);
		assert.match(first.tooltip ?? '', /May be served by: North \(.*\$1 in, \$2 out for 1M tokens.*\)\./);
		assert.match(first.tooltip ?? '', /Left out: South \(data_collection: deny, but its policy is “stores data”\)\./);
		assert.match(first.tooltip ?? '', /Zero data retention: /);
		assert.deepEqual(second?.capabilities, { imageInput: false, toolCalling: false });
		assert.match(second?.tooltip ?? '', /does not say how much it takes: 32,768 tokens are assumed\./);
		assert.ok(second && second.maxInputTokens + second.maxOutputTokens <= 32_768);
	});

	it('are none while the key is missing: silently, and otherwise after asking for it', async () => {
		keyState = 'missing';
		assert.deepEqual(await list(true), []);
		assert.deepEqual([asked, described, shown], [0, 0, []]);
		assert.deepEqual(await list(false), []);
		assert.equal(asked, 1);
		keyState = 'set';
		assert.equal((await list(true)).length, 2);
	});

	it('are none where the user wants it so, and nothing is asked for that', async () => {
		await write('errand.languageModels.access', 'never');
		assert.deepEqual(await list(), []);
		assert.equal(described, 0);
	});

	it('are those of before while the user keeps the local service stopped', async () => {
		connection = { ...localConnection, apiUrl: server.origin };
		keyState = 'not-needed';
		isStopped = true;
		assert.deepEqual(await list(), []);
		isStopped = false;
		assert.deepEqual(
			(await list()).map(({ id }) => id),
			['local/demo'],
		);
		isStopped = true;
		assert.equal((await list()).length, 1);
		assert.equal(described, 1);
	});

	it('leave out the demo where a model server offers a model', async () => {
		keyState = 'not-needed';
		connection = {
			...localConnection,
			models: [...localConnection.models, { id: 'small', kinds: ['chat'] }],
			providers: [
				{ slug: 'demo', models: ['demo'] },
				{ slug: 'cellar', models: ['small'] },
			],
		};
		assert.deepEqual(
			(await list()).map(({ model }) => model),
			['small'],
		);
	});

	it('cannot be listed where the connection cannot be read, which an error says in a sentence', async () => {
		provider = new LanguageModelProvider({
			...({} as LanguageModelsDependencies),
			connection: () => Promise.reject(new Error('broken')),
			rules: async () => requestRules(async () => connection),
			ledger,
			changed() {},
		});
		await assert.rejects(list(true), /^Error: Errand ran into a fault of its own: broken\./);
		assert.deepEqual(shown, []);
	});

	it('stream their replies, and their requests are those of the contract', async () => {
		const { parts, error } = await ask();
		assert.equal(error, undefined);
		assert.equal(textOf(parts), 'Blue.');
		assert.equal(parts.length, 2);
		assert.equal(server.received[0]?.headers.authorization, `Bearer ${KEY}`);
		assert.deepEqual(bodyOf(0), {
			model: 'quill',
			messages: [{ role: 'user', content: SECRET_PROMPT }],
			stream: true,
		});
	});

	it('get the user’s routing policy and parameters, which the caller’s options may change but for the policy', async () => {
		await write('errand.chat.routing', { only: ['north'] });
		await write('errand.chat.parameters', { temperature: 0.1, top_p: 0.9 });
		await write('errand.chat.instructions', 'Answer in rhymes.');
		try {
			await send([User('Hello')], { modelOptions: { temperature: 0.7, provider: { only: ['south'] }, _mark: 'x' } });
		} finally {
			await write('errand.chat.instructions', undefined);
		}
		const { provider: policy, temperature, top_p, messages, ...rest } = bodyOf(0);
		assert.deepEqual([policy, temperature, top_p], [{ only: ['north'] }, 0.7, 0.9]);
		assert.deepEqual(messages, [{ role: 'user', content: 'Hello' }]);
		assert.deepEqual(Object.keys(rest).sort(), ['model', 'stream']);
	});

	it('are not asked where the routing policy leaves nobody, and the error says why', async () => {
		await write('errand.chat.routing', { ignore: ['north', 'south'] });
		const { error } = await ask();
		assert.equal((error as vscode.LanguageModelError).code, vscode.LanguageModelError.Blocked().code);
		assert.match(messageOf(error), /^Not sent: the routing policy leaves no provider\. /);
		assert.equal(server.received.length, 0);
	});

	it('call tools, whose results go back to them, and get images', async () => {
		const fragment = (text: string, others: object = {}) =>
			chunk({ tool_calls: [{ index: 0, ...others, function: { ...others, arguments: text } }] });
		server.answer = response =>
			sendEvents(
				response,
				fragment('{"at":', { id: 'c1', name: 'look' }),
				fragment('"sky"}'),
				chunk({}, 'tool_calls'),
				DONE,
			);
		const image = vscode.LanguageModelDataPart.image(demoImage('a fox'), 'image/png');
		const question = User([new vscode.LanguageModelTextPart('Look.'), image]);
		const first = await send([question], {
			tools: [look],
			toolMode: vscode.LanguageModelChatToolMode.Required,
		});
		assert.equal(first.error, undefined);
		const [call] = first.parts;
		assert.ok(call instanceof vscode.LanguageModelToolCallPart);
		assert.deepEqual([call.callId, call.name, call.input], ['c1', 'look', { at: 'sky' }]);
		const { tools, tool_choice, messages } = bodyOf(0);
		assert.deepEqual([tools[0].function.name, tool_choice], ['look', 'required']);
		assert.match(messages[0].content[1].image_url.url, /^data:image\/png;base64,/);
		server.answer = says('Blue.');
		const result = new vscode.LanguageModelToolResultPart('c1', [new vscode.LanguageModelTextPart('blue')]);
		const second = await send([question, Assistant([call]), User([result])], { tools: [look] });
		assert.equal(textOf(second.parts), 'Blue.');
		assert.equal(bodyOf(1).tool_choice, 'auto');
		assert.deepEqual(bodyOf(1).messages.slice(1), [
			{
				role: 'assistant',
				content: '',
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
			},
			{ role: 'tool', tool_call_id: 'c1', content: 'blue' },
		]);
	});

	it('get no image where the connection does not say that they take one', async () => {
		connection = { ...connection, models: [{ id: 'quill', kinds: ['chat'] }] };
		const image = vscode.LanguageModelDataPart.image(demoImage('a fox'), 'image/png');
		const { error } = await send([User([image])]);
		assert.match(messageOf(error), /^Not sent: the connection does not say that quill accepts images\./);
		assert.equal(server.received.length, 0);
	});

	it('are shown neither what is no image nor nothing at all', async () => {
		const fake = vscode.LanguageModelDataPart.image(Buffer.from('<svg/>'), 'image/svg+xml');
		assert.match(
			messageOf((await send([User([fake])])).error),
			/^Not sent: what is named “image\/svg\+xml” is no image/,
		);
		assert.match(messageOf((await send([])).error), /^Not sent: the messages hold no text and no image\./);
		assert.equal(server.received.length, 0);
	});

	it('count tokens by an estimate, of texts and of messages', async () => {
		const model = await quill();
		const words = 'How many tokens are these words?';
		const ofText = await provider.provideTokenCount(model, words);
		assert.ok(ofText > words.length / 5 && ofText < words.length);
		const image = vscode.LanguageModelDataPart.image(demoImage('a fox'), 'image/png');
		const message = User([new vscode.LanguageModelTextPart(words), image]);
		assert.ok((await provider.provideTokenCount(model, message)) > ofText);
	});

	it('end their request when it is cancelled', async () => {
		const source = new vscode.CancellationTokenSource();
		server.answer = response => {
			beginEvents(response);
			response.write(chunk({ content: 'Bl' }));
		};
		const { parts, error } = await send([User('Hello')], {}, () => source.cancel(), source.token);
		assert.ok(error instanceof vscode.CancellationError);
		assert.equal(textOf(parts), 'Bl');
		assert.equal((await server.received[0]?.closed)?.isWhole, false);
	});

	it('can be cancelled while the service says nothing', async () => {
		const source = new vscode.CancellationTokenSource();
		server.answer = () => source.cancel();
		const { error } = await send([User('Hello')], {}, () => {}, source.token);
		assert.ok(error instanceof vscode.CancellationError);
		assert.equal((await server.received[0]?.closed)?.isWhole, false);
	});

	it('keep what came of a stream that breaks off, and say so', async () => {
		server.answer = async response => {
			beginEvents(response);
			response.write(chunk({ content: 'Bl' }));
			await breakOff(response);
		};
		const { parts, error } = await ask();
		assert.equal(textOf(parts), 'Bl');
		assert.match(messageOf(error), /^The reply was cut off before its end\./);
	});

	it('have no tool run whose arguments are no JSON', async () => {
		server.answer = response =>
			sendEvents(
				response,
				chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"at": sky' } }] }),
				chunk({}, 'tool_calls'),
				DONE,
			);
		const { parts, error } = await send([User('Look.')], { tools: [look] });
		assert.deepEqual(parts, []);
		assert.match(messageOf(error), /^Quill called the tool “look” with arguments that are no JSON object/);
	});

	const failures: { what: string; status: number; code: string; sentence: RegExp; tells: boolean }[] = [
		{ what: '401', status: 401, code: 'NoPermissions', sentence: /^Quillon did not accept the key\./, tells: true },
		{ what: '402', status: 402, code: 'Blocked', sentence: /^The credit or the quota of the account/, tells: false },
		{ what: '403', status: 403, code: 'NoPermissions', sentence: /^Quillon refused: this account/, tells: true },
		{ what: '404', status: 404, code: 'NotFound', sentence: /^The service has no model “quill”/, tells: false },
	];
	for (const { what, status, code, sentence, tells } of failures) {
		it(`fail with a sentence and with the code that extensions look for: ${what}`, async () => {
			server.answer = response => sendJson(response, status, { error: { message: `no model quill ${KEY}` } });
			const { error } = await ask();
			assert.ok(error instanceof vscode.LanguageModelError);
			assert.equal(error.code, code);
			assert.match(error.message, sentence);
			assert.equal(error.message.includes(KEY), false);
			assert.equal(shown.length, tells ? 1 : 0);
		});
	}

	it('fail as blocked where too many requests were sent', async () => {
		server.answer = response => sendJson(response, 429, { error: { message: 'slow' } }, { 'retry-after': '120' });
		const { error } = await ask();
		assert.equal((error as vscode.LanguageModelError).code, 'Blocked');
		assert.match(messageOf(error), /^Quillon is receiving too many requests\. Try again in 120 s\./);
	});

	it('lead to the key manager with one notification, however many requests fail meanwhile', async () => {
		server.answer = response => sendJson(response, 401, { error: { message: 'no' } });
		const closed = Promise.withResolvers<undefined>();
		Object.assign(vscode.window, {
			showErrorMessage: (message: string, ...buttons: string[]) => {
				shown.push(`${message} [${buttons.join()}]`);
				return closed.promise;
			},
		});
		await Promise.all([ask(), ask(), ask()]);
		assert.equal(shown.length, 1);
		assert.match(shown[0] ?? '', /^Quillon did not accept the key\..*\[Manage Keys\]$/);
		closed.resolve(undefined);
	});

	it('are not asked after another connection was chosen', async () => {
		const model = await quill();
		connection = { ...connection, name: 'other', label: 'Other' };
		const error = await provider
			.provideLanguageModelChatResponse(
				model,
				[User('Hello')],
				{ toolMode: vscode.LanguageModelChatToolMode.Auto },
				{ report() {} },
				new vscode.CancellationTokenSource().token,
			)
			.catch((reason: unknown) => reason);
		assert.equal((error as vscode.LanguageModelError).code, 'NotFound');
		assert.match(messageOf(error), /^Not sent: Quill is a model of another connection, and Other is in use now\./);
		assert.equal(server.received.length, 0);
	});

	it('are asked after a yes alone, once a window and connection, which names what it is about', async () => {
		await write('errand.languageModels.access', 'ask');
		answer = undefined;
		const refused = await ask();
		assert.equal((refused.error as vscode.LanguageModelError).code, 'NoPermissions');
		assert.match(
			messageOf(refused.error),
			/^Not sent: you have not allowed others .* errand\.languageModels\.access decides\.$/,
		);
		assert.match(shown[0] ?? '', /use the models of Quillon\? .*a request to Quill \(Quillon · .*\)\. What they send/s);
		assert.equal((await ask()).error === undefined, false);
		assert.equal(shown.length, 1);
		assert.equal(server.received.length, 0);
		provider.access.reset();
		answer = 'Allow in This Window';
		const both = await Promise.all([ask(), ask()]);
		assert.deepEqual(
			both.map(({ parts }) => textOf(parts)),
			['Blue.', 'Blue.'],
		);
		assert.equal(shown.length, 2);
		assert.equal(vscode.workspace.getConfiguration().get('errand.languageModels.access'), 'ask');
		connection = { ...connection, name: 'other', label: 'Other' };
		answer = 'Always Allow';
		assert.equal(textOf((await ask()).parts), 'Blue.');
		assert.equal(shown.length, 3);
		await waitFor('the setting to be written', () => {
			return vscode.workspace.getConfiguration().get('errand.languageModels.access') === 'allow';
		});
	});

	it('are asked about again where the question could not be shown', async () => {
		await write('errand.languageModels.access', 'ask');
		const show = vscode.window.showWarningMessage;
		Object.assign(vscode.window, { showWarningMessage: () => Promise.reject(new Error('no window')) });
		assert.match(messageOf((await ask()).error), /no window/);
		Object.assign(vscode.window, { showWarningMessage: show });
		answer = 'Allow in This Window';
		assert.equal(textOf((await ask()).parts), 'Blue.');
	});

	it('are counted with what they have cost, and tell who has served last', async () => {
		await ask();
		const { used } = await waitFor('the reply to be counted', async () => {
			const use = await ledger.read();
			return use.used.length > 0 && use;
		});
		assert.equal(used[0]?.connection, 'quillon');
		assert.deepEqual(used[0].months[0]?.parts, [
			{
				model: 'quill',
				provider: 'north',
				count: 1,
				inputTokens: 1_000_000,
				outputTokens: 1_000_000,
				cost: { known: 'whole', dollars: 3, isEstimated: false },
			},
		]);
		assert.equal(changes, 1);
		assert.match((await quill()).tooltip ?? '', /Served last by North\./);
		await ask();
		assert.equal(changes, 1);
	});

	it('leave nothing of what is said in the log', async () => {
		server.answer = response => sendJson(response, 500, { error: { message: SECRET_PROMPT } });
		await ask();
		assert.equal(logged.length, 1);
		assert.equal(JSON.stringify(logged).includes(SECRET_PROMPT), false);
	});

	it('name others’ words without links and icons of theirs', async () => {
		connection = {
			...connection,
			label: '$(key) [Quillon](command:x)',
			models: [{ id: 'quill', label: '[a](command:errand.manageKeys) $(alert)', kinds: ['chat'] }],
		};
		const { name, detail = '', tooltip = '' } = await quill();
		assert.doesNotMatch(name, /(^|[^\\])\$\(/);
		assert.doesNotMatch(detail + tooltip, /\]\(/);
	});
});

describe('the models of the extension in this editor', () => {
	before(() => write('errand.languageModels.access', 'allow'));
	after(() => write('errand.languageModels.access', undefined));

	const select = () => vscode.lm.selectChatModels({ vendor: 'errand' });

	it('are found by their vendor, without an account, and stream', async () => {
		const [model] = await waitFor('a model to be listed', async () => {
			const models = await select();
			return models.length > 0 && models;
		});
		assert.ok(model);
		assert.equal(model.id, 'local/demo');
		assert.ok(model.maxInputTokens > 0);
		assert.ok((await model.countTokens('Hello there')) > 0);
		const { text } = await model.sendRequest([User('Hello')]);
		let said = '';
		for await (const piece of text) {
			said += piece;
		}
		assert.match(said, /demo/i);
	});

	it('are gone at once where the user does not want to offer them any more, and back again', async () => {
		const changed = Promise.withResolvers<void>();
		const subscription = vscode.lm.onDidChangeChatModels(() => changed.resolve());
		await write('errand.languageModels.access', 'never');
		await changed.promise;
		subscription.dispose();
		assert.deepEqual(await select(), []);
		await write('errand.languageModels.access', 'allow');
		await waitFor('the model to be back', async () => (await select()).length > 0);
	});
});
