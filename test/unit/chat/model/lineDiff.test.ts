import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineDiff } from '../../../../src/chat/model/lineDiff.ts';

const shown = (before: string | undefined, after: string) =>
	lineDiff(before, after)?.lines.map(
		({ kind, text }) => `${{ same: ' ', added: '+', removed: '-', gap: '⋯', broken: '⏎', unbroken: '¬' }[kind]}${text}`,
	);

describe('the lines that differ', () => {
	it('stand with two lines around them, removed ones before added ones', () => {
		assert.deepEqual(shown('1\n2\n3\n4\n5\n6\n7\n', '1\n2\n3\nfour\n5\n6\n7\n'), [
			' 2',
			' 3',
			'-4',
			'+four',
			' 5',
			' 6',
		]);
	});

	it('are all of a new file, and none of the same text', () => {
		assert.deepEqual(shown(undefined, 'a\nb\n'), ['+a', '+b']);
		assert.deepEqual(lineDiff('a\n', 'a\n'), { added: 0, removed: 0, lines: [] });
	});

	it('leave out what is far from any of them, with a mark in its place', () => {
		const middle = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');
		const lines = shown(`a\n${middle}\nz\n`, `A\n${middle}\nZ\n`);
		assert.deepEqual(lines, ['-a', '+A', ' line 0', ' line 1', '⋯', ' line 18', ' line 19', '-z', '+Z']);
	});

	it('say that a line break at the end is new or gone, which may be all that differs', () => {
		assert.deepEqual(shown('a\n// b\n', 'A\n// b'), ['-a', '+A', ' // b', '¬']);
		assert.deepEqual(shown('a', 'a\n'), ['⏎']);
		assert.deepEqual(shown(undefined, 'a'), ['+a']);
		assert.deepEqual(shown('a', ''), ['-a']);
	});

	it('are not counted where that would take too long', () => {
		const lines = (word: string) => Array.from({ length: 2_000 }, (_, at) => `${word} ${at}`).join('\n');
		assert.equal(lineDiff(lines('a'), lines('b')), undefined);
		assert.deepEqual(lineDiff(lines('a'), `${lines('a')}\nmore`)?.added, 1);
	});

	it('make the one text of the other, whatever they are', () => {
		const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map(lines => lines.join('\n'));
		fc.assert(
			fc.property(text, text, (before, after) => {
				const diff = lineDiff(before, after);
				assert.ok(diff);
				const count = (value: string) => (value === '' ? 0 : value.replace(/\n$/, '').split('\n').length);
				assert.equal(diff.added - diff.removed, count(after) - count(before));
				assert.equal(diff.lines.filter(({ kind }) => kind === 'added').length, diff.added);
				assert.equal(diff.lines.filter(({ kind }) => kind === 'removed').length, diff.removed);
			}),
		);
	});
});
