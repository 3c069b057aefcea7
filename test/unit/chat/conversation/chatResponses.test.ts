import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { ConversationChoice } from '../../../../src/chat/model/settings.ts';
import { DEFAULT_INSTRUCTIONS } from '../../../../src/contract/responses.ts';
import { TURN_IDS } from '../conversations.ts';
import type { TestService } from '../testService.ts';
import { replyEnded, replyOf, useTestWindows } from '../testWindows.ts';

const [first, second, third] = TURN_IDS;
const REASONING = { type: 'reasoning', id: 'rs_1', encrypted_content: 'c2VhbGVk', summary: [], 1: null };

describe('a chat with a model that only the responses endpoint has', () => {
	const windows = useTestWindows();
	let service: TestService;

	beforeEach(() => {
		({ service } = windows);
		assert.ok(service.connection);
		// The responses endpoint is of the enterprise host.
		service.connection.enterpriseUrl = service.connection.apiUrl;
		service.connection.models = [
			{ id: 'coder', kinds: ['responses'], codeOriented: true },
			{ id: 'planner', kinds: ['responses'] },
			{ id: 'demo', kinds: ['chat', 'responses'] },
		];
		service.answer = response => answer(response, [REASONING], ['An ', 'answer.']);
	});

	function answer(response: ServerResponse, reasoning: object[], words: string[], isWhole = true): void {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (type: string, others: object) =>
			response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...others })}\n\n`);
		send('response.created', { response: { id: 'resp_1', model: 'coder-2' } });
		for (const delta of words) {
			send('response.output_text.delta', { output_index: reasoning.length, delta });
		}
		const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'An answer.' }] };
		const usage = { input_tokens: 9, output_tokens: 4, output_tokens_details: { reasoning_tokens: 3 } };
		const body = { id: 'resp_1', model: 'coder-2', created_at: 1_700_000_000, output: [...reasoning, message], usage };
		if (isWhole) {
			send('response.completed', { response: body });
		}
		response.end();
	}

	const bodies = () => service.requests as unknown as Record<string, unknown>[];
	const open = async (model = 'coder') => {
		const chat = (await windows.open()).shown;
		await chat.choose({ model });
		return chat;
	};
	const ask = async (chat: Awaited<ReturnType<typeof open>>, turn: string, text: string) => {
		assert.equal(await chat.send(turn, text), undefined);
		await replyEnded(chat);
		return replyOf(chat, turn);
	};

	it('sends the whole conversation as input, with the reasoning that the model gave before its words', async () => {
		const chat = await open();
		const reply = await ask(chat, first, 'One?');
		assert.deepEqual(
			[reply.state, reply.text, reply.model, reply.serviceId, reply.created, reply.usage],
			['done', 'An answer.', 'coder-2', 'resp_1', 1_700_000_000, { prompt: 9, completion: 4, reasoning: 3 }],
		);
		assert.deepEqual(reply.retention, { inForce: 'yes', because: 'code-oriented-model' });
		await ask(chat, second, 'Two?');
		assert.deepEqual(service.paths, ['/v1/responses', '/v1/responses']);
		assert.deepEqual(bodies(), [
			{
				model: 'coder',
				instructions: DEFAULT_INSTRUCTIONS,
				input: [{ role: 'user', content: 'One?' }],
				store: false,
				stream: true,
			},
			{
				model: 'coder',
				instructions: DEFAULT_INSTRUCTIONS,
				input: [
					{ role: 'user', content: 'One?' },
					REASONING,
					{ role: 'assistant', content: 'An answer.' },
					{ role: 'user', content: 'Two?' },
				],
				store: false,
				stream: true,
			},
		]);
	});

	it('sends reasoning back byte for byte after the conversation was on disk, and to no other model', async () => {
		const chat = await open();
		await ask(chat, first, 'One?');
		await chat.idle();
		const [saved] = await windows.onDisk();
		const kept = saved?.turns[0]?.replies[0].reasoningItems;
		assert.equal(JSON.stringify(kept), JSON.stringify([REASONING]));
		await chat.choose({ model: 'planner' });
		await ask(chat, second, 'Two?');
		assert.deepEqual(bodies()[1]?.['input'], [
			{ role: 'user', content: 'One?' },
			{ role: 'assistant', content: 'An answer.' },
			{ role: 'user', content: 'Two?' },
		]);
		await chat.choose({ model: 'demo' });
		await ask(chat, third, 'Three?');
		assert.equal(service.paths[2], '/chat/completions');
		assert.doesNotMatch(JSON.stringify(bodies()[2]), /reasoning|sealed|c2VhbGVk/);
	});

	it('has the user’s own instructions in place of the usual ones', async () => {
		service.defaults = { ...service.defaults, instructions: 'Be short.' };
		await ask(await open(), first, 'One?');
		assert.equal(bodies()[0]?.['instructions'], 'Be short.');
	});

	it('shows the words of a reply that came in one piece, and keeps those of one that broke off', async () => {
		const chat = await open();
		service.answer = response => answer(response, [], []);
		assert.equal((await ask(chat, first, 'One?')).text, 'An answer.');
		service.answer = response => answer(response, [], ['Half an '], false);
		const broken = await ask(chat, second, 'Two?');
		assert.deepEqual([broken.state, broken.text], ['cutOff', 'Half an ']);
	});

	for (const [what, settings] of [
		['a parameter', { parameters: { temperature: 1, seed: 4 } }],
		['a routing policy', { routing: { only: ['a'] } }],
		['alternates', { models: ['demo'] }],
	] satisfies [string, ConversationChoice][]) {
		it(`says before it is sent that ${what} has no place in it`, async () => {
			const chat = await open();
			await chat.choose(settings);
			const refused = await ask(chat, first, 'One?');
			assert.equal(refused.state, 'failed');
			assert.equal(refused.explanation?.message, 'Test: The request was refused before it was sent: no-fields');
			assert.equal(bodies().length, 0);
		});
	}

	it('takes the demand to keep nothing from a model that keeps nothing, and refuses it of another', async () => {
		const chat = await open();
		await chat.choose({ retention: true });
		assert.equal((await ask(chat, first, 'One?')).state, 'done');
		await chat.choose({ model: 'planner' });
		assert.equal((await ask(chat, second, 'Two?')).state, 'failed');
		await chat.choose({ retention: false });
		assert.equal((await ask(chat, third, 'Three?')).state, 'done');
		assert.equal(bodies().length, 2);
	});
});
