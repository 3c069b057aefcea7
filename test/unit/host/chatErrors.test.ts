import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import type { TurnMode } from '../../../src/chat/model/mode.ts';
import { explainRequestFailure } from '../../../src/chat/settings/messages.ts';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import type { Client } from '../../../src/client/types.ts';
import { connectionSchema } from '../../../src/contract/connection.ts';
import type { RoutingPolicy } from '../../../src/contract/routingPolicy.ts';
import { commands, internalCommands } from '../../../src/platform/ids.ts';
import { explainError } from '../../../src/platform/notify.ts';
import { type Answer, answerJson, answerLoginPage, FaultServer } from '../../support/faultServer.ts';

/** An answer to a message, with the sentence and the button that the chat shows for it. */
interface ReplyError {
	what: string;
	answer: Answer;
	mode?: TurnMode;
	sentence: RegExp;
	button?: string;
}

/** The model that is asked; the label of the connection is Quillon. */
const MODEL = 'quill-large';
const said = (text: string) => answerJson(200, { choices: [{ message: { role: 'assistant', content: text } }] });
const aPage = /^A web page, such as a sign-in page, responded instead of Quillon\. Check the address, and whether/;
const { showLog, manageKeys } = commands;
const { selectModel } = internalCommands;

const replyErrors: readonly ReplyError[] = [
	{
		what: '400 of the responses endpoint',
		answer: answerJson(400, { error: { code: '400', message: 'Input must be a list' } }),
		sentence: /^Quillon rejected the request: Input must be a list\.$/,
	},
	{
		what: '401',
		answer: answerJson(401, { error: 'Unauthorized' }),
		sentence: /^Quillon rejected the key: Unauthorized\.$/,
		button: manageKeys,
	},
	{
		what: '402',
		answer: answerJson(402, { error: { message: 'Pay first' } }),
		sentence: /^The account on Quillon is out of credit or quota: Pay first\. Add/,
	},
	{
		what: '404 for a model',
		answer: answerJson(404, { error: { message: `The model ${MODEL} does not exist`, code: 'model_not_found' } }),
		sentence:
			/^The service has no model “quill-large”\. Select a different one\. It said: “The model quill-large does not/,
		button: selectModel,
	},
	{ what: '404 of a login page', answer: answerLoginPage(404), sentence: aPage, button: showLog },
	{
		what: '404 of a wrong address',
		answer: answerJson(404, { detail: 'Not Found' }),
		sentence:
			/^The service doesn’t have the model “quill-large”, or nothing serves models at its address\..* or check the/,
		button: selectModel,
	},
	{ what: 'a login page with the status of success', answer: answerLoginPage(200), sentence: aPage, button: showLog },
	{
		what: 'a redirect elsewhere',
		answer: response => void response.writeHead(302, { location: 'https://login.example/' }).end(),
		sentence: /^Quillon redirected the request to https:\/\/login\.example, for example to sign in/,
		button: showLog,
	},
	{
		what: '413',
		answer: answerJson(413, { error: { message: 'At most 2 MB' } }),
		sentence: /^The request is too large for Quillon: At most 2 MB\. Send a smaller request\.$/,
	},
	{
		what: '422 with a list in detail',
		answer: answerJson(422, {
			detail: [{ loc: ['body', 'top_k'], msg: 'Input should be at most 100', type: 'less_than' }],
		}),
		sentence: /^Quillon rejected the request: body\.top_k: Input should be at most 100\.$/,
	},
	{
		what: '422 with a list of errors',
		answer: answerJson(422, { errors: [{ field: 'stop', message: 'has too many entries' }] }),
		sentence: /^Quillon rejected the request: stop: has too many entries\.$/,
	},
	{
		what: '429 for a quota',
		answer: answerJson(429, { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } }),
		sentence: /^The account on Quillon is out of credit or quota: You exceeded your current quota\. Add/,
	},
	{
		what: '502 of a provider',
		answer: answerJson(502, { error: { message: 'fastlane did not answer' } }),
		sentence: /^Quillon got no response from a service it depends on: fastlane did not answer\.$/,
		button: showLog,
	},
	{
		what: '502 of a gateway',
		answer: answerLoginPage(502),
		sentence: /^Quillon had an internal error \(HTTP 502\)\.$/,
		button: showLog,
	},
	{
		what: 'text instead of an image',
		mode: 'image',
		answer: said('I cannot draw people who are alive.\nAsk for something else.'),
		sentence:
			/^quill-large replied with text instead of an image\. It said: “I cannot draw people .* something else\.”$/,
	},
	{
		what: 'no image and no words',
		mode: 'image',
		answer: said(''),
		sentence: /^Quillon sent a response that doesn’t match its API/,
		button: showLog,
	},
];

describe('every error of a reply', () => {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(response => void response.writeHead(500).end());
	});

	afterEach(() => server?.stop());

	const clientOf = (): Client =>
		createClient({
			connection: { name: 'quillon', ...connectionSchema.parse({ apiUrl: server.origin, service: 'quillon' }) },
			keys: () => Promise.resolve('sk-quillon'),
			transport: createFetchTransport((input, init) => fetch(input, init)),
		});

	for (const { what, answer, mode = 'chat', sentence, button } of replyErrors) {
		it(`has its sentence and its button: ${what}`, async () => {
			server.answer = answer;
			const client = clientOf();
			const messages = [{ role: 'user' as const, content: 'Hello' }];
			const asked =
				mode === 'image'
					? client.images.generate({ model: MODEL, prompt: 'A quill' })
					: client.chat.stream({ model: MODEL, messages })[Symbol.asyncIterator]().next();
			const error = await asked.then(
				() => assert.fail('nothing was wrong'),
				(reason: unknown) => reason,
			);
			const { message, action } =
				explainRequestFailure(error, { model: MODEL }, mode) ?? explainError(error, 'Quillon', { hasRetry: true });
			assert.match(message, sentence);
			assert.equal(action?.command, button);
		});
	}

	it('names the routing policy where that allows no other provider than those that failed, with the way to change it', () => {
		const error = new ClientError('upstream', '', { serviceMessage: 'out of order' });
		const explained = (provider: RoutingPolicy) => explainRequestFailure(error, { model: MODEL, provider }, 'chat');
		for (const provider of [{ only: ['cheap'] }, { order: ['cheap'], allow_fallbacks: false }]) {
			const { message, action } = explained(provider) ?? assert.fail();
			assert.match(message, /^The routing policy allows only cheap, which didn’t serve the request\..*“out of order”$/);
			assert.equal(action?.command, internalCommands.selectPolicy);
		}
		assert.equal(explained({ order: ['cheap'] }), undefined);
	});
});
