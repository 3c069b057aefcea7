import assert from 'node:assert/strict';
import type { EncryptionView } from '../../../../../src/chat/protocol/protocol.ts';
import { stateBeyond, writableState } from '../../../../../src/chat/ui/encrypted/encryptedDraft.ts';
import { emptyPageState, type PageState } from '../../../../../src/chat/ui/pageState.ts';

const view: EncryptionView = {
	label: 'Encrypted',
	details: [],
	isConnecting: false,
	isRefused: false,
	isKept: true,
	emptyText: '',
};
const page = (conversation: string, encryption?: EncryptionView): PageState => ({
	...emptyPageState,
	conversation,
	encryption,
});

describe('a draft in an encrypted conversation', () => {
	const [clear, kept, unkept] = [page('a'), page('b', view), page('c', { ...view, isKept: false })];

	it('is not written down if the conversation is not kept', () => {
		const state = { draft: 'secret', sentAs: 't', edit: { turn: 't', text: 'secret' }, conversation: 'c' };
		assert.deepEqual(writableState(state, unkept), { draft: '', conversation: 'c' });
		assert.equal(writableState(state, kept), state);
		assert.equal(writableState(state, clear), state);
	});

	it('does not leave behind that it was the prompt of a task', () => {
		assert.deepEqual(writableState({ draft: 'secret', task: true }, unkept), { draft: '' });
		assert.deepEqual(stateBeyond({ draft: 'secret', draftOf: 'b', task: true }, kept, clear), { draft: '' });
	});

	it('does not follow into another conversation', () => {
		for (const [from, to] of [
			[kept, clear],
			[unkept, clear],
			[kept, unkept],
		] as const) {
			const state = { draft: 'secret', ...(from.conversation ? { draftOf: from.conversation } : {}), sentAs: 't' };
			assert.deepEqual(stateBeyond(state, from, to), { draft: '' });
		}
	});

	it('stays where its conversation is shown, also when the page begins', () => {
		const state = { draft: 'secret', draftOf: 'b' };
		assert.deepEqual(stateBeyond(state, emptyPageState, kept), state);
		assert.deepEqual(stateBeyond(state, emptyPageState, clear), { draft: '' });
	});

	it('comes back with its conversation, in the place of nothing else', () => {
		const back = page('b', { ...view, draft: 'secret' });
		assert.deepEqual(stateBeyond({ draft: '' }, clear, back), { draft: 'secret', draftOf: 'b' });
		assert.deepEqual(stateBeyond({ draft: 'mine' }, clear, back), { draft: 'mine' });
	});

	it('leaves a draft of other conversations alone', () => {
		assert.deepEqual(stateBeyond({ draft: 'mine' }, clear, kept), { draft: 'mine' });
	});

	it('is let go of in a message that was being changed, where nothing is kept', () => {
		const shown = { ...unkept, turns: [{ id: 't' }] as unknown as PageState['turns'] };
		const state = { draft: '', edit: { turn: 't', text: 'secret' } };
		assert.deepEqual(stateBeyond(state, shown, clear), { draft: '' });
		assert.deepEqual(stateBeyond({ draft: '', edit: { turn: 'u', text: 'mine' } }, shown, clear), {
			draft: '',
			edit: { turn: 'u', text: 'mine' },
		});
	});
});
