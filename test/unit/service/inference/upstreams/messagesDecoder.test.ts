import assert from 'node:assert/strict';
import { ClientError, type ClientErrorCode } from '../../../../../src/base/errors.ts';
import type { ReplyChunk, ReplyDelta } from '../../../../../src/service/inference/provider.ts';
import { ServerSeal } from '../../../../../src/service/inference/serverSeal.ts';
import { MessagesDecoder } from '../../../../../src/service/inference/upstreams/messagesDecoder.ts';
import {
	blockDelta,
	blockStart,
	blockStop,
	messageEnd,
	messageStart,
	PING,
	textBlock,
	thinkingBlock,
	toolBlock,
	type WireEvent,
} from '../../../../support/messagesWire.ts';

const seal = new ServerSeal('https://one.example/v1');

interface Decoded {
	chunks: ReplyChunk[];
	decoder: MessagesDecoder;
}

function decode(...events: WireEvent[]): Decoded {
	const decoder = new MessagesDecoder('small', seal);
	const chunks: ReplyChunk[] = [];
	for (const event of events) {
		decoder.decode({ event: event.type, data: JSON.stringify(event) }, chunks);
	}
	return { chunks, decoder };
}

const deltasOf = ({ chunks }: Decoded): ReplyDelta[] =>
	chunks.flatMap(({ choices }) => choices.filter(choice => choice.finish_reason === null).map(({ delta }) => delta));

const fragment = (index: number, text: string, id?: string, name?: string) => ({
	tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
});

function fails(code: ClientErrorCode, ...events: WireEvent[]): ClientError {
	try {
		decode(...events);
	} catch (error) {
		assert.ok(ClientError.is(error, code), String(error));
		return error;
	}
	assert.fail('it was decoded');
}

describe('the stream of a server of the Messages form', () => {
	it('says text, reason and tokens, those of the cache among them', () => {
		const { chunks, decoder } = decode(
			messageStart(),
			blockStart(0, { type: 'text', text: '' }),
			PING,
			blockDelta(0, { type: 'text_delta', text: 'Hello' }),
			blockDelta(0, { type: 'text_delta', text: '!' }),
			blockStop(0),
			...messageEnd('end_turn'),
		);
		const choice = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
		const { choices: _, usage, ...rest } = chunks.at(-1) ?? { choices: [] };
		assert.deepEqual(chunks.slice(0, -1), [
			choice({ content: 'Hello' }),
			choice({ content: '!' }),
			{
				choices: [
					{
						index: 0,
						delta: {},
						finish_reason: 'stop',
						provider_specific_fields: { native_finish_reason: 'end_turn' },
					},
				],
			},
		]);
		assert.deepEqual(rest, {});
		assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [75, 15, 90]);
		assert.deepEqual({ ...usage?.prompt_tokens_details }, { cached_tokens: 40, cache_write_tokens: 10 });
		assert.ok(decoder.isEnded);
	});

	it('has tool calls with their positions, thinking with its signature, and thinking that is sealed', () => {
		const decoded = decode(
			messageStart(),
			...thinkingBlock(0, 'c2ln', 'Hm', '.'),
			blockStart(1, { type: 'redacted_thinking', data: 'EmwK' }),
			blockStop(1),
			...textBlock(2, 'I look.'),
			...toolBlock(3, 'toolu_1', 'read', '', '{"path":', ' "a"}'),
			...toolBlock(4, 'toolu_2', 'now'),
			...messageEnd('tool_use'),
		);
		const format = 'anthropic-claude-v1';
		assert.deepEqual(JSON.parse(JSON.stringify(deltasOf(decoded))), [
			{ reasoning_content: 'Hm' },
			{ reasoning_content: '.' },
			{ reasoning_details: [{ type: 'reasoning.text', format, signature: seal.seal('c2ln') }] },
			{ reasoning_details: [{ type: 'reasoning.encrypted', format, data: seal.seal('EmwK') }] },
			{ content: 'I look.' },
			JSON.parse(JSON.stringify(fragment(0, '', 'toolu_1', 'read'))),
			JSON.parse(JSON.stringify(fragment(0, '{"path":'))),
			JSON.parse(JSON.stringify(fragment(0, ' "a"}'))),
			JSON.parse(JSON.stringify(fragment(1, '', 'toolu_2', 'now'))),
			JSON.parse(JSON.stringify(fragment(1, '{}'))),
		]);
		assert.equal(decoded.chunks.at(-2)?.choices[0]?.finish_reason, 'tool_calls');
	});

	it('names its reason in the words of chat, and the sequence that has stopped it', () => {
		const endOf = (reason: string, more: object = {}) => {
			const { chunks } = decode(messageStart(), ...textBlock(0, 'a'), ...messageEnd(reason, {}, more));
			const { finish_reason, provider_specific_fields } = chunks.at(-2)?.choices[0] ?? {};
			return [finish_reason, provider_specific_fields];
		};
		const native = (reason: string, more: object = {}) => ({ native_finish_reason: reason, ...more });
		assert.deepEqual(endOf('max_tokens'), ['length', native('max_tokens')]);
		assert.deepEqual(endOf('refusal'), ['content_filter', native('refusal')]);
		assert.deepEqual(endOf('of_tomorrow'), ['stop', native('of_tomorrow')]);
		assert.deepEqual(endOf('constructor'), ['stop', native('constructor')]);
		assert.deepEqual(endOf('stop_sequence', { stop_sequence: 'END' }), [
			'stop',
			native('stop_sequence', { stop_sequence: 'END' }),
		]);
	});

	it('names the model with its first chunk where that is another name', () => {
		const { chunks } = decode(
			messageStart({ model: 'small-20260101' }),
			...textBlock(0, 'a', 'b'),
			...messageEnd('end_turn'),
		);
		assert.deepEqual(
			chunks.map(({ model }) => model),
			['small-20260101', undefined, undefined, undefined],
		);
	});

	it('is the same reply if it comes as one message', () => {
		const decoder = new MessagesDecoder('small', seal);
		const chunks: ReplyChunk[] = [];
		decoder.decodeWhole(
			{
				type: 'message',
				role: 'assistant',
				content: [
					{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
					{ type: 'text', text: 'Hello' },
					{ type: 'tool_use', id: 'a', name: 'read', input: { path: 'b' } },
				],
				stop_reason: 'tool_use',
				usage: { input_tokens: 3, output_tokens: 4 },
			},
			chunks,
		);
		const text = JSON.stringify(chunks);
		for (const part of [
			'"reasoning_content":"Hm"',
			`"signature":"${seal.seal('c2ln')}"`,
			'"content":"Hello"',
			String.raw`{\"path\":\"b\"}`,
		]) {
			assert.ok(text.includes(part), part);
		}
		assert.equal(chunks.at(-1)?.usage?.total_tokens, 7);
		assert.ok(decoder.isEnded);
		assert.throws(() => decoder.decodeWhole({ type: 'error', error: { type: 'x', message: 'no' } }, []), ClientError);
		assert.throws(() => decoder.decodeWhole({ some: 'thing' }, []), ClientError);
	});

	describe('that misbehaves', () => {
		it('is read without what nobody knows: events, blocks, deltas, and fields of another type', () => {
			const decoded = decode(
				{ type: 'message_start' },
				{ type: 'of_tomorrow' },
				blockStart(0, { type: 'server_tool_use', id: 'a', name: 'b', input: {} }),
				blockDelta(0, { type: 'citations_delta', citation: {} }),
				blockStart(1, { type: 'text', text: 5 }),
				{ type: 'content_block_start', index: 2 },
				{ type: 'content_block_delta', index: 1 },
				blockDelta(1, { type: 'text_delta', text: null }),
				blockDelta(1, { type: 'text_delta', text: 'Hello' }),
				{ type: 'content_block_stop' },
				{ type: 'message_delta', usage: { input_tokens: 'many', output_tokens: null } },
				...messageEnd('end_turn', {}),
			);
			assert.deepEqual(deltasOf(decoded), [{ content: 'Hello' }]);
		});

		it('is read without the pieces of a block that nobody knows, and with those of a call at its place', () => {
			const decoded = decode(
				messageStart(),
				blockStart(0, { type: 'server_tool_use', id: 'a', name: 'web_search', input: {} }),
				blockDelta(0, { type: 'input_json_delta', partial_json: '{"query":' }),
				blockDelta(0, { type: 'text_delta', text: 'not said' }),
				blockStop(0),
				...toolBlock(0, 'b', 'read', '{"x":1}'),
				...messageEnd('tool_use'),
			);
			const calls = deltasOf(decoded).flatMap(({ tool_calls: fragments = [] }) => fragments);
			assert.deepEqual(
				calls.map(({ id, function: called }) => [id, called?.arguments]),
				[
					['b', ''],
					[undefined, '{"x":1}'],
				],
			);
			assert.ok(!JSON.stringify(decoded.chunks).includes('not said'));
			const flood = Array.from({ length: 1_025 }, (_, index) => blockStart(index, { type: 'of_tomorrow' }));
			fails('bad-response', messageStart(), ...flood);
		});

		it('keeps a count that its end has as 0', () => {
			const zeros = { input_tokens: 0, cache_read_input_tokens: null, output_tokens: 15, of_tomorrow: 7 };
			const { chunks } = decode(messageStart(), ...textBlock(0, 'a'), ...messageEnd('end_turn', zeros));
			const { prompt_tokens, completion_tokens } = chunks.at(-1)?.usage ?? {};
			assert.deepEqual([prompt_tokens, completion_tokens], [75, 15]);
		});

		it('is read in any order that makes sense: text without its block, blocks that never end, an index that comes again', () => {
			const decoded = decode(
				blockDelta(7, { type: 'text_delta', text: 'Hello' }),
				blockStart(0, { type: 'tool_use', id: 'a', name: 'read', input: { whole: true } }),
				blockStart(0, { type: 'tool_use', id: 'b', name: 'list', input: {} }),
				blockDelta(0, { type: 'input_json_delta', partial_json: '{"x":1}' }),
				...messageEnd('tool_use'),
			);
			const calls = deltasOf(decoded).flatMap(({ tool_calls: fragments = [] }) => fragments);
			assert.deepEqual(
				calls.map(({ index, id, function: called }) => [index, id, called?.arguments]),
				[
					[0, 'a', ''],
					[0, undefined, '{"whole":true}'],
					[1, 'b', ''],
					[1, undefined, '{"x":1}'],
				],
			);
		});

		it('fails at a piece of arguments that belongs to no call, before its block and after it', () => {
			const piece = blockDelta(0, { type: 'input_json_delta', partial_json: '{' });
			fails('bad-response', messageStart(), piece);
			fails('bad-response', messageStart(), ...toolBlock(0, 'a', 'read', '{}'), piece);
		});

		it('fails at a flood of calls', () => {
			const flood = Array.from({ length: 1_025 }, (_, index) =>
				blockStart(index, { type: 'tool_use', id: 'a', name: 'b' }),
			);
			fails('bad-response', messageStart(), ...flood);
		});

		it('fails with the words of an error in its middle', () => {
			const failing = (type: string) => ({ type: 'error', error: { type, message: 'Overloaded' } });
			const codes: [string, ClientErrorCode][] = [
				['overloaded_error', 'server'],
				['rate_limit_error', 'rate-limited'],
				['invalid_request_error', 'invalid-request'],
				['authentication_error', 'unauthorised'],
			];
			for (const [type, code] of codes) {
				assert.equal(fails(code, messageStart(), ...textBlock(0, 'a'), failing(type)).serviceMessage, 'Overloaded');
			}
		});

		it('fails at data that is no event', () => {
			const decoder = new MessagesDecoder('small', seal);
			for (const data of ['[1]', '"text"', '{"type":']) {
				assert.throws(() => decoder.decode({ event: undefined, data }, []), ClientError, data);
			}
		});

		it('is over with its reason, where the last event is missing or is that of chat, and not before', () => {
			const [delta] = messageEnd('end_turn');
			assert.ok(delta);
			const begun = decode(messageStart(), ...textBlock(0, 'a'));
			assert.equal(begun.decoder.mayClose, false);
			begun.decoder.end([]);
			assert.equal(begun.decoder.isEnded, false);
			const { decoder, chunks } = decode(messageStart(), ...textBlock(0, 'a'), delta);
			assert.equal(decoder.mayClose, true);
			decoder.decode({ event: undefined, data: '[DONE]' }, chunks);
			assert.equal(decoder.isEnded, true);
			assert.equal(chunks.at(-1)?.usage?.completion_tokens, 15);
		});

		it('says nothing more after its end', () => {
			const { chunks } = decode(messageStart(), ...textBlock(0, 'a'), ...messageEnd('end_turn'), ...textBlock(1, 'b'));
			assert.ok(!JSON.stringify(chunks).includes('"b"'));
		});
	});
});
