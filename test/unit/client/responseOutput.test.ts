import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ClientError } from '../../../src/base/errors.ts';
import { checkRequest } from '../../../src/client/core/requestCheck.ts';
import { inputItemsOf, ResponseOutput } from '../../../src/client/responseOutput.ts';
import { type OutputItem, readResponseEvent, responsesRequestSchema } from '../../../src/contract/responses.ts';
import { call, message, reasoning, request, wholeStream } from './responsesWire.ts';

type Sent = Record<string, unknown>;

const added = (index: number | undefined, item: Sent) => ({
	type: 'response.output_item.added',
	output_index: index,
	item,
});
const done = (index: number | undefined, item: Sent) => ({
	type: 'response.output_item.done',
	output_index: index,
	item,
});
const delta = (fields: Sent) => ({ type: 'response.function_call_arguments.delta', ...fields });
const whole = (fields: Sent) => ({ type: 'response.function_call_arguments.done', ...fields });
const begun = (id: string) => ({ type: 'function_call', id, name: 'weather', call_id: `call_${id}`, arguments: '' });

function outputOf(sent: readonly Sent[]): OutputItem[] {
	const output = new ResponseOutput();
	for (const value of sent) {
		const event = readResponseEvent(value);
		assert.ok(event, JSON.stringify(value));
		output.add(event);
	}
	return output.items();
}

function argumentsOf(sent: readonly Sent[]): (string | undefined)[] {
	return outputOf(sent).map(item => (item.type === 'function_call' ? item.arguments : item.type));
}

describe('ResponseOutput', () => {
	const stream = wholeStream.map(text => JSON.parse(text.slice(text.indexOf('data: ') + 6)) as Sent);

	it('is empty before anything came', () => {
		assert.deepEqual(outputOf([]), []);
	});

	it('gives the same items with the completed response and without it', () => {
		const expected = JSON.stringify([reasoning, message, call]);
		assert.equal(JSON.stringify(outputOf(stream).map(sorted)), JSON.stringify([reasoning, message, call].map(sorted)));
		assert.equal(JSON.stringify(outputOf(stream)[0]), JSON.stringify(JSON.parse(expected)[0]));
		assert.deepEqual(outputOf(stream.slice(0, -1)), outputOf(stream));
	});

	it('joins the fragments to what follows them whole, however they are cut', () => {
		fc.assert(
			fc.property(fc.array(fc.string()), fragments => {
				const text = fragments.join('');
				const pieces = [added(0, begun('a')), ...fragments.map(piece => delta({ output_index: 0, delta: piece }))];
				const all = [...pieces, whole({ output_index: 0, arguments: text })];
				assert.deepEqual(argumentsOf(pieces), [text]);
				assert.deepEqual(argumentsOf(all), [text]);
				assert.deepEqual(argumentsOf([...all, done(0, { ...begun('a'), arguments: text })]), [text]);
			}),
		);
	});

	it('keeps calls apart that come at the same time, and puts them in their order', () => {
		const events = [
			added(1, begun('b')),
			added(0, begun('a')),
			delta({ output_index: 1, delta: '[1' }),
			delta({ output_index: 0, delta: '[0' }),
			delta({ output_index: 1, delta: ',1]' }),
			delta({ output_index: 0, delta: ',0]' }),
		];
		assert.deepEqual(argumentsOf(events), ['[0,0]', '[1,1]']);
	});

	it('knows a call by its id where its place is not given', () => {
		const events = [
			added(undefined, begun('a')),
			added(undefined, begun('b')),
			delta({ item_id: 'a', delta: '[0' }),
			delta({ item_id: 'b', delta: '[1' }),
			delta({ item_id: 'a', delta: ']' }),
			whole({ item_id: 'b', arguments: '[1]' }),
			done(undefined, { ...begun('a'), arguments: '[0]' }),
		];
		assert.deepEqual(argumentsOf(events), ['[0]', '[1]']);
	});

	it('knows a call by the id that came after its first fragment', () => {
		const events = [
			delta({ output_index: 0, delta: '[' }),
			added(0, begun('a')),
			added(1, begun('b')),
			delta({ item_id: 'a', delta: ']' }),
		];
		assert.deepEqual(argumentsOf(events), ['[]', '']);
	});

	it('takes fragments that name nothing for the last call’s', () => {
		const { id: _, ...nameless } = begun('a');
		const events = [
			added(undefined, nameless),
			delta({ delta: '[' }),
			added(undefined, nameless),
			delta({ delta: '{' }),
			delta({ delta: '}' }),
		];
		assert.deepEqual(argumentsOf(events), ['[', '{}']);
	});

	it('lets the whole text hold over fragments that differ, and the finished item over both', () => {
		const pieces = [added(0, begun('a')), delta({ output_index: 0, delta: '{"lost' })];
		assert.deepEqual(argumentsOf([...pieces, whole({ output_index: 0, arguments: '{}' })]), ['{}']);
		const item = { ...begun('a'), arguments: '[]' };
		assert.deepEqual(argumentsOf([...pieces, whole({ output_index: 0, arguments: '{}' }), done(0, item)]), ['[]']);
		assert.deepEqual(argumentsOf([...pieces, done(0, item), delta({ output_index: 0, delta: 'late' })]), ['[]']);
	});

	it('keeps the fragments where the whole text is missing or empty', () => {
		for (const end of [whole({ output_index: 0 }), whole({ output_index: 0, arguments: '' }), done(0, begun('a'))]) {
			assert.deepEqual(argumentsOf([added(0, begun('a')), delta({ output_index: 0, delta: '{}' }), end]), ['{}']);
		}
	});

	it('keeps arguments that came whole with their call, and adds no fragment to them twice', () => {
		const item = { ...begun('a'), arguments: '{}' };
		assert.deepEqual(argumentsOf([added(0, item)]), ['{}']);
		assert.deepEqual(argumentsOf([added(0, item), delta({ output_index: 0, delta: '{}' })]), ['{}']);
	});

	it('shows a call of which only fragments came, without a name', () => {
		const [item] = outputOf([delta({ output_index: 4, item_id: 'x', delta: '{' })]);
		assert.ok(item?.type === 'function_call');
		assert.deepEqual([item.id, item.name, item.arguments], ['x', undefined, '{']);
	});

	it('keeps items of kinds that it does not know', () => {
		const search = { type: 'web_search_call', id: 'ws_1', action: null };
		assert.deepEqual(outputOf([done(0, search)]), [{ type: 'other', received: search }]);
	});

	it('lets the completed response hold over what came before it', () => {
		const output = [message, { ...call, arguments: '{"city":"Bergen"}' }];
		const events = [done(0, call), { type: 'response.completed', response: { output } }];
		assert.deepEqual(argumentsOf(events), ['message', '{"city":"Bergen"}']);
	});

	it('keeps what came where the completed response holds no output', () => {
		const events = [done(0, call), { type: 'response.completed', response: { output: [] } }];
		assert.deepEqual(argumentsOf(events), [call.arguments]);
		assert.deepEqual(argumentsOf([done(0, call), { type: 'response.completed' }]), [call.arguments]);
	});

	it('refuses items and arguments that could only fill memory', () => {
		const isRefusal = (error: unknown) => ClientError.is(error, 'bad-response');
		const many = Array.from({ length: 1025 }, (_, index) => added(index, begun(String(index))));
		assert.equal(outputOf(many.slice(0, 1024)).length, 1024);
		assert.throws(() => outputOf(many), isRefusal);
		const piece = delta({ output_index: 0, delta: 'x'.repeat(1024 * 1024) });
		assert.equal(argumentsOf([piece, piece, piece, piece])[0]?.length, 4 * 1024 * 1024);
		assert.throws(() => outputOf([piece, piece, piece, piece, delta({ output_index: 0, delta: 'x' })]), isRefusal);
	});
});

/** Returns the item with its fields in the order of their names. */
function sorted(item: object): object {
	return Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)));
}

describe('inputItemsOf', () => {
	const received = (...output: Sent[]) => outputOf([{ type: 'response.completed', response: { output } }]);

	it('gives calls and messages in the fields that input has, and reasoning as it came', () => {
		const items = inputItemsOf(received(reasoning, message, call));
		assert.equal(JSON.stringify(items[0]), JSON.stringify(reasoning));
		assert.deepEqual(items.slice(1), [
			{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
			{ type: 'function_call', name: 'weather', call_id: 'call_1', arguments: '{"city":"Oslo"}' },
		]);
	});

	it('gives what a request accepts', () => {
		const input = inputItemsOf(received(reasoning, message, call));
		assert.equal(checkRequest(responsesRequestSchema, { ...request, input }).input, input);
	});

	it('leaves out what input has no place for: unknown items, other parts, messages without text', () => {
		const refusal = {
			...message,
			content: [
				{ type: 'refusal', refusal: 'No.' },
				{ type: 'x', text: 'No.' },
			],
		};
		assert.deepEqual(inputItemsOf(received({ type: 'web_search_call', id: 'ws_1' }, refusal)), []);
	});

	it('keeps arguments as they came, and takes missing and empty ones for none', () => {
		const spaced = '{ "city" :"\\u004fslo" }';
		const calls = [spaced, undefined, null, ''].map(given => ({ ...call, arguments: given }));
		assert.deepEqual(
			inputItemsOf(received(...calls)).map(item => item.type === 'function_call' && item.arguments),
			[spaced, '{}', '{}', '{}'],
		);
	});

	for (const field of ['name', 'call_id']) {
		for (const value of [undefined, null, '', 'None']) {
			it(`refuses a call whose ${field} is ${value === '' ? 'empty' : value}`, () => {
				assert.throws(
					() => inputItemsOf(received({ ...call, [field]: value })),
					error => ClientError.is(error, 'bad-response'),
				);
			});
		}
	}
});
