import { ENTERPRISE_PATH } from '../../../src/contract/localConnection.ts';
import { load } from '../packages.ts';
import { CITY_SCHEMA, joined, type OpenClient, SNOW, WEATHER_SCHEMA } from './foreignClient.ts';

const format = { name: 'city', schema: CITY_SCHEMA, strict: true };
const maxRetries = 0;

export const openaiChat: OpenClient = ({ service }) => {
	const { OpenAI } = load('openai');
	const { completions } = new OpenAI({ apiKey: service.token, baseURL: `${service.address}/v1`, maxRetries }).chat;
	const messagesOf = (prompt: string) => [{ role: 'user', content: prompt }];
	return {
		async chat({ model, prompt, streamed, signal }) {
			const request = { model, messages: messagesOf(prompt), stream: streamed };
			const reply = await completions.create(request, { signal });
			return streamed
				? joined(reply as AsyncIterable<Chunk>, ({ choices }) => choices[0]?.delta.content)
				: { text: reply.choices[0].message.content, pieces: 1 };
		},
		tools({ model, prompt, streamed }, called) {
			const run = ({ city }: { city: unknown }) => {
				called(city);
				return SNOW;
			};
			const weather = { name: 'weather', parameters: WEATHER_SCHEMA, parse: JSON.parse, function: run };
			return completions
				.runTools({
					model,
					messages: messagesOf(prompt),
					stream: streamed,
					tools: [{ type: 'function', function: weather }],
				})
				.finalContent();
		},
		async structured({ model, prompt, streamed }) {
			const request = {
				model,
				messages: messagesOf(prompt),
				response_format: { type: 'json_schema', json_schema: format },
			};
			const reply = streamed
				? await completions.stream(request).finalChatCompletion()
				: await completions.parse(request);
			return JSON.parse(reply.choices[0].message.content);
		},
	};
};

interface Chunk {
	choices: { delta: { content?: string | null } }[];
}

export const openaiResponses: OpenClient = ({ service }) => {
	const { OpenAI } = load('openai');
	const baseURL = `${service.address}${ENTERPRISE_PATH}/v1`;
	const { responses } = new OpenAI({ apiKey: service.token, baseURL, maxRetries });
	const inputOf = (prompt: string): object[] => [{ role: 'user', content: prompt }];
	const whole = (request: object, streamed: boolean) =>
		streamed ? responses.stream(request).finalResponse() : responses.create(request);
	return {
		async chat({ model, prompt, streamed, signal }) {
			const request = { model, input: inputOf(prompt), ...(streamed ? { stream: true } : {}) };
			const reply = await responses.create(request, { signal });
			return streamed
				? joined(reply as AsyncIterable<Event>, ({ type, delta }) =>
						type === 'response.output_text.delta' ? delta : '',
					)
				: { text: reply.output_text, pieces: 1 };
		},
		async tools({ model, prompt, streamed }, called) {
			const tools = [{ type: 'function', name: 'weather', parameters: WEATHER_SCHEMA, strict: true }];
			const input = inputOf(prompt);
			const { output } = await whole({ model, input, tools }, streamed);
			const calls = (output as Item[]).filter(({ type }) => type === 'function_call');
			for (const { arguments: text = '' } of calls) {
				called(JSON.parse(text).city);
			}
			const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: SNOW }));
			return (await whole({ model, input: [...input, ...output, ...results], tools }, streamed)).output_text;
		},
		async structured({ model, prompt, streamed }) {
			const request = { model, input: inputOf(prompt), text: { format: { type: 'json_schema', ...format } } };
			return JSON.parse((await whole(request, streamed)).output_text);
		},
	};
};

interface Event {
	type: string;
	delta?: string;
}

interface Item {
	type: string;
	call_id?: string;
	arguments?: string;
}
