import assert from 'node:assert/strict';
import { chatRequestSchema } from '../../../src/contract/chatRequest.ts';

const request = { model: 'large', messages: [{ role: 'user', content: 'Hi' }] };
const fits = (fields: object) => chatRequestSchema.safeParse({ ...request, ...fields }).success;
const withMessage = (message: object) => ({ messages: [message] });

describe('chatRequestSchema', () => {
	for (const [what, fields] of [
		['the four roles', { messages: ['system', 'user', 'assistant'].map(role => ({ role, content: '' })) }],
		['a tool result', withMessage({ role: 'tool', content: '42', tool_call_id: 'call-1' })],
		[
			'an assistant message with its calls',
			withMessage({
				role: 'assistant',
				content: '',
				tool_calls: [{ id: 'call-1', type: 'function', function: { name: 'read', arguments: '{}' } }],
			}),
		],
		[
			'parts of text and image',
			withMessage({
				role: 'user',
				content: [
					{ type: 'text', text: 'What is it?' },
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
				],
			}),
		],
		['alternate models', { models: ['a', 'b'] }],
		['a nested tool', { tools: [{ type: 'function', function: { name: 'a', description: 'b', parameters: {} } }] }],
		['tool_choice none', { tool_choice: 'none' }],
		['tool_choice auto', { tool_choice: 'auto' }],
		['tool_choice required', { tool_choice: 'required' }],
		['tool_choice of one function', { tool_choice: { type: 'function', function: { name: 'a' } } }],
		['a bias by token', { logit_bias: { 50256: -100 } }],
		['a response format of any kind', { response_format: { type: 'json_schema', json_schema: { name: 'x' } } }],
		['a user', { user: 'u-1' }],
	] as const) {
		it(`takes ${what}`, () => {
			assert.ok(fits(fields));
		});
	}

	for (const [what, fields] of [
		['no messages', { messages: [] }],
		['another role', withMessage({ role: 'robot', content: '' })],
		['a tool result that names no call', withMessage({ role: 'tool', content: '42' })],
		['a tool result that names its call by nothing', withMessage({ role: 'tool', content: '42', tool_call_id: '' })],
		['the call of a message that is no tool result', withMessage({ role: 'user', content: '', tool_call_id: 'a' })],
		['no content', withMessage({ role: 'assistant' })],
		['a content of null', withMessage({ role: 'assistant', content: null })],
		['a part of another kind', withMessage({ role: 'user', content: [{ type: 'audio', audio: {} }] })],
		['an unknown field of a message', withMessage({ role: 'user', content: '', name: 'x' })],
		['a call without its type', withMessage({ role: 'assistant', content: '', tool_calls: [{ id: 'a' }] })],
		['a flat tool', { tools: [{ type: 'function', name: 'a', parameters: {} }] }],
		['a flat tool_choice', { tool_choice: { type: 'function', name: 'a' } }],
		['another tool_choice', { tool_choice: 'any' }],
		['a bias that is no number', { logit_bias: { 1: 'x' } }],
		['a response format without a type', { response_format: { schema: {} } }],
		['a response format as a word', { response_format: 'json' }],
		['a stop that is no list', { stop: 'x' }],
		['a part of a token', { seed: 1.5 }],
	] as const) {
		it(`refuses ${what}`, () => {
			assert.ok(!fits(fields));
		});
	}
});
