import assert from 'node:assert/strict';
import { ClientError, type ClientErrorCode } from '../../../../../src/base/errors.ts';
import type { ReplyChunk, ReplyDelta } from '../../../../../src/service/inference/provider.ts';
import { ServerSeal } from '../../../../../src/service/inference/serverSeal.ts';
import { ResponsesDecoder } from '../../../../../src/service/inference/upstreams/responsesDecoder.ts';
import {
	added,
	argumentsOf,
	callItem,
	completed,
	created,
	done,
	messageItem,
	reasoningItem,
	textDelta,
	type WireEvent,
} from '../../../../support/responsesWire.ts';

const seal = new ServerSeal('https://one.example/v1');

function decode(...events: WireEvent[]): ReplyChunk[] {
	const decoder = new ResponsesDecoder('small', seal);
	const chunks: ReplyChunk[] = [];
	for (const event of events) {
		decoder.decode({ event: event.type, data: JSON.stringify(event) }, chunks);
	}
	return chunks;
}

/** The deltas without the fields that are undefined. */
const deltasOf = (chunks: ReplyChunk[]): ReplyDelta[] =>
	JSON.parse(JSON.stringify(chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta)))).filter(
		(delta: object) => Object.keys(delta).length > 0,
	);

const callsOf = (chunks: ReplyChunk[]) =>
	deltasOf(chunks).flatMap(({ tool_calls: calls = [] }) =>
		calls.map(({ index, id, function: called }) => [index, id ?? called?.name, called?.arguments]),
	);

const said = (chunks: ReplyChunk[]) =>
	deltasOf(chunks)
		.map(({ content = '' }) => content)
		.join('');
const endOf = (chunks: ReplyChunk[]) =>
	chunks.flatMap(({ choices }) => choices.flatMap(one => one.finish_reason ?? []));

function fails(code: ClientErrorCode, ...events: WireEvent[]): ClientError {
	try {
		decode(...events);
	} catch (error) {
		assert.ok(ClientError.is(error, code), String(error));
		return error;
	}
	assert.fail('it was decoded');
}

describe('the stream of a server of the Responses form', () => {
	it('says reasoning, what its server has sealed, text, calls with their positions, reason and tokens', () => {
		const chunks = decode(
			created('small-2026'),
			added(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
			{ type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Hm' },
			{ type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
			{ type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 1, delta: 'So' },
			done(0, reasoningItem('gAAA', 'Hm', 'So')),
			added(1, messageItem('')),
			textDelta(1, 'I '),
			textDelta(1, 'look.'),
			done(1, messageItem('I look.')),
			added(2, callItem('call_1', 'read', '')),
			added(3, callItem('call_2', 'now', '')),
			argumentsOf(2, '{"path":'),
			argumentsOf(2, '"a"}'),
			done(2, callItem('call_1', 'read', '{"path":"a"}')),
			done(3, callItem('call_2', 'now', '')),
			completed([]),
		);
		assert.deepEqual(
			deltasOf(chunks).filter(delta => delta.tool_calls === undefined),
			[
				{ reasoning_content: 'Hm' },
				{ reasoning_content: '\n\n' },
				{ reasoning_content: 'So' },
				{
					reasoning_details: [{ type: 'reasoning.encrypted', format: 'openai-responses-v1', data: seal.seal('gAAA') }],
				},
				{ content: 'I ' },
				{ content: 'look.' },
			],
		);
		assert.deepEqual(callsOf(chunks), [
			[0, 'call_1', ''],
			[1, 'call_2', ''],
			[0, undefined, '{"path":'],
			[0, undefined, '"a"}'],
			[1, undefined, '{}'],
		]);
		assert.deepEqual(endOf(chunks), ['tool_calls']);
		assert.equal(chunks[0]?.model, 'small-2026');
		const { usage } = chunks.at(-1) ?? {};
		assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [75, 15, 90]);
		assert.equal(usage?.prompt_tokens_details?.cached_tokens, 40);
		assert.equal(usage?.completion_tokens_details?.reasoning_tokens, 5);
	});

	it('names its end in the words of chat', () => {
		const incomplete = (reason: string): WireEvent => ({
			type: 'response.incomplete',
			response: { status: 'incomplete', incomplete_details: { reason } },
		});
		assert.deepEqual(endOf(decode(textDelta(0, 'a'), completed([]))), ['stop']);
		assert.deepEqual(endOf(decode(textDelta(0, 'a'), incomplete('max_output_tokens'))), ['length']);
		assert.deepEqual(endOf(decode(textDelta(0, 'a'), incomplete('content_filter'))), ['content_filter']);
		assert.deepEqual(endOf(decode(textDelta(0, 'a'), { type: 'response.incomplete' })), ['length']);
	});

	it('may come whole, and in whole items, parts or a whole output alone', () => {
		const output = [reasoningItem('gAAA', 'Hm'), messageItem('Hello'), callItem('a', 'read', '{"b":1}')];
		const whole: ReplyChunk[] = [];
		const decoder = new ResponsesDecoder('small', seal);
		const { response } = completed(output);
		decoder.decodeWhole(response, whole);
		assert.ok(decoder.isEnded);
		const parts: WireEvent[] = [
			done(0, reasoningItem('gAAA', 'Hm')),
			{ type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'Hello' },
			done(2, callItem('a', 'read', '{"b":1}')),
			completed(output),
		];
		for (const chunks of [whole, decode(completed(output)), decode(...parts)]) {
			assert.equal(said(chunks), 'Hello');
			assert.deepEqual(callsOf(chunks), [
				[0, 'a', ''],
				[0, undefined, '{"b":1}'],
			]);
			assert.equal(deltasOf(chunks).filter(({ reasoning_content: text }) => text === 'Hm').length, 1);
			assert.equal(deltasOf(chunks).filter(({ reasoning_details: details }) => details !== undefined).length, 1);
			assert.deepEqual(endOf(chunks), ['tool_calls']);
		}
		const refused = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
		assert.equal(said(decode(completed([refused]))), 'No.');
		for (const value of [{ some: 'thing' }, { output: [], status: 'failed', error: { message: 'no' } }]) {
			assert.throws(() => new ResponsesDecoder('small', seal).decodeWhole(value, []), ClientError);
		}
		assert.throws(
			() => new ResponsesDecoder('small', seal).decodeWhole({ output: [], status: 'queued' }, []),
			ClientError,
		);
	});

	describe('that misbehaves', () => {
		it('is read without what nobody knows: events, items, and fields of another type', () => {
			const chunks = decode(
				{ type: 'response.created' },
				{ type: 'of_tomorrow', output_index: 0, delta: 'not said' },
				added(0, { type: 'web_search_call', id: 'ws_1' }),
				done(0, { type: 'web_search_call', id: 'ws_1', content: [{ text: 'not said' }] }),
				{ type: 'response.output_item.added' },
				{ type: 'response.output_item.done', item: 'x' },
				{ type: 'response.output_text.delta', output_index: 1, delta: 5 },
				textDelta(1, 'Hello'),
				{ type: 'response.completed', response: { output: 'x', usage: { input_tokens: 'many' } } },
			);
			assert.equal(said(chunks), 'Hello');
			assert.deepEqual(endOf(chunks), ['stop']);
		});

		it('is read in any order that makes sense: text without its item, items that never end, ids in place of indexes', () => {
			const chunks = decode(
				textDelta(7, 'Hello'),
				{ type: 'response.output_item.added', item: { ...callItem('a', 'read', ''), id: 'fc_a' } },
				{ type: 'response.output_item.added', item: { ...callItem('b', 'list', ''), id: 'fc_b' } },
				{ type: 'response.function_call_arguments.delta', item_id: 'fc_b', delta: '{"x":1}' },
				completed([]),
			);
			assert.equal(said(chunks), 'Hello');
			assert.deepEqual(callsOf(chunks), [
				[0, 'a', ''],
				[1, 'b', ''],
				[1, undefined, '{"x":1}'],
				[0, undefined, '{}'],
			]);
		});

		it('says nothing twice, and nothing of an item after its end', () => {
			const chunks = decode(
				added(0, messageItem('')),
				textDelta(0, 'Hello'),
				{ type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' },
				done(0, messageItem('Hello')),
				textDelta(0, ' again'),
				done(0, messageItem('Hello again')),
				done(1, callItem('a', 'read', '{}')),
				argumentsOf(1, '{"late":1}'),
				completed([messageItem('Hello'), callItem('a', 'read', '{}')]),
				textDelta(2, 'after the end'),
			);
			assert.equal(said(chunks), 'Hello');
			assert.deepEqual(callsOf(chunks), [
				[0, 'a', ''],
				[0, undefined, '{}'],
			]);
		});

		it('begins another item at an index that comes again', () => {
			const chunks = decode(
				added(0, callItem('a', 'read', '')),
				added(0, callItem('b', 'list', '')),
				argumentsOf(0, '{"x":1}'),
				completed([]),
			);
			assert.deepEqual(callsOf(chunks), [
				[0, 'a', ''],
				[0, undefined, '{}'],
				[1, 'b', ''],
				[1, undefined, '{"x":1}'],
			]);
		});

		it('fails at arguments without a call, and at a flood of items', () => {
			fails('bad-response', argumentsOf(0, '{'));
			fails('bad-response', added(0, messageItem('')), argumentsOf(0, '{'));
			fails('bad-response', ...Array.from({ length: 1_025 }, (_, index) => added(index, callItem('a', 'b', ''))));
			fails('bad-response', ...Array.from({ length: 1_025 }, () => added(0, messageItem(''))));
		});

		it('fails with the words of an error in its middle, and at a premature end', () => {
			const failed = { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'Busy' } } };
			assert.equal(fails('rate-limited', created('small'), textDelta(0, 'a'), failed).serviceMessage, 'Busy');
			const error = { type: 'error', code: 'server_error', message: 'Broken' };
			assert.equal(fails('server', textDelta(0, 'a'), error).serviceMessage, 'Broken');
			const decoder = new ResponsesDecoder('small', seal);
			for (const data of ['[DONE]', '[1]', '"text"', '{"type":']) {
				assert.throws(() => decoder.decode({ event: undefined, data }, []), ClientError, data);
			}
			assert.ok(!decoder.isEnded);
		});
	});
});
