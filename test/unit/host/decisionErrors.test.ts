import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { explainDecision } from '../../../src/decisions/messages.ts';
import { commands } from '../../../src/platform/ids.ts';
import { type Answer, answerJson, answerLoginPage, FaultServer } from '../../support/faultServer.ts';

const MODEL = 'decider-latest';
const { showLog, manageKeys } = commands;

/** What a service may answer to a decision, with what the page says and the command of the button that it offers. */
const answers: readonly { what: string; answer: Answer; sentence: RegExp; button?: string }[] = [
	{
		what: '400',
		answer: answerJson(400, { error: { message: 'questions.ok: too vague' } }),
		sentence: /^Quillon rejected the request: questions\.ok: too vague\.$/,
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
		sentence: /^The account on Quillon is out of credit or quota: Pay first\. Add credit/,
	},
	{
		what: '403',
		answer: answerJson(403, { detail: 'Not you' }),
		sentence: /^Quillon doesn’t allow this for the key’s account: Not you\.$/,
		button: manageKeys,
	},
	{
		what: '404',
		answer: answerJson(404, { error: { message: 'No such model' } }),
		sentence:
			/^Quillon has no decision model “decider-latest”, or doesn’t support decisions.* It said: “No such model”$/,
	},
	{
		what: '413',
		answer: answerJson(413, { error: { message: 'At most 2 MB' } }),
		sentence: /^The request is too large for Quillon: At most 2 MB\. Send a smaller request\.$/,
	},
	{
		what: '422',
		answer: answerJson(422, { detail: [{ loc: ['body', 'state'], msg: 'Field required', type: 'missing' }] }),
		sentence: /^Quillon rejected the request: body\.state: Field required\.$/,
	},
	{
		what: '429',
		answer: answerJson(429, { error: { message: 'Slow down' } }, { 'retry-after': '90' }),
		sentence: /^Quillon is limiting requests: Slow down\. Try again in \d+ s\.$/,
	},
	{
		what: '500',
		answer: answerJson(500, { error: { message: 'It <b>broke</b>' } }),
		sentence: /^Quillon had an internal error: It <b>broke<\/b>\. Try again\.$/,
		button: showLog,
	},
	{
		what: '502',
		answer: answerJson(502, { error: { message: 'No model answered' } }),
		sentence: /^Quillon got no response from a service it depends on: No model answered\. Try again\.$/,
		button: showLog,
	},
	{
		what: '503 of a gateway',
		answer: answerLoginPage(503),
		sentence: /^Quillon is temporarily unavailable \(HTTP 503\)\. Try again\.$/,
		button: showLog,
	},
	{
		what: 'a login page',
		answer: answerLoginPage(200),
		sentence: /^A web page, such as a sign-in page, responded instead of Quillon\. Check the address/,
		button: showLog,
	},
	{
		what: 'a redirect elsewhere',
		answer: response => void response.writeHead(307, { location: 'https://login.example/' }).end(),
		sentence: /^Quillon redirected the request to https:\/\/login\.example.* A key isn’t sent there\./,
		button: showLog,
	},
	{
		what: 'a reply without answers',
		answer: answerJson(200, { model: 'decider-1.0.0' }),
		sentence: /^Quillon sent a response that doesn’t match its API\./,
		button: showLog,
	},
	{
		what: 'a connection that breaks',
		answer: response => void response.destroy(),
		sentence: /^Quillon can’t be reached/,
		button: showLog,
	},
];

describe('every error of a decision', () => {
	let server: FaultServer;

	before(async () => {
		server = await FaultServer.start(() => {});
	});
	after(() => server?.stop());

	for (const { what, answer, sentence, button } of answers) {
		it(`has its sentence and its button: ${what}`, async () => {
			server.answer = answer;
			const { origin } = server;
			const connection = connectionSchema.parse({ apiUrl: origin, enterpriseUrl: origin, service: 'quillon' });
			const { decisions } = createClient({
				connection: { name: 'quillon', ...connection },
				keys: () => Promise.resolve('sk-quillon'),
				transport: createFetchTransport((input, init) => fetch(input, init)),
			});
			const criteria = { true: 'It is', false: 'It is not' };
			const questions = { ok: { type: 'noul' as const, instructions: 'All is well.', criteria } };
			const error = await decisions.evaluate({ state: {}, questions, model: MODEL }).then(
				() => assert.fail('nothing was wrong'),
				(reason: unknown) => reason,
			);
			const { message, action } = explainDecision(error, 'Quillon', MODEL);
			assert.match(message, sentence);
			assert.equal(action?.command, button);
		});
	}
});
