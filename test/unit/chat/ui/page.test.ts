import assert from 'node:assert/strict';
import { newestState } from '../../../../src/chat/ui/page.ts';

describe('what a page goes on from', () => {
	const old = { draft: 'old', savedAt: 1 };
	const fresh = { draft: 'fresh', savedAt: 2 };

	it('is the newer copy, the editor’s or the host’s', () => {
		assert.deepEqual(newestState(old, JSON.stringify(fresh)), fresh);
		assert.deepEqual(newestState(fresh, JSON.stringify(old)), fresh);
		assert.deepEqual(newestState(undefined, JSON.stringify(old)), old);
		assert.deepEqual(newestState({ draft: 'kept before' }, JSON.stringify(old)), old);
		assert.deepEqual(newestState(undefined, undefined), { draft: '' });
	});

	it('is the editor’s where the host’s cannot be read', () => {
		for (const damaged of ['{"draft":', '{}', 'null', '[]', '{"draft":1,"savedAt":9}']) {
			assert.deepEqual(newestState(old, damaged), old);
		}
	});
});
