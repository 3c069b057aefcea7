import assert from 'node:assert/strict';
import { questions, state } from '../decisionQuestions.ts';
import { conformance, type Implementation } from './harness.ts';

const id = (position: number) => `inference/decision-request-and-response/${position}`;

const prose = (position: number) => `inference/decision-request-and-response/prose/${position}`;

const post = (implementation: Implementation, body: object) =>
	implementation.fetchEnterprise('/typesafe/v1/systemone', {
		method: 'POST',
		body: JSON.stringify({ state, questions, model: `${implementation.decisionModel}-latest`, ...body }),
	});

interface RawReply {
	model: string;
	answers: Record<string, Record<string, unknown>>;
	usage: { input_tokens: number; output_tokens: number };
}

async function decided(implementation: Implementation, body: object = {}): Promise<RawReply> {
	const response = await post(implementation, body);
	assert.equal(response.status, 200, await response.clone().text());
	return (await response.json()) as RawReply;
}

async function refused(implementation: Implementation, body: object, named: RegExp, status = 400): Promise<void> {
	const response = await post(implementation, body);
	assert.equal(response.status, status, await response.clone().text());
	const { error } = (await response.json()) as { error: { message: string } };
	assert.match(error.message, named);
}

const asking = (question: unknown) => ({ questions: { only: question } });

function sumOf(probabilities: unknown): number {
	return Object.values(probabilities as Record<string, number>).reduce((sum, share) => sum + share, 0);
}

/** Checks that an answer is one of the options, and the likeliest. */
function isChoice(answer: Record<string, unknown>, options: readonly string[]): void {
	const probabilities = answer['probabilities'] as Record<string, number>;
	assert.deepEqual(Object.keys(probabilities), options);
	assert.ok(Math.abs(sumOf(probabilities) - 1) < 1e-6);
	assert.equal(answer['confidence'], Math.max(...Object.values(probabilities)));
	assert.equal(probabilities[String(answer['choice'])], answer['confidence']);
}

/** Checks that an answer is the mean of the levels by their shares. */
function isScore(answer: Record<string, unknown>, levels: readonly string[]): void {
	assert.deepEqual(answer['legend'], { ...levels });
	const probabilities = answer['probabilities'] as Record<string, number>;
	assert.deepEqual(Object.keys(probabilities), Object.keys(levels));
	assert.ok(Math.abs(sumOf(probabilities) - 1) < 1e-6);
	const mean = Object.entries(probabilities).reduce((sum, [level, share]) => sum + Number(level) * share, 0);
	assert.ok(Math.abs(Number(answer['score']) - mean) < 1e-9);
	assert.ok(Number(answer['score']) >= 0 && Number(answer['score']) < levels.length);
	assert.equal(answer['confidence'], Math.max(...Object.values(probabilities)));
}

conformance('decisions', verifies => {
	verifies(
		['inference/endpoints/4', id(1), id(3), prose(2), prose(3)],
		'each question is answered under the id that the caller chose, with its type, and nothing else',
		async implementation => {
			const { answers, usage } = await decided(implementation);
			assert.deepEqual(
				Object.entries(answers).map(([name, { type }]) => [name, type]),
				[
					['topic', 'choice'],
					['traffic', 'score'],
					['late', 'noul'],
				],
			);
			assert.ok(Number.isInteger(usage.input_tokens) && usage.input_tokens > 0);
			assert.ok(Number.isInteger(usage.output_tokens) && usage.output_tokens > 0);
			const odd = { constructor: questions.topic, toString: questions.late };
			assert.deepEqual(Object.keys((await decided(implementation, { questions: odd })).answers), Object.keys(odd));
		},
	);

	verifies('inference/endpoints/4', 'the endpoint is on the enterprise host alone', async implementation => {
		const response = await implementation.fetch('/typesafe/v1/systemone', { method: 'POST', body: '{}' });
		assert.equal(response.status, 404);
	});

	verifies(
		['inference/authentication/1', 'inference/endpoints/prose/1'],
		'a request without a valid key is refused',
		async implementation => {
			const response = await implementation.fetchEnterprise('/typesafe/v1/systemone', {
				method: 'POST',
				headers: { authorization: 'Bearer wrong' },
				body: '{}',
			});
			assert.equal(response.status, 401);
		},
	);

	verifies(
		[id(2), 'inference/versioning/3', 'unspecified/inference/18'],
		'the latest model and a pinned one are answered with the version; another one is refused',
		async implementation => {
			const { decisionModel } = implementation;
			const { model } = await decided(implementation);
			assert.match(model, new RegExp(`^${decisionModel}-\\d+\\.\\d+\\.\\d+$`));
			assert.equal((await decided(implementation, { model })).model, model);
			for (const other of [decisionModel, `${decisionModel}-0.0.1`, 'other-latest', implementation.model]) {
				await refused(implementation, { model: other }, /^model: /, 404);
			}
			const read = await implementation.client.decisions.evaluate({ state, questions });
			assert.equal(read.model, model);
			assert.equal(read.answers.topic.type, 'choice');
		},
	);

	verifies(id(4), 'choice: one of the options, with a share of each', async implementation => {
		const { topic = {} } = (await decided(implementation)).answers;
		isChoice(topic, ['weather', 'hours', 'other']);
		assert.equal(topic['probabilities_source'], 'logprobs');
	});

	verifies(id(5), 'score: within the levels, with their legend and a share of each', async implementation => {
		const { traffic = {} } = (await decided(implementation)).answers;
		isScore(traffic, ['empty', 'some boats', 'full']);
	});

	verifies(id(6), 'noul: a probability', async implementation => {
		const { late = {} } = (await decided(implementation)).answers;
		assert.equal(late['type'], 'noul');
		assert.ok(Number(late['noul']) > 0 && Number(late['noul']) < 1);
	});

	verifies([id(3), prose(4)], 'questions are answered independently of each other', async implementation => {
		const together = await decided(implementation);
		for (const [name, question] of Object.entries(questions)) {
			const alone = await decided(implementation, { questions: { [name]: question } });
			assert.ok(alone.answers[name]);
			assert.deepEqual(alone.answers[name], together.answers[name]);
		}
		const other = await decided(implementation, { state: { harbour: 'closed' } });
		assert.notDeepEqual(other.answers, together.answers);
	});

	verifies(
		[id(1), id(2), id(3), id(4), id(5), id(6), prose(1)],
		'a request of another shape is refused and the field named',
		async implementation => {
			const { topic, traffic, late } = questions;
			const many = (count: number) => Array.from({ length: count }, (_, index) => `level ${index}`);
			for (const [body, named] of [
				[{ state: undefined }, /^state/],
				[{ state: 'text' }, /^state/],
				[{ state: [] }, /^state/],
				[{ state: null }, /^state/],
				[{ model: undefined }, /^model/],
				[{ questions: undefined }, /^questions/],
				[{ questions: [] }, /^questions/],
				[{ questions: {} }, /^questions/],
				[{ undocumented: 1 }, /undocumented/],
				[
					{ questions: JSON.parse(`{"__proto__":${JSON.stringify(late)},"x":${JSON.stringify(late)}}`) as object },
					/__proto__/,
				],
				[asking({ ...topic, criteria: JSON.parse('{"__proto__":"x","y":"z"}') as object }), /criteria.*__proto__/],
				[asking({ ...topic, type: 'guess' }), /^questions\.only/],
				[asking({ ...topic, instructions: undefined }), /^questions\.only\.instructions/],
				[asking({ ...topic, criteria: {} }), /^questions\.only\.criteria/],
				[asking({ ...topic, criteria: ['a', 'b'] }), /^questions\.only\.criteria/],
				[asking({ ...topic, criteria: { a: 1 } }), /^questions\.only\.criteria/],
				[asking({ ...topic, undocumented: 1 }), /undocumented/],
				[asking({ ...traffic, criteria: [] }), /^questions\.only\.criteria/],
				[asking({ ...traffic, criteria: { 0: 'a' } }), /^questions\.only\.criteria/],
				[asking({ ...late, criteria: { true: 'yes' } }), /^questions\.only\.criteria/],
				[asking({ ...late, criteria: { true: 'yes', false: 'no', maybe: 'x' } }), /^questions\.only\.criteria/],
				[asking({ ...traffic, criteria: many(101) }), /^questions\.only\.criteria: .*at most 100/],
				[asking({ ...topic, criteria: { ...many(101) } }), /^questions\.only\.criteria: .*at most 100/],
				[{ questions: Object.fromEntries(many(101).map(name => [name, late])) }, /^questions: .*at most 100/],
			] as const) {
				await refused(implementation, body, named);
			}
		},
	);

	verifies([id(4), id(5)], 'as many options and levels as are allowed are answered', async implementation => {
		const levels = Array.from({ length: 100 }, (_, index) => `level ${index}`);
		const { answers } = await decided(implementation, {
			questions: {
				one: { ...questions.topic, criteria: { only: 'The only one' } },
				some: { ...questions.topic, criteria: { ...levels.slice(0, 26) } },
				many: { ...questions.traffic, criteria: levels },
			},
		});
		const { one = {}, some = {}, many = {} } = answers;
		isChoice(one, ['only']);
		isChoice(some, Object.keys(levels.slice(0, 26)));
		// With so many levels the model tells only the share of the one that it chose, and the answer says so.
		assert.equal(many['probabilities_source'], 'stated');
		assert.deepEqual(many['legend'], { ...levels });
		assert.deepEqual(many['probabilities'], { [String(many['score'])]: many['confidence'] });
	});
});
