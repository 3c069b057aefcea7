import assert from 'node:assert/strict';
import { citationsIn } from '../../../../../src/chat/ui/agent/workFlow.ts';

const CITATIONS = {
	sources: [{ number: 1, title: 'A' }],
	marks: [1, 4, 5, 9].map(position => ({ position, number: 1, start: position - 1 })),
};

describe('the citations of a part of a reply', () => {
	it('are those behind its own characters, counted from its beginning, with all sources', () => {
		const positions = (start: number, end: number) =>
			citationsIn(CITATIONS, { start, end })?.marks.map(({ position }) => position);
		assert.deepEqual(positions(0, 4), [1, 4]);
		assert.deepEqual(positions(4, 8), [1]);
		assert.deepEqual(citationsIn(CITATIONS, { start: 4, end: 8 })?.marks, [{ position: 1, number: 1, start: 0 }]);
		assert.deepEqual(positions(8, Number.POSITIVE_INFINITY), [1]);
		assert.deepEqual(citationsIn(CITATIONS, { start: 20, end: 30 })?.sources, CITATIONS.sources);
	});

	it('are not there before the reply has ended', () => {
		assert.equal(citationsIn(undefined, { start: 0, end: 4 }), undefined);
	});
});
