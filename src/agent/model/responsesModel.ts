import { ClientError } from '../../base/errors.ts';
import { inputItemsOf, ResponseOutput } from '../../client/responseOutput.ts';
import type { Client } from '../../client/types.ts';
import type { OutputItem } from '../../contract/responses.ts';
import { parametersOf } from '../tools/tool.ts';
import { type Model, untilTooLong } from './model.ts';

/** A model that is used through the responses endpoint, without storage: each request has the whole conversation. */
export function responsesModel(client: Pick<Client, 'responses'>, name: string): Model {
	return {
		name,
		async reply({ instructions, items, tools, signal, onText }) {
			const output = new ResponseOutput();
			let usage: { inputTokens: number; outputTokens: number } | undefined;
			let isCut = false;
			const request = {
				model: name,
				instructions,
				input: [...items],
				tools: tools.map(tool => ({
					type: 'function' as const,
					name: tool.name,
					description: tool.description,
					parameters: parametersOf(tool),
				})),
				parallel_tool_calls: true,
			};
			try {
				for await (const event of untilTooLong(client.responses.stream(request, { signal }), name)) {
					output.add(event);
					if (event.type === 'response.output_text.delta' && event.delta) {
						await onText(event.delta);
					} else if (event.type === 'response.completed') {
						const counted = event.response?.usage;
						usage = counted && {
							inputTokens: counted.input_tokens ?? 0,
							outputTokens: counted.output_tokens ?? 0,
						};
					}
				}
			} catch (error) {
				if (!isCutAtLength(error)) {
					throw error;
				}
				isCut = true;
			}
			return { items: inputItemsOf(output.items().flatMap(usableItem)), usage, isCut };
		},
	};
}

/**
 * The service's code for a response that reached the model's output limit, which other services pass on. The refusal of
 * a request, which has a status, may contain it too, as the name of a parameter.
 */
function isCutAtLength(error: unknown): boolean {
	return (
		ClientError.is(error) &&
		(error.code === 'truncated' || error.status === undefined) &&
		/\bmax_output_tokens\b/.test(error.serviceMessage ?? '')
	);
}

/**
 * contract: not shown. As in chat completions, a call without a name can neither be run nor answered and is left out,
 * and one without an id gets one from its position, because its result must name it.
 */
function usableItem(item: OutputItem, index: number): OutputItem[] {
	if (item.type !== 'function_call') {
		return [item];
	}
	return item.name ? [{ ...item, call_id: item.call_id || `call_${index}` }] : [];
}
