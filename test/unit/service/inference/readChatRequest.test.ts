import assert from 'node:assert/strict';
import { readChatRequest } from '../../../../src/service/inference/readChatRequest.ts';
import { RequestRefused } from '../../../../src/service/replies.ts';

const user = { role: 'user', content: 'Hello' };
const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } };

function refused(fields: object, named: RegExp): void {
	assert.throws(
		() => readChatRequest({ model: 'm', messages: [user], ...fields }),
		(error: unknown) => {
			assert.ok(error instanceof RequestRefused);
			assert.equal(error.status, 400);
			assert.match(error.message, named);
			return true;
		},
	);
}

describe('the reading of a chat request', () => {
	const read = (fields: object) => readChatRequest({ model: 'm', messages: [user], ...fields });

	it('leaves a request of the contract as it is', () => {
		const request = { stream: true, max_tokens: 3, stop: ['a'], tools: [], provider: { sort: 'price' } };
		assert.deepEqual(read(request), { model: 'm', messages: [user], ...request });
	});

	it('leaves out what says what happens in any case, and nulls', () => {
		const fields = {
			stream_options: { include_usage: true },
			n: 1,
			store: false,
			parallel_tool_calls: true,
			seed: null,
		};
		assert.deepEqual(read(fields), { model: 'm', messages: [user] });
	});

	it('refuses what would not happen, by its name', () => {
		refused({ n: 2 }, /"n"/);
		refused({ store: true }, /"store"/);
		refused({ parallel_tool_calls: false }, /"parallel_tool_calls"/);
		refused({ messages: null }, /^messages/);
		refused({ max_completion_tokens: 0 }, /^max_tokens/);
		refused({ stop: 3 }, /^stop/);
		refused({ messages: [{ role: 'user', content: null }] }, /^messages\[0\]\.content/);
		refused({ messages: [{ ...user, name: 'Somebody' }] }, /"name"/);
	});

	it('takes the newer words for a limit and a role, and one stop text for a list of one', () => {
		const messages = [{ role: 'developer', content: 'Be brief' }, user];
		assert.deepEqual(read({ messages, max_completion_tokens: 3, stop: 'a' }), {
			model: 'm',
			messages: [{ role: 'system', content: 'Be brief' }, user],
			max_tokens: 3,
			stop: ['a'],
		});
		assert.equal(read({ max_tokens: 2, max_completion_tokens: 3 }).max_tokens, 2);
	});

	it('takes the message of a reply back as it came, with its reasoning', () => {
		const reply = {
			role: 'assistant',
			content: null,
			refusal: null,
			function_call: null,
			annotations: [],
			reasoning_content: 'Because',
			tool_calls: [{ index: 0, ...call }],
		};
		const result = { role: 'tool', tool_call_id: 'c1', content: 'Text' };
		assert.deepEqual(read({ messages: [user, reply, result] }).messages, [
			user,
			{ role: 'assistant', content: '', reasoning: 'Because', tool_calls: [call] },
			result,
		]);
		assert.equal(read({ messages: [{ ...user, reasoning: 'Mine' }] }).messages[0]?.reasoning, undefined);
	});

	it('takes a tool that says whether it is strict', () => {
		const tool = { type: 'function', function: { name: 'read', parameters: {} } };
		const { tools } = read({ tools: [{ ...tool, function: { ...tool.function, strict: true } }] });
		assert.deepEqual(tools, [tool]);
		refused({ tools: [{ ...tool, function: { ...tool.function, strict: 'very' } }] }, /^tools\[0\]\.function/);
	});

	it('refuses a body that is no object, and keys that reach for prototypes', () => {
		for (const body of [[], 'text', 3, null]) {
			assert.throws(() => readChatRequest(body), RequestRefused);
		}
		for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
			const body = `{"model": "m", "messages": [{"role": "user", "content": "x"}], "${key}": {"stream": true}}`;
			try {
				assert.equal(readChatRequest(JSON.parse(body)).stream, undefined);
			} catch (error) {
				assert.ok(error instanceof RequestRefused, String(error));
			}
		}
		assert.equal(Reflect.get({}, 'stream'), undefined);
	});
});
