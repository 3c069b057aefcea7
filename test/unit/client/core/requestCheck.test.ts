import assert from 'node:assert/strict';
import { ClientError } from '../../../../src/base/errors.ts';
import { checkRequest } from '../../../../src/client/core/requestCheck.ts';
import { chatRequestSchema } from '../../../../src/contract/chatRequest.ts';
import { decisionRequestSchema } from '../../../../src/contract/decisions.ts';
import { followQuerySchema, taskCreateSchema, taskListQuerySchema } from '../../../../src/contract/tasks.ts';

const chat = { model: 'large', messages: [{ role: 'user', content: 'secret' }] };

function messageOf(run: () => unknown): string {
	try {
		run();
	} catch (error) {
		assert.ok(ClientError.is(error, 'invalid-request'), `${error}`);
		assert.equal(error.status, undefined);
		assert.ok(!error.message.includes('secret'), error.message);
		return error.message;
	}
	assert.fail('nothing was refused');
}
const chatMessage = (fields: object) => messageOf(() => checkRequest(chatRequestSchema, { ...chat, ...fields }));

describe('checkRequest', () => {
	it('gives a good request back as it is', () => {
		const request = {
			...chat,
			temperature: 2,
			top_p: 1,
			top_k: 1,
			frequency_penalty: -2,
			presence_penalty: 2,
			repetition_penalty: 2,
			min_p: 0,
			top_a: 1,
			seed: -5,
			max_tokens: 1,
			provider: { sort: { by: 'price' }, zdr: true, preferred_max_latency: { p90: 2 } },
			response_format: { type: 'json_schema', json_schema: {} },
			tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }],
			tool_choice: { type: 'function', function: { name: 'a' } },
		};
		assert.equal(checkRequest(chatRequestSchema, request), request);
	});

	for (const [field, values, allowed] of [
		['temperature', [-0.1, 2.1, Number.NaN, Number.POSITIVE_INFINITY], 'a number from 0 to 2'],
		['top_p', [0, 1.01], 'a number above 0, at most 1'],
		['top_k', [0, 1.5], 'a whole number, at least 1'],
		['frequency_penalty', [-2.1, 2.1], 'a number from -2 to 2'],
		['presence_penalty', [-2.1, 2.1], 'a number from -2 to 2'],
		['repetition_penalty', [0, 2.1], 'a number above 0, at most 2'],
		['min_p', [-0.1, 1.1], 'a number from 0 to 1'],
		['top_a', [-0.1, 1.1], 'a number from 0 to 1'],
		['max_tokens', [0, -1, 1.5], 'a whole number, at least 1'],
		['top_logprobs', [-1], 'a whole number, at least 0'],
	] as const) {
		for (const value of values) {
			it(`names field, value and range of ${field} ${value}`, () => {
				assert.equal(chatMessage({ [field]: value }), `${field} is ${value}; allowed: ${allowed}`);
			});
		}
	}

	it('names the range for a value of another kind, without showing a text', () => {
		assert.equal(chatMessage({ temperature: 'secret' }), 'temperature is a text; allowed: a number from 0 to 2');
	});

	it('names what a fixed word may be', () => {
		assert.equal(
			chatMessage({ provider: { data_collection: 'perhaps' } }),
			'provider.data_collection is "perhaps"; allowed: "allow", "deny"',
		);
	});

	for (const [fields, named] of [
		[{ tool_choice: 'must' }, 'tool_choice is "must"; allowed: "none", "auto", "required", or '],
		[{ provider: { sort: 'cheap' } }, 'provider.sort is "cheap"; allowed: "price", "throughput", "latency", or '],
		[{ provider: { preferred_max_latency: 'secret' } }, 'provider.preferred_max_latency is a text; allowed: a number'],
	] as const) {
		it(`names the wrong word where an object may stand too (${named})`, () => {
			assert.ok(chatMessage(fields).startsWith(named), chatMessage(fields));
		});
	}

	it('names the wrong word that tells what an object is', () => {
		const request = { model: 'a', state: {}, questions: { late: { type: 'essay' } } };
		assert.equal(
			messageOf(() => checkRequest(decisionRequestSchema, request)),
			'questions.late.type is "essay"; allowed: a question of type "choice", "score" or "noul"',
		);
	});

	it('names a field that is not documented', () => {
		assert.match(chatMessage({ stream_options: {} }), /not documented: "stream_options"/);
	});

	it('names only the place of a message’s content', () => {
		const messages = [chat.messages[0], { role: 'user', content: { secret: 'secret' } }];
		assert.match(chatMessage({ messages }), /^messages\[1\]\.content is an object; /);
	});

	it('cuts a long wrong word', () => {
		const message = chatMessage({ messages: [{ role: 'x'.repeat(500), content: '' }] });
		assert.ok(message.length < 200);
	});

	it('names what is missing', () => {
		assert.match(
			messageOf(() => checkRequest(chatRequestSchema, { messages: chat.messages })),
			/^model is missing; /,
		);
		assert.match(
			messageOf(() => checkRequest(taskCreateSchema, { prompt: ' \n', repoUrl: 'x' })),
			/^prompt is a text; .*must not be empty/,
		);
	});

	for (const [query, message] of [
		[{ limit: 101 }, 'limit is 101; allowed: a whole number from 1 to 100'],
		[{ limit: 0 }, 'limit is 0; allowed: a whole number from 1 to 100'],
		[{ offset: -1 }, 'offset is -1; allowed: a whole number, at least 0'],
		[{ status: 'lost' }, 'status is "lost"; allowed: "active", "completed", "failed", "stopped"'],
	] as const) {
		it(`refuses a list of tasks with ${JSON.stringify(query)}`, () => {
			assert.equal(
				messageOf(() => checkRequest(taskListQuerySchema, query)),
				message,
			);
		});
	}

	it('refuses an index from which nothing can be followed', () => {
		assert.match(
			messageOf(() => checkRequest(followQuerySchema, { fromIndex: -1 })),
			/^fromIndex is -1; allowed: /,
		);
	});
});
