import assert from 'node:assert/strict';
import {
	annotations,
	chatReply,
	codeModel,
	decisionModel,
	decisionUsage,
	openModel,
	responsesUsage,
} from '../../support/contractServer/fixtures.ts';
import { Asker, events, type Json, refused } from './askContractServer.ts';

describe('contract server: responses', () => {
	const at = new Asker();

	const simple = [{ role: 'user', content: 'text' }];
	const base = { model: codeModel.id, instructions: 'Be brief', store: false, stream: true, input: simple };
	const respond = (fields: object) => at.ask('enterprise', '/v1/responses', { body: { ...base, ...fields } });
	const tools = ['read', 'write'].map(name => ({ type: 'function', name, description: name, parameters: {} }));

	it('is on the enterprise host only', async () => {
		assert.equal((await at.ask('public', '/v1/responses', { body: base })).status, 404);
	});

	const refusals: [object, string][] = [
		[{ instructions: undefined }, 'Instructions are required'],
		[{ input: 'text' }, 'Input must be a list'],
		[{ store: true }, 'Store must be set to false'],
		[{ store: undefined }, 'Store must be set to false'],
		[{ stream: undefined }, 'Stream must be set to true'],
		[{ previous_response_id: 'r' }, 'Unsupported parameter: previous_response_id'],
		[{ model: undefined }, 'Missing required parameter: model'],
		[{ tool_choice: 'required' }, 'tool_choice'],
		[{ tools: [{ type: 'function', function: { name: 'nested' } }] }, 'tools[0]'],
		[{ parallel_tool_calls: 1 }, 'parallel_tool_calls'],
		[{ temperature: 1 }, 'temperature'],
		[{ input: [{ type: 'message', role: 'user', content: 'x' }] }, 'input[0].content'],
		[
			{ input: [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'x' }] }] },
			'input[0].content[0].type',
		],
		[{ input: [{ type: 'function_call', name: 'a', call_id: 'c', arguments: '{' }] }, 'input[0].arguments'],
		[{ input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }, 'input[0].call_id'],
		[{ input: [{ type: 'reasoning', encrypted_content: 'made up' }] }, 'input[0]'],
	];
	for (const [fields, message] of refusals) {
		it(`refuses ${JSON.stringify(fields)} with ${message}`, async () => {
			const { status, json } = await respond(fields);
			assert.equal(status, 400);
			assert.equal(json.error.code, '400');
			assert.ok(json.error.message.includes(message), json.error.message);
		});
	}

	it('asks other models for neither instructions nor store nor stream', async () => {
		const body = { model: openModel.id, input: simple };
		assert.match((await at.ask('enterprise', '/v1/responses', { body })).text, /response\.completed/);
	});

	it('streams a message through its nine events, and ends with the whole response', async () => {
		const sent = events((await respond({ model: openModel.id })).text);
		assert.deepEqual(
			[...new Set(sent.map(({ event }) => event))],
			[
				'response.created',
				'response.in_progress',
				'response.output_item.added',
				'response.content_part.added',
				'response.output_text.delta',
				'response.output_text.done',
				'response.content_part.done',
				'response.output_item.done',
				'response.completed',
			],
		);
		assert.ok(sent.every(({ event, data }) => event === data.type));
		const { response } = sent.at(-1)?.data ?? {};
		assert.equal(response.status, 'completed');
		assert.deepEqual(response.usage, responsesUsage);
		assert.deepEqual(response.output[0].content, [
			{ type: 'output_text', text: chatReply.pieces.join(''), annotations },
		]);
	});

	it('calls tools, and takes calls, results and reasoning back, byte for byte', async () => {
		const sent = events((await respond({ input: [{ role: 'user', content: 'tools' }], tools })).text);
		assert.ok(sent.some(({ event }) => event === 'response.function_call_arguments.delta'));
		const { output } = sent.at(-1)?.data.response ?? {};
		const [reasoning, ...calls] = output;
		assert.equal(reasoning.type, 'reasoning');
		assert.equal(calls.length, 2);
		const echoed = calls.flatMap(({ type, name, call_id, arguments: text }: Json) => [
			{ type, name, call_id, arguments: text },
			{ type: 'function_call_output', call_id, output: `did ${name}` },
		]);
		const structured = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'tools' }] };
		const answered = await respond({ input: [structured, reasoning, ...echoed], tools });
		assert.match(answered.text, /did write/);
		await refused(respond({ input: [structured, { ...reasoning, id: 'rs_0' }] }), 400, 'input[1]');
	});

	it('calls one tool where parallel calls are off', async () => {
		const input = [{ role: 'user', content: 'tools' }];
		const sent = events((await respond({ model: openModel.id, input, tools, parallel_tool_calls: false })).text);
		assert.equal(sent.at(-1)?.data.response.output.length, 1);
	});

	it('ends in each of the bad ways', async () => {
		const last = async (content: string) =>
			events((await respond({ input: [{ role: 'user', content }] })).text).at(-1)?.event;
		assert.equal(await last('failed'), 'response.failed');
		assert.equal(await last('incomplete'), 'response.incomplete');
		assert.equal(await last('error-midway'), 'error');
		assert.equal(await last('cut'), 'response.output_text.delta');
	});
});

describe('contract server: decisions', () => {
	const at = new Asker();

	const questions = {
		who: { type: 'choice', instructions: 'Who?', criteria: { crew: 'c', pilot: 'p', other: 'o' } },
		much: { type: 'score', instructions: 'How much?', criteria: ['none', 'some', 'all'] },
		is: { type: 'noul', instructions: 'Is it?', criteria: { true: 'yes', false: 'no' } },
	};
	const decide = (fields: object) =>
		at.ask('enterprise', '/typesafe/v1/systemone', {
			body: { state: { tide: 3 }, model: `${decisionModel}-latest`, questions, ...fields },
		});

	it('answers the three types with resolved model and usage', async () => {
		const { json } = await decide({});
		assert.equal(json.model, `${decisionModel}-2.7.1`);
		assert.deepEqual(json.usage, decisionUsage);
		const { who, much, is } = json.answers;
		assert.equal(who.choice, 'other');
		assert.equal(
			Object.values<number>(who.probabilities).reduce((sum, share) => sum + share),
			1,
		);
		assert.deepEqual(much.legend, { 0: 'none', 1: 'some', 2: 'all' });
		assert.ok(Math.abs(much.score - 10 / 7) < 1e-9);
		assert.deepEqual(is, { type: 'noul', noul: 0.94 });
		assert.equal((await decide({ state: { scenario: 'none' } })).json.usage, 'None');
	});

	it('pins a version and refuses one that is not there', async () => {
		assert.equal((await decide({ model: `${decisionModel}-2.6.0` })).json.model, `${decisionModel}-2.6.0`);
		await refused(decide({ model: `${decisionModel}-1.0.0` }), 404, '1.0.0');
	});

	const wrong: [string, object][] = [
		['state', { state: [] }],
		['questions', { questions: {} }],
		['questions.q.type', { questions: { q: { ...questions.is, type: 'bool' } } }],
		['questions.q.criteria', { questions: { q: { ...questions.who, criteria: ['a'] } } }],
		['questions.q.criteria', { questions: { q: { ...questions.much, criteria: {} } } }],
		[
			'questions.q.criteria.maybe',
			{ questions: { q: { ...questions.is, criteria: { true: 'a', false: 'b', maybe: 'c' } } } },
		],
		['questions.q.instructions', { questions: { q: { type: 'noul', criteria: questions.is.criteria } } }],
		['temperature', { temperature: 0 }],
	];
	for (const [field, fields] of wrong) {
		it(`refuses ${JSON.stringify(fields)}`, () => refused(decide(fields), 400, field));
	}
});
