import assert from 'node:assert/strict';
import { parseShownState, shownState } from '../../../../src/chat/model/shownConversation.ts';

describe('what a window remembers of the conversation that it shows', () => {
	it('is its id, and where it is encrypted to', () => {
		for (const shown of [{ id: 'a' }, { id: 'b', encryption: { connection: 'acme', model: 'large' } }]) {
			assert.deepEqual(parseShownState(JSON.parse(JSON.stringify(shownState(shown)))), shown);
		}
	});

	it('is nothing of one that is not kept, but that there was one', () => {
		const state = shownState({ id: 'secret', encryption: { connection: 'acme', isUnkept: true } });
		assert.doesNotMatch(JSON.stringify(state), /secret|acme/);
		assert.equal(parseShownState(state)?.encryption?.isUnkept, true);
	});

	it('is encrypted still where its form is not known', () => {
		assert.deepEqual(parseShownState({ id: 'a', encryption: 'later' }), { id: 'a', encryption: {} });
		assert.equal(parseShownState(7), undefined);
	});
});
