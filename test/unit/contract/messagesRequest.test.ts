import assert from 'node:assert/strict';
import { UNSIGNED } from '../../../src/contract/messages.ts';
import { chatOfMessages, type MessagesRequest, messagesRequestSchema } from '../../../src/contract/messagesRequest.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBOR' } };
const PNG = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBOR' } };

function read(fields: object, noted: string[] = []) {
	const body = { model: 'large', max_tokens: 100, messages: [user('Hello')], ...fields };
	return chatOfMessages(messagesRequestSchema.parse(body) as MessagesRequest, place => noted.push(place));
}

const messagesOf = (...messages: object[]) => read({ messages }).request.messages;

describe('a request in the Messages form', () => {
	it('asks of chat what it has in common with it', () => {
		const tool = { name: 'read', description: 'Reads', input_schema: { type: 'object', properties: {} } };
		const asked = read({
			system: 'Be brief.',
			temperature: 0.5,
			top_p: 0.9,
			top_k: 5,
			stop_sequences: ['END'],
			stream: true,
			tools: [tool],
			tool_choice: { type: 'tool', name: 'read' },
			output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
		});
		assert.deepEqual(asked.request, {
			model: 'large',
			max_tokens: 100,
			temperature: 0.5,
			top_p: 0.9,
			top_k: 5,
			stream: true,
			stop: ['END'],
			response_format: {
				type: 'json_schema',
				json_schema: { name: 'reply', schema: { type: 'object' }, strict: true },
			},
			messages: [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'user', content: 'Hello' },
			],
			tools: [
				{
					type: 'function',
					function: { name: 'read', description: 'Reads', parameters: { type: 'object', properties: {} } },
				},
			],
			tool_choice: { type: 'function', function: { name: 'read' } },
		});
		assert.equal(asked.mayCallSeveral, true);
	});

	it('has what chat has beyond the form: routing policy, alternatives and parameters, but for the form’s own words', () => {
		const noted: string[] = [];
		const fields = {
			provider: { zdr: true },
			models: ['other'],
			seed: 1,
			presence_penalty: 0.5,
			min_p: 0.1,
			user: 'u',
		};
		const { request } = read({ ...fields, stop: ['A'], stop_sequences: ['B'], frequency_penalty: null }, noted);
		assert.deepEqual(request, {
			model: 'large',
			max_tokens: 100,
			messages: [user('Hello')],
			...fields,
			stop: ['B'],
		});
		assert.deepEqual(noted, []);
	});

	it('has a choice of tools with a word of its own, and may want one call at most', () => {
		const choice = (tool_choice: object) => {
			const { request, mayCallSeveral } = read({ tools: [{ name: 'read', input_schema: {} }], tool_choice });
			return [request.tool_choice, mayCallSeveral];
		};
		assert.deepEqual(choice({ type: 'auto' }), [undefined, true]);
		assert.deepEqual(choice({ type: 'any', disable_parallel_tool_use: true }), ['required', false]);
		assert.deepEqual(choice({ type: 'none' }), ['none', true]);
		assert.equal(read({ tool_choice: { type: 'any' } }).request.tool_choice, undefined);
	});

	it('has its instructions as a text or as blocks, of which those with an agent’s accounts are left out', () => {
		const system = [
			{ type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=1f3a;' },
			{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
			{ type: 'text', text: 'Be kind.' },
		];
		assert.deepEqual(read({ system }).request.messages[0], { role: 'system', content: 'Be brief.\n\nBe kind.' });
		assert.deepEqual(messagesOf(user('Hello'), { role: 'system', content: 'Now in French.' }), [
			user('Hello'),
			{ role: 'system', content: 'Now in French.' },
		]);
	});

	it('brings texts, images and documents of text', () => {
		const blocks = [
			{ type: 'text', text: 'Look', cache_control: { type: 'ephemeral' } },
			image,
			{ type: 'image', source: { type: 'url', url: 'https://a.invalid/b.png' } },
			{ type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'One' } },
		];
		assert.deepEqual(messagesOf(user(blocks)), [
			user([
				{ type: 'text', text: 'Look' },
				PNG,
				{ type: 'image_url', image_url: { url: 'https://a.invalid/b.png' } },
				{ type: 'text', text: 'Notes' },
				{ type: 'text', text: 'One' },
			]),
		]);
		const texts = [
			{ type: 'text', text: 'One' },
			{ type: 'text', text: 'Two' },
		];
		assert.deepEqual(messagesOf(user(texts)), [user('One\n\nTwo')]);
	});

	it('brings the calls of tools and their results, the images of which follow in a message of the user', () => {
		const called = [
			{ type: 'text', text: 'I look.' },
			{ type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a.png' } },
			{ type: 'tool_use', id: 'toolu_2', name: 'list', input: {} },
		];
		const results = [
			{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'An image' }, image] },
			{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'no such folder', is_error: true },
			{ type: 'text', text: 'Go on' },
		];
		const call = (id: string, name: string, json: string) => ({
			id,
			type: 'function',
			function: { name, arguments: json },
		});
		assert.deepEqual(messagesOf(user('Hello'), assistant(...called), user(results)), [
			user('Hello'),
			{
				role: 'assistant',
				content: 'I look.',
				tool_calls: [call('toolu_1', 'read', '{"path":"a.png"}'), call('toolu_2', 'list', '{}')],
			},
			{ role: 'tool', tool_call_id: 'toolu_1', content: 'An image\n(an image, which follows)' },
			{ role: 'tool', tool_call_id: 'toolu_2', content: 'Error:\nno such folder' },
			user([PNG, { type: 'text', text: 'Go on' }]),
		]);
		const nothing = [{ type: 'tool_result', tool_use_id: 'toolu_1' }];
		assert.deepEqual(messagesOf(user(nothing)), [{ role: 'tool', tool_call_id: 'toolu_1', content: '' }]);
	});

	it('keeps thinking for the way back: what a server has signed as it came, and all of it as a text', () => {
		const turn = assistant(
			{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
			{ type: 'redacted_thinking', data: 'EmwK' },
			{ type: 'thinking', thinking: 'Oh', signature: UNSIGNED },
			{ type: 'text', text: 'Hello' },
		);
		const { request, thoughts } = read({ messages: [user('Hi'), turn, user('Go on')] });
		assert.deepEqual(request.messages[1], { role: 'assistant', content: 'Hello' });
		assert.deepEqual(
			[...thoughts],
			[
				[
					1,
					{
						reasoning: 'Hm\n\nOh',
						thinking: [
							{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
							{ type: 'redacted_thinking', data: 'EmwK' },
						],
					},
				],
			],
		);
		const nothing = assistant({ type: 'thinking', thinking: 'Hm', signature: '' });
		assert.equal(messagesOf(user('Hi'), nothing, user('Go on')).length, 2);
	});

	it('keeps how the model is to think', () => {
		const thinking = { type: 'adaptive', display: 'summarized' };
		assert.deepEqual(read({ thinking, output_config: { effort: 'high' } }).hints, { thinking, effort: 'high' });
		assert.deepEqual(read({}).hints, {});
	});

	it('leaves out what has no meaning here, and names it in words of our own', () => {
		const noted: string[] = [];
		const { request } = read(
			{
				metadata: { user_id: 'u' },
				context_management: {},
				'sk-secret': 1,
				service_tier: null,
				tools: [{ type: 'web_search_20250305', name: 'web_search' }],
				messages: [
					user([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }]),
					assistant({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, { type: 'text', text: 'Hi' }),
					user([{ type: 'of_tomorrow' }, { type: 'constructor' }]),
				],
			},
			noted,
		);
		const omitted = '(a part that cannot be passed on)';
		assert.deepEqual(request.messages, [
			user(omitted),
			{ role: 'assistant', content: 'Hi' },
			user(`${omitted}\n\n${omitted}`),
		]);
		assert.equal(request.tools, undefined);
		assert.deepEqual(
			new Set(noted),
			new Set(['metadata', 'context_management', 'other', 'messages.content.type', 'tools.type']),
		);
	});

	it('is refused where a block lacks what it is about', () => {
		const problemOf = (...content: object[]) => {
			const read = messagesRequestSchema.safeParse({ model: 'large', messages: [user(content)] });
			return read.error?.issues[0]?.path.join('.');
		};
		assert.equal(problemOf({ type: 'text' }), 'messages.0.content.0.text');
		assert.equal(problemOf({ type: 'text', text: 'a' }, { type: 'tool_result' }), 'messages.0.content.1.tool_use_id');
		assert.equal(problemOf({ type: 'tool_use', id: 'a', name: 'b', input: 'c' }), 'messages.0.content.0.input');
		assert.equal(problemOf({ text: 'a' }), 'messages.0.content');
		assert.equal(problemOf({ type: 'text', text: 'a' }), undefined);
	});
});
