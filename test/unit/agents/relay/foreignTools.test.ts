import assert from 'node:assert/strict';
import { ForeignCalls } from '../../../../src/agents/relay/foreignTools.ts';

describe('the events of calls that chat does not have', () => {
	const item = (fields: object) => ({ type: 'function_call', name: 'apply_patch', call_id: 'c1', ...fields });

	it('name the tool of a namespace as the agent knows it', () => {
		const calls = new ForeignCalls(
			new Map([['mcp__sums__add', { name: 'add', namespace: 'mcp__sums', isCustom: false }]]),
		);
		const call = item({ name: 'mcp__sums__add', arguments: '{}' });
		const [done] = calls.present([{ type: 'response.output_item.done', output_index: 0, item: call }]);
		assert.deepEqual(done?.['item'], { ...call, name: 'add', namespace: 'mcp__sums' });
	});

	it('are free-form also where a service leaves out the ids of items and the first arguments', () => {
		const calls = new ForeignCalls(new Map([['apply_patch', { name: 'apply_patch', isCustom: true }]]));
		const sent = calls.present([
			{ type: 'response.output_item.added', output_index: 0, item: item({}) },
			{ type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"inp' },
			{ type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"input":"P"}' },
			{ type: 'response.output_item.done', output_index: 0, item: item({ arguments: '{"input":"P"}' }) },
			{ type: 'response.output_text.delta', output_index: 1, delta: 'Done' },
		]);
		const free = { type: 'custom_tool_call', name: 'apply_patch', call_id: 'c1' };
		assert.deepEqual(sent, [
			{ type: 'response.output_item.added', output_index: 0, item: { ...free, input: '' }, sequence_number: 0 },
			{ type: 'response.custom_tool_call_input.done', output_index: 0, input: 'P', sequence_number: 1 },
			{ type: 'response.output_item.done', output_index: 0, item: { ...free, input: 'P' }, sequence_number: 2 },
			{ type: 'response.output_text.delta', output_index: 1, delta: 'Done', sequence_number: 3 },
		]);
	});
});
