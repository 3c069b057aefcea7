import assert from 'node:assert/strict';
import { CustomCalls } from '../../../../src/agents/relay/customTools.ts';

describe('the events of free-form calls', () => {
	const item = (fields: object) => ({ type: 'function_call', name: 'apply_patch', call_id: 'c1', ...fields });

	it('are free-form also where a service leaves out the ids of items and the first arguments', () => {
		const calls = new CustomCalls(new Set(['apply_patch']));
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
