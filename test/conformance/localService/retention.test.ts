import assert from 'node:assert/strict';
import { ChannelPeer, conversation } from '../../support/channelPeer.ts';
import { questions } from '../decisionQuestions.ts';
import { conformance } from './harness.ts';

/** Stands in every prompt of this file, and nowhere else. */
const SECRET = 'The-password-of-the-harbour-is-4711';

const user = (content: string) => ({ role: 'user' as const, content });

conformance('retention', verifies => {
	verifies(
		[
			'inference/zero-data-retention-zdr/6',
			'inference/states-and-transitions/prose/1',
			'inference/states-and-transitions/prose/2',
		],
		'no prompt and no reply is stored or logged, whatever the endpoint and however it ends',
		async implementation => {
			const { client, model, codeModel, imageModel, provider, prompts, fetch } = implementation;
			const messages = [user(SECRET)];
			const body = JSON.stringify({ model, messages });
			const { choices } = (await (await fetch('/chat/completions', { method: 'POST', body })).json()) as {
				choices: { message: { content: string } }[];
			};
			const reply = choices[0]?.message.content ?? '';
			assert.ok(reply.length > 20);
			const streams: AsyncIterable<unknown>[] = [
				client.chat.stream({ model, messages }),
				client.chat.stream({ model, messages: [...messages, user(prompts.error)] }),
				client.search.stream(messages),
				client.responses.stream({ model: codeModel, instructions: SECRET, input: messages }),
			];
			for (const stream of streams) {
				try {
					for await (const _ of stream) {
						// What comes is of no interest here.
					}
				} catch (error) {
					assert.equal((error as Error).name, 'ClientError');
				}
			}
			await client.decisions.evaluate({ state: { said: SECRET }, questions });
			await client.images.generate({ model: imageModel, prompt: SECRET });
			const base = `/enc/${provider}/${model}`;
			const peer = await ChannelPeer.attest(path => fetch(path), base);
			const sealed = await fetch(`${base}/message`, {
				method: 'POST',
				body: JSON.stringify(peer.seal(conversation(SECRET))),
			});
			assert.equal(sealed.status, 200);
			const refused = await fetch('/chat/completions', {
				method: 'POST',
				body: JSON.stringify({ model, messages, temperature: 7 }),
			});
			assert.equal(refused.status, 400);
			const stored = await implementation.stored();
			assert.ok(stored.length > 1000, 'nothing of the service was found');
			for (const text of [SECRET, reply]) {
				assert.ok(!stored.includes(text), `stored: ${text}`);
			}
		},
	);
});
