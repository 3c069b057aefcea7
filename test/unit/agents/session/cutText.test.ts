import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutDiff, cutText } from '../../../../src/agents/session/cutText.ts';
import { heldBytes } from '../../../support/heldMemory.ts';

describe('cutText', () => {
	it('marks what was cut, and leaves alone what fits', () => {
		assert.equal(cutText('hello', 5), 'hello');
		assert.equal(cutText('hello!', 5), 'hell…');
		assert.equal(cutText('', 5), '');
	});

	it('never returns half a character', () => {
		assert.equal(cutText('ab😀cd', 4), 'ab\ufffd…');
	});

	it('does not keep the whole text in memory', () => {
		const large = JSON.stringify('x'.repeat(1024 * 1024));
		const before = heldBytes();
		const kept = Array.from({ length: 50 }, () => cutText(JSON.parse(large) as string, 1_000));
		assert.ok(heldBytes() - before < 20 * 1024 * 1024);
		assert.equal(kept[49]?.length, 1_000);
	});
});

const lines = (count: number, start = 0) =>
	Array.from({ length: count }, (_, index) => `line ${start + index}\n`).join('');

describe('cutDiff', () => {
	it('leaves a change as it is that fits', () => {
		assert.deepEqual(cutDiff({ oldText: 'same\na\n', newText: 'same\nb\n' }, 7), {
			oldText: 'same\na\n',
			newText: 'same\nb\n',
		});
		assert.deepEqual(cutDiff({ newText: 'new' }, 3), { newText: 'new' });
	});

	it('keeps what differs of long texts, wherever that is', () => {
		const [before, after] = [lines(1_000), lines(1_000, 5_000)];
		for (const [start, end] of [
			['', after],
			[before, ''],
			[before, after],
		]) {
			assert.deepEqual(cutDiff({ oldText: `${start}old\n${end}`, newText: `${start}new\n${end}` }, 50), {
				oldText: 'old\n',
				newText: 'new\n',
			});
		}
	});

	it('keeps whole lines', () => {
		const text = lines(100);
		assert.deepEqual(cutDiff({ oldText: `${text}an old word\n${text}`, newText: `${text}a new word\n${text}` }, 50), {
			oldText: 'an old word\n',
			newText: 'a new word\n',
		});
	});

	it('has nothing on a side to which nothing is added, or of which nothing is left', () => {
		const text = lines(100);
		assert.deepEqual(cutDiff({ oldText: text, newText: `${text}new\n` }, 50), { oldText: '', newText: 'new\n' });
		assert.deepEqual(cutDiff({ oldText: `${text}old\n`, newText: text }, 50), { oldText: 'old\n', newText: '' });
	});

	it('cuts what differs where it is too long, and says so', () => {
		assert.deepEqual(cutDiff({ newText: 'x'.repeat(11) }, 10), { newText: `${'x'.repeat(9)}…`, isCut: true });
		const cut = cutDiff({ oldText: 'a\n', newText: `a\n${'b\n'.repeat(50)}` }, 10);
		assert.deepEqual(cut, { oldText: '', newText: 'b\nb\nb\nb\nb…', isCut: true });
		const long = 'x'.repeat(100);
		assert.equal(cutDiff({ oldText: long, newText: `${long}y` }, 50).isCut, true);
	});

	it('loses nothing of a change, whatever is in it', () => {
		const text = fc
			.array(fc.constantFrom('a\n', 'b\n', '\n', 'c', '\r\n'), { maxLength: 30 })
			.map(parts => parts.join(''));
		fc.assert(
			fc.property(text, text, (oldText, newText) => {
				const cut = cutDiff({ oldText, newText }, 12);
				if (cut.isCut) {
					return;
				}
				const { oldText: before = '', newText: after } = cut;
				const places = Array.from({ length: newText.length - after.length + 1 }, (_, place) => place);
				assert.ok(
					places.some(place => {
						const [start, end] = [newText.slice(0, place), newText.slice(place + after.length)];
						return newText === start + after + end && oldText === start + before + end;
					}),
				);
			}),
			{ numRuns: 500 },
		);
	});

	it('does not keep the whole texts in memory', () => {
		const large = JSON.stringify(`${'x\n'.repeat(512 * 1024)}`);
		const before = heldBytes();
		const kept = Array.from({ length: 20 }, () => {
			const text = JSON.parse(large) as string;
			return cutDiff({ oldText: text, newText: `${text}a line that is new\n` }, 1_000);
		});
		assert.ok(heldBytes() - before < 15 * 1024 * 1024);
		assert.equal(kept[19]?.newText, 'a line that is new\n');
	});
});
