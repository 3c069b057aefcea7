import assert from 'node:assert/strict';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { Chat } from '../../../../src/chat/conversation/chat.ts';
import type { OpenConversations } from '../../../../src/chat/conversation/openConversations.ts';
import { findTurn, type Reply } from '../../../../src/chat/model/conversation.ts';
import { type ImageProblem, MAXIMUM_KEPT_BYTES } from '../../../../src/chat/model/images.ts';
import { toTurnView } from '../../../../src/chat/protocol/toView.ts';
import { ConversationStore } from '../../../../src/chat/storage/conversationStore.ts';
import { ImageStore } from '../../../../src/chat/storage/imageStore.ts';
import { demoImage } from '../../../../src/service/inference/demo/demoImage.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { TURN_IDS } from '../conversations.ts';
import { stream, type TestService } from '../testService.ts';
import { replyEnded, replyOf, useTestWindows } from '../testWindows.ts';

const [first, second, third] = TURN_IDS;
const ADDRESS = 'https://images.example/fox.png?signature=a%2Fb';

describe('what a message asks for', () => {
	const windows = useTestWindows();
	let service: TestService;
	let folder: string;
	let conversations: OpenConversations;
	let images: ImageStore;
	let fetched: string[];
	let problem: ImageProblem | undefined;
	/** Images come no sooner. */
	let held: Promise<void> | undefined;

	beforeEach(() => {
		({ service, folder } = windows);
		fetched = [];
		problem = undefined;
		held = undefined;
		images = new ImageStore(
			folder,
			async url => {
				fetched.push(url);
				await held;
				return problem ? { kind: 'refused', problem } : { kind: 'loaded', bytes: demoImage(url) };
			},
			nullLogger,
		);
	});

	async function open(models = { search: 'acme-search', image: 'painter' } as object): Promise<Chat> {
		windows.modes = models;
		conversations = await windows.open({ chat: { storage: { images, unsent: service.unsent } } });
		return conversations.shown;
	}

	const asked = async (chat: Chat, turn: string, text: string): Promise<Reply> => {
		assert.equal(await chat.send(turn, text), undefined);
		return ended(chat, turn);
	};
	const ended = async (chat: Chat, id: string): Promise<Reply> => {
		await replyEnded(chat);
		return replyOf(chat, id);
	};
	const models = () => service.requests.map(request => (request as unknown as { model: string }).model);
	const viewOf = (chat: Chat, id: string) => {
		const turn = findTurn(chat.conversation, id);
		assert.ok(turn);
		return toTurnView(chat.conversation, turn, chat.live);
	};

	function answerWithSources(response: ServerResponse): void {
		response.writeHead(200, { 'content-type': 'text/event-stream' });
		const send = (delta: object, others = {}) =>
			response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, ...others }] })}\n\n`);
		send({ content: 'It is so.' });
		const cited = { url: 'https://a.example/', title: 'A', content: 'So it is.', start_index: 0, end_index: 9 };
		send({ annotations: [{ type: 'url_citation', url_citation: cited }] });
		send({}, { finish_reason: 'stop' });
		response.end('data: [DONE]\n\n');
	}

	const answerWithImage =
		(content = ADDRESS) =>
		(response: ServerResponse) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const message = { role: 'assistant', content };
			const usage = { prompt_tokens: 0, completion_tokens: 0 };
			response.end(
				JSON.stringify({ model: 'painter:0f1e2d', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
			);
		};

	describe('search', () => {
		it('is asked of the search model with the history, and keeps its sources', async () => {
			const chat = await open();
			await asked(chat, first, 'One?');
			service.answer = answerWithSources;
			const reply = await asked(chat, second, '/search is it so?');
			assert.deepEqual(models(), ['demo', 'acme-search']);
			assert.deepEqual(
				service.requests[1]?.messages.map(({ content }) => content),
				['One?', 'An answer.', 'is it so?'],
			);
			assert.deepEqual(reply.sources, [
				{ url: 'https://a.example/', title: 'A', excerpt: 'So it is.', start: 0, end: 9 },
			]);
			assert.deepEqual(viewOf(chat, second).reply.citations?.marks, [{ position: 9, number: 1, start: 0 }]);
			await conversations.close();
			const again = await open();
			assert.deepEqual(findTurn(again.conversation, second), findTurn(chat.conversation, second));
		});

		it('goes to the search model’s own path with the policy, parameters and instructions, and without alternates', async () => {
			service.defaults = {
				routing: { only: ['a'] },
				retention: true,
				parameters: { temperature: 0 },
				instructions: 'Be short.',
			};
			service.answer = answerWithSources;
			const chat = await open();
			await chat.choose({ models: ['other'] });
			await asked(chat, first, '/search is it so?');
			assert.deepEqual(service.paths, ['/v1/chat/completions']);
			assert.deepEqual(service.requests[0], {
				model: 'acme-search',
				messages: [
					{ role: 'system', content: 'Be short.' },
					{ role: 'user', content: 'is it so?' },
				],
				provider: { only: ['a'], zdr: true },
				temperature: 0,
				stream: true,
			});
		});

		it('is what the turn keeps asking for: again, changed, and continued', async () => {
			const chat = await open();
			service.answer = response => {
				stream(response, ['Half. '], false);
				setImmediate(() => response.destroy());
			};
			await asked(chat, first, '/search is it so?');
			service.answer = answerWithSources;
			await chat.continue(first);
			const continued = await ended(chat, first);
			assert.equal(continued.text, 'Half. It is so.');
			assert.deepEqual(viewOf(chat, first).reply.citations?.marks, [{ position: 15, number: 1, start: 6 }]);
			await chat.retry(first);
			await ended(chat, first);
			await chat.edit(first, second, 'is it really so?');
			await ended(chat, second);
			assert.deepEqual(models(), Array(4).fill('acme-search'));
			assert.equal(findTurn(chat.conversation, second)?.mode, 'search');
			await chat.edit(second, third, '/chat is it really so?');
			await ended(chat, third);
			assert.equal(models().at(-1), 'demo');
		});

		it('is refused where the connection has no such model, and with nothing to search for', async () => {
			const chat = await open({});
			assert.deepEqual(await chat.send(first, '/search x'), { reason: 'no-mode', mode: 'search' });
			assert.deepEqual(await chat.send(first, '/image x'), { reason: 'no-mode', mode: 'image' });
			assert.deepEqual(await chat.send(first, '/search  '), { reason: 'empty' });
			assert.equal(service.requests.length, 0);
			assert.equal(chat.conversation.turns.length, 0);
		});
	});

	describe('in its conversation', () => {
		it('is the mode that was chosen, which the file keeps, unless a message says otherwise', async () => {
			const chat = await open();
			service.answer = answerWithSources;
			await chat.setMode('search');
			await asked(chat, first, 'is it so?');
			service.answer = response => stream(response, ['No.'], true);
			await asked(chat, second, '/chat and now?');
			await asked(chat, third, '//search is a command');
			assert.deepEqual(models(), ['acme-search', 'demo', 'acme-search']);
			assert.equal(findTurn(chat.conversation, third)?.question, '/search is a command');
			await conversations.close();
			assert.equal((await open()).mode, 'search');
			await conversations.shown.setMode('chat');
			await conversations.close();
			assert.equal((await open()).mode, 'chat');
		});
	});

	describe('an image', () => {
		it('is asked for by its prompt alone, and kept with the conversation', async () => {
			const chat = await open();
			await asked(chat, first, 'One?');
			service.answer = answerWithImage();
			const reply = await asked(chat, second, '/image a fox');
			assert.deepEqual(service.requests[1]?.messages, [{ role: 'user', content: 'a fox' }]);
			assert.deepEqual([reply.state, reply.text, reply.model], ['done', ADDRESS, 'painter:0f1e2d']);
			assert.deepEqual(fetched, [ADDRESS]);
			assert.ok(reply.image && 'file' in reply.image);
			assert.deepEqual(await images.read(chat.conversation.id, reply.image.file), demoImage(ADDRESS));
			const view = viewOf(chat, second);
			assert.deepEqual(
				[view.mode, view.reply.text, view.reply.image],
				['image', '', { file: reply.image.file, width: 256, height: 256 }],
			);
			// Later messages go without it: its address says nothing to a language model.
			service.answer = response => stream(response, ['Fine.'], true);
			await asked(chat, third, 'Two?');
			assert.deepEqual(
				service.requests[2]?.messages.map(({ content }) => content),
				['One?', 'An answer.', 'Two?'],
			);
		});

		it('that cannot be had says why, and may come once more', async () => {
			const chat = await open();
			problem = 'unreachable';
			service.answer = answerWithImage();
			await asked(chat, first, '/image a fox');
			assert.deepEqual(viewOf(chat, first).reply.image, { problem: 'unreachable', canReload: true });
			problem = undefined;
			await chat.reloadImage(first);
			assert.ok('file' in (viewOf(chat, first).reply.image ?? {}));
			assert.equal(service.requests.length, 1);
		});

		it('that comes once more takes no newer one away', async () => {
			const chat = await open();
			problem = 'unreachable';
			service.answer = answerWithImage();
			await asked(chat, first, '/image a fox');
			problem = undefined;
			const gate = Promise.withResolvers<void>();
			held = gate.promise;
			const reloading = chat.reloadImage(first);
			await waitFor('the image to be asked for', () => fetched.length === 2);
			held = undefined;
			const newer = 'https://images.example/newer.png';
			service.answer = answerWithImage(newer);
			await chat.retry(first);
			assert.equal((await ended(chat, first)).text, newer);
			gate.resolve();
			await reloading;
			const replies = findTurn(chat.conversation, first)?.replies ?? [];
			assert.deepEqual(
				replies.map(({ text, image }) => [text, image && 'file' in image]),
				[
					[ADDRESS, true],
					[newer, true],
				],
			);
		});

		it('that is none is not shown', async () => {
			const chat = await open();
			for (const [turn, kind] of [
				[first, 'private'],
				[second, 'type'],
			] as const) {
				problem = kind;
				service.answer = answerWithImage();
				await asked(chat, turn, '/image a fox');
				assert.deepEqual(viewOf(chat, turn).reply.image, { problem: kind, canReload: false });
			}
			service.answer = answerWithImage('Sorry, no.');
			const reply = await asked(chat, third, '/image a fox');
			assert.equal(reply.state, 'failed');
			assert.equal(viewOf(chat, third).reply.image, undefined);
		});

		it('is not asked for with context, which an image model would not be told', async () => {
			const chat = await open();
			const context = { attachments: [{ kind: 'selection', label: 'a.ts', text: 'x' }] } as const;
			assert.deepEqual(await chat.send(first, '/image a fox', context), { reason: 'image-context' });
			assert.equal(service.requests.length, 0);
		});

		it('does not go to an agent, which is told texts alone', async () => {
			const chat = await open();
			const image = { file: `${'a'.repeat(64)}.png`, type: 'image/png' as const, bytes: 1, width: 1, height: 1 };
			const context = { attachments: [{ kind: 'image', label: 'fox.png', text: '', image }] } as const;
			assert.deepEqual(await chat.send(first, '/agent draw it', context), { reason: 'agent-images' });
			assert.equal(chat.conversation.turns.length, 0);
		});

		it('is not continued, and keeps the earlier one when it cannot be made again', async () => {
			const chat = await open();
			service.answer = answerWithImage();
			await asked(chat, first, '/image a fox');
			const before = viewOf(chat, first).reply.image;
			assert.deepEqual(await chat.continue(first), { reason: 'image' });
			service.answer = response => response.writeHead(500).end();
			await chat.retry(first);
			const failed = await ended(chat, first);
			assert.equal(failed.state, 'failed');
			assert.deepEqual(viewOf(chat, first).reply.image, before);
			assert.equal(viewOf(chat, first).reply.canContinue, false);
		});

		it('is refused before it is paid for where the conversation keeps as many as it may', async () => {
			const chat = await open();
			service.answer = answerWithImage();
			await asked(chat, first, '/image a fox');
			const kept = path.join(folder, 'images', chat.conversation.id, 'large');
			await writeFile(kept, '');
			await truncate(kept, MAXIMUM_KEPT_BYTES);
			assert.deepEqual(await chat.send(second, '/image a bear'), { reason: 'images-full' });
			assert.equal(service.requests.length, 1);
		});

		it('goes into the trash with its conversation and comes back with it', async () => {
			const chat = await open();
			service.answer = answerWithImage();
			const { image } = await asked(chat, first, '/image a fox');
			await chat.idle();
			const { id } = chat.conversation;
			const file = image && 'file' in image ? image.file : '';
			const deletion = await conversations.delete(id);
			assert.ok(deletion);
			assert.equal(await images.read(id, file), undefined);
			assert.deepEqual(await readdir(path.join(folder, 'images')), []);
			await conversations.restore(deletion);
			assert.ok(await images.read(id, file));
		});

		it('is gone for good with the trash', async () => {
			const chat = await open();
			service.answer = answerWithImage();
			await asked(chat, first, '/image a fox');
			await chat.idle();
			let now = Date.now();
			const store = new ConversationStore(folder, nullLogger, { ...systemClock, now: () => now });
			await store.remove(chat.conversation.id);
			assert.equal((await readdir(path.join(folder, 'trash'))).length, 2);
			for (let day = 0; day <= 30; day++) {
				await store.list();
				now += 24 * 60 * 60 * 1000;
			}
			const other = await open();
			service.answer = response => stream(response, ['Fine.'], true);
			await asked(other, second, 'One?');
			await other.idle();
			await store.remove(other.conversation.id);
			assert.equal((await readdir(path.join(folder, 'trash'))).length, 1);
		});

		it('that was changed on the disk is not shown', async () => {
			const chat = await open();
			service.answer = answerWithImage();
			const { image } = await asked(chat, first, '/image a fox');
			const file = image && 'file' in image ? image.file : '';
			await writeFile(path.join(folder, 'images', chat.conversation.id, file), '<svg/>');
			assert.equal(await images.read(chat.conversation.id, file), undefined);
		});
	});
});
