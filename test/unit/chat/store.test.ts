import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type Clock, systemClock } from '../../../src/base/async.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import { ConversationWriter } from '../../../src/chat/conversationWriter.ts';
import { type Conversation, newConversation } from '../../../src/chat/model/conversation.ts';
import { parseConversationFile } from '../../../src/chat/model/conversationFile.ts';
import { ConversationStore } from '../../../src/chat/store.ts';
import { conversation, reply, TURN_IDS, turn } from './conversations.ts';

const [first, second] = TURN_IDS;
const FOLDERS = ['file:///work/widgets'];
const OTHER_ID = 'c0000000-0000-4000-8000-000000000002';

describe('the store of conversations', () => {
	let folder: string;
	let store: ConversationStore;

	beforeEach(async () => {
		folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'errand-store-')), 'conversations');
		store = new ConversationStore(folder, nullLogger);
	});

	afterEach(() => rm(path.dirname(folder), { recursive: true, force: true }));

	const fileOf = (id: string) => path.join(folder, `${id}.jsonl`);
	const read = async (id: string) => parseConversationFile(await readFile(fileOf(id), 'utf8'));
	const asked = (question: string) => conversation(turn(first, question, reply()));

	/** Writes a conversation as another window would have, at a time of its own. */
	async function write(value: Conversation, modified: number): Promise<void> {
		await store.create(value).save(value);
		await utimes(fileOf(value.id), modified, modified);
	}

	async function open(folders = FOLDERS): Promise<{ conversation: Conversation; writer: ConversationWriter }> {
		const { opened } = await store.openNewest(folders);
		assert.ok(opened);
		return opened;
	}

	it('finds nothing where nothing was ever written', async () => {
		assert.deepEqual(await store.openNewest(FOLDERS), { setAside: [], unreadable: [] });
	});

	it('gives back what was saved', async () => {
		const value = asked('One?');
		await write(value, 1_000);
		assert.deepEqual((await open()).conversation, value);
	});

	it('opens the newest conversation of exactly these folders', async () => {
		await write(asked('Older?'), 1_000);
		await write({ ...asked('Newer?'), id: OTHER_ID }, 2_000);
		await write({ ...asked('Elsewhere?'), id: first, workspace: { folders: ['file:///other'] } }, 3_000);
		await write({ ...asked('Both?'), id: second, workspace: { folders: [...FOLDERS, 'file:///other'] } }, 4_000);
		assert.equal((await open()).conversation.turns[0]?.question, 'Newer?');
		assert.equal((await open(['file:///other', ...FOLDERS])).conversation.turns[0]?.question, 'Both?');
		assert.equal((await store.openNewest([])).opened, undefined);
	});

	it('marks a reply that was streaming as cut off', async () => {
		await write(conversation(turn(first, 'One?', reply({ state: 'streaming', text: 'So f' }))), 1_000);
		assert.deepEqual((await open()).conversation.turns[0]?.replies[0], reply({ state: 'cutOff', text: 'So f' }));
	});

	it('keeps its files from other users of the machine', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		await write(asked('One?'), 1_000);
		assert.equal((await stat(folder)).mode & 0o777, 0o700);
		assert.equal((await stat(fileOf(conversation().id))).mode & 0o777, 0o600);
	});

	it('sets a damaged file aside with all its bytes, says so, and opens the next', async () => {
		await write({ ...asked('Whole?'), id: OTHER_ID }, 1_000);
		await write(asked('Damaged?'), 2_000);
		const { id } = conversation();
		const damaged = (await readFile(fileOf(id), 'utf8')).slice(0, -30);
		await writeFile(fileOf(id), damaged);
		const { opened, setAside } = await store.openNewest(FOLDERS);
		assert.equal(opened?.conversation.turns[0]?.question, 'Whole?');
		assert.deepEqual(setAside, [`${id}.jsonl`]);
		const names = await readdir(folder);
		const aside = names.find(name => name.startsWith(`${id}.jsonl.damaged-`));
		assert.ok(aside);
		assert.equal(await readFile(path.join(folder, aside), 'utf8'), damaged);
		assert.deepEqual((await store.openNewest(FOLDERS)).setAside, [], 'once is enough');
	});

	it('sets aside an empty file, a long one without lines, and one under the wrong name', async () => {
		await mkdir(folder, { recursive: true });
		const value = asked('One?');
		await write(value, 1_000);
		await writeFile(fileOf(OTHER_ID), await readFile(fileOf(value.id)));
		await writeFile(fileOf(first), '');
		await writeFile(fileOf(second), 'x'.repeat(300_000));
		// The whole one is the oldest, so that the others are looked at before it.
		await utimes(fileOf(value.id), 1, 1);
		const { opened, setAside } = await store.openNewest(FOLDERS);
		assert.equal(opened?.conversation.turns[0]?.question, 'One?');
		assert.deepEqual([...setAside].sort(), [OTHER_ID, first, second].map(id => `${id}.jsonl`).sort());
	});

	it('leaves a file of a later version where it is', async () => {
		await mkdir(folder, { recursive: true });
		const content = '{"version":2}\nanything\n';
		await writeFile(fileOf(OTHER_ID), content);
		assert.deepEqual(await store.openNewest(FOLDERS), { setAside: [], unreadable: [] });
		assert.equal(await readFile(fileOf(OTHER_ID), 'utf8'), content);
	});

	it('is not misled by a crash between writing and renaming', async () => {
		await write(asked('Whole?'), 1_000);
		const { id } = conversation();
		const leftover = path.join(folder, `${id}.11111111-1111-4111-8111-111111111111.tmp`);
		await writeFile(leftover, '{"version":1,"id":');
		assert.equal((await open()).conversation.turns[0]?.question, 'Whole?');
		assert.ok((await readdir(folder)).includes(path.basename(leftover)), 'it may be a write under way');
		await utimes(leftover, 1, 1);
		const { conversation: value, writer } = await open();
		assert.ok(!(await readdir(folder)).includes(path.basename(leftover)), 'nobody writes for that long');
		await writer.save({ ...value, turns: [...value.turns, turn(second, 'Two?', reply())] });
		assert.equal((await read(id)).conversation.turns.length, 2);
	});

	it('goes on after a crash that left a lock behind', async () => {
		await write(asked('Whole?'), 1_000);
		const { id } = conversation();
		const lock = path.join(folder, `${id}.lock`);
		await writeFile(lock, '');
		await utimes(lock, 1, 1);
		const { conversation: value, writer } = await open();
		await writer.save(value);
		assert.equal((await read(id)).revision, 2);
	});

	it('rejects when the folder cannot be listed', async () => {
		await mkdir(path.dirname(folder), { recursive: true });
		await writeFile(folder, 'a file, not a folder');
		await assert.rejects(store.openNewest(FOLDERS), { code: 'ENOTDIR' });
	});

	describe('writing', () => {
		const value = newConversation(OTHER_ID, 1, { folders: FOLDERS });
		const withTurn = (id: string, question: string): Conversation => ({
			...value,
			turns: [...value.turns, turn(id, question, reply())],
		});

		it('leaves nothing but the file, and counts its revisions', async () => {
			const writer = store.create(value);
			await writer.save(value);
			await writer.save(withTurn(first, 'One?'));
			assert.deepEqual(await readdir(folder), [`${OTHER_ID}.jsonl`]);
			assert.equal((await read(OTHER_ID)).revision, 2);
		});

		it('writes the newest of many values, and each save holds its own or a newer one', async () => {
			const writer = store.create(value);
			const saves = Array.from({ length: 50 }, async (_, index) => {
				await writer.save({ ...value, createdAt: index });
				assert.ok((await read(OTHER_ID)).conversation.createdAt >= index);
			});
			await Promise.all(saves);
			const { conversation: last, revision } = await read(OTHER_ID);
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
				await read(OTHER_ID);
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
			assert.equal((await read(OTHER_ID)).revision, 1);
		});

		it('never overwrites what another window wrote: it goes on in a file of its own', async () => {
			await store.create(value).save(value);
			const one = await open();
			const other = await open();
			let branches = 0;
			other.writer.onDidBranch(() => branches++);
			await one.writer.save(withTurn(first, 'From the one window?'));
			await other.writer.save(withTurn(second, 'From the other window?'));
			await other.writer.save({ ...withTurn(second, 'From the other window?'), createdAt: 2 });
			await one.writer.save({ ...withTurn(first, 'From the one window?'), createdAt: 3 });
			assert.equal(branches, 1);
			const names = (await readdir(folder)).sort();
			assert.equal(names.length, 2);
			const branch = names.map(name => path.basename(name, '.jsonl')).find(id => id !== OTHER_ID);
			assert.ok(branch);
			const kept = await read(OTHER_ID);
			assert.equal(kept.conversation.turns[0]?.question, 'From the one window?');
			assert.equal(kept.conversation.createdAt, 3);
			const branched = await read(branch);
			assert.equal(branched.conversation.turns[0]?.question, 'From the other window?');
			assert.equal(branched.conversation.createdAt, 2);
			assert.equal(branched.conversation.branchedFrom, OTHER_ID);
			assert.equal(branched.conversation.id, branch);
		});

		it('tells of the copy also when it could only be written at the second try', async () => {
			await store.create(value).save(value);
			await writeFile(path.join(folder, `${OTHER_ID}.lock`), '');
			let looks = 0;
			const clock: Clock = {
				...systemClock,
				now() {
					// The first look sets the deadline for the lock; at the second it is over, and the folder is gone.
					looks++;
					if (looks === 3) {
						rmSync(folder, { recursive: true });
						writeFileSync(folder, 'a file in the way');
					}
					return looks * 10_000;
				},
			};
			const writer = new ConversationWriter(folder, value, undefined, clock);
			let branches = 0;
			writer.onDidBranch(() => branches++);
			await assert.rejects(writer.save(value), { code: 'EEXIST' });
			assert.equal(branches, 0);
			await rm(folder);
			await store.create(value).save(value);
			await writer.save(withTurn(first, 'One?'));
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

		it('does not wait for ever for a lock that another window holds', async () => {
			await store.create(value).save(value);
			const { writer } = await open();
			await writeFile(path.join(folder, `${OTHER_ID}.lock`), '');
			let branches = 0;
			writer.onDidBranch(() => branches++);
			await writer.save(withTurn(first, 'One?'));
			assert.equal(branches, 1);
			assert.equal((await read(OTHER_ID)).conversation.turns.length, 0, 'the held file is untouched');
		});

		it('writes the file again when somebody removed it', async () => {
			const writer = store.create(value);
			await writer.save(value);
			await rm(fileOf(OTHER_ID));
			await writer.save(withTurn(first, 'One?'));
			assert.equal((await read(OTHER_ID)).conversation.turns.length, 1);
		});
	});
});
