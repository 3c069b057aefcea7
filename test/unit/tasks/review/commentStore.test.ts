import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SharedState } from '../../../../src/platform/sharedState.ts';
import type { CommentPlace, ReviewThread } from '../../../../src/tasks/model/reviewComment.ts';
import { CommentStore } from '../../../../src/tasks/review/commentStore.ts';

const place: CommentPlace = {
	resultKey: 'task',
	taskId: 'task',
	side: 'after',
	directory: '/repository',
	path: 'src/a.ts',
	object: 'a'.repeat(40),
	firstLine: 2,
	lastLine: 3,
	quote: ['two', 'three'],
};

describe('the comments of a workspace', () => {
	let folder: string;
	let store: CommentStore;
	let changed: string[];

	const open = () => new CommentStore(new SharedState(folder, { log() {} }));
	const textsOf = (from: CommentStore) =>
		from.threads('task').map(({ comments }) => comments.map(({ text, isSent }) => (isSent ? `${text} (sent)` : text)));

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-comments-'));
		store = open();
		changed = [];
		store.onDidChange(id => changed.push(id));
	});

	afterEach(() => {
		store.dispose();
		rmSync(folder, { recursive: true });
	});

	async function begin(text: string, from = store): Promise<ReviewThread> {
		const thread = await from.begin(place, text);
		assert.ok(typeof thread === 'object', String(thread));
		return thread;
	}

	it('are there after a reload, as they were', async () => {
		const thread = await begin('Why?');
		await store.reply(thread, 'And how?');
		assert.deepEqual(textsOf(open()), [['Why?', 'And how?']]);
		assert.deepEqual(open().all()[0]?.place, place);
		assert.deepEqual(changed, ['task', 'task']);
	});

	it('of two windows stay, and are seen by the other one after it has read again', async () => {
		const other = open();
		assert.deepEqual(textsOf(other), []);
		await begin('Mine');
		await begin('Theirs', other);
		assert.deepEqual(textsOf(other), [['Mine'], ['Theirs']]);
		changed = [];
		store.reload();
		assert.deepEqual([textsOf(store), changed], [[['Mine'], ['Theirs']], ['task']]);
		store.reload();
		assert.deepEqual(changed, ['task']);
	});

	it('are changed and deleted one by one, and the last one takes its thread along', async () => {
		const thread = await begin('One');
		await store.reply(thread, 'Two');
		const [one, two] = store.threads('task')[0]?.comments ?? [];
		assert.equal(await store.edit(thread, one?.id ?? '', 'First'), undefined);
		assert.deepEqual(textsOf(store), [['First', 'Two']]);
		await store.remove(thread, two?.id ?? '');
		assert.deepEqual(textsOf(open()), [['First']]);
		await store.remove(thread, one?.id ?? '');
		assert.deepEqual([textsOf(open()), open().all()], [[], []]);
	});

	it('are kept as sent, until their text changes', async () => {
		const thread = await begin('One');
		await store.reply(thread, 'Two');
		const [one, two] = store.threads('task')[0]?.comments.map(({ id }) => id) ?? [];
		assert.ok(store.hasUnsent('task') && !store.hasUnsent('other'));
		await store.markSent('task', new Set([one ?? '', 'gone']));
		assert.deepEqual(textsOf(open()), [['One (sent)', 'Two']]);
		await store.markSent('task', new Set([two ?? '']));
		assert.ok(!store.hasUnsent('task'));
		await store.edit(thread, two ?? '', 'Two');
		assert.deepEqual(textsOf(store), [['One (sent)', 'Two (sent)']]);
		await store.edit(thread, two ?? '', 'Two, please');
		assert.deepEqual(textsOf(store), [['One (sent)', 'Two, please']]);
	});

	it('are refused where they are empty, too long or too many, and nothing is lost of the others', async () => {
		assert.equal(await store.begin(place, ' \n '), 'empty');
		assert.equal(await store.begin(place, 'x'.repeat(10_001)), 'too-long');
		const thread = await begin('x'.repeat(10_000));
		for (let count = 1; count < 200; count++) {
			assert.equal(await store.reply(thread, String(count)), undefined);
		}
		assert.equal(await store.reply(thread, '200'), 'too-many');
		assert.equal(await store.begin(place, '200'), 'too-many');
		assert.equal(textsOf(store)[0]?.length, 200);
	});

	it('are not brought back by a reply or a change where another window has deleted them', async () => {
		const thread = await begin('One');
		await open().forget('task');
		assert.equal(await store.reply(thread, 'Two'), 'gone');
		assert.equal(await store.edit(thread, thread.comments[0]?.id ?? '', 'Two'), 'gone');
		assert.deepEqual(open().all(), []);
	});
});
