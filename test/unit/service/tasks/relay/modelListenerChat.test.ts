import assert from 'node:assert/strict';
import { RequestRefused } from '../../../../../src/service/replies.ts';
import { readAgentChat } from '../../../../../src/service/tasks/relay/modelListener.ts';

const user = { role: 'user', content: 'Add mul' };
const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"filePath":"a.js"}' } };
const parameters = { type: 'object', properties: {} };

describe('the chat request of an agent', () => {
	const read = (fields: object) => readAgentChat({ model: 'm', messages: [user], ...fields }, 'small');

	it('is read as opencode sends it', () => {
		const request = read({
			max_tokens: 8000,
			reasoning_effort: 'low',
			messages: [
				{ role: 'system', content: 'You are opencode' },
				user,
				{ role: 'assistant', content: '', reasoning_content: 'I should read it.', tool_calls: [call] },
				{ role: 'tool', tool_call_id: 'call_1', content: 'export const add' },
			],
			tools: [{ type: 'function', function: { name: 'read', description: 'Reads', parameters } }],
			tool_choice: 'auto',
			stream: true,
			stream_options: { include_usage: true },
		});
		assert.deepEqual(request, {
			model: 'm',
			max_tokens: 8000,
			messages: [
				{ role: 'system', content: 'You are opencode' },
				user,
				{ role: 'assistant', content: '', reasoning: 'I should read it.', tool_calls: [call] },
				{ role: 'tool', tool_call_id: 'call_1', content: 'export const add' },
			],
			tools: [{ type: 'function', function: { name: 'read', description: 'Reads', parameters } }],
			tool_choice: 'auto',
			stream: true,
			reasoning_effort: 'low',
		});
	});

	it('loses what a gateway can ignore, at every level', () => {
		const request = read({
			n: 1,
			store: true,
			metadata: { a: 1 },
			service_tier: 'auto',
			prompt_cache_key: 'k',
			parallel_tool_calls: false,
			thinking: { type: 'enabled' },
			max_completion_tokens: 30,
			temperature: null,
			messages: [
				{ role: 'developer', content: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }] },
				{
					role: 'user',
					name: 'somebody',
					content: [
						{ type: 'text', text: 'See' },
						{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'auto' } },
						{ type: 'input_audio', input_audio: { data: '' } },
					],
				},
				{
					role: 'assistant',
					content: null,
					refusal: null,
					tool_calls: [{ ...call, index: 0, extra_content: { google: {} } }],
				},
				{ role: 'tool', tool_call_id: 'call_1', name: 'read', content: [{ type: 'text', text: 'done' }] },
				{ role: 'assistant', content: 'So', tool_calls: [] },
			],
			tools: [
				{ type: 'function', function: { name: 'read', strict: true, parameters, extra: 1 }, cache_control: {} },
				{ type: 'web_search' },
				{ type: 'custom', custom: { name: 'patch' } },
			],
		});
		assert.deepEqual(request, {
			model: 'm',
			max_tokens: 30,
			limitName: 'max_completion_tokens',
			messages: [
				{ role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
				{
					role: 'user',
					content: [
						{ type: 'text', text: 'See' },
						{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
						{ type: 'text', text: '(a part that cannot be passed on)' },
					],
				},
				{ role: 'assistant', content: '', tool_calls: [call] },
				{ role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'done' }] },
				{ role: 'assistant', content: 'So' },
			],
			tools: [{ type: 'function', function: { name: 'read', parameters } }],
		});
	});

	it('is for the task’s model if it names none', () => {
		assert.equal(readAgentChat({ messages: [user] }, 'small').model, 'small');
		assert.equal(readAgentChat({ model: null, messages: [user] }, 'small').model, 'small');
	});

	it('has no choice of tools where there are none', () => {
		assert.deepEqual(read({ tools: [], tool_choice: 'auto' }), { model: 'm', messages: [user] });
		assert.deepEqual(read({ tools: [{ type: 'web_search' }], tool_choice: 'required' }), {
			model: 'm',
			messages: [user],
		});
	});

	it('is refused, by the name of the field, if it means nothing', () => {
		for (const [body, named] of [
			['text', /the request/],
			[{ messages: 'all of them' }, /^messages/],
			[{ messages: [] }, /^messages/],
			[{ messages: [3] }, /^messages\[0\]/],
			[{ messages: [{ role: 'user', content: 3 }] }, /^messages\[0\]\.content/],
			[{ messages: [{ role: 'tool', content: 'x' }] }, /tool_call_id/],
			[{ messages: [{ role: 'assistant', tool_calls: [{ id: 'a' }] }] }, /^messages\[0\]\.tool_calls/],
			[{ messages: [user], temperature: 7 }, /^temperature/],
		] as const) {
			assert.throws(
				() => readAgentChat(body, 'small'),
				(error: unknown) => error instanceof RequestRefused && error.status === 400 && named.test(error.message),
				JSON.stringify(body),
			);
		}
	});
});
