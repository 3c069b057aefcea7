import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readResponseEvent, refusedField } from '../../../src/contract/responses.ts';

const types = [
	'response.created',
	'response.in_progress',
	'response.output_item.added',
	'response.content_part.added',
	'response.output_text.delta',
	'response.output_text.done',
	'response.content_part.done',
	'response.output_item.done',
	'response.function_call_arguments.delta',
	'response.function_call_arguments.done',
	'response.completed',
];
const fields = ['response', 'item', 'part', 'delta', 'text', 'arguments', 'item_id', 'output_index', 'content_index'];

describe('readResponseEvent', () => {
	it('reads each documented event whatever its fields hold, and keeps unknown ones', () => {
		const anything = fc.oneof(
			fc.jsonValue(),
			fc.constant('None'),
			fc.record({ type: fc.string(), output: fc.jsonValue() }),
		);
		const event = fc.record(Object.fromEntries(fields.map(field => [field, anything])), { requiredKeys: [] });
		fc.assert(
			fc.property(fc.constantFrom(...types), event, fc.jsonValue(), (type, sent, extra) => {
				const read = readResponseEvent({ ...sent, type, extra });
				assert.equal(read?.type, type);
				assert.deepEqual(read?.['extra'], extra);
			}),
		);
	});

	for (const value of ['response.output_text.delta', null, [], {}, { type: 'response.failed' }, { type: 'toString' }]) {
		it(`gives nothing for ${JSON.stringify(value)}`, () => {
			assert.equal(readResponseEvent(value), undefined);
		});
	}

	it('leaves out of an output what is no item, and keeps kinds that it does not know', () => {
		const other = { type: 'web_search_call', id: 'None', status: null };
		const event = readResponseEvent({
			type: 'response.completed',
			response: { output: [null, 'None', [], other, { type: 'message' }, { content: 'a' }], usage: 'None' },
		});
		assert.ok(event?.type === 'response.completed');
		assert.equal(event.response?.usage, undefined);
		const [unknown, message, typeless, ...rest] = event.response?.output ?? [];
		assert.deepEqual(unknown, { type: 'other', received: other });
		assert.ok(message?.type === 'message');
		assert.deepEqual(message.content, []);
		assert.deepEqual(typeless, { type: 'other', received: { content: 'a' } });
		assert.deepEqual(rest, []);
	});

	it('reads a refusal as the text that it stands in place of', () => {
		const refusal = 'I cannot help with that.';
		const delta = readResponseEvent({ type: 'response.refusal.delta', output_index: 0, delta: refusal });
		assert.ok(delta?.type === 'response.output_text.delta');
		assert.equal(delta.delta, refusal);
		const done = readResponseEvent({ type: 'response.refusal.done', refusal });
		assert.equal(done?.type === 'response.output_text.done' && done.text, refusal);
	});

	it('gives a reasoning item as the object that was received', () => {
		const reasoning = { status: null, encrypted_content: 'a', type: 'reasoning' };
		const event = readResponseEvent({ type: 'response.output_item.done', item: reasoning });
		assert.ok(event?.type === 'response.output_item.done');
		assert.equal(event.item, reasoning);
	});
});

describe('refusedField', () => {
	it('knows the documented messages, also within a sentence', () => {
		assert.equal(refusedField('Instructions are required'), 'instructions');
		assert.equal(refusedField('Error: Input must be a list.'), 'input');
		assert.equal(refusedField('store must be set to false'), 'store');
		assert.equal(refusedField('Stream must be set to true'), 'stream');
		assert.equal(refusedField('Unsupported parameter: previous_response_id'), 'previous_response_id');
	});

	for (const message of ['', 'Missing parameter', 'Unsupported parameter: prompt', 'Store must be set to true']) {
		it(`knows no other (${JSON.stringify(message)})`, () => {
			assert.equal(refusedField(message), undefined);
		});
	}
});
