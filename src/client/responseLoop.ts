import { ClientError } from '../base/errors.ts';
import type { InputItem, OutputItem, ResponsesRequest } from '../contract/responses.ts';

/** The result of the client's own function, as text. */
export interface FunctionResult {
	call_id: string;
	output: string;
}

type FunctionCallInput = Extract<InputItem, { type: 'function_call' }>;

/**
 * Builds the next request of a tool loop: `request` with the response's output and the results of its calls (contract:
 * inference.md, Events). A function that `request` forced is not forced again, so that the model can answer in text.
 * Throws `invalid-request` unless calls and results match one to one, and `bad-response` for calls that cannot be told
 * apart.
 */
export function nextRequest(
	request: ResponsesRequest,
	output: readonly OutputItem[],
	results: readonly FunctionResult[],
): ResponsesRequest {
	const items = inputItemsOf(output);
	const calls = items.filter(item => item.type === 'function_call');
	const { tool_choice: choice, ...rest } = request;
	return {
		...rest,
		...(choice === undefined || typeof choice === 'object' ? {} : { tool_choice: choice }),
		input: [...request.input, ...items, ...outputsOf(calls, results)],
	};
}

/**
 * Converts the output of a response into items of the next request's input: messages and calls with the fields that
 * input has, and reasoning as it was received. Other items have no place in the input.
 */
export function inputItemsOf(output: readonly OutputItem[]): InputItem[] {
	return output.flatMap((item): InputItem[] => {
		switch (item.type) {
			case 'message': {
				const content = item.content.flatMap(({ type, text }) =>
					type === 'output_text' && text !== undefined ? [{ type, text } as const] : [],
				);
				return content.length > 0 ? [{ type: 'message', role: 'assistant', content }] : [];
			}
			case 'function_call': {
				const { name, call_id, arguments: given } = item;
				if (!name || !call_id) {
					throw new ClientError('bad-response', 'a function call of the response has no name or no call_id');
				}
				return [{ type: 'function_call', name, call_id, arguments: given || '{}' }];
			}
			case 'reasoning':
				return [item];
			default:
				return [];
		}
	});
}

/** Returns one output for each call, in the order of the calls. */
function outputsOf(calls: readonly FunctionCallInput[], results: readonly FunctionResult[]): InputItem[] {
	const outputs = new Map(results.map(({ call_id, output }) => [call_id, output]));
	const called = new Set(calls.map(({ call_id }) => call_id));
	if (called.size < calls.length) {
		throw new ClientError('bad-response', 'two function calls of the response have the same call_id');
	}
	if (calls.length === 0) {
		throw new ClientError('invalid-request', 'the response has no function call to go on from', { unsent: true });
	}
	if (outputs.size < results.length) {
		throw new ClientError('invalid-request', 'a function call has two results', { unsent: true });
	}
	if (results.some(({ call_id }) => !called.has(call_id))) {
		throw new ClientError('invalid-request', 'a result names no function call of the response', { unsent: true });
	}
	return calls.map(({ call_id }) => {
		const output = outputs.get(call_id);
		if (output === undefined) {
			throw new ClientError('invalid-request', 'a function call of the response has no result', { unsent: true });
		}
		return { type: 'function_call_output', call_id, output };
	});
}
