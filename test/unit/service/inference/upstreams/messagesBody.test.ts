import assert from 'node:assert/strict';
import { ClientError } from '../../../../../src/base/errors.ts';
import type { ProviderRequest } from '../../../../../src/service/inference/provider.ts';
import {
	countedBody,
	type ModelLengths,
	messagesBody,
} from '../../../../../src/service/inference/upstreams/messagesBody.ts';

const CACHE = { cache_control: { type: 'ephemeral' } };
const text = (said: string) => ({ type: 'text', text: said });
const call = (id: string, name: string, json: string) =>
	({ id, type: 'function', function: { name, arguments: json } }) as const;

const request = (fields: Partial<ProviderRequest>): ProviderRequest => ({
	model: 'large',
	messages: [{ role: 'user', content: 'Hello' }],
	...fields,
});
const bodyOf = (fields: Partial<ProviderRequest>, lengths: ModelLengths = {}) => messagesBody(request(fields), lengths);
const turnsOf = (...messages: ProviderRequest['messages']) => bodyOf({ messages })['messages'];

describe('a request for a server of the Messages form', () => {
	it('has the names of the form for what chat has as well', () => {
		const parameters = { type: 'object', properties: { path: { type: 'string' } } };
		assert.deepEqual(
			bodyOf({
				max_tokens: 100,
				temperature: 0.5,
				top_p: 0.9,
				top_k: 5,
				stop: ['END'],
				user: 'u',
				tools: [
					{ type: 'function', function: { name: 'read', description: 'Reads', parameters } },
					{ type: 'function', function: { name: 'now' } },
				],
				tool_choice: 'required',
				response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
				hints: { thinking: { type: 'adaptive' }, effort: 'high' },
			}),
			{
				model: 'large',
				max_tokens: 100,
				temperature: 0.5,
				top_p: 0.9,
				top_k: 5,
				stop_sequences: ['END'],
				metadata: { user_id: 'u' },
				messages: [{ role: 'user', content: [{ ...text('Hello'), ...CACHE }] }],
				tools: [
					{ name: 'read', description: 'Reads', input_schema: parameters },
					{ name: 'now', input_schema: { type: 'object', properties: {} }, ...CACHE },
				],
				tool_choice: { type: 'any' },
				thinking: { type: 'adaptive' },
				output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
				stream: true,
			},
		);
	});

	it('has the limit that the form demands: the model’s own, or one that every model keeps', () => {
		assert.equal(bodyOf({}, { maxOutputTokens: 64_000 })['max_tokens'], 64_000);
		assert.equal(bodyOf({})['max_tokens'], 8_192);
		assert.equal(bodyOf({ max_tokens: 5 }, { maxOutputTokens: 64_000 })['max_tokens'], 5);
	});

	it('has a limit that fits into the model’s length together with the request', () => {
		const limitOf = (characters: number, lengths: ModelLengths) =>
			Number(bodyOf({ messages: [{ role: 'user', content: 'x'.repeat(characters) }] }, lengths)['max_tokens']);
		const lengths = { contextLength: 200_000, maxOutputTokens: 64_000 };
		assert.equal(limitOf(350_000, lengths), 64_000);
		const left = limitOf(525_000, lengths);
		assert.ok(left > 45_000 && left <= 50_000, String(left));
		assert.equal(limitOf(700_000, lengths), 1_024);
		assert.equal(limitOf(700_000, { ...lengths, maxOutputTokens: 500 }), 500);
		assert.ok(limitOf(10, { contextLength: 4_000 }) < 4_000);
	});

	it('has a temperature of 1 at most', () => {
		assert.equal(bodyOf({ temperature: 1.5 })['temperature'], 1);
		assert.equal(bodyOf({ temperature: 0 })['temperature'], 0);
	});

	it('names the tool that is to be called', () => {
		const tools = [{ type: 'function', function: { name: 'read' } }] as const;
		const choiceOf = (tool_choice: ProviderRequest['tool_choice']) =>
			bodyOf({ tools: [...tools], tool_choice })['tool_choice'];
		assert.deepEqual(choiceOf({ type: 'function', function: { name: 'read' } }), { type: 'tool', name: 'read' });
		assert.deepEqual(choiceOf('auto'), { type: 'auto' });
		assert.deepEqual(choiceOf('none'), { type: 'none' });
		assert.equal(choiceOf(undefined), undefined);
	});

	it('has one turn for what follows one another in the same role, the results of calls before what the user says', () => {
		assert.deepEqual(
			turnsOf(
				{ role: 'user', content: 'Look' },
				{
					role: 'assistant',
					content: 'I do.',
					thinking: [{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }],
					tool_calls: [
						call('functions.read:0', 'read', '{"path":"a"}'),
						call('b', 'now', ''),
						call('c', 'odd', 'oops'),
					],
				},
				{ role: 'tool', tool_call_id: 'functions.read:0', content: 'text of a' },
				{
					role: 'tool',
					tool_call_id: 'b',
					content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
				},
				{ role: 'tool', tool_call_id: 'c', content: '' },
				{ role: 'system', content: 'Be quick.' },
				{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.invalid/b.png' } }] },
			),
			[
				{ role: 'user', content: [{ ...text('Look'), ...CACHE }] },
				{
					role: 'assistant',
					content: [
						{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
						text('I do.'),
						{ type: 'tool_use', id: 'functions_read_0', name: 'read', input: { path: 'a' } },
						{ type: 'tool_use', id: 'b', name: 'now', input: {} },
						{ type: 'tool_use', id: 'c', name: 'odd', input: { arguments: 'oops' } },
					],
				},
				{
					role: 'user',
					content: [
						{ type: 'tool_result', tool_use_id: 'functions_read_0', content: [text('text of a')] },
						{
							type: 'tool_result',
							tool_use_id: 'b',
							content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }],
						},
						{ type: 'tool_result', tool_use_id: 'c', content: [] },
						text('Be quick.'),
						{ type: 'image', source: { type: 'url', url: 'https://a.invalid/b.png' }, ...CACHE },
					],
				},
			],
		);
	});

	it('has nothing that the form refuses: no empty text, no empty turn, no blank at the end of a reply to continue', () => {
		assert.deepEqual(
			turnsOf(
				{
					role: 'user',
					content: [
						{ type: 'text', text: ' ' },
						{ type: 'text', text: 'Go' },
					],
				},
				{ role: 'assistant', content: '' },
				{ role: 'user', content: 'on' },
				{ role: 'assistant', content: 'And so \n' },
			),
			[
				{ role: 'user', content: [text('Go'), { ...text('on'), ...CACHE }] },
				{ role: 'assistant', content: [text('And so')] },
			],
		);
	});

	it('marks what stays the same for the next request: the instructions or else the tools, and the ends of the last two questions', () => {
		const ask = (content: string) => ({ role: 'user', content }) as const;
		const say = (content: string) => ({ role: 'assistant', content }) as const;
		const body = bodyOf({
			messages: [{ role: 'system', content: 'Be brief.' }, ask('1'), say('a'), ask('2'), say('b'), ask('3')],
			tools: [{ type: 'function', function: { name: 'read' } }],
		});
		assert.deepEqual(body['system'], [{ ...text('Be brief.'), ...CACHE }]);
		const marked = JSON.stringify(body).match(/"cache_control"/g) ?? [];
		assert.equal(marked.length, 3);
		const turns = body['messages'] as { content: object[] }[];
		assert.deepEqual(
			turns.map(({ content }) => content.some(block => 'cache_control' in block)),
			[false, false, true, false, true],
		);
	});

	it('is refused where it wants a format that the form does not have', () => {
		assert.throws(
			() => bodyOf({ response_format: { type: 'json_object' } }),
			error => ClientError.is(error, 'invalid-request'),
		);
		assert.equal(bodyOf({ response_format: { type: 'text' } })['output_config'], undefined);
	});

	it('is counted by what it has to say alone', () => {
		assert.deepEqual(Object.keys(countedBody(request({ max_tokens: 5, temperature: 1, stop: ['a'] }))), [
			'model',
			'messages',
		]);
	});
});
