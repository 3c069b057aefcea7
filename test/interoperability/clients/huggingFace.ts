import { load } from '../packages.ts';
import { type Asked, CITY_SCHEMA, joined, type OpenClient, SNOW, WEATHER_SCHEMA } from './foreignClient.ts';

interface Call {
	index?: number;
	id?: string;
	type?: string;
	function: { name?: string; arguments?: string };
}

interface Chunk {
	choices: { delta: { content?: string | null; tool_calls?: Call[] } }[];
}

export const huggingFace: OpenClient = ({ service }) => {
	const { InferenceClient } = load('@huggingface/inference');
	const client = new InferenceClient(service.token, { endpointUrl: service.address });
	const whole = async (request: object) => (await client.chatCompletion(request)).choices[0].message;
	const streamOf = (request: object, options: object = {}): AsyncIterable<Chunk> =>
		client.chatCompletionStream(request, options);
	const requestOf = ({ model, prompt }: Asked) => ({ model, messages: [{ role: 'user', content: prompt }] });

	/** The client gives the pieces of calls as they come. */
	async function callsOf(request: object, streamed: boolean): Promise<Call[]> {
		if (!streamed) {
			return (await whole(request)).tool_calls;
		}
		const calls: Call[] = [];
		for await (const { choices } of streamOf(request)) {
			for (const { index = 0, id, function: called } of choices[0]?.delta.tool_calls ?? []) {
				calls[index] ??= { id: id ?? '', type: 'function', function: { name: called.name ?? '', arguments: '' } };
				calls[index].function.arguments += called.arguments ?? '';
			}
		}
		return calls;
	}

	return {
		async chat(asked) {
			const options = { signal: asked.signal };
			return asked.streamed
				? joined(streamOf(requestOf(asked), options), ({ choices }) => choices[0]?.delta.content)
				: { text: (await client.chatCompletion(requestOf(asked), options)).choices[0].message.content, pieces: 1 };
		},
		async tools(asked, called) {
			const { messages, ...request } = requestOf(asked);
			const tools = [{ type: 'function', function: { name: 'weather', parameters: WEATHER_SCHEMA } }];
			const calls = await callsOf({ ...request, messages, tools }, asked.streamed);
			for (const {
				function: { arguments: text = '' },
			} of calls) {
				called(JSON.parse(text).city);
			}
			const next = {
				...request,
				tools,
				messages: [
					...messages,
					{ role: 'assistant', tool_calls: calls },
					...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: SNOW })),
				],
			};
			return asked.streamed
				? (await joined(streamOf(next), ({ choices }) => choices[0]?.delta.content)).text
				: (await whole(next)).content;
		},
		async structured(asked) {
			const format = { type: 'json_schema', json_schema: { name: 'city', schema: CITY_SCHEMA } };
			const request = { ...requestOf(asked), response_format: format };
			const text = asked.streamed
				? (await joined(streamOf(request), ({ choices }) => choices[0]?.delta.content)).text
				: (await whole(request)).content;
			return JSON.parse(text);
		},
	};
};
