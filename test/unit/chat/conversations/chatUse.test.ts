import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nullLogger } from '../../../../src/base/logger.ts';
import { readChatUse } from '../../../../src/chat/conversations/chatUse.ts';
import type { Conversation, Reply } from '../../../../src/chat/model/conversation.ts';
import { ConversationStore } from '../../../../src/chat/storage/conversationStore.ts';
import { FILE_EXTENSION } from '../../../../src/chat/storage/conversationWriter.ts';
import { conversation, reply, TURN_IDS, turn } from '../conversations.ts';

const NOVEMBER = new Date(2026, 10, 2).getTime();
const DECEMBER = new Date(2026, 11, 2).getTime();
const usage = { prompt: 100, completion: 10 };
const paid = (others: Partial<Reply> = {}): Reply =>
	reply({
		startedAt: NOVEMBER,
		connection: 'acme',
		model: 'small',
		provider: 'alpha',
		usage,
		cost: { usd: 0.5 },
		...others,
	});

describe('what the chat has used', () => {
	let folder: string;
	let store: ConversationStore;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-chat-use-'));
		store = new ConversationStore(folder, nullLogger);
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	async function keep(replies: [Reply, ...Reply[]], others: Partial<Conversation> = {}): Promise<void> {
		const value = { ...conversation(turn(TURN_IDS[0], 'Why?', ...replies)), ...others, id: randomUUID() };
		await store.create(value).save(value);
	}

	it('is added up over all conversations, by connection, month, model and provider', async () => {
		await keep([paid(), paid({ provider: 'beta' })]);
		await keep([paid(), paid({ startedAt: DECEMBER }), paid({ connection: 'other' })]);
		const { used, unreadable } = await readChatUse(store);
		assert.equal(unreadable, 0);
		const acme = used.find(({ connection }) => connection === 'acme');
		const november = acme?.months.find(({ month }) => month === '2026-11');
		assert.deepEqual(
			november?.parts.toSorted((one, other) => String(one.provider).localeCompare(String(other.provider))),
			[
				{
					model: 'small',
					provider: 'alpha',
					count: 2,
					inputTokens: 200,
					outputTokens: 20,
					cost: { known: 'whole', dollars: 1, isEstimated: false },
				},
				{
					model: 'small',
					provider: 'beta',
					count: 1,
					inputTokens: 100,
					outputTokens: 10,
					cost: { known: 'whole', dollars: 0.5, isEstimated: false },
				},
			],
		);
		assert.deepEqual(acme?.months.map(({ month }) => month).sort(), ['2026-11', '2026-12']);
		assert.equal(used.find(({ connection }) => connection === 'other')?.months[0]?.parts[0]?.count, 1);
	});

	it('tells replies without a price apart, and those of which the least is known', async () => {
		const { cost: _, ...unpriced } = paid();
		await keep([paid(), unpriced, paid({ cost: { usd: 0.25, atLeast: true } })]);
		const { used } = await readChatUse(store);
		const parts = used[0]?.months[0]?.parts ?? [];
		assert.deepEqual(
			parts.map(({ cost }) => cost).sort((one, other) => one.known.localeCompare(other.known)),
			[{ known: 'nothing' }, { known: 'part', dollars: 0.25 }, { known: 'whole', dollars: 0.5, isEstimated: false }],
		);
	});

	it('has replies that are no longer shown, and not those that brought nothing', async () => {
		const { usage: _, cost: __, ...refused } = paid({ state: 'failed', text: '' });
		await keep([paid(), refused, paid()]);
		const { used } = await readChatUse(store);
		assert.equal(used[0]?.months[0]?.parts[0]?.count, 2);
	});

	it('takes the connection of an encrypted conversation, and has none where none was written down', async () => {
		const { connection: _, ...old } = paid();
		await keep([old]);
		await keep([old], { encryption: { connection: 'sealed' } });
		const { used } = await readChatUse(store);
		assert.deepEqual(used.map(({ connection }) => connection).sort(), ['sealed', undefined]);
	});

	it('says how many conversations cannot be read, and adds up the others', async () => {
		await keep([paid()]);
		mkdirSync(path.join(folder, `${randomUUID()}${FILE_EXTENSION}`));
		const { used, unreadable } = await readChatUse(store);
		assert.equal(unreadable, 1);
		assert.equal(used[0]?.months[0]?.parts[0]?.count, 1);
	});

	it('is nothing where no conversation was ever kept', async () => {
		const none = new ConversationStore(path.join(folder, 'missing'), nullLogger);
		assert.deepEqual(await readChatUse(none), { used: [], unreadable: 0 });
	});
});
