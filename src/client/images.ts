import { ClientError } from '../base/errors.ts';
import { imageRequestSchema, readImageUrl, splitDigest } from '../contract/images.ts';
import { completeChat } from './chat.ts';
import type { Caller } from './core/caller.ts';
import { checkRequest } from './core/requestCheck.ts';
import type { Client } from './types.ts';

/** Image generation through the chat endpoint (contract: inference.md, Endpoints). */
export function createImages(caller: Caller): Client['images'] {
	return {
		async generate(request, { signal } = {}) {
			const { model, prompt } = checkRequest(imageRequestSchema, request);
			const messages = [{ role: 'user' as const, content: prompt }];
			return completeChat(caller, { model, messages }, signal, reply => {
				const content = reply.choices[0]?.message?.content ?? '';
				const url = readImageUrl(content);
				if (url === undefined) {
					const said = content.trim();
					throw new ClientError('bad-response', 'the reply is no address of an image', {
						serviceMessage: said || undefined,
					});
				}
				return { url, ...splitDigest(reply.model ?? model, model) };
			});
		},
	};
}
