import assert from 'node:assert/strict';
import { parseFromDecisionPage } from '../../../../src/decisions/model/protocol.ts';

describe('a message of the page of a decision', () => {
	it('is one of those that the page sends', () => {
		for (const message of [
			{ kind: 'page-ready' },
			{ kind: 'send' },
			{ kind: 'export' },
			{ kind: 'show-run', run: 'first' },
			{ kind: 'show-entry', entry: 12 },
		]) {
			assert.deepEqual(parseFromDecisionPage(message), message);
		}
	});

	it('is refused with any other form', () => {
		for (const message of [
			undefined,
			{ kind: 'run' },
			{ kind: 'send', model: 'other' },
			{ kind: 'export', format: 'json' },
			{ kind: 'show-run', run: 'x'.repeat(65) },
			{ kind: 'show-entry', entry: -1 },
			{ kind: 'show-entry', entry: '1' },
		]) {
			assert.equal(parseFromDecisionPage(message), undefined);
		}
	});
});
