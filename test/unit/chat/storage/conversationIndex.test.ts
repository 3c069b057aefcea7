import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { Conversation } from '../../../../src/chat/model/conversation.ts';
import { ConversationIndex, INDEX_FILE } from '../../../../src/chat/storage/conversationIndex.ts';
import { ConversationStore } from '../../../../src/chat/storage/conversationStore.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second] = TURN_IDS;

describe('the index of conversations', () => {
	let folder: string;
	let store: ConversationStore;

	beforeEach(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-index-'));
		store = new ConversationStore(folder, nullLogger);
	});

	afterEach(() => rm(folder, { recursive: true, force: true }));

	const write = (value: Conversation) => store.create(value).save(value);
	const asked = (question: string, id = conversation().id) => ({
		...conversation(turn(first, question, reply())),
		id,
	});
	const fresh = () => new ConversationIndex(folder, nullLogger);
	const titles = async (index = fresh()) => {
		const { conversations } = await index.list(Date.now());
		return conversations.map(({ title }) => title).sort();
	};

	it('is read again by the next window, which opens no file for what has not changed', async () => {
		await write(asked('One?'));
		await titles();
		const file = path.join(folder, INDEX_FILE);
		await writeFile(file, (await readFile(file, 'utf8')).replaceAll('One?', 'From the index?'));
		assert.deepEqual(await titles(), ['From the index?']);
		await store.rename(conversation().id, 'From the file');
		assert.deepEqual(await titles(), ['From the file']);
	});

	it('is made anew when it is missing, damaged or of another version', async () => {
		await write(asked('One?'));
		await titles();
		for (const content of [undefined, '', '{"version":1,"entries":[{"id":5}]}', '{"version":99,"entries":[]}', '[]']) {
			const file = path.join(folder, INDEX_FILE);
			await (content === undefined ? rm(file) : writeFile(file, content));
			assert.deepEqual(await titles(), ['One?'], content);
			assert.match(await readFile(file, 'utf8'), /One\?/);
		}
	});

	it('follows what was written, renamed and deleted since', async () => {
		const index = fresh();
		assert.deepEqual(await titles(index), []);
		await write(asked('One?'));
		await write(asked('Two?', second));
		assert.deepEqual(await titles(index), ['One?', 'Two?']);
		await store.rename(second, 'Named');
		assert.deepEqual(await titles(index), ['Named', 'One?']);
		await store.remove(second);
		assert.deepEqual(await titles(index), ['One?']);
		assert.deepEqual(await titles(), ['One?']);
	});

	it('is no harm where it cannot be written', async () => {
		await write(asked('One?'));
		await rm(path.join(folder, INDEX_FILE), { force: true });
		await mkdir(path.join(folder, INDEX_FILE));
		assert.deepEqual(await titles(), ['One?']);
		assert.deepEqual(
			(await readdir(folder)).filter(name => name.endsWith('.tmp')),
			[],
		);
	});

	it('has the title of a first message that is longer than what is read of a file', async () => {
		await write(asked(`A "quoted" word\\ and more ${'x'.repeat(300_000)}`));
		const { conversations } = await fresh().list(Date.now());
		assert.match(conversations[0]?.title ?? '', /^A "quoted" word\\ and more x+…$/);
	});

	it('keeps the first messages for a search, in one line', async () => {
		await write(conversation(turn(first, 'One\ntwo?', reply({ text: '# Three' })), turn(second, 'Four?', reply())));
		const { conversations } = await fresh().list(Date.now());
		assert.equal(conversations[0]?.text, 'One two? · # Three · Four? · An answer.');
	});
});
