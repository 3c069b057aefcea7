import assert from 'node:assert/strict';
import { anchorIn, isThreadList, quoteOf, type ReviewThread } from '../../../../src/tasks/model/reviewComment.ts';
import { processorMs } from '../../../support/processorTime.ts';

const thread: ReviewThread = {
	id: 'thread',
	place: {
		resultKey: 'task',
		taskId: 'task',
		side: 'after',
		directory: '/repository',
		path: 'src/a.ts',
		object: 'a'.repeat(40),
		firstLine: 2,
		lastLine: 3,
		quote: ['two', 'three'],
	},
	comments: [{ id: 'comment', text: 'Why?', writtenAt: 1, isSent: false }],
};

describe('the place of a comment in another version of its file', () => {
	const place = { firstLine: 2, lastLine: 3, quote: ['two', 'three'] };

	it('stays where the lines are the same', () => {
		assert.deepEqual(anchorIn(['zero', 'one', 'two', 'three'], place), { firstLine: 2, lastLine: 3, isFound: true });
	});

	it('moves with its lines, to the nearest ones of several', () => {
		const lines = ['two', 'three', '', '', '', 'two', 'three', 'two', 'three'];
		assert.deepEqual(anchorIn(lines, { ...place, firstLine: 4, lastLine: 5 }), {
			firstLine: 5,
			lastLine: 6,
			isFound: true,
		});
		assert.deepEqual(anchorIn(['x', ...['two', 'three']], { ...place, firstLine: 900, lastLine: 901 }), {
			firstLine: 1,
			lastLine: 2,
			isFound: true,
		});
	});

	it('stays at its line, or the last one, where the lines are gone', () => {
		assert.deepEqual(anchorIn(['a', 'b', 'c', 'd', 'e'], place), { firstLine: 2, lastLine: 3, isFound: false });
		assert.deepEqual(anchorIn(['a'], place), { firstLine: 0, lastLine: 0, isFound: false });
		assert.deepEqual(anchorIn([], place), { firstLine: 0, lastLine: 0, isFound: false });
	});

	it('is found where only the line ends have changed, and where a long line was cut', () => {
		const long = 'x'.repeat(5000);
		const quote = quoteOf(['two\r', long]);
		assert.equal(quote[1]?.length, 500);
		assert.deepEqual(anchorIn(['', 'two', long], { firstLine: 0, lastLine: 1, quote }).firstLine, 1);
	});

	it('keeps a bounded part of many lines, and finds a span by its beginning', () => {
		const lines = Array.from({ length: 300 }, (_, line) => `line ${line}`);
		const quote = quoteOf(lines);
		assert.equal(quote.length, 40);
		const moved = anchorIn(['new', ...lines], { firstLine: 0, lastLine: 299, quote });
		assert.deepEqual(moved, { firstLine: 1, lastLine: 300, isFound: true });
	});

	it('takes little time in a file of a million lines that are nearly alike', () => {
		const lines = Array.from({ length: 1_000_000 }, () => '');
		const quote = [...Array.from({ length: 39 }, () => ''), 'end'];
		const spent = processorMs(() => {
			anchorIn(lines, { firstLine: 500_000, lastLine: 500_039, quote });
		});
		assert.ok(spent < 4_000, `${spent} ms`);
	});
});

describe('the stored comments of a task', () => {
	it('are read as they were written', () => {
		assert.ok(isThreadList(JSON.parse(JSON.stringify([thread]))));
		assert.ok(isThreadList([]));
	});

	it('are ignored where anything is missing or of another kind', () => {
		const { place } = thread;
		for (const wrong of [
			undefined,
			null,
			{},
			[null],
			[{ ...thread, comments: [] }],
			[{ ...thread, comments: [null] }],
			[{ ...thread, place: undefined }],
			[{ ...thread, place: { ...place, side: 'both' } }],
			[{ ...thread, place: { ...place, firstLine: -1 } }],
			[{ ...thread, place: { ...place, quote: [1] } }],
			[{ ...thread, place: { ...place, object: undefined } }],
		]) {
			assert.ok(!isThreadList(wrong), JSON.stringify(wrong));
		}
	});
});
