import assert from 'node:assert/strict';
import { ServiceProcess } from '../support/serviceProcess.ts';
import { load } from './packages.ts';

describe('the OpenAI SDK with the local service', () => {
	let service: ServiceProcess;
	// biome-ignore lint/suspicious/noExplicitAny: a package without types here
	let sdk: any;
	const messages = [{ role: 'user', content: 'Hello' }];
	before(async () => {
		service = await ServiceProcess.start();
		const { OpenAI } = load('openai');
		sdk = new OpenAI({ apiKey: service.token, baseURL: `${service.address}/v1`, maxRetries: 0 });
	});
	after(() => service.stop());

	it('chats whole', async () => {
		const reply = await sdk.chat.completions.create({ model: 'demo', messages });
		assert.equal(reply.object, 'chat.completion');
		assert.ok(reply.choices[0].message.content.length > 10);
		assert.equal(reply.choices[0].finish_reason, 'stop');
		assert.ok(reply.usage.total_tokens > 0);
	});

	it('chats streamed, and gets the same text', async () => {
		const whole = await sdk.chat.completions.create({ model: 'demo', messages, seed: 1 });
		let text = '';
		let pieces = 0;
		for await (const chunk of await sdk.chat.completions.create({ model: 'demo', messages, seed: 1, stream: true })) {
			text += chunk.choices[0]?.delta.content ?? '';
			pieces++;
		}
		assert.ok(pieces > 4);
		assert.equal(text, whole.choices[0].message.content);
	});

	it('gets an error with the status and the words of the service', async () => {
		await assert.rejects(sdk.chat.completions.create({ model: 'no-such-model', messages }), error => {
			const { status, message } = error as { status: number; message: string };
			assert.ok(status >= 400 && status < 500);
			assert.match(message, /model/);
			return true;
		});
	});
});
