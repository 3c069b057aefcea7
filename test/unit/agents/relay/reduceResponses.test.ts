import assert from 'node:assert/strict';
import { reduceResponses } from '../../../../src/agents/relay/reduceResponses.ts';

const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Add mul' }] };

describe('the reduced responses request of an agent', () => {
	const reduce = (fields: object) => reduceResponses({ input: [user], ...fields }, () => true);

	it('has what the assistant said as output, also where the agent calls it something else', () => {
		const { request } = reduce({
			input: [
				user,
				{ role: 'assistant', content: 'So' },
				{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done', annotations: [] }] },
			],
		});
		assert.deepEqual(request['input'], [
			user,
			{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So' }] },
			{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done' }] },
		]);
	});

	it('keeps reasoning as the same object, where it is to be kept', () => {
		const reasoning = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA', status: null, unknown: [1] };
		const { request } = reduce({ input: [user, reasoning] });
		assert.equal((request['input'] as unknown[])[1], reasoning);
		assert.deepEqual(reduceResponses({ input: [user, reasoning] }, () => false).request['input'], [user]);
	});

	it('has the tools of a namespace as functions whose names no service refuses, and calls of them by these', () => {
		const parameters = { type: 'object', properties: {} };
		const long = 'x'.repeat(60);
		const tools = ['add', long].map(name => ({
			type: 'function',
			name,
			description: 'Adds',
			strict: false,
			parameters,
		}));
		const { request, foreignTools } = reduce({
			input: [user, { type: 'function_call', call_id: 'c', namespace: 'mcp__sums', name: 'add', arguments: '{}' }],
			tools: [{ type: 'namespace', name: 'mcp__sums', description: 'Sums', tools }],
		});
		const [add, other] = request['tools'] as Record<string, unknown>[];
		assert.deepEqual(add, { type: 'function', description: 'Adds', parameters, name: 'mcp__sums__add' });
		assert.match(String(other?.['name']), /^mcp__sums__x{44}_[0-9a-f]{8}$/);
		assert.deepEqual(foreignTools.get('mcp__sums__add'), { name: 'add', isCustom: false, namespace: 'mcp__sums' });
		assert.deepEqual((request['input'] as object[])[1], {
			...{ type: 'function_call', call_id: 'c', name: 'mcp__sums__add', arguments: '{}' },
		});
	});

	it('has neither an empty list of tools nor a choice among none', () => {
		const { request } = reduce({ tools: [{ type: 'web_search' }], tool_choice: 'none' });
		assert.deepEqual(request, { store: false, input: [user] });
	});
});
