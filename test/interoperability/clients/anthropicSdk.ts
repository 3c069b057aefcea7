import { load } from '../packages.ts';
import { CITY_SCHEMA, joined, type OpenClient, SNOW, WEATHER_SCHEMA } from './foreignClient.ts';

interface Event {
	type: string;
	delta?: { type: string; text?: string };
}

interface Block {
	type: string;
	id: string;
	text: string;
	input: { city: unknown };
}

export const anthropicSdk: OpenClient = ({ service }) => {
	const { Anthropic } = load('@anthropic-ai/sdk');
	const { messages } = new Anthropic({ apiKey: service.token, baseURL: service.address, maxRetries: 0 });
	const requestOf = (model: string, prompt: string) => ({
		model,
		max_tokens: 4_000,
		messages: [{ role: 'user', content: prompt }] as object[],
	});
	const whole = (request: object, streamed: boolean): Promise<{ content: Block[]; stop_reason: string }> =>
		streamed ? messages.stream(request).finalMessage() : messages.create(request);
	const textOf = (content: Block[]) => content.map(({ type, text }) => (type === 'text' ? text : '')).join('');
	return {
		async chat({ model, prompt, streamed, signal }) {
			const reply = await messages.create({ ...requestOf(model, prompt), stream: streamed }, { signal });
			return streamed
				? joined(reply as AsyncIterable<Event>, ({ delta }) => (delta?.type === 'text_delta' ? delta.text : ''))
				: { text: textOf(reply.content), pieces: 1 };
		},
		async tools({ model, prompt, streamed }, called) {
			const tools = [{ name: 'weather', input_schema: WEATHER_SCHEMA }];
			const request = { ...requestOf(model, prompt), tools };
			const { content } = await whole(request, streamed);
			const calls = content.filter(({ type }) => type === 'tool_use');
			for (const { input } of calls) {
				called(input.city);
			}
			const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: SNOW }));
			const turns = [...request.messages, { role: 'assistant', content }, { role: 'user', content: results }];
			return textOf((await whole({ ...request, messages: turns }, streamed)).content);
		},
		async structured({ model, prompt, streamed }) {
			const output_config = { format: { type: 'json_schema', schema: CITY_SCHEMA } };
			return JSON.parse(textOf((await whole({ ...requestOf(model, prompt), output_config }, streamed)).content));
		},
	};
};
