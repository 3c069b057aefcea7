import assert from 'node:assert/strict';
import { TURN_IDS } from '../conversations.ts';
import type { TestService } from '../testService.ts';
import { replyEnded, replyOf, useTestWindows, type WindowOptions } from '../testWindows.ts';

const [first, second] = TURN_IDS;

describe('the chat under a policy', () => {
	const windows = useTestWindows();
	let service: TestService;

	beforeEach(() => {
		({ service } = windows);
	});

	const open = async (others: WindowOptions = {}) => (await windows.open(others)).shown;
	const onDisk = () => windows.onDisk();
	const bodies = () => service.requests as unknown as Record<string, unknown>[];
	const settingsOnDisk = async () => (await onDisk())[0]?.settings;

	it('sends what the settings and the conversation say, and keeps with the reply what it was asked with', async () => {
		service.defaults = {
			routing: { ignore: ['c'] },
			retention: true,
			parameters: { temperature: 1 },
			instructions: 'Be short.',
		};
		const chat = await open();
		await chat.choose({ model: 'large', routing: { sort: 'price' }, parameters: { seed: 4 } });
		await chat.send(first, 'One?');
		await replyEnded(chat);
		const [body] = bodies();
		assert.equal(body?.['model'], 'large');
		assert.deepEqual(body?.['provider'], { sort: 'price', zdr: true });
		assert.deepEqual([body?.['temperature'], body?.['seed']], [1, 4]);
		assert.deepEqual((body?.['messages'] as unknown[] | undefined)?.[0], { role: 'system', content: 'Be short.' });
		const { asked, retention } = replyOf(chat, first);
		assert.deepEqual(asked, {
			model: 'large',
			provider: { sort: 'price', zdr: true },
			parameters: { temperature: 1, seed: 4 },
		});
		assert.deepEqual(retention, { inForce: 'yes', because: 'request' });
		await chat.idle();
		const [saved] = await onDisk();
		assert.deepEqual(saved?.turns[0]?.replies[0].asked, asked);
	});

	it('keeps a choice in the file, for every window that opens the conversation', async () => {
		const chat = await open();
		await chat.choose({ model: 'large' });
		await chat.send(first, 'One?');
		await replyEnded(chat);
		await chat.choose({ retention: 'account' });
		assert.deepEqual(await settingsOnDisk(), { model: 'large', retention: 'account' });
		await chat.choose({ model: undefined, retention: undefined });
		assert.equal(await settingsOnDisk(), undefined);
	});

	it('keeps a choice that is made while a message is being saved', async () => {
		const chat = await open();
		const sending = chat.send(first, 'One?');
		await chat.choose({ model: 'later' });
		await sending;
		await replyEnded(chat);
		assert.equal(chat.conversation.settings?.model, 'later');
		await chat.idle();
		assert.deepEqual(await settingsOnDisk(), { model: 'later' });
	});

	it('sends nothing if the policy leaves no provider, and keeps the message', async () => {
		assert.ok(service.connection);
		service.connection.providers = [{ slug: 'a', dataPolicy: { zeroDataRetention: false } }];
		const chat = await open();
		await chat.choose({ retention: true });
		await chat.send(first, 'One?');
		await replyEnded(chat);
		assert.equal(service.requests.length, 0);
		assert.equal(replyOf(chat, first).state, 'failed');
		assert.match(replyOf(chat, first).explanation?.message ?? '', /refused before it was sent: nobody/);
		assert.equal((await onDisk())[0]?.turns[0]?.question, 'One?');
	});

	it('searches under the policy too, and asks for no image if that excludes providers', async () => {
		windows.modes = { search: 'acme-search', image: 'painter' };
		const chat = await open();
		await chat.choose({ routing: { sort: 'price' }, parameters: { seed: 4 } });
		await chat.send(first, '/search One?');
		await replyEnded(chat);
		const [body] = bodies();
		assert.deepEqual([body?.['model'], body?.['provider'], body?.['seed']], ['acme-search', { sort: 'price' }, 4]);
		await chat.choose({ retention: true });
		await chat.send(second, '/image A bicycle');
		await replyEnded(chat);
		assert.equal(bodies().length, 1);
		assert.match(replyOf(chat, second).explanation?.message ?? '', /before it was sent: image/);
	});

	it('tells the cost of a reply at the prices of its time', async () => {
		assert.ok(service.connection);
		service.connection.providers = [{ slug: 'provider-a', prices: { input: 1, output: 2 } }];
		service.answer = response => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			const usage = { prompt_tokens: 1_000_000, completion_tokens: 500_000 };
			const choices = [{ index: 0, delta: { content: 'Hm.' }, finish_reason: 'stop' }];
			response.end(`data: ${JSON.stringify({ provider: 'provider-a', choices, usage })}\n\ndata: [DONE]\n\n`);
		};
		const chat = await open();
		await chat.send(first, 'One?');
		await replyEnded(chat);
		assert.deepEqual(replyOf(chat, first).cost, { usd: 2 });
		assert.ok((replyOf(chat, first).firstAt ?? 0) > 0);
	});
});
