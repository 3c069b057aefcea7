import { load } from '../packages.ts';
import { type Asked, joined, type OpenClient, SNOW } from './foreignClient.ts';

export const llamaIndex: OpenClient = ({ service }) => {
	const { OpenAI } = load('@llamaindex/openai');
	const { agent, agentStreamEvent, stopAgentEvent } = load('@llamaindex/workflow');
	const { tool } = load('llamaindex');
	const z = load('zod');
	const modelOf = ({ model, signal }: Asked) =>
		new OpenAI({
			model,
			apiKey: service.token,
			baseURL: `${service.address}/v1`,
			maxRetries: 0,
			// It has no signal of its own for a request.
			...(signal === undefined ? {} : { additionalSessionOptions: { fetch: abortedBy(signal) } }),
		});
	const abortedBy =
		(signal: AbortSignal): typeof fetch =>
		(address, init) =>
			fetch(address, { ...init, signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) });
	const messagesOf = (prompt: string) => [{ role: 'user', content: prompt }];
	return {
		async chat(asked) {
			const reply = await modelOf(asked).chat({ messages: messagesOf(asked.prompt), stream: asked.streamed });
			return asked.streamed
				? joined(reply as AsyncIterable<{ delta: string }>, ({ delta }) => delta)
				: { text: reply.message.content, pieces: 1 };
		},
		/** Its own agent calls them, which always streams. */
		async tools(asked, called) {
			const weather = tool({
				name: 'weather',
				description: 'Tells the weather of a city',
				parameters: z.object({ city: z.string() }),
				execute: ({ city }: { city: unknown }) => {
					called(city);
					return SNOW;
				},
			});
			const helper = agent({ llm: modelOf(asked), tools: [weather] });
			if (!asked.streamed) {
				return (await helper.run(asked.prompt)).data.result;
			}
			let text = '';
			for await (const event of helper.runStream(asked.prompt)) {
				if (agentStreamEvent.include(event)) {
					text += event.data.delta;
				}
				if (stopAgentEvent.include(event)) {
					break;
				}
			}
			return text;
		},
		async structured(asked) {
			const responseFormat = z.object({ city: z.string(), warm: z.boolean() });
			const request = { messages: messagesOf(asked.prompt), responseFormat, stream: asked.streamed };
			const reply = await modelOf(asked).chat(request);
			const text = asked.streamed
				? (await joined(reply as AsyncIterable<{ delta: string }>, ({ delta }) => delta)).text
				: reply.message.content;
			return JSON.parse(text);
		},
	};
};
