import { inputItemsOf, ResponseOutput } from '../../client/responseOutput.ts';
import type { Client } from '../../client/types.ts';
import { parametersOf } from '../tools/tool.ts';
import { type Model, untilTooLong } from './model.ts';

/** A model by the responses endpoint. The service keeps nothing: each request carries the whole conversation. */
export function responsesModel(client: Pick<Client, 'responses'>, name: string): Model {
	return {
		name,
		async reply({ instructions, items, tools, signal, onText }) {
			const output = new ResponseOutput();
			let usage: { inputTokens: number; outputTokens: number } | undefined;
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
			return { items: inputItemsOf(output.items()), usage, isCut: false };
		},
	};
}
