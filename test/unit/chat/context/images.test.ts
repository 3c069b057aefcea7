import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { nullLogger } from '../../../../src/base/logger.ts';
import { imageTokens } from '../../../../src/base/tokens.ts';
import type { Attachment } from '../../../../src/chat/model/attachment.ts';
import { sourceKey } from '../../../../src/chat/model/contextSource.ts';
import { MAXIMUM_IMAGE_BYTES, readAttachedImage } from '../../../../src/chat/model/images.ts';
import { attachmentTokens } from '../../../../src/chat/model/measure.ts';
import { toTurnView } from '../../../../src/chat/protocol/toView.ts';
import { ImageStore } from '../../../../src/chat/storage/imageStore.ts';
import { demoImage } from '../../../../src/service/inference/demo/demoImage.ts';
import { TURN_IDS } from '../conversations.ts';
import type { TestService } from '../testService.ts';
import { replyEnded, replyOf, useTestWindows } from '../testWindows.ts';

const [first, second, third] = TURN_IDS;

describe('an image that goes with a message', () => {
	const windows = useTestWindows();
	let service: TestService;
	let store: ImageStore;

	beforeEach(() => {
		({ service } = windows);
		store = new ImageStore(windows.folder, async () => ({ kind: 'refused', problem: 'type' }), nullLogger);
		assert.ok(service.connection);
		service.connection.models = [
			{ id: 'demo', kinds: ['chat'], images: true },
			{ id: 'blind', kinds: ['chat'], images: false },
			{ id: 'unknown', kinds: ['chat'] },
		];
	});

	const open = async () =>
		(await windows.open({ chat: { storage: { images: store, unsent: windows.service.unsent } } })).shown;
	const attach = async (conversation: string, words: string, size?: number): Promise<Attachment> => {
		const png = demoImage(words);
		const bytes = size === undefined ? png : Buffer.concat([png, Buffer.alloc(size - png.length)]);
		const found = readAttachedImage(bytes);
		assert.ok('type' in found);
		const file = await store.keep(conversation, bytes);
		assert.ok(file !== undefined);
		return { kind: 'image', label: `${words}.png`, text: '', image: { ...found, file } };
	};
	const contents = () => service.requests.at(-1)?.messages.map(({ content }) => content as unknown) ?? [];

	it('is sent as data behind its question, and again with what follows', async () => {
		const chat = await open();
		const fox = await attach(chat.conversation.id, 'fox');
		assert.equal(await chat.send(first, 'What is it?', { attachments: [fox] }), undefined);
		await replyEnded(chat);
		const url = `data:image/png;base64,${Buffer.from(demoImage('fox')).toString('base64')}`;
		const question = contents()[0] as [{ text: string }, unknown];
		assert.match(question[0].text, /\n\nImage: `fox\.png`\n\nWhat is it\?$/);
		assert.deepEqual(question[1], { type: 'image_url', image_url: { url } });
		await chat.send(second, 'And now?');
		await replyEnded(chat);
		assert.deepEqual(contents()[0], question);
		assert.equal(contents()[2], 'And now?');
	});

	it('is in the file by its name alone, and there again in another window', async () => {
		const chat = await open();
		const fox = await attach(chat.conversation.id, 'fox');
		await chat.send(first, 'What is it?', { attachments: [fox] });
		await replyEnded(chat);
		await chat.idle();
		const [saved] = await windows.onDisk();
		assert.deepEqual(saved?.turns[0]?.attachments, [fox]);
		assert.doesNotMatch(JSON.stringify(saved), /base64/);
		const [turn] = chat.conversation.turns;
		assert.ok(turn && fox.image);
		const { file, width, height, bytes } = fox.image;
		assert.deepEqual(toTurnView(chat.conversation, turn, undefined).attachments?.[0], {
			kind: 'image',
			label: 'fox.png',
			length: 0,
			tokens: imageTokens(fox.image),
			image: { file, width, height, bytes },
		});
	});

	it('is sent where the connection does not say whether the model takes it', async () => {
		const chat = await open();
		await chat.choose({ model: 'unknown' });
		await chat.send(first, 'What is it?', { attachments: [await attach(chat.conversation.id, 'fox')] });
		await replyEnded(chat);
		assert.equal(service.requests.length, 1);
		assert.match(JSON.stringify(contents()), /image_url/);
	});

	it('is refused before anything is sent where the connection says that the model takes none', async () => {
		const chat = await open();
		await chat.choose({ model: 'blind' });
		await chat.send(first, 'What is it?', { attachments: [await attach(chat.conversation.id, 'fox')] });
		await replyEnded(chat);
		assert.equal(service.requests.length, 0);
		assert.match(replyOf(chat, first).explanation?.message ?? '', /before it was sent: no-images/);
		await chat.choose({ model: 'demo' });
		await chat.retry(first);
		await replyEnded(chat);
		assert.equal(service.requests.length, 1);
	});

	it('is refused where it is gone, or where all of them are more than a request carries', async () => {
		const chat = await open();
		const fox = await attach(chat.conversation.id, 'fox');
		await rm(path.join(windows.folder, 'images'), { recursive: true });
		await chat.send(first, 'What is it?', { attachments: [fox] });
		await replyEnded(chat);
		assert.match(replyOf(chat, first).explanation?.message ?? '', /before it was sent: image-gone/);
		const window = await windows.open({ chat: { storage: { images: store, unsent: windows.service.unsent } } });
		await window.showNew();
		const other = window.shown;
		const theirs = await Promise.all(['a', 'b', 'c'].map(words => attach(other.conversation.id, words, 4_000_000)));
		await other.send(first, 'What are they?', { attachments: theirs });
		await replyEnded(other);
		assert.match(replyOf(other, first).explanation?.message ?? '', /before it was sent: images-too-large/);
		assert.equal(service.requests.length, 0);
	});

	it('counts each time that a message carries it', async () => {
		const chat = await open();
		const fox = await attach(chat.conversation.id, 'fox', 4_000_000);
		for (const turn of TURN_IDS.slice(0, 3)) {
			await chat.send(turn, 'What is it?', { attachments: [fox] });
			await replyEnded(chat);
		}
		assert.equal(service.requests.length, 2);
		assert.match(replyOf(chat, TURN_IDS[2]).explanation?.message ?? '', /before it was sent: images-too-large/);
	});

	it('is there where another window wrote, and the conversation goes on as a copy', async () => {
		const one = await open();
		await one.send(first, 'One?');
		await replyEnded(one);
		await one.close();
		const [left, right] = [await open(), await open()];
		await left.send(second, 'Left?');
		await replyEnded(left);
		const fox = await attach(right.conversation.id, 'fox', 4_000_000);
		await right.send(third, 'What is it?', { attachments: [fox] });
		await replyEnded(right);
		assert.deepEqual(right.notice, { kind: 'branched' });
		assert.equal(replyOf(right, third).explanation, undefined);
		assert.equal((contents().at(-1) as unknown[])[1] !== undefined, true);
	});

	it('is known by its bytes, and counts with its tokens', async () => {
		assert.deepEqual(readAttachedImage(Buffer.from('<svg></svg>')), { problem: 'no-image' });
		assert.deepEqual(readAttachedImage(Buffer.alloc(MAXIMUM_IMAGE_BYTES + 1)), { problem: 'too-large' });
		const image = { file: 'a'.repeat(64), type: 'image/png' as const, width: 750, height: 10, bytes: 1 };
		assert.ok(attachmentTokens({ kind: 'image', label: 'a', text: '', image }) > 10);
		const source = { kind: 'image' as const, label: 'a', image };
		assert.equal(sourceKey(source), sourceKey({ ...source, label: 'b' }));
		assert.notEqual(sourceKey(source), sourceKey({ ...source, image: { ...image, file: 'b'.repeat(64) } }));
	});
});
