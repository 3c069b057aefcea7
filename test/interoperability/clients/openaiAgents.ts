import { ENTERPRISE_PATH } from '../../../src/contract/localConnection.ts';
import { load } from '../packages.ts';
import { type Asked, joined, type OpenClient, SNOW } from './foreignClient.ts';

const openAgents =
	(useResponses: boolean): OpenClient =>
	({ service }) => {
		const { Agent, OpenAIProvider, Runner, tool } = load('@openai/agents');
		const z = load('zod');
		const baseURL = `${service.address}${useResponses ? ENTERPRISE_PATH : ''}/v1`;
		const modelProvider = new OpenAIProvider({ apiKey: service.token, baseURL, useResponses });
		// Its traces would go to the vendor.
		const runner = new Runner({ modelProvider, tracingDisabled: true });
		const run = async ({ model, prompt, streamed, signal }: Asked, options: object = {}) => {
			const agent = new Agent({ name: 'Helper', instructions: 'Be brief.', model, ...options });
			return await runner.run(agent, prompt, { stream: streamed, signal });
		};
		const finalOutput = async (asked: Asked, options: object) => {
			const result = await run(asked, options);
			await result.completed;
			return result.finalOutput;
		};
		return {
			async chat(asked) {
				const result = await run(asked);
				if (!asked.streamed) {
					return { text: result.finalOutput, pieces: 1 };
				}
				const answer = await joined(result.toTextStream() as AsyncIterable<string>, piece => piece);
				await result.completed;
				return answer;
			},
			tools(asked, called) {
				const weather = tool({
					name: 'weather',
					description: 'Tells the weather of a city',
					parameters: z.object({ city: z.string() }),
					execute: async ({ city }: { city: unknown }) => {
						called(city);
						return SNOW;
					},
				});
				return finalOutput(asked, { tools: [weather] });
			},
			structured: asked => finalOutput(asked, { outputType: z.object({ city: z.string(), warm: z.boolean() }) }),
		};
	};

export const agentsResponses = openAgents(true);
export const agentsChat = openAgents(false);
