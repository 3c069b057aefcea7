import assert from 'node:assert/strict';
import { assistantMessage, ToolCallCollector } from '../../../src/client/toolCalls.ts';
import type { ChatStreamEvent } from '../../../src/client/types.ts';
import { messageSchema } from '../../../src/contract/chatRequest.ts';

type Fragment = Omit<Extract<ChatStreamEvent, { type: 'toolCall' }>, 'type'>;

const collect = (...fragments: Fragment[]) => {
	const collector = new ToolCallCollector();
	for (const fragment of fragments) {
		collector.add({ type: 'toolCall', ...fragment });
	}
	return collector.collected();
};
const call = (id: string, name: string, text: string) => ({
	id,
	type: 'function' as const,
	function: { name, arguments: text },
});

describe('ToolCallCollector', () => {
	it('puts the fragments of mixed calls together, in the order in which they began', () => {
		const calls = collect(
			{ index: 1, id: 'b', name: 'write', arguments: '' },
			{ index: 0, id: 'a', name: 'read', arguments: '{"pa' },
			{ index: 1, arguments: '{"x":' },
			{ index: 0, arguments: 'th":"😀"}' },
			{ index: 1, arguments: '1}' },
		);
		assert.deepEqual(calls, [call('b', 'write', '{"x":1}'), call('a', 'read', '{"path":"😀"}')]);
	});

	it('passes over everything else in the stream', () => {
		const collector = new ToolCallCollector();
		collector.add({ type: 'text', text: 'Hm.' });
		collector.add({ type: 'finish', reason: 'stop' });
		assert.deepEqual(collector.collected(), []);
	});

	it('takes the name once, though every fragment repeat it', () => {
		const calls = collect(
			{ index: 0, id: 'a', name: 'read', arguments: '{' },
			{ index: 0, id: 'a', name: 'read', arguments: '}' },
		);
		assert.deepEqual(calls, [call('a', 'read', '{}')]);
	});

	it('takes an empty id for none', () => {
		const calls = collect(
			{ index: 0, id: '', name: 'read', arguments: '{' },
			{ index: 0, id: 'a', arguments: '' },
			{ index: 0, id: '', arguments: '}' },
		);
		assert.deepEqual(calls, [call('a', 'read', '{}')]);
	});

	it('takes an id that comes later', () => {
		const calls = collect({ index: 0, name: 'read', arguments: '{' }, { index: 0, id: 'a', arguments: '}' });
		assert.deepEqual(calls, [call('a', 'read', '{}')]);
	});

	it('names calls by their position that have no id, so that each can be answered', () => {
		const calls = collect({ index: 0, name: 'a', arguments: '{}' }, { index: 1, name: 'b', arguments: '{}' });
		assert.deepEqual(
			calls.map(({ id }) => id),
			['call_0', 'call_1'],
		);
	});

	it('has an object of no arguments where none came', () => {
		assert.deepEqual(collect({ index: 0, id: 'a', name: 'now', arguments: '' }), [call('a', 'now', '{}')]);
	});

	it('leaves out a call without a name, because it cannot be run', () => {
		assert.deepEqual(collect({ index: 0, id: 'a', arguments: '{}' }), []);
	});

	it('keeps arguments that are cut short as they came', () => {
		assert.deepEqual(collect({ index: 0, id: 'a', name: 'b', arguments: '{"x' }), [call('a', 'b', '{"x')]);
	});
});

describe('assistantMessage', () => {
	it('sends calls back as they came, with an empty content where nothing was said', () => {
		const calls = [call('a', 'read', '{ "x" : 1 }')];
		const message = assistantMessage(undefined, calls);
		assert.deepEqual(message, { role: 'assistant', content: '', tool_calls: calls });
		assert.ok(messageSchema.safeParse(message).success);
	});

	it('has no calls where there were none', () => {
		assert.deepEqual(assistantMessage('Yes.', []), { role: 'assistant', content: 'Yes.' });
	});
});
