import assert from 'node:assert/strict';
import { groupConversations } from '../../../../src/chat/conversations/listing.ts';
import type { WorkspaceTag } from '../../../../src/chat/model/conversation.ts';
import { belongsTo } from '../../../../src/chat/model/workspaceMatch.ts';

const WIDGETS = 'file:///home/me/widgets';
const GADGETS = 'file:///home/me/gadgets';
const REMOTE = 'https://example.com/acme/widgets.git';
const open = (folders: string[], remotes: string[] = []) => ({ folders, remotes });

describe('whether a conversation belongs to what is open', () => {
	it('is so for its folder, also where that became one of several, and the other way round', () => {
		assert.ok(belongsTo({ folders: [WIDGETS] }, open([WIDGETS])));
		assert.ok(belongsTo({ folders: [WIDGETS] }, open([GADGETS, WIDGETS])));
		assert.ok(belongsTo({ folders: [GADGETS, WIDGETS] }, open([WIDGETS])));
		assert.ok(!belongsTo({ folders: [WIDGETS] }, open([GADGETS])));
		assert.ok(!belongsTo({ folders: [WIDGETS] }, open([])));
	});

	it('is so for a folder that was moved, by the remote of any open repository', () => {
		const tag: WorkspaceTag = { folders: [WIDGETS], remote: REMOTE };
		assert.ok(belongsTo(tag, open(['file:///moved'], [REMOTE])));
		assert.ok(belongsTo(tag, open(['file:///moved', GADGETS], ['https://example.com/acme/gadgets', REMOTE])));
		assert.ok(!belongsTo(tag, open(['file:///moved'], ['https://example.com/acme/gadgets'])));
		assert.ok(!belongsTo({ folders: [WIDGETS] }, open(['file:///moved'], [REMOTE])));
	});

	it('is so without a folder for what was asked without one', () => {
		assert.ok(belongsTo({ folders: [] }, open([])));
		assert.ok(!belongsTo({ folders: [] }, open([WIDGETS])));
	});

	it('is so for a repository by its https and its ssh address', () => {
		const tag: WorkspaceTag = { folders: [WIDGETS], remote: REMOTE };
		for (const remote of [
			'git@example.com:acme/widgets.git',
			'ssh://git@Example.com/acme/widgets',
			'https://example.com/acme/widgets/',
			'example.com:acme/widgets',
		]) {
			assert.ok(belongsTo(tag, open([], [remote])), remote);
		}
		assert.ok(!belongsTo(tag, open([], ['git@example.com:acme/gadgets.git'])));
		assert.ok(!belongsTo(tag, open([], ['/srv/acme/widgets.git'])));
	});
});

describe('the groups of a list', () => {
	let count = 0;
	const summary = (workspace: WorkspaceTag) => {
		count++;
		return { id: `${count}`, text: '', workspace, createdAt: 0, updatedAt: -count, turnCount: 1 };
	};

	it('begin with this workspace, then go on with the others as they were last used', () => {
		const list = [
			summary({ name: 'gadgets', folders: [GADGETS] }),
			summary({ folders: [] }),
			summary({ name: 'widgets', folders: [WIDGETS] }),
			summary({ name: 'gadgets', folders: [GADGETS] }),
			summary({ folders: ['file:///home/me/nameless'] }),
			summary({ folders: ['file:///old/widgets'], remote: REMOTE }),
		];
		const groups = groupConversations(list, open([WIDGETS], [REMOTE]));
		assert.deepEqual(
			groups.map(({ kind, name, conversations }) => [kind, name, conversations.map(({ id }) => Number(id))]),
			[
				['here', undefined, [3, 6]],
				['other', 'gadgets', [1, 4]],
				['none', undefined, [2]],
				['other', 'nameless', [5]],
			],
		);
	});

	it('have no empty one', () => {
		assert.deepEqual(groupConversations([], open([WIDGETS])), []);
	});
});
