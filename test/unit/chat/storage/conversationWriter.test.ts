import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type Clock, systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import { addTurn, type Conversation, newConversation } from '../../../../src/chat/model/conversation.ts';
import { parseConversationFile } from '../../../../src/chat/model/conversationFile.ts';
import { ConversationStore, type OpenOutcome } from '../../../../src/chat/storage/conversationStore.ts';
import { ConversationWriter } from '../../../../src/chat/storage/conversationWriter.ts';
import { reply, TURN_IDS, turn } from '../conversations.ts';

const ID = 'c0000000-0000-4000-8000-000000000002';
const FOLDERS = ['file:///home/me/widgets'];
const [first, second] = TURN_IDS;

describe('the writer of a conversation', () => {
	let folder: string;
	let store: ConversationStore;

	beforeEach(async () => {
		folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'errand-writer-')), 'conversations');
		store = new ConversationStore(folder, nullLogger);
	});

	afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

	const fileOf = (id: string) => path.join(folder, `${id}.jsonl`);
	const read = async (id: string) => parseConversationFile(await readFile(fileOf(id), 'utf8'));

	async function open(): Promise<Extract<OpenOutcome, { kind: 'opened' }>> {
		const outcome = await store.open(ID);
		assert.ok(outcome.kind === 'opened', outcome.kind);
		return outcome;
	}

	const value = newConversation(ID, 1, { folders: FOLDERS });
	const withTurn = (id: string, question: string): Conversation => addTurn(value, turn(id, question, reply()));

	it('leaves nothing but the file, and counts its revisions', async () => {
		const writer = store.create(value);
		await writer.save(value);
		await writer.save(withTurn(first, 'One?'));
		assert.deepEqual(await readdir(folder), [`${ID}.jsonl`]);
		assert.equal((await read(ID)).revision, 2);
	});

	it('writes the newest of many values, and each save holds its own or a newer one', async () => {
		const writer = store.create(value);
		const saves = Array.from({ length: 50 }, async (_, index) => {
			await writer.save({ ...value, createdAt: index });
			assert.ok((await read(ID)).conversation.createdAt >= index);
		});
		await Promise.all(saves);
		const { conversation: last, revision } = await read(ID);
		assert.equal(last.createdAt, 49);
		assert.ok(revision <= 3, `${revision} writes for saves that came together`);
	});

	it('is whole for a reader at any time', async () => {
		const writer = store.create(value);
		await writer.save(value);
		let writing = true;
		const saves = (async () => {
			for (let length = 0; length < 40; length++) {
				await writer.save(withTurn(first, 'x'.repeat(length * 5_000)));
			}
			writing = false;
		})();
		let reads = 0;
		while (writing) {
			await read(ID);
			reads++;
		}
		await saves;
		assert.ok(reads > 5, `${reads} reads`);
	});

	it('rejects when it cannot write, and writes with the next save', async () => {
		await writeFile(folder, 'a file in the way');
		const writer = store.create(value);
		await assert.rejects(writer.save(value), { code: 'EEXIST' });
		await rm(folder);
		await writer.save(value);
		assert.equal((await read(ID)).revision, 1);
	});

	it('never overwrites what another window wrote: it goes on in a file of its own', async () => {
		await store.create(value).save(value);
		const one = await open();
		const other = await open();
		let branches = 0;
		other.writer.onDidBranch(() => branches++);
		await one.writer.save(withTurn(first, 'From the one window?'));
		assert.deepEqual([await one.writer.isStale(), await other.writer.isStale()], [false, true]);
		await other.writer.save(withTurn(second, 'From the other window?'));
		await other.writer.save({ ...withTurn(second, 'From the other window?'), createdAt: 2 });
		await one.writer.save({ ...withTurn(first, 'From the one window?'), createdAt: 3 });
		assert.equal(branches, 1);
		const names = (await readdir(folder)).sort();
		assert.equal(names.length, 2);
		const branch = names.map(name => path.basename(name, '.jsonl')).find(id => id !== ID);
		assert.ok(branch);
		const kept = await read(ID);
		assert.equal(kept.conversation.turns[0]?.question, 'From the one window?');
		assert.equal(kept.conversation.createdAt, 3);
		const branched = await read(branch);
		assert.equal(branched.conversation.turns[0]?.question, 'From the other window?');
		assert.equal(branched.conversation.createdAt, 2);
		assert.equal(branched.conversation.branchedFrom, ID);
		assert.equal(branched.conversation.id, branch);
	});

	it('tells of the copy also when it could only be written at the second try', async () => {
		await store.create(value).save(value);
		let looks = 0;
		const clock: Clock = {
			...systemClock,
			now() {
				looks++;
				// The first look is for the file, the second for its copy.
				if (looks === 2) {
					rmSync(folder, { recursive: true });
					writeFileSync(folder, 'a file in the way');
				}
				return systemClock.now();
			},
		};
		const late = new ConversationWriter(folder, value, undefined, clock);
		let branches = 0;
		late.onDidBranch(() => branches++);
		await assert.rejects(late.save(value), /EEXIST|ENOTDIR/);
		assert.equal(branches, 0);
		await rm(folder);
		await store.create(value).save(value);
		await late.save(withTurn(first, 'One?'));
		assert.equal(branches, 1);
		assert.equal((await readdir(folder)).length, 2);
	});

	it('loses neither of two windows that write at the same moment', async () => {
		for (let round = 0; round < 20; round++) {
			await rm(folder, { recursive: true, force: true });
			await store.create(value).save(value);
			const [one, other] = [await open(), await open()];
			await Promise.all([
				one.writer.save(withTurn(first, 'One window?')),
				other.writer.save(withTurn(second, 'Other window?')),
			]);
			const names = await readdir(folder);
			const questions = await Promise.all(
				names.map(async name => (await read(path.basename(name, '.jsonl'))).conversation.turns[0]?.question),
			);
			assert.deepEqual(questions.sort(), ['One window?', 'Other window?']);
		}
	});

	it('keeps a title that another window gave meanwhile, and is no copy for it', async () => {
		await store.create(value).save(withTurn(first, 'One?'));
		const { writer } = await open();
		const titles: (string | undefined)[] = [];
		let branches = 0;
		writer.onDidRename(({ title }) => titles.push(title));
		writer.onDidBranch(() => branches++);
		await store.rename(ID, 'Login');
		await writer.save({ ...withTurn(first, 'One?'), createdAt: 3 });
		const { conversation, revision } = await read(ID);
		assert.deepEqual([conversation.title, conversation.createdAt, revision], ['Login', 3, 3]);
		assert.deepEqual([titles, branches], [['Login'], 0]);
		await writer.save({ ...withTurn(first, 'One?'), title: 'Login', createdAt: 4 });
		await store.rename(ID, undefined);
		await writer.save({ ...withTurn(first, 'One?'), title: 'Login', createdAt: 5 });
		assert.deepEqual([(await read(ID)).conversation.title, titles], [undefined, ['Login', undefined]]);
	});

	it('keeps a title that the model has given in another window meanwhile', async () => {
		await store.create(value).save(withTurn(first, 'One?'));
		const { writer } = await open();
		const other = await open();
		await other.writer.save({ ...withTurn(first, 'One?'), titleReply: reply({ text: 'Login' }) });
		await writer.save({ ...withTurn(first, 'One?'), createdAt: 3 });
		const { conversation } = await read(ID);
		assert.deepEqual([conversation.titleReply?.text, conversation.createdAt], ['Login', 3]);
	});

	it('lets its own title win over one that another window gave before', async () => {
		await store.create(value).save(withTurn(first, 'One?'));
		const { writer } = await open();
		await store.rename(ID, 'Theirs');
		await writer.save({ ...withTurn(first, 'One?'), title: 'Ours' });
		assert.equal((await read(ID)).conversation.title, 'Ours');
	});

	it('goes on with a file that came back from a copy with the same turns', async () => {
		const writer = store.create(value);
		await writer.save(withTurn(first, 'One?'));
		const bytes = await readFile(fileOf(ID));
		await rm(fileOf(ID));
		await writeFile(fileOf(ID), bytes);
		let branches = 0;
		writer.onDidBranch(() => branches++);
		assert.equal(await writer.isStale(), false);
		await writer.save({ ...withTurn(first, 'One?'), createdAt: 2 });
		assert.equal(branches, 0);
		assert.equal(await writer.isStale(), false);
	});

	it('takes over the lock of a window that crashed, and says nothing of another window', async () => {
		const writer = store.create(value);
		await writer.save(value);
		let branches = 0;
		writer.onDidBranch(() => branches++);
		const crashed = spawnSync(process.execPath, ['-e', '']).pid;
		const lock = path.join(folder, `${ID}.lock`);
		await writeFile(lock, JSON.stringify({ pid: crashed, host: os.hostname() }));
		await writer.save(withTurn(first, 'One?'));
		assert.equal((await read(ID)).conversation.turns.length, 1);
		assert.equal(branches, 0);
		assert.deepEqual(await readdir(folder), [`${ID}.jsonl`]);
	});

	it('writes the file again when it was removed', async () => {
		const writer = store.create(value);
		await writer.save(value);
		await rm(fileOf(ID));
		await writer.save(withTurn(first, 'One?'));
		assert.equal((await read(ID)).conversation.turns.length, 1);
	});
});
