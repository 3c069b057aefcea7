import assert from 'node:assert/strict';
import { initialState } from '../../../../src/chat/ui/page.ts';

describe('the state that a page goes on from', () => {
	const old = { draft: 'old', savedAt: 1 };
	const fresh = { draft: 'fresh', savedAt: 2 };

	it('is the newer copy, the editor’s or the host’s', () => {
		assert.deepEqual(initialState(undefined, old, JSON.stringify(fresh)), fresh);
		assert.deepEqual(initialState(undefined, fresh, JSON.stringify(old)), fresh);
		assert.deepEqual(initialState(undefined, undefined, JSON.stringify(old)), old);
		assert.deepEqual(initialState(undefined, { draft: 'kept before' }, JSON.stringify(old)), old);
		assert.deepEqual(initialState(undefined, undefined, undefined), { draft: '' });
	});

	it('is what its own window kept, whatever another window on the folder has kept since', () => {
		assert.deepEqual(initialState(JSON.stringify(old), fresh, JSON.stringify(fresh)), old);
		for (const damaged of ['', '{}', 'null', '{"draft":1}']) {
			assert.deepEqual(initialState(damaged, fresh, JSON.stringify(old)), fresh);
		}
	});

	it('is the editor’s where the host’s cannot be read', () => {
		for (const damaged of ['{"draft":', '{}', 'null', '[]', '{"draft":1,"savedAt":9}']) {
			assert.deepEqual(initialState(undefined, old, damaged), old);
		}
	});
});
