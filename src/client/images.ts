import { imageRequestSchema, readImageUrl, splitDigest } from '../contract/images.ts';
import { completeChat } from './chat.ts';
import type { Caller } from './core/caller.ts';
import { ClientError } from './core/errors.ts';
import { checkRequest } from './core/requestCheck.ts';
import type { Client } from './types.ts';

/** The text that a reply contains instead of an address is kept up to this length, like that of an error body. */
const MAXIMUM_MESSAGE_LENGTH = 500;

/** Image generation through the chat endpoint (contract: inference.md, Endpoints). */
export function createImages(caller: Caller): Client['images'] {
	return {
		async generate(request, { signal } = {}) {
			const { model, prompt } = checkRequest(imageRequestSchema, request);
			const messages = [{ role: 'user' as const, content: prompt }];
			const reply = await completeChat(caller, { model, messages }, signal);
			const content = reply.choices[0]?.message?.content ?? '';
			const url = readImageUrl(content);
			if (url === undefined) {
				const said = content.trim().slice(0, MAXIMUM_MESSAGE_LENGTH);
				throw new ClientError('bad-response', 'the reply is no address of an image', {
					...(said === '' ? {} : { serviceMessage: said }),
				});
			}
			return { url, ...splitDigest(reply.model ?? model, model) };
		},
	};
}
