import assert from 'node:assert/strict';
import { ClientError } from '../../src/base/errors.ts';
import type { DecisionInput } from '../../src/client/types.ts';
import type { Questions } from '../../src/contract/decisions.ts';
import { decisionModel, decisionUsage, decisionVersions } from '../support/contractServer/fixtures.ts';
import { questions, state } from './decisionQuestions.ts';
import { type ProofContext, prove } from './harness.ts';

const [LATEST = '', OLDER = ''] = decisionVersions.map(version => `${decisionModel}-${version}`);

const evaluate = ({ client }: ProofContext) => client.decisions.evaluate({ state, questions });

/** Checks that the request is refused with the field's name before anything is sent. */
async function refuses(
	{ client, server }: ProofContext,
	fields: Record<string, unknown>,
	named: RegExp,
): Promise<void> {
	const request = { state, questions, ...fields } as DecisionInput<Questions>;
	await assert.rejects(client.decisions.evaluate(request), (error: unknown) => {
		assert.ok(ClientError.is(error, 'invalid-request'), String(error));
		assert.match(error.message, named);
		return true;
	});
	assert.deepEqual(server.received, []);
}

describe('the decision client', () => {
	const id = (position: number) => `inference/decision-request-and-response/${position}`;
	const prose = (position: number) => `inference/decision-request-and-response/prose/${position}`;

	prove([id(1), 'inference/endpoints/4'], 'sends the state to the enterprise host as it is', async context => {
		await refuses(context, { state: 'at seven' }, /^state is a text; allowed: an object$/);
		const { usage } = await evaluate(context);
		assert.deepEqual(usage, decisionUsage);
		const { host, method, path, headers, json } = context.lastRequest();
		assert.deepEqual([host, method, path], ['enterprise', 'POST', '/typesafe/v1/systemone']);
		assert.equal(headers.authorization, `Bearer ${context.server.keys.inference}`);
		assert.equal(headers['content-type'], 'application/json');
		assert.deepEqual(json, { state, questions, model: `${decisionModel}-latest` });
	});

	prove('inference/endpoints/4', 'is not supported without an enterprise host', async ({ connect, server }) => {
		const client = connect({ enterpriseUrl: undefined });
		await assert.rejects(client.decisions.evaluate({ state, questions }), { code: 'not-supported' });
		assert.deepEqual(server.received, []);
	});

	prove(
		[id(2), 'inference/versioning/3', 'unspecified/inference/18'],
		'asks for the latest model or a pinned one, and tells which answered',
		async ({ client, connect, lastRequest }) => {
			const sent = () => (lastRequest().json as { model: unknown }).model;
			assert.equal((await client.decisions.evaluate({ state, questions })).model, LATEST);
			assert.equal(sent(), `${decisionModel}-latest`);
			assert.equal((await client.decisions.evaluate({ state, questions, model: OLDER })).model, OLDER);
			assert.equal(sent(), OLDER);
			for (const [named, model] of [
				[`${decisionModel}-latest`, LATEST],
				[OLDER, OLDER],
			] as const) {
				const pinned = connect({ decisionModel: named });
				assert.equal((await pinned.decisions.evaluate({ state, questions })).model, model);
				assert.equal(sent(), named);
			}
		},
	);

	prove('unspecified/inference/18', 'is not supported where no model is named', async ({ connect, server }) => {
		const client = connect({ decisionModel: undefined });
		await assert.rejects(client.decisions.evaluate({ state, questions }), { code: 'not-supported' });
		assert.deepEqual(server.received, []);
		assert.equal((await client.decisions.evaluate({ state, questions, model: OLDER })).model, OLDER);
	});

	prove(id(3), 'answers each question under the id that the caller chose', async context => {
		await refuses(context, { questions: {} }, /^questions is an object; allowed: an object of at least one question$/);
		await refuses(context, { questions: [questions.late] }, /^questions is a list/);
		const odd = { 'an id with spaces': questions.late, toString: questions.late };
		const { answers } = await context.client.decisions.evaluate({ state, questions: odd });
		assert.deepEqual(Object.keys(answers), Object.keys(odd));
		assert.deepEqual(answers['an id with spaces'], { type: 'noul', noul: 0.94 });
		assert.deepEqual(answers.toString, { type: 'noul', noul: 0.94 });
	});

	prove([id(4), prose(1), prose(2)], 'asks choices, and gives option, probabilities and confidence', async context => {
		const { topic } = questions;
		for (const criteria of [{}, ['hours'], { hours: 7 }]) {
			await refuses(context, { questions: { topic: { ...topic, criteria } } }, /^questions\.topic\.criteria/);
		}
		const { answers } = await evaluate(context);
		assert.deepEqual(answers.topic, {
			type: 'choice',
			choice: 'other',
			probabilities: { weather: 1 / 7, hours: 2 / 7, other: 4 / 7 },
			confidence: 0.83,
		});
	});

	prove(
		[id(5), prose(1), prose(2)],
		'asks scores, and gives score, legend, probabilities and confidence',
		async context => {
			const { traffic } = questions;
			for (const criteria of [[], { 0: 'empty' }, ['empty', 2]]) {
				await refuses(context, { questions: { traffic: { ...traffic, criteria } } }, /^questions\.traffic\.criteria/);
			}
			const { traffic: answer } = (await evaluate(context)).answers;
			assert.ok(answer.type === 'score');
			assert.ok(Math.abs((answer.score ?? 0) - 10 / 7) < 1e-9);
			assert.deepEqual(answer.legend, { 0: 'empty', 1: 'some boats', 2: 'full' });
			assert.deepEqual(answer.probabilities, { 0: 1 / 7, 1: 2 / 7, 2: 4 / 7 });
			assert.equal(answer.confidence, 0.71);
		},
	);

	prove([id(6), prose(1), prose(2)], 'asks nouls, and gives a probability', async context => {
		const { late } = questions;
		for (const criteria of [{ true: 'a' }, { false: 'b' }, { true: 'a', false: 'b', maybe: 'c' }, ['a', 'b']]) {
			await refuses(context, { questions: { late: { ...late, criteria } } }, /^questions\.late\.criteria/);
		}
		await refuses(context, { questions: { late: { ...late, type: 'essay' } } }, /^questions\.late\.type/);
		assert.deepEqual((await evaluate(context)).answers.late, { type: 'noul', noul: 0.94 });
	});

	prove([id(3), prose(1)], 'refuses a question that lacks a part of it, and names the part', async context => {
		for (const [part, named] of [
			['type', /^questions\.topic\.type/],
			['instructions', /^questions\.topic\.instructions/],
			['criteria', /^questions\.topic\.criteria/],
		] as const) {
			const { [part]: _, ...rest } = questions.topic;
			await refuses(context, { questions: { topic: rest } }, named);
		}
		await refuses(context, { questions: { topic: { ...questions.topic, weight: 2 } } }, /"weight"/);
	});

	prove(prose(3), 'gives the model, an answer for each question, and the tokens of both directions', async context => {
		const { model, answers, usage } = await evaluate(context);
		assert.equal(model, LATEST);
		assert.deepEqual(Object.keys(answers), Object.keys(questions));
		assert.deepEqual(usage, decisionUsage);
	});

	prove(
		[prose(4), 'inference/states-and-transitions/prose/1'],
		'asks all questions in one request, and reads each answer as if it were the only one',
		async ({ client, lastRequest, server }) => {
			const { answers } = await client.decisions.evaluate({ state, questions });
			assert.equal(server.received.length, 1);
			assert.deepEqual((lastRequest().json as { questions: unknown }).questions, questions);
			const { topic, traffic, late } = questions;
			assert.deepEqual((await client.decisions.evaluate({ state, questions: { topic } })).answers.topic, answers.topic);
			const single = await client.decisions.evaluate({ state, questions: { traffic } });
			assert.deepEqual(single.answers.traffic, answers.traffic);
			assert.deepEqual((await client.decisions.evaluate({ state, questions: { late } })).answers.late, answers.late);
			// Each request has the whole state and does not refer to an earlier one.
			for (const { json } of server.received) {
				assert.deepEqual((json as { state: unknown }).state, state);
			}
		},
	);

	prove(
		['inference/versioning/3', id(2)],
		'tells no version where the service tells none',
		async ({ client, server }) => {
			for (const model of [undefined, null, 'None']) {
				server.answer(() => true, { status: 200, headers: {}, json: { model, answers: {}, usage: model } });
				const decision = await client.decisions.evaluate({ state, questions });
				assert.equal(decision.model, undefined);
				assert.equal(decision.usage, undefined);
				assert.deepEqual(decision.answers.late, { type: 'other', received: undefined });
			}
		},
	);

	prove('unspecified/inference/13', 'reads the error bodies of decisions', async ({ client, server }) => {
		for (const [status, body, code, said] of [
			[400, { error: { message: 'Bad criteria', code: 'x', type: 'y' } }, 'invalid-request', 'Bad criteria'],
			[404, { error: 'No such model' }, 'not-found', 'No such model'],
			[413, { message: 'Too much' }, 'too-large', 'Too much'],
			[500, { detail: 'It broke' }, 'server', 'It broke'],
		] as const) {
			server.answer(() => true, { status, headers: {}, json: body });
			await assert.rejects(client.decisions.evaluate({ state, questions }), { code, status, serviceMessage: said });
		}
	});
});
