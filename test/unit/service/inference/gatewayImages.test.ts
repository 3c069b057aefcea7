import assert from 'node:assert/strict';
import { allOf, priced, refusal, useGateway } from './gatewayHarness.ts';

describe('the gateway, with images in a message', () => {
	const start = useGateway();

	const messages = [
		{ role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url: 'data:,' } }] },
		{ role: 'assistant' as const, content: 'A boat.' },
		{ role: 'user' as const, content: 'And now?' },
	];
	const upstreams = {
		blind: { ...priced(1), models: ['small', { id: 'text', images: false }] },
		seeing: {
			...priced(9),
			models: [
				{ id: 'small', images: true },
				{ id: 'seer', images: true },
			],
		},
	};

	it('sends them unchanged, and only to providers that are known to accept them', async () => {
		const gateway = await start(upstreams);
		for (const provider of [{}, { sort: 'price' as const }, { order: ['blind'] }]) {
			assert.equal(await gateway.servedBy({ messages, provider }), 'seeing');
		}
		assert.equal(gateway.server('blind').chats.length, 0);
		assert.deepEqual(gateway.server('seeing').chats[0]?.body['messages'], messages);
		assert.equal(await gateway.servedBy({ provider: { sort: 'price' } }), 'blind');
	});

	it('sends them to a provider that may accept them if none is known to', async () => {
		const gateway = await start({
			blind: { ...priced(1), images: false, models: ['small'] },
			unknown: { ...priced(9), models: ['small'] },
		});
		assert.equal(await gateway.servedBy({ messages }), 'unknown');
		assert.equal(await gateway.servedBy({}), 'blind');
	});

	it('sends them to a provider that may accept them if the policy excludes the ones that are known to', async () => {
		const gateway = await start(upstreams);
		assert.equal(await gateway.servedBy({ messages, provider: { only: ['blind'] } }), 'blind');
	});

	it('sends them to an alternate that accepts them if the model accepts none', async () => {
		const gateway = await start(upstreams);
		const { model, chunks } = await gateway.chat({ model: 'text', models: ['seer'], messages });
		await allOf(chunks);
		assert.equal(model, 'seer');
	});

	it('refuses them if the model accepts none, and names it and those that do', async () => {
		const gateway = await start(upstreams);
		const { message, code } = await refusal(gateway.chat({ model: 'text', messages }), 400);
		assert.equal(code, 'invalid_request');
		assert.equal(
			message,
			'messages: "text" takes no images; ask "small", "seer", or say "images": true of it where its server is named ' +
				'if it does.',
		);
		assert.equal(gateway.server('blind').chats.length, 0);
	});

	it('refuses them if the policy leaves only providers that accept none', async () => {
		const gateway = await start({ ...upstreams, blind: { images: false, models: ['small'] } });
		const { message } = await refusal(gateway.chat({ messages, provider: { only: ['blind'] } }), 404);
		assert.match(message, /"blind" takes no images \(messages\); "seeing" is not listed there \(provider\.only\)/);
		assert.equal(gateway.server('blind').chats.length, 0);
	});

	it('remembers that a server has refused them, for its model and until the user says otherwise', async () => {
		const refusing = { status: 400, body: { error: { message: 'image input is not supported' } } };
		const atRequest = ({ messages }: Record<string, unknown>) =>
			JSON.stringify(messages).includes('image_url') ? refusing : {};
		const models = ['small', 'other', { id: 'sure', images: true }];
		const gateway = await start({ one: { models, behaves: { atRequest } } });
		assert.equal((await gateway.gateway.describe()).models[0]?.images, undefined);
		assert.match((await refusal(gateway.chat({ messages }), 400)).message, /image input is not supported/);
		assert.deepEqual(
			(await gateway.gateway.describe()).models.map(({ images }) => images),
			[false, undefined, true],
		);
		assert.match(
			(await refusal(gateway.chat({ messages }), 400)).message,
			/^messages: "small" takes no images; ask "sure"/,
		);
		assert.equal(gateway.server('one').chats.length, 1);
		await refusal(gateway.chat({ model: 'sure', messages }), 400);
		await refusal(gateway.chat({ model: 'sure', messages }), 400);
		assert.equal(gateway.server('one').chats.length, 3);
		assert.equal(await gateway.servedBy(), 'one');
	});

	it('refuses them if none of the models accepts any', async () => {
		const gateway = await start({ blind: { images: false, models: ['small', 'text'] } });
		const { message } = await refusal(gateway.chat({ models: ['text'], messages }), 400);
		assert.match(message, /^messages: none of "small", "text" takes images; say "images": true /);
	});
});
