import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { usageSchema } from '../../../src/contract/chatReply.ts';
import { type MessageEvent, MessageEvents, type ReplyEnd, WholeMessage } from '../../../src/contract/messageEvents.ts';
import { UNSIGNED } from '../../../src/contract/messages.ts';
import { blockStart, PING, textBlock, thinkingBlock, toolBlock } from '../../support/messagesWire.ts';

type Write = (events: MessageEvents) => MessageEvent[];

/** The events of a reply. */
function sent(writes: readonly Write[], end: ReplyEnd = { reason: 'stop' }): MessageEvent[] {
	const events = new MessageEvents('small');
	return [...writes.flatMap(write => write(events)), ...events.end(end)];
}

/** Those of its blocks. */
const blocks = (...writes: Write[]): MessageEvent[] => sent(writes).slice(2, -2);

const text =
	(said: string): Write =>
	events =>
		events.text(said);
const thinking =
	(thought: string): Write =>
	events =>
		events.thinking(thought);
const call =
	(index: number, json: string, name?: string, id?: string): Write =>
	events =>
		events.call({ index, name, id, arguments: json });

function whole(writes: readonly Write[], end: ReplyEnd = {}): Record<string, unknown> {
	const message = new WholeMessage();
	for (const event of sent(writes, end)) {
		message.add(event);
	}
	return message.end() as Record<string, unknown>;
}

describe('the events of a reply in the Messages form', () => {
	it('begin with the message and end with the reason and the tokens', () => {
		const usage = usageSchema.parse({
			prompt_tokens: 75,
			completion_tokens: 15,
			prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
		});
		const [start, ping, ...rest] = sent([text('Hello'), text('!')], { reason: 'stop', usage });
		assert.ok(start);
		const { id, ...message } = start['message'] as { id: string };
		assert.match(id, /^msg_\w+$/);
		assert.deepEqual(message, {
			type: 'message',
			role: 'assistant',
			model: 'small',
			content: [],
			stop_reason: null,
			stop_sequence: null,
			usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
		});
		assert.deepEqual(ping, PING);
		assert.deepEqual(rest, [
			...textBlock(0, 'Hello', '!'),
			{
				type: 'message_delta',
				delta: { stop_reason: 'end_turn', stop_sequence: null },
				usage: { input_tokens: 25, cache_creation_input_tokens: 10, cache_read_input_tokens: 40, output_tokens: 15 },
			},
			{ type: 'message_stop' },
		]);
	});

	it('are whole for a reply without a word', () => {
		assert.deepEqual(
			sent([]).map(({ type }) => type),
			['message_start', 'ping', 'message_delta', 'message_stop'],
		);
	});

	it('have a block for each change between thinking, text and calls', () => {
		assert.deepEqual(
			blocks(
				thinking('Hm'),
				thinking('.'),
				text('I look.'),
				call(0, '{"a"', 'read', 'call_1'),
				call(0, ':1}'),
				text('Done'),
			),
			[
				...thinkingBlock(0, UNSIGNED, 'Hm', '.'),
				...textBlock(1, 'I look.'),
				...toolBlock(2, 'call_1', 'read', '{"a"', ':1}'),
				...textBlock(3, 'Done'),
			],
		);
	});

	it('have the signature of the server in place of ours, and a block of its own for thinking that is sealed or kept back', () => {
		const signature =
			(given: string): Write =>
			events =>
				events.signature(given);
		assert.deepEqual(
			blocks(thinking('Hm'), signature('c2ln'), thinking('Oh'), events => events.redacted('EmwK'), signature('b3Ro')),
			[
				...thinkingBlock(0, 'c2ln', 'Hm'),
				...thinkingBlock(1, UNSIGNED, 'Oh'),
				blockStart(2, { type: 'redacted_thinking', data: 'EmwK' }),
				{ type: 'content_block_stop', index: 2 },
				...thinkingBlock(3, 'b3Ro'),
			],
		);
	});

	it('take no signature that is empty', () => {
		const empty: Write = events => events.signature('');
		assert.deepEqual(blocks(thinking('Hm'), empty, thinking('.'), empty), thinkingBlock(0, UNSIGNED, 'Hm', '.'));
		assert.deepEqual(blocks(empty), []);
	});

	it('give a call an id where it has none, and take no second name of it', () => {
		const [start] = blocks(call(0, '', 'read'), call(0, '{}', 'write', 'late'));
		assert.ok(start);
		const { id, name } = start['content_block'] as { id: string; name: string };
		assert.match(id, /^toolu_\w+$/);
		assert.equal(name, 'read');
	});

	describe('of several calls', () => {
		const first = toolBlock(0, 'a', 'read', '{"x":', '1}');
		const second = toolBlock(1, 'b', 'list', '{"y"', ':2}');

		it('follow one another where their fragments come in turns', () => {
			const fragments = [call(0, '{"x":', 'read', 'a'), call(1, '{"y"', 'list', 'b'), call(0, '1}'), call(1, ':2}')];
			assert.deepEqual(blocks(...fragments), [...first, ...toolBlock(1, 'b', 'list', '{"y"', ':2}')]);
		});

		it('go out at once where the call before is whole', () => {
			const events = new MessageEvents('small');
			const begun = [call(0, '{"x":', 'read', 'a'), call(0, '1}'), call(1, '{"y"', 'list', 'b')].flatMap(write =>
				write(events),
			);
			assert.deepEqual(begun.slice(2), [...first, ...second.slice(0, 2)]);
			assert.deepEqual(events.call({ index: 1, arguments: ':2}' }), second.slice(2, 3));
		});

		it('wait for the name, without which nobody can read one, and for the end where there is none', () => {
			assert.deepEqual(blocks(call(0, '{"x":'), call(0, '1}', 'read', 'a')), first);
			assert.deepEqual(blocks(call(0, '{"x":1}'), text('Hello')), textBlock(0, 'Hello'));
		});

		it('say that tools are used, whatever the server says, and only if a call was sent', () => {
			const reasonOf = (...writes: Write[]) => {
				const delta = sent(writes, { reason: 'stop' }).at(-2)?.['delta'];
				return (delta as { stop_reason: string }).stop_reason;
			};
			assert.equal(reasonOf(call(0, '{}', 'read')), 'tool_use');
			assert.equal(reasonOf(call(0, '{}')), 'end_turn');
		});

		it('drop what follows the end of the arguments', () => {
			const fragments = [call(0, '{"x":1}', 'read', 'a'), call(1, '{}', 'list', 'b'), call(0, '\n')];
			assert.deepEqual(blocks(...fragments), [
				...toolBlock(0, 'a', 'read', '{"x":1}'),
				...toolBlock(1, 'b', 'list', '{}'),
			]);
		});

		it('are refused where too much has to wait', () => {
			const events = new MessageEvents('small');
			events.call({ index: 0, name: 'read', arguments: '{' });
			const flood = () => {
				for (let count = 0; count < 5; count++) {
					events.call({ index: 1, name: 'list', arguments: 'x'.repeat(1024 * 1024) });
				}
			};
			assert.throws(flood, error => ClientError.is(error, 'bad-response'));
		});
	});

	it('are refused where too many blocks wait for a call that never ends', () => {
		const events = new MessageEvents('small');
		events.call({ index: 0, name: 'read', arguments: '{' });
		const flood = () => {
			for (let count = 0; count < 3_000; count++) {
				events.text('a');
				events.thinking('b');
			}
		};
		assert.throws(flood, error => ClientError.is(error, 'bad-response'));
	});

	it('are as many and as long as the fragments, however long the arguments are', () => {
		const sizeOf = (count: number) => {
			const events = new MessageEvents('small');
			let length = 0;
			for (let index = 0; index < count; index++) {
				const sentNow = events.call({ index: 0, name: 'write', arguments: '"abcdefgh"' });
				assert.equal(sentNow.length, index === 0 ? 4 : 1);
				length += JSON.stringify(sentNow).length;
			}
			return length;
		};
		const [small, large] = [sizeOf(1_000), sizeOf(10_000)];
		assert.ok(large < small * 10.5, `${small} and ${large} characters`);
	});

	it('name the stop reason and the sequence', () => {
		const endOf = (end: ReplyEnd) => sent([text('a')], end).at(-2)?.['delta'];
		const delta = (stop_reason: string, stop_sequence: string | null = null) => ({ stop_reason, stop_sequence });
		assert.deepEqual(endOf({ reason: 'length' }), delta('max_tokens'));
		assert.deepEqual(endOf({ reason: 'content_filter' }), delta('refusal'));
		assert.deepEqual(endOf({ reason: 'eos' }), delta('end_turn'));
		assert.deepEqual(endOf({}), delta('end_turn'));
		const stopped = { reason: 'stop', native: 'stop_sequence', stopSequence: 'END' };
		assert.deepEqual(endOf(stopped), delta('stop_sequence', 'END'));
	});

	it('make a whole message', () => {
		const message = whole([
			thinking('Hm'),
			text('I '),
			text('look.'),
			call(0, '{"a":', 'read', 'call_1'),
			call(0, '1}'),
		]);
		const { id, usage, ...rest } = message;
		assert.match(String(id), /^msg_/);
		assert.ok(usage);
		assert.deepEqual(rest, {
			type: 'message',
			role: 'assistant',
			model: 'small',
			content: [
				{ type: 'thinking', thinking: 'Hm', signature: UNSIGNED },
				{ type: 'text', text: 'I look.' },
				{ type: 'tool_use', id: 'call_1', name: 'read', input: { a: 1 } },
			],
			stop_reason: 'tool_use',
			stop_sequence: null,
		});
	});

	it('make a message that has reached its limit, without the call, of arguments that are no object', () => {
		const now = { type: 'tool_use', id: 'a', name: 'now', input: {} };
		assert.deepEqual(whole([call(0, '', 'now', 'a')])['content'], [now]);
		for (const json of ['{"a":', '[1]']) {
			for (const reason of ['length', 'tool_calls']) {
				const { content, stop_reason } = whole([text('I look.'), call(0, '{}', 'now', 'a'), call(1, json, 'read')], {
					reason,
				});
				assert.deepEqual(content, [{ type: 'text', text: 'I look.' }, now], json);
				assert.equal(stop_reason, 'max_tokens');
			}
		}
	});
});
