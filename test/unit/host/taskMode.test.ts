import assert from 'node:assert/strict';
import { TaskMode, type TaskModeDependencies } from '../../../src/chat/context/taskMode.ts';
import type { ToPage } from '../../../src/chat/protocol/protocol.ts';

describe('the chat’s message as the prompt of a task', () => {
	let posted: ToPage[];
	let isThere: boolean;
	let isTaken: boolean;
	let conversation: { id: string; turns: unknown[]; encryption?: object };
	let drafts: string[];
	let mode: TaskMode;

	beforeEach(() => {
		[posted, isThere, isTaken, drafts] = [[], true, true, []];
		conversation = { id: 'c', turns: [] };
		const open = {
			get shown() {
				return { conversation };
			},
			showNew: async () => {
				conversation = { id: 'new', turns: [] };
			},
		};
		mode = new TaskMode({
			conversations: async () => open,
			hasDraft: (id: string) => drafts.includes(id),
			page: {
				post: (message: ToPage) => posted.push(message),
				send: async (message: ToPage) => {
					if (isThere) {
						posted.push(message);
					}
					return isThere;
				},
				ask: async (message: (request: string) => ToPage) => {
					posted.push(message('1'));
					if (!isTaken) {
						throw new Error('There is no page.');
					}
					return true;
				},
				focusComposer: async () => {},
			},
		} as unknown as TaskModeDependencies);
	});
	afterEach(() => mode.dispose());

	const write = (text: string) => mode.write(text, async () => {});

	it('fails with a sentence where no page takes the text', async () => {
		isTaken = false;
		await assert.rejects(write('Fix it'), /The chat isn’t open\./);
		assert.deepEqual(
			posted.map(({ kind }) => kind),
			['draft-write'],
		);
	});

	it('takes the place of an encrypted message, unless a draft would be lost', async () => {
		conversation = { id: 'e', turns: [], encryption: {} };
		drafts = ['e'];
		await assert.rejects(write('Fix it'), /would be lost\. Send or delete it, then try again\.$/);
		assert.deepEqual([conversation.id, posted], ['e', []]);
		conversation = { ...conversation, turns: [{}] };
		await write('Fix it');
		assert.equal(conversation.id, 'new');
	});

	it('is left with a new conversation once the composer is shown', async () => {
		await mode.leave();
		assert.deepEqual(posted, [{ kind: 'task-mode-set', isOn: false }]);
	});

	it('is over when the page is shown again, where it was hidden when the task was made', async () => {
		isThere = false;
		await mode.made('Fix it');
		await mode.shown();
		assert.deepEqual(posted, []);
		isThere = true;
		await mode.shown();
		await mode.shown();
		assert.deepEqual(posted, [{ kind: 'task-made', prompt: 'Fix it' }]);
	});
});
