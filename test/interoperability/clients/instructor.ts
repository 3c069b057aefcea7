import { SCRIPTED } from '../localService.ts';
import { load } from '../packages.ts';
import { joined, type OpenClient } from './foreignClient.ts';

interface Chunk {
	choices: { delta: { content?: string | null } }[];
}

/** It makes objects of replies by a tool that the model has to call. It runs no tools. */
export const instructor: OpenClient = ({ service, upstream }) => {
	const { OpenAI } = load('openai');
	const { default: Instructor } = load('@instructor-ai/instructor');
	// It knows the schemas of this version only.
	const { z } = load('zod/v3');
	const client = Instructor({
		client: new OpenAI({ apiKey: service.token, baseURL: `${service.address}/v1`, maxRetries: 0 }),
		mode: 'TOOLS',
	});
	const messagesOf = (prompt: string) => [{ role: 'user', content: prompt }];
	return {
		async chat({ model, prompt, streamed, signal }) {
			const request = { model, messages: messagesOf(prompt), stream: streamed };
			const reply = await client.chat.completions.create(request, { signal });
			return streamed
				? joined(reply as AsyncIterable<Chunk>, ({ choices }) => choices[0]?.delta.content)
				: { text: reply.choices[0].message.content, pieces: 1 };
		},
		async structured({ prompt, streamed }) {
			// While it streams, it takes whatever a model says beside the call for a part of the object.
			const call = (text: string, more: object = {}) => ({
				choices: [
					{
						index: 0,
						delta: { tool_calls: [{ index: 0, ...more, function: { ...more, arguments: text } }] },
						finish_reason: null,
					},
				],
			});
			upstream.behaviour = {
				chunks: [
					call('', { id: 'call_1', type: 'function', name: 'City' }),
					call('{"city":"Os'),
					call('lo","warm":false}'),
				],
			};
			const schema = z.object({ city: z.string(), warm: z.boolean() });
			const reply = await client.chat.completions.create({
				model: SCRIPTED,
				messages: messagesOf(prompt),
				stream: streamed,
				response_model: { schema, name: 'City' },
				max_retries: 0,
			});
			let last: Record<string, unknown> = reply;
			if (streamed) {
				for await (const partial of reply) {
					last = partial;
				}
			}
			const { _meta, ...city } = last;
			return city;
		},
	};
};
