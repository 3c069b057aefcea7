import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { beginEvents, sendEvents, sendJson } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';

import {
	DONE,
	KEY,
	messageOf,
	replyChunk,
	SECRET_PROMPT,
	says,
	textOf,
	useLanguageModels,
	writeSetting,
} from './useLanguageModels.ts';

const { User, Assistant } = vscode.LanguageModelChatMessage;
const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } };

describe('requests to the models that the editor gets', () => {
	const models = useLanguageModels();

	it('stream their replies, and their requests are those of the contract', async () => {
		const { parts, error } = await models.ask();
		assert.equal(error, undefined);
		assert.equal(textOf(parts), 'Blue.');
		assert.equal(parts.length, 2);
		assert.equal(models.server.received[0]?.headers.authorization, `Bearer ${KEY}`);
		assert.deepEqual(models.bodyOf(0), {
			model: 'quill',
			messages: [{ role: 'user', content: SECRET_PROMPT }],
			stream: true,
		});
	});

	it('carry the user’s routing policy and parameters, of which the caller’s options may change only the parameters', async () => {
		await writeSetting('errand.chat.routing', { only: ['north'] });
		await writeSetting('errand.chat.parameters', { temperature: 0.1, top_p: 0.9 });
		await writeSetting('errand.chat.instructions', 'Answer in rhymes.');
		try {
			await models.send([User('Hello')], {
				modelOptions: { temperature: 0.7, provider: { only: ['south'] }, _mark: 'x' },
			});
		} finally {
			await writeSetting('errand.chat.instructions', undefined);
		}
		const { provider: policy, temperature, top_p, messages, ...rest } = models.bodyOf(0);
		assert.deepEqual([policy, temperature, top_p], [{ only: ['north'] }, 0.7, 0.9]);
		assert.deepEqual(messages, [{ role: 'user', content: 'Hello' }]);
		assert.deepEqual(Object.keys(rest).sort(), ['model', 'stream']);
	});

	it('are not sent if the routing policy leaves no provider, and the error says why', async () => {
		await writeSetting('errand.chat.routing', { ignore: ['north', 'south'] });
		const { error } = await models.ask();
		assert.equal((error as vscode.LanguageModelError).code, vscode.LanguageModelError.Blocked().code);
		assert.match(messageOf(error), /^Not sent: the routing policy leaves no provider\. /);
		assert.equal(models.server.received.length, 0);
	});

	it('call tools, whose results go back to them, and get images', async () => {
		const fragment = (text: string, others: object = {}) =>
			replyChunk({ tool_calls: [{ index: 0, ...others, function: { ...others, arguments: text } }] });
		models.server.answer = response =>
			sendEvents(
				response,
				fragment('{"at":', { id: 'c1', name: 'look' }),
				fragment('"sky"}'),
				replyChunk({}, 'tool_calls'),
				DONE,
			);
		const image = vscode.LanguageModelDataPart.image(demoImage('a fox'), 'image/png');
		const question = User([new vscode.LanguageModelTextPart('Look.'), image]);
		const first = await models.send([question], {
			tools: [look],
			toolMode: vscode.LanguageModelChatToolMode.Required,
		});
		assert.equal(first.error, undefined);
		const [call] = first.parts;
		assert.ok(call instanceof vscode.LanguageModelToolCallPart);
		assert.deepEqual([call.callId, call.name, call.input], ['c1', 'look', { at: 'sky' }]);
		const { tools, tool_choice, messages } = models.bodyOf(0);
		assert.deepEqual([tools[0].function.name, tool_choice], ['look', 'required']);
		assert.match(messages[0].content[1].image_url.url, /^data:image\/png;base64,/);
		models.server.answer = says('Blue.');
		const result = new vscode.LanguageModelToolResultPart('c1', [new vscode.LanguageModelTextPart('blue')]);
		const second = await models.send([question, Assistant([call]), User([result])], { tools: [look] });
		assert.equal(textOf(second.parts), 'Blue.');
		assert.equal(models.bodyOf(1).tool_choice, 'auto');
		assert.deepEqual(models.bodyOf(1).messages.slice(1), [
			{
				role: 'assistant',
				content: '',
				tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }],
			},
			{ role: 'tool', tool_call_id: 'c1', content: 'blue' },
		]);
	});

	it('get no image where the connection says that they take none', async () => {
		models.connection = { ...models.connection, models: [{ id: 'quill', kinds: ['chat'], images: false }] };
		const image = vscode.LanguageModelDataPart.image(demoImage('a fox'), 'image/png');
		const { error } = await models.send([User([image])]);
		assert.match(messageOf(error), /^Not sent: quill doesn’t accept images\./);
		assert.equal(models.server.received.length, 0);
	});

	it('are shown neither what is not an image nor nothing at all', async () => {
		const fake = vscode.LanguageModelDataPart.image(Buffer.from('<svg/>'), 'image/svg+xml');
		assert.match(messageOf((await models.send([User([fake])])).error), /^Not sent: “image\/svg\+xml” isn’t an image/);
		assert.match(messageOf((await models.send([])).error), /^Not sent: the messages contain no text or image\./);
		assert.equal(models.server.received.length, 0);
	});

	it('end their request when it is cancelled', async () => {
		const source = new vscode.CancellationTokenSource();
		models.server.answer = response => {
			beginEvents(response);
			response.write(replyChunk({ content: 'Bl' }));
		};
		const { parts, error } = await models.send([User('Hello')], {}, () => source.cancel(), source.token);
		assert.ok(error instanceof vscode.CancellationError);
		assert.equal(textOf(parts), 'Bl');
		assert.equal((await models.server.received[0]?.closed)?.isWhole, false);
	});

	it('can be cancelled while the service says nothing', async () => {
		const source = new vscode.CancellationTokenSource();
		models.server.answer = () => source.cancel();
		const { error } = await models.send([User('Hello')], {}, () => {}, source.token);
		assert.ok(error instanceof vscode.CancellationError);
		assert.equal((await models.server.received[0]?.closed)?.isWhole, false);
	});

	it('do not run a tool whose arguments are not JSON', async () => {
		models.server.answer = response =>
			sendEvents(
				response,
				replyChunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"at": sky' } }] }),
				replyChunk({}, 'tool_calls'),
				DONE,
			);
		const { parts, error } = await models.send([User('Look.')], { tools: [look] });
		assert.deepEqual(parts, []);
		assert.match(messageOf(error), /^Quill called the tool “look” with arguments that aren’t a JSON object/);
	});

	const failures: { what: string; status: number; code: string; sentence: RegExp; tells: boolean }[] = [
		{ what: '401', status: 401, code: 'NoPermissions', sentence: /^Quillon rejected the key/, tells: true },
		{
			what: '402',
			status: 402,
			code: 'Blocked',
			sentence: /^The account on Quillon is out of credit or quota/,
			tells: false,
		},
		{
			what: '403',
			status: 403,
			code: 'NoPermissions',
			sentence: /^Quillon doesn’t allow this for the key’s account/,
			tells: true,
		},
		{ what: '404', status: 404, code: 'NotFound', sentence: /^The service has no model “quill”/, tells: false },
	];
	for (const { what, status, code, sentence, tells } of failures) {
		it(`fail with a sentence and with the code that extensions look for: ${what}`, async () => {
			models.server.answer = response => sendJson(response, status, { error: { message: `no model quill ${KEY}` } });
			const { error } = await models.ask();
			assert.ok(error instanceof vscode.LanguageModelError);
			assert.equal(error.code, code);
			assert.match(error.message, sentence);
			assert.equal(error.message.includes(KEY), false);
			assert.equal(models.shown.length, tells ? 1 : 0);
		});
	}

	it('fail as blocked where too many requests were sent', async () => {
		models.server.answer = response =>
			sendJson(response, 429, { error: { message: 'slow' } }, { 'retry-after': '120' });
		const { error } = await models.ask();
		assert.equal((error as vscode.LanguageModelError).code, 'Blocked');
		assert.match(messageOf(error), /^Quillon is limiting requests.* Try again in 120 s\./);
	});

	it('lead to the key manager with one notification, however many requests fail meanwhile', async () => {
		models.server.answer = response => sendJson(response, 401, { error: { message: 'no' } });
		const closed = Promise.withResolvers<undefined>();
		Object.assign(vscode.window, {
			showErrorMessage: (message: string, ...buttons: string[]) => {
				models.shown.push(`${message} [${buttons.join()}]`);
				return closed.promise;
			},
		});
		await Promise.all([models.ask(), models.ask(), models.ask()]);
		assert.equal(models.shown.length, 1);
		assert.match(models.shown[0] ?? '', /^Quillon rejected the key.*\[Change Key…\]$/);
		closed.resolve(undefined);
	});

	it('are not sent after another connection was chosen', async () => {
		const model = await models.quill();
		models.connection = { ...models.connection, name: 'other', label: 'Other' };
		const error = await models.provider
			.provideLanguageModelChatResponse(
				model,
				[User('Hello')],
				{ toolMode: vscode.LanguageModelChatToolMode.Auto },
				{ report() {} },
				new vscode.CancellationTokenSource().token,
			)
			.catch((reason: unknown) => reason);
		assert.equal((error as vscode.LanguageModelError).code, 'NotFound');
		assert.match(messageOf(error), /^Not sent: Quill is a model of a different connection, and Other is in use\./);
		assert.equal(models.server.received.length, 0);
	});

	it('are not sent if another connection was chosen while the question was open', async () => {
		await writeSetting('errand.languageModels.access', 'ask');
		Object.assign(vscode.window, {
			showWarningMessage: async () => {
				models.connection = { ...models.connection, name: 'other', label: 'Other' };
				return 'Allow in This Window';
			},
		});
		const { error } = await models.ask();
		assert.equal((error as vscode.LanguageModelError).code, 'NotFound');
		assert.match(messageOf(error), /Other is in use\./);
		assert.equal(models.server.received.length, 0);
	});

	it('are sent only after a yes, which is asked for once per window and connection and names its subject', async () => {
		await writeSetting('errand.languageModels.access', 'ask');
		models.answer = undefined;
		const refused = await models.ask();
		assert.equal((refused.error as vscode.LanguageModelError).code, 'NoPermissions');
		assert.match(
			messageOf(refused.error),
			/^Not sent: you haven’t allowed others .* errand\.languageModels\.access\.$/,
		);
		assert.match(
			models.shown[0] ?? '',
			/use the models of Quillon\? .*a request to Quill \(Quillon · .*\)\. Their requests/s,
		);
		assert.equal((await models.ask()).error === undefined, false);
		assert.equal(models.shown.length, 1);
		assert.equal(models.server.received.length, 0);
		models.provider.access.reset();
		models.answer = 'Allow in This Window';
		const both = await Promise.all([models.ask(), models.ask()]);
		assert.deepEqual(
			both.map(({ parts }) => textOf(parts)),
			['Blue.', 'Blue.'],
		);
		assert.equal(models.shown.length, 2);
		assert.equal(vscode.workspace.getConfiguration().get('errand.languageModels.access'), 'ask');
		models.connection = { ...models.connection, name: 'other', label: 'Other' };
		models.answer = 'Always Allow';
		assert.equal(textOf((await models.ask()).parts), 'Blue.');
		assert.equal(models.shown.length, 3);
		await waitFor('the setting to be written', () => {
			return vscode.workspace.getConfiguration().get('errand.languageModels.access') === 'allow';
		});
	});

	it('are asked about again if the question could not be shown', async () => {
		await writeSetting('errand.languageModels.access', 'ask');
		const show = vscode.window.showWarningMessage;
		Object.assign(vscode.window, { showWarningMessage: () => Promise.reject(new Error('no window')) });
		assert.match(messageOf((await models.ask()).error), /no window/);
		Object.assign(vscode.window, { showWarningMessage: show });
		models.answer = 'Allow in This Window';
		assert.equal(textOf((await models.ask()).parts), 'Blue.');
	});

	it('leave none of their text in the log', async () => {
		models.server.answer = response => sendJson(response, 500, { error: { message: SECRET_PROMPT } });
		await models.ask();
		assert.equal(models.logged.length, 1);
		assert.equal(JSON.stringify(models.logged).includes(SECRET_PROMPT), false);
	});
});
