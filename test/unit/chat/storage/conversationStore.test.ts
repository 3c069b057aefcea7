import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { systemClock } from '../../../../src/base/async.ts';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { Conversation } from '../../../../src/chat/model/conversation.ts';
import { parseConversationFile } from '../../../../src/chat/model/conversationFile.ts';
import { ConversationStore, type OpenOutcome } from '../../../../src/chat/storage/conversationStore.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const [first, second] = TURN_IDS;
const { id: ID } = conversation();
const OTHER_ID = 'c0000000-0000-4000-8000-000000000002';
const DAY = 24 * 60 * 60 * 1000;

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
	const asked = (question: string, id = ID) => ({ ...conversation(turn(first, question, reply())), id });
	const write = (value: Conversation) => store.create(value).save(value);
	const asideOf = async (id: string) => (await readdir(folder)).filter(name => name.startsWith(`${id}.jsonl.damaged-`));

	async function open(id = ID): Promise<Extract<OpenOutcome, { kind: 'opened' }>> {
		const outcome = await store.open(id);
		assert.ok(outcome.kind === 'opened', outcome.kind);
		return outcome;
	}

	it('has nothing where nothing was ever written', async () => {
		assert.deepEqual(await store.list(), { conversations: [], repairs: [], unreadable: 0, newer: 0 });
		assert.deepEqual(await store.open(ID), { kind: 'missing' });
	});

	it('gives back what was saved', async () => {
		const value = asked('One?');
		await write(value);
		assert.deepEqual((await open()).conversation, value);
	});

	it('opens no file by a name that is none of its ids', async () => {
		await write(asked('One?'));
		for (const id of [`../conversations/${ID}`, `${ID}/`, '', '..', ID.toUpperCase()]) {
			assert.deepEqual(await store.open(id), { kind: 'missing' });
			assert.equal(await store.remove(id), undefined);
		}
	});

	it('lists what was said last first, with what a list shows', async () => {
		let now = 1_000;
		const early = new ConversationStore(folder, nullLogger, { ...systemClock, now: () => now });
		for (const [question, id] of [
			['Older?', ID],
			['Newer?', OTHER_ID],
		] as const) {
			const value = asked(question, id);
			await early.create(value).save(value);
			now += 1_000;
		}
		const { conversations } = await store.list();
		assert.deepEqual(
			conversations.map(({ title, turnCount, updatedAt }) => [title, turnCount, updatedAt]),
			[
				['Newer?', 1, 2_000],
				['Older?', 1, 1_000],
			],
		);
		assert.match(conversations[0]?.text ?? '', /^Newer\? · An answer\.$/);
	});

	it('marks a reply that was streaming as cut off', async () => {
		await write(conversation(turn(first, 'One?', reply({ state: 'streaming', text: 'So f' }))));
		assert.deepEqual((await open()).conversation.turns[0]?.replies[0], reply({ state: 'cutOff', text: 'So f' }));
	});

	it('keeps its files from other users of the machine', async function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		await write(asked('One?'));
		await store.list();
		assert.equal((await stat(folder)).mode & 0o777, 0o700);
		for (const name of await readdir(folder)) {
			assert.equal((await stat(path.join(folder, name))).mode & 0o777, 0o600, name);
		}
	});

	describe('with a damaged file', () => {
		it('keeps the whole turns under its name, and all its bytes under another', async () => {
			const value = conversation(turn(first, 'One?', reply()), turn(second, 'Two?', reply()));
			await write(value);
			const damaged = (await readFile(fileOf(ID), 'utf8')).slice(0, -30);
			await writeFile(fileOf(ID), damaged);
			const { conversation: rescued, repair, writer } = await open();
			assert.deepEqual(repair, { kept: 1, expected: 2 });
			assert.deepEqual(rescued.turns, value.turns.slice(0, 1));
			const [aside] = await asideOf(ID);
			assert.ok(aside);
			assert.equal(await readFile(path.join(folder, aside), 'utf8'), damaged);
			assert.equal((await open()).repair, undefined, 'once is enough');
			await writer.save({ ...rescued, createdAt: 7 });
			assert.equal((await read(ID)).conversation.createdAt, 7);
		});

		it('sets it aside where nothing of it can be read', async () => {
			await mkdir(folder, { recursive: true });
			for (const [id, content] of [
				[OTHER_ID, ''],
				[first, 'x'.repeat(300_000)],
				[second, '\0'.repeat(1_000)],
			] as const) {
				await writeFile(fileOf(id), content);
				assert.deepEqual(await store.open(id), { kind: 'set-aside' });
				assert.deepEqual(await store.open(id), { kind: 'missing' });
				assert.equal((await asideOf(id)).length, 1);
			}
		});

		it('lists the others, and what became of it', async () => {
			await write(asked('Whole?'));
			const lost = asked('Rescued?', OTHER_ID);
			await write(lost);
			const text = await readFile(fileOf(OTHER_ID), 'utf8');
			await writeFile(fileOf(OTHER_ID), `{"version":3${text.slice(text.indexOf('\n'))}`);
			await writeFile(fileOf(first), 'nothing of ours');
			const { conversations, repairs } = await store.list();
			assert.deepEqual(conversations.map(({ title }) => title).sort(), ['Rescued?', 'Whole?']);
			assert.deepEqual(repairs.map(({ kept }) => kept).sort(), [0, 1]);
			assert.deepEqual((await store.list()).repairs, []);
		});

		it('is not misled by one that the system does not let it read', async function () {
			if (process.platform === 'win32' || process.getuid?.() === 0) {
				this.skip();
			}
			await write(asked('One?'));
			await chmod(fileOf(ID), 0);
			assert.deepEqual(await store.open(ID), { kind: 'unreadable', code: 'EACCES' });
			assert.equal((await store.list()).unreadable, 1);
			assert.deepEqual(await asideOf(ID), []);
		});
	});

	it('leaves a file of a later version where it is', async () => {
		await mkdir(folder, { recursive: true });
		const content = '{"version":99}\nanything\n';
		await writeFile(fileOf(OTHER_ID), content);
		assert.deepEqual(await store.open(OTHER_ID), { kind: 'newer' });
		assert.deepEqual(await store.list(), { conversations: [], repairs: [], unreadable: 0, newer: 1 });
		assert.equal(await readFile(fileOf(OTHER_ID), 'utf8'), content);
	});

	it('is not misled by a crash between writing and renaming, and tidies up after it', async () => {
		await write(asked('Whole?'));
		const leftover = path.join(folder, `${ID}.11111111-1111-4111-8111-111111111111.tmp`);
		await writeFile(leftover, '{"version":1,"id":');
		assert.equal((await store.list()).conversations[0]?.title, 'Whole?');
		assert.ok((await readdir(folder)).includes(path.basename(leftover)), 'it may be a write under way');
		await utimes(leftover, 1, 1);
		await store.list();
		assert.ok(!(await readdir(folder)).includes(path.basename(leftover)), 'nobody writes for that long');
	});

	it('rejects when the folder cannot be listed', async () => {
		await writeFile(folder, 'a file, not a folder');
		await assert.rejects(store.list(), { code: 'ENOTDIR' });
	});

	describe('renames', () => {
		it('without touching a turn or the time when something was last said', async () => {
			await write(asked('One?'));
			const [header, ...turns] = (await readFile(fileOf(ID), 'utf8')).split('\n');
			await store.rename(ID, 'Login');
			const [renamed, ...same] = (await readFile(fileOf(ID), 'utf8')).split('\n');
			assert.deepEqual(same, turns);
			assert.deepEqual(JSON.parse(renamed ?? ''), { ...JSON.parse(header ?? ''), title: 'Login', revision: 2 });
			assert.equal((await store.list()).conversations[0]?.title, 'Login');
			await store.rename(ID, undefined);
			assert.equal((await store.list()).conversations[0]?.title, 'One?');
		});

		it('and rejects where there is nothing to rename', async () => {
			await mkdir(folder, { recursive: true });
			await assert.rejects(store.rename(ID, 'Login'), { code: 'ENOENT' });
			assert.deepEqual(await readdir(folder), []);
		});
	});

	describe('deletes', () => {
		it('into the trash, and takes it back with all its bytes', async () => {
			await write(asked('One?'));
			const text = await readFile(fileOf(ID), 'utf8');
			const trashed = await store.remove(ID);
			assert.ok(trashed);
			assert.deepEqual((await store.list()).conversations, []);
			assert.deepEqual(await store.open(ID), { kind: 'missing' });
			assert.equal(await store.restore(trashed), ID);
			assert.equal(await readFile(fileOf(ID), 'utf8'), text);
		});

		it('and takes it back as a copy where another window has written it again', async () => {
			await write(asked('One?'));
			const trashed = await store.remove(ID);
			assert.ok(trashed);
			await write(asked('One, again?'));
			const copy = await store.restore(trashed);
			assert.notEqual(copy, ID);
			assert.equal((await open()).conversation.turns[0]?.question, 'One, again?');
			const { conversation: restored } = await open(copy);
			assert.deepEqual([restored.turns[0]?.question, restored.branchedFrom], ['One?', ID]);
		});

		it('for good only after 30 days, and tells then that it is gone', async () => {
			const later = storeOverTime();
			for (const [days, left, told] of [
				[29, 2, []],
				[30, 1, [ID]],
			] as const) {
				await rm(folder, { recursive: true, force: true });
				await write(asked('One?'));
				await write(asked('Two?', OTHER_ID));
				await later.store.remove(ID);
				await later.store.list();
				await later.live(days);
				await later.store.remove(OTHER_ID);
				assert.equal((await readdir(path.join(folder, 'trash'))).length, left);
				assert.deepEqual(later.gone, told);
			}
		});

		it('for good after 30 days that were seen, wherever the clock is set meanwhile', async () => {
			const later = storeOverTime();
			await write(asked('One?'));
			await later.store.remove(ID);
			await later.store.list();
			for (const jump of [400, -5_000, 90, 400]) {
				later.now += jump * DAY;
				await later.store.list();
			}
			// Three jumps forward were at most a day each, and the one back was none.
			await later.live(26);
			assert.deepEqual(later.gone, []);
			await later.live(1);
			assert.deepEqual(later.gone, [ID]);
			assert.deepEqual(await readdir(path.join(folder, 'trash')), []);
		});

		it('nothing for good while it cannot note how long it was there, or has lost that', async () => {
			const later = storeOverTime();
			await write(asked('One?'));
			await later.store.remove(ID);
			await later.live(29);
			await writeFile(path.join(folder, 'trash.json'), 'damaged');
			await later.live(29);
			assert.deepEqual(later.gone, []);
			await rm(path.join(folder, 'trash.json'));
			await mkdir(path.join(folder, 'trash.json'));
			await later.live(60);
			assert.deepEqual(later.gone, []);
			assert.equal((await readdir(path.join(folder, 'trash'))).length, 1);
		});

		/** A store whose list is looked at once a day. */
		function storeOverTime() {
			const gone: string[] = [];
			const time = { now: Date.now() };
			const lasting = new ConversationStore(folder, nullLogger, { ...systemClock, now: () => time.now }, id =>
				gone.push(id),
			);
			const live = async (days: number) => {
				for (let day = 0; day < days; day++) {
					time.now += DAY;
					await lasting.list();
				}
			};
			return Object.assign(time, { store: lasting, gone, live });
		}
	});
});
