import assert from 'node:assert/strict';
import { ClientError } from '../../../src/base/errors.ts';
import { checkRequest } from '../../../src/client/core/requestCheck.ts';
import { inputItemsOf, nextRequest } from '../../../src/client/responseLoop.ts';
import { type OutputItem, readResponseEvent, responsesRequestSchema } from '../../../src/contract/responses.ts';
import { call, message, reasoning, request } from './responsesWire.ts';

function outputOf(...output: unknown[]): OutputItem[] {
	const event = readResponseEvent({ type: 'response.completed', response: { output } });
	assert.ok(event?.type === 'response.completed' && event.response);
	return event.response.output;
}

const echoed = { type: 'function_call', name: 'weather', call_id: 'call_1', arguments: '{"city":"Oslo"}' };
const second = { ...call, id: 'fc_2', call_id: 'call_2' };

describe('inputItemsOf', () => {
	it('gives calls and messages in the fields that input has, and reasoning as it came', () => {
		const items = inputItemsOf(outputOf(reasoning, message, call));
		assert.equal(JSON.stringify(items[0]), JSON.stringify(reasoning));
		assert.deepEqual(items.slice(1), [
			{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
			echoed,
		]);
	});

	it('gives what a request accepts', () => {
		const input = inputItemsOf(outputOf(reasoning, message, call));
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
		assert.deepEqual(inputItemsOf(outputOf({ type: 'web_search_call', id: 'ws_1' }, refusal)), []);
	});

	it('keeps arguments as they came, and takes missing and empty ones for none', () => {
		const spaced = '{ "city" :"\\u004fslo" }';
		const calls = [spaced, undefined, null, ''].map(given => ({ ...call, arguments: given }));
		assert.deepEqual(
			inputItemsOf(outputOf(...calls)).map(item => item.type === 'function_call' && item.arguments),
			[spaced, '{}', '{}', '{}'],
		);
	});

	for (const field of ['name', 'call_id']) {
		for (const value of [undefined, null, '', 'None']) {
			it(`refuses a call whose ${field} is ${value === '' ? 'empty' : value}`, () => {
				assert.throws(
					() => inputItemsOf(outputOf({ ...call, [field]: value })),
					error => ClientError.is(error, 'bad-response'),
				);
			});
		}
	}
});

describe('nextRequest', () => {
	it('appends the output and a result for each call, in the order of the calls', () => {
		const before = JSON.stringify(request);
		const next = nextRequest(request, outputOf(reasoning, call, second), [
			{ call_id: 'call_2', output: 'cold' },
			{ call_id: 'call_1', output: '' },
		]);
		assert.deepEqual(next, {
			...request,
			input: [
				...request.input,
				reasoning,
				echoed,
				{ ...echoed, call_id: 'call_2' },
				{ type: 'function_call_output', call_id: 'call_1', output: '' },
				{ type: 'function_call_output', call_id: 'call_2', output: 'cold' },
			],
		});
		assert.equal(JSON.stringify(request), before);
		assert.equal(checkRequest(responsesRequestSchema, next), next);
	});

	it('goes on over several rounds', () => {
		const once = nextRequest(request, outputOf(reasoning, call), [{ call_id: 'call_1', output: '12' }]);
		const twice = nextRequest(once, outputOf(second), [{ call_id: 'call_2', output: '13' }]);
		assert.deepEqual(twice.input.slice(0, once.input.length), once.input);
		assert.equal(twice.input.length, once.input.length + 2);
	});

	it('keeps every other field, but does not force the same function again', () => {
		const tools = [{ type: 'function' as const, name: 'weather' }];
		const results = [{ call_id: 'call_1', output: '12' }];
		const fields = { ...request, instructions: 'Be brief.', tools, parallel_tool_calls: false };
		for (const choice of ['auto', 'none'] as const) {
			const { input: _, ...rest } = nextRequest({ ...fields, tool_choice: choice }, outputOf(call), results);
			const { input: __, ...expected } = { ...fields, tool_choice: choice };
			assert.deepEqual(rest, expected);
		}
		const forced = { ...fields, tool_choice: { type: 'function' as const, name: 'weather' } };
		const next = nextRequest(forced, outputOf(call), results);
		assert.equal('tool_choice' in next, false);
		assert.equal(next.instructions, 'Be brief.');
	});

	const one = { call_id: 'call_1', output: 'a' };
	for (const [what, output, results, code] of [
		['a call without a result', [call, second], [one], 'invalid-request'],
		['calls without any result', [call], [], 'invalid-request'],
		['a result without its call', [call], [one, { call_id: 'call_2', output: 'b' }], 'invalid-request'],
		['two results for a call', [call], [one, one], 'invalid-request'],
		['an output without calls', [message], [], 'invalid-request'],
		['a result where nothing was called', [message], [one], 'invalid-request'],
		['two calls that cannot be told apart', [call, call], [one], 'bad-response'],
	] as const) {
		it(`refuses ${what}`, () => {
			assert.throws(
				() => nextRequest(request, outputOf(...output), results),
				error => ClientError.is(error, code),
			);
		});
	}
});
