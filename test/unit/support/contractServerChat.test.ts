import assert from 'node:assert/strict';
import {
	annotations,
	chatReply,
	chatUsage,
	codeModel,
	encryptedModel,
	imageDigest,
	imageModel,
	imageUrl,
	openModel,
	searchModel,
} from '../../support/contractServer/fixtures.ts';
import { Asker, events, type Json, refused, user } from './askContractServer.ts';

describe('contract server: chat', () => {
	const at = new Asker();

	it('answers whole with every documented field', async () => {
		const { json } = await at.chat();
		assert.deepEqual(json, {
			id: chatReply.id,
			created: chatReply.created,
			model: openModel.id,
			object: 'chat.completion',
			system_fingerprint: chatReply.system_fingerprint,
			provider: 'gridserve',
			choices: [
				{
					finish_reason: 'stop',
					index: 0,
					message: { content: chatReply.pieces.join(''), role: 'assistant', tool_calls: null, function_call: null },
					provider_specific_fields: { native_finish_reason: chatReply.native_finish_reason },
				},
			],
			usage: chatUsage,
		});
	});

	it('takes every documented field at its limits', async () => {
		const tools = [{ type: 'function', function: { name: 'look', description: 'd', parameters: {} } }];
		const low = {
			temperature: 0,
			top_p: 0.1,
			top_k: 1,
			frequency_penalty: -2,
			presence_penalty: -2,
			min_p: 0,
			top_a: 0,
		};
		const high = {
			temperature: 2,
			top_p: 1,
			top_k: 9e9,
			frequency_penalty: 2,
			presence_penalty: 2,
			min_p: 1,
			top_a: 1,
		};
		const others = {
			models: ['petit-8b'],
			max_tokens: openModel.contextLength - 1,
			seed: -4,
			repetition_penalty: 2,
			logit_bias: { 17: -3.5 },
			top_logprobs: 2,
			stop: ['END'],
			tools,
			tool_choice: { type: 'function', function: { name: 'look' } },
			response_format: { type: 'json_object' },
			user: 'u-1',
		};
		assert.equal((await at.chat({ ...low, ...others })).status, 200);
		assert.equal((await at.chat({ ...high, ...others })).status, 200);
	});

	const wrong: [string, unknown][] = [
		['model', 7],
		['messages', []],
		['models', 'petit-8b'],
		['stream', 'true'],
		['max_tokens', 0],
		['max_tokens', openModel.contextLength],
		['temperature', 2.1],
		['temperature', null],
		['seed', 1.5],
		['top_p', 0],
		['top_k', 0],
		['frequency_penalty', -2.1],
		['presence_penalty', 2.1],
		['repetition_penalty', 0],
		['logit_bias', { word: 1 }],
		['top_logprobs', -1],
		['min_p', 1.1],
		['top_a', -0.1],
		['stop', 'END'],
		['tools', [{ type: 'function', name: 'flat' }]],
		['tool_choice', 'always'],
		['tool_choice', 'required'],
		['tool_choice', { type: 'function', function: { name: 'absent' } }],
		['response_format', 'json'],
		['user', 5],
		['stream_options', { include_usage: true }],
		['n', 1],
	];
	for (const [field, value] of wrong) {
		it(`refuses ${field} ${JSON.stringify(value)}`, () => refused(at.chat({ [field]: value }), 400, field));
	}

	const wrongMessages: [string, object][] = [
		['messages[0].role', { role: 'developer', content: 'x' }],
		['messages[0].content', { role: 'user', content: null }],
		['messages[0].name', { role: 'user', content: 'x', name: 'n' }],
		['messages[0].tool_call_id', { role: 'user', content: 'x', tool_call_id: 'c' }],
		['messages[0].tool_call_id', { role: 'tool', content: 'x' }],
		['messages[0].tool_call_id', { role: 'tool', content: 'x', tool_call_id: 'c' }],
		['messages[0].tool_calls[0].index', { role: 'assistant', content: '', tool_calls: [{ index: 0 }] }],
	];
	for (const [field, message] of wrongMessages) {
		it(`refuses the message ${JSON.stringify(message)}`, () => refused(at.chat({ messages: [message] }), 400, field));
	}

	it('streams chunks: role, text, finish, usage without choices, end mark', async () => {
		const sent = events((await at.chat({ stream: true })).text);
		const chunks = sent.slice(0, -1).map(({ data }) => data);
		assert.equal(sent.at(-1)?.data, '[DONE]');
		assert.ok(chunks.every(({ object, provider }) => object === 'chat.completion.chunk' && provider === 'gridserve'));
		assert.equal(chunks[0].choices[0].delta.role, 'assistant');
		assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), chatReply.pieces.join(''));
		assert.equal(chunks.at(-2).choices[0].finish_reason, 'stop');
		assert.equal(
			chunks.at(-2).choices[0].provider_specific_fields.native_finish_reason,
			chatReply.native_finish_reason,
		);
		assert.deepEqual(chunks.at(-1).choices, []);
		assert.deepEqual(chunks.at(-1).usage, chatUsage);
	});

	const parameters = { type: 'object', properties: { path: { type: 'string' }, line: { type: 'integer' } } };
	const tools = ['read', 'write'].map(name => ({
		type: 'function',
		function: { name, description: name, parameters },
	}));

	it('calls two tools, whole and in fragments that alternate, and takes their results', async () => {
		const { json } = await at.chat({ ...user('tools'), tools });
		const calls = json.choices[0].message.tool_calls;
		assert.deepEqual(
			calls.map((call: Json) => call.function.name),
			['read', 'write'],
		);
		assert.equal(json.choices[0].finish_reason, 'tool_calls');
		const sent = events((await at.chat({ ...user('tools'), tools, stream: true })).text);
		const fragments = sent.flatMap(({ data }) => data.choices?.[0]?.delta?.tool_calls ?? []);
		for (const [index, call] of calls.entries()) {
			const own = fragments.filter(fragment => fragment.index === index);
			assert.equal(own.map(fragment => fragment.function.arguments).join(''), call.function.arguments);
			assert.ok(own.length > 2);
		}
		const results = calls.map(({ id }: Json) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` }));
		const messages = [...user('tools').messages, { role: 'assistant', content: '', tool_calls: calls }, ...results];
		const answered = await at.chat({ messages, tools });
		assert.match(answered.json.choices[0].message.content, /result of call_0_read;result of call_1_write/);
	});

	it('calls as tool_choice says, whatever the scenario', async () => {
		const names = async (fields: object) =>
			((await at.chat({ tools, ...fields })).json.choices[0].message.tool_calls ?? []).map(
				(call: Json) => call.function.name,
			);
		assert.deepEqual(await names({ ...user('tools'), tool_choice: 'none' }), []);
		assert.deepEqual(await names({ tool_choice: 'required' }), ['read']);
		assert.deepEqual(await names({ tool_choice: { type: 'function', function: { name: 'write' } } }), ['write']);
		assert.deepEqual(await names(user('tool-free')), []);
	});

	it('sends nullable fields as null and as the text None', async () => {
		for (const [scenario, absent] of [
			['null', null],
			['none', 'None'],
		] as const) {
			const { json } = await at.chat(user(scenario));
			assert.equal(json.system_fingerprint, absent);
			assert.equal(json.choices[0].message.function_call, absent);
			assert.equal(json.usage.completion_tokens_details.reasoning_tokens, absent);
			const [first] = events((await at.chat({ ...user(scenario), stream: true })).text);
			assert.equal(first?.data.choices[0].finish_reason, absent);
		}
	});

	it('breaks a stream off in each of the ways', async () => {
		const last = async (scenario: string) => events((await at.chat({ ...user(scenario), stream: true })).text).at(-1);
		assert.equal((await last('error-midway'))?.data.error.code, 502);
		assert.equal((await last('error-event'))?.event, 'error');
		assert.equal((await last('cut'))?.data.choices[0].finish_reason, null);
		assert.deepEqual((await last('no-done'))?.data.choices, []);
	});

	it('streams reasoning under both names', async () => {
		const sent = events((await at.chat({ ...user('reasoning'), stream: true })).text).map(
			({ data }) => data.choices?.[0]?.delta,
		);
		assert.ok(sent.some(delta => delta?.reasoning === chatReply.reasoningPieces[0]));
		assert.ok(sent.some(delta => delta?.reasoning_content === chatReply.reasoningPieces[1]));
	});

	it('adds citations for the search model, whole and streamed', async () => {
		const { json } = await at.chat({ model: searchModel.id }, 'public', '/v1/chat/completions');
		assert.deepEqual(json.choices[0].message.annotations, annotations);
		const sent = events((await at.chat({ model: searchModel.id, stream: true })).text);
		assert.deepEqual(
			sent.flatMap(({ data }) => data.choices?.[0]?.delta?.annotations ?? []),
			annotations,
		);
	});

	it('answers an image prompt with an address, no tokens and a digest, and refuses what is no prompt', async () => {
		const { json } = await at.chat({ model: imageModel.id });
		assert.equal(json.choices[0].message.content, imageUrl);
		assert.equal(json.model, `${imageModel.id}:${imageDigest}`);
		assert.equal(json.usage.total_tokens, 0);
		assert.equal(json.usage.prompt_tokens_details.cached_tokens, 0);
		await refused(at.chat({ model: imageModel.id, stream: true }), 400, 'stream');
		const messages = [{ role: 'system', content: 's' }, ...user('a boat').messages];
		await refused(at.chat({ model: imageModel.id, messages }), 400, 'messages');
	});

	it('refuses models of other endpoints', async () => {
		await refused(at.chat({ model: codeModel.id }), 400, codeModel.id);
		await refused(at.chat({ model: encryptedModel.id }), 404, encryptedModel.id);
	});
});
