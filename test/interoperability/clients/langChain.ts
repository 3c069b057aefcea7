import { ENTERPRISE_PATH } from '../../../src/contract/localConnection.ts';
import { load } from '../packages.ts';
import { joined, type OpenClient, SNOW } from './foreignClient.ts';

interface Message {
	/** The pieces of a stream have an id, and so has the whole message. */
	getType(): string;
	readonly text: string;
}

const openLangChain =
	(useResponsesApi: boolean): OpenClient =>
	({ service }) => {
		const { ChatOpenAI } = load('@langchain/openai');
		const { tool } = load('@langchain/core/tools');
		const { createReactAgent } = load('@langchain/langgraph/prebuilt');
		const z = load('zod');
		const modelOf = (model: string) =>
			new ChatOpenAI({
				model,
				apiKey: service.token,
				useResponsesApi,
				configuration: { baseURL: `${service.address}${useResponsesApi ? ENTERPRISE_PATH : ''}/v1` },
				maxRetries: 0,
			});
		return {
			async chat({ model, prompt, streamed, signal }) {
				return streamed
					? joined((await modelOf(model).stream(prompt, { signal })) as AsyncIterable<Message>, ({ text }) => text)
					: { text: (await modelOf(model).invoke(prompt, { signal })).text, pieces: 1 };
			},
			/** An agent of LangGraph calls them. */
			async tools({ model, prompt, streamed }, called) {
				const weather = tool(
					({ city }: { city: unknown }) => {
						called(city);
						return SNOW;
					},
					{ name: 'weather', description: 'Tells the weather of a city', schema: z.object({ city: z.string() }) },
				);
				const agent = createReactAgent({ llm: modelOf(model), tools: [weather] });
				const input = { messages: [{ role: 'user', content: prompt, name: 'Ann' }] };
				if (!streamed) {
					return (await agent.invoke(input)).messages.at(-1).text;
				}
				let text = '';
				for await (const [message] of (await agent.stream(input, { streamMode: 'messages' })) as AsyncIterable<
					[Message]
				>) {
					// What was said before the tool is not what was said after it.
					text = message.getType() === 'tool' ? '' : text + message.text;
				}
				return text;
			},
			async structured({ model, prompt, streamed }) {
				const schema = z.object({ city: z.string(), warm: z.boolean() });
				const structured = modelOf(model).withStructuredOutput(schema, { name: 'city' });
				if (!streamed) {
					return await structured.invoke(prompt);
				}
				let last: unknown;
				for await (const partial of await structured.stream(prompt)) {
					last = partial;
				}
				return last;
			},
		};
	};

export const langChainChat = openLangChain(false);
export const langChainResponses = openLangChain(true);
