import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { LIMITS } from '../../../src/client/core/limits.ts';
import type { DecisionInput } from '../../../src/client/types.ts';
import type { AnswerOf, OtherAnswer, Questions } from '../../../src/contract/decisions.ts';
import { type Answer, FaultServer, sendJson } from '../../support/faultServer.ts';
import { waitFor } from '../../support/waitFor.ts';
import { type TestClient, testClient } from './testClient.ts';

const questions = {
	topic: {
		type: 'choice',
		instructions: 'What is ticket.text about?',
		criteria: { billing: 'Money', none_of_the_above: 'Anything else' },
	},
	anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'tense', 'furious'] },
	urgent: { type: 'noul', instructions: 'It is urgent.', criteria: { true: 'Today', false: 'Any day' } },
} satisfies Questions;

const state = { ticket: { text: 'My bill is wrong!', tags: [null, 1.5, true] } };

const answers = {
	topic: {
		type: 'choice',
		choice: 'billing',
		probabilities: { billing: 0.9, none_of_the_above: 0.3 },
		confidence: 0.7,
	},
	anger: {
		type: 'score',
		score: 1.5,
		legend: { 0: 'calm', 1: 'tense', 2: 'furious' },
		probabilities: { 0: 0.1, 1: 0.4, 2: 0.5 },
		confidence: 0.4,
	},
	urgent: { type: 'noul', noul: 0.75 },
};

const reply = { model: 'judge-1.4.2', answers, usage: { input_tokens: 30, output_tokens: 4 } };

describe('client.decisions.evaluate', () => {
	let server: FaultServer;
	let client: TestClient;
	const serve = (answer: Answer) => {
		server.answer = answer;
	};
	const clientOf = (fields: Record<string, unknown>) =>
		testClient('http://127.0.0.1:9', { fields: { enterpriseUrl: server.origin, ...fields } });

	beforeEach(async () => {
		server = await FaultServer.start(response => sendJson(response, 200, reply));
		client = clientOf({ decisionModel: 'judge' });
	});
	afterEach(() => server.stop());

	it('asks the enterprise host whatever the plan is', async () => {
		await client.decisions.evaluate({ state, questions });
		const [received] = server.received;
		assert.equal(received?.method, 'POST');
		assert.equal(received?.path, '/typesafe/v1/systemone');
		assert.equal(received?.headers.authorization, 'Bearer sk-inference');
		assert.equal(received?.headers['content-type'], 'application/json');
		assert.deepEqual(JSON.parse(received?.body ?? ''), { state, questions, model: 'judge-latest' });
	});

	it('gives each answer with the type of its question, probabilities as they are, and the resolved model', async () => {
		const decision = await client.decisions.evaluate({ state, questions });
		// The types say the same as the values: the compiler checks each of these lines.
		const topic: AnswerOf<'choice'> | OtherAnswer = decision.answers.topic;
		const anger: AnswerOf<'score'> | OtherAnswer = decision.answers.anger;
		const urgent: AnswerOf<'noul'> | OtherAnswer = decision.answers.urgent;
		// @ts-expect-error: a noul question has no choice for an answer.
		const wrong: AnswerOf<'choice'> | OtherAnswer = decision.answers.urgent;
		// @ts-expect-error: this was not asked.
		assert.equal(decision.answers.mood, undefined);
		assert.equal(wrong, urgent);
		assert.equal(topic.type === 'choice' && topic.choice?.length, 7);
		assert.deepEqual({ topic, anger, urgent }, answers);
		assert.equal(decision.model, 'judge-1.4.2');
		assert.deepEqual(decision.usage, reply.usage);
	});

	for (const [decisionModel, model, sent] of [
		['judge', undefined, 'judge-latest'],
		['judge-latest', undefined, 'judge-latest'],
		['judge-1.4.2', undefined, 'judge-1.4.2'],
		['judge', 'other-2.0.0', 'other-2.0.0'],
		[undefined, 'other-latest', 'other-latest'],
	] as const) {
		it(`asks ${sent} where the connection has ${decisionModel} and the request ${model}`, async () => {
			client = clientOf({ decisionModel });
			await client.decisions.evaluate({ state, questions, ...(model ? { model } : {}) });
			assert.equal(JSON.parse(server.received[0]?.body ?? '').model, sent);
		});
	}

	it('is not supported where neither the connection nor the request has a model', async () => {
		client = clientOf({});
		await assert.rejects(client.decisions.evaluate({ state, questions }), { code: 'not-supported' });
		assert.equal(server.received.length, 0);
	});

	it('is not supported by a connection without an enterprise host', async () => {
		client = testClient(server.origin, { fields: { decisionModel: 'judge' } });
		await assert.rejects(client.decisions.evaluate({ state, questions }), { code: 'not-supported' });
		assert.equal(server.received.length, 0);
	});

	const { topic, anger, urgent } = questions;
	for (const [what, fields, message] of [
		['a state that is a text', { state: 'angry' }, /^state is a text; allowed: an object$/],
		['a state that is a list', { state: [] }, /^state is a list; allowed: an object$/],
		['no question', { questions: {} }, /^questions is an object; allowed: an object of at least one question$/],
		[
			'a list of questions',
			{ questions: [topic] },
			/^questions is a list; allowed: an object of at least one question$/,
		],
		['an empty model', { model: '' }, /^model is an empty text/],
		['fields that are not documented', { temperature: 0 }, /not documented: "temperature"$/],
		[
			'a question of another type',
			{ questions: { q: { ...topic, type: 'essay' } } },
			/^questions\.q\.type .*allowed: a question of type "choice"/,
		],
		['a question that is none', { questions: { q: 'Is it?' } }, /^questions\.q is a text; allowed: a question/],
		[
			'a question without instructions',
			{ questions: { q: { ...topic, instructions: undefined } } },
			/^questions\.q\.instructions is missing/,
		],
		[
			'a question with further fields',
			{ questions: { q: { ...topic, weight: 2 } } },
			/^questions\.q has fields .*"weight"$/,
		],
		[
			'a choice of no options',
			{ questions: { q: { ...topic, criteria: {} } } },
			/^questions\.q\.criteria is an object; allowed: an object of at least one/,
		],
		[
			'a choice from a list',
			{ questions: { q: { ...topic, criteria: ['a'] } } },
			/^questions\.q\.criteria is a list; allowed: an object of at least one/,
		],
		[
			'an option without a description',
			{ questions: { q: { ...topic, criteria: { a: 1 } } } },
			/^questions\.q\.criteria\.a is 1/,
		],
		[
			'a score of no levels',
			{ questions: { q: { ...anger, criteria: [] } } },
			/^questions\.q\.criteria is a list; allowed: a list of at least one/,
		],
		[
			'a score from an object',
			{ questions: { q: { ...anger, criteria: { 0: 'a' } } } },
			/^questions\.q\.criteria is an object; allowed: a list/,
		],
		[
			'a level that is no text',
			{ questions: { q: { ...anger, criteria: ['a', 2] } } },
			/^questions\.q\.criteria\[1\] is 2/,
		],
		[
			'a noul without false',
			{ questions: { q: { ...urgent, criteria: { true: 'a' } } } },
			/^questions\.q\.criteria\.false is missing/,
		],
		[
			'a noul without true',
			{ questions: { q: { ...urgent, criteria: { false: 'a' } } } },
			/^questions\.q\.criteria\.true is missing/,
		],
		[
			'a noul with a third case',
			{ questions: { q: { ...urgent, criteria: { true: 'a', false: 'b', maybe: 'c' } } } },
			/^questions\.q\.criteria has fields .*"maybe"$/,
		],
		[
			'a noul from a list',
			{ questions: { q: { ...urgent, criteria: ['a', 'b'] } } },
			/^questions\.q\.criteria is a list/,
		],
	] as [string, Record<string, unknown>, RegExp][]) {
		it(`refuses ${what}, before anything is sent`, async () => {
			const request = { state, questions, ...fields } as DecisionInput<Questions>;
			await assert.rejects(client.decisions.evaluate(request), error => {
				assert.ok(ClientError.is(error, 'invalid-request'), String(error));
				assert.match(error.message, message);
				return true;
			});
			assert.equal(server.received.length, 0);
		});
	}

	it('keeps answers of another type, tells which are missing, and leaves out what was not asked', async () => {
		const { topic: given } = answers;
		serve(response =>
			sendJson(response, 200, {
				model: 'None',
				answers: { topic: { type: 'essay', text: 'Hm' }, urgent: given, mood: given },
			}),
		);
		const decision = await client.decisions.evaluate({ state, questions });
		assert.deepEqual(decision, {
			model: undefined,
			answers: {
				topic: { type: 'other', received: { type: 'essay', text: 'Hm' } },
				anger: { type: 'other', received: undefined },
				urgent: { type: 'other', received: given },
			},
			usage: undefined,
		});
	});

	it('takes ids for what they are, whatever word they are', async () => {
		const odd = JSON.parse(
			`{ "__proto__": ${JSON.stringify(urgent)}, "toString": ${JSON.stringify(urgent)} }`,
		) as Questions;
		serve(response => void response.writeHead(200).end('{"answers":{"__proto__":{"type":"noul","noul":1}}}'));
		const { answers: read } = await client.decisions.evaluate({ state, questions: odd });
		assert.deepEqual(Object.keys(read).sort(), ['__proto__', 'toString']);
		assert.equal(Object.getOwnPropertyDescriptor(read, '__proto__')?.value.noul, 1);
		assert.deepEqual(read['toString'], { type: 'other', received: undefined });
		assert.deepEqual(Object.keys(JSON.parse(server.received[0]?.body ?? '').questions), Object.keys(odd));
	});

	for (const [what, body] of [
		['no answers', { model: 'judge-1.4.2' }],
		['answers that are None', { answers: 'None' }],
		['a list of answers', { answers: [] }],
		['a list', []],
		['null', null],
	] as const) {
		it(`refuses a reply with ${what}`, async () => {
			serve(response => sendJson(response, 200, body));
			await assert.rejects(client.decisions.evaluate({ state, questions }), { code: 'bad-response' });
		});
	}

	it('throws the error that stands in the place of a reply', async () => {
		serve(response => sendJson(response, 200, { error: { message: 'Busy', code: '503' } }));
		await assert.rejects(client.decisions.evaluate({ state, questions }), {
			code: 'server',
			serviceMessage: 'Busy',
		});
	});

	for (const [status, body, code, said] of [
		[400, { error: { message: 'Bad criteria', code: 'x', type: 'y' } }, 'invalid-request', 'Bad criteria'],
		[401, { error: 'No such key' }, 'unauthorised', 'No such key'],
		[404, { message: 'No such model' }, 'not-found', 'No such model'],
		[500, { detail: 'It broke' }, 'server', 'It broke'],
	] as const) {
		it(`reads an error body, and its status counts (${status})`, async () => {
			serve(response => sendJson(response, status, body));
			await assert.rejects(client.decisions.evaluate({ state, questions }), {
				code,
				status,
				serviceMessage: said,
			});
		});
	}

	it('has the time of a whole reply for its first byte, then times out', async () => {
		serve(() => {});
		const decision = client.decisions.evaluate({ state, questions });
		decision.catch(() => {});
		await waitFor('the request', () => server.received.length === 1);
		assert.equal(client.clock.running(LIMITS.streamFirstByteMs), 0);
		await client.clock.expire(LIMITS.replyFirstByteMs);
		await assert.rejects(decision, { code: 'timeout' });
	});

	it('ends on the server’s side when aborted', async () => {
		serve(() => {});
		const controller = new AbortController();
		const decision = client.decisions.evaluate({ state, questions }, { signal: controller.signal });
		decision.catch(() => {});
		await waitFor('the request', () => server.received.length === 1);
		controller.abort();
		await assert.rejects(decision, { code: 'aborted' });
		assert.deepEqual(await server.received[0]?.closed, { isWhole: false });
	});
});
