import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineEdits } from '../../../../src/tasks/apply/textEdits.ts';
import { processorMs } from '../../../support/processorTime.ts';

function apply(text: string, edits: ReturnType<typeof lineEdits>): string {
	const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
	for (const { start, end, text: added } of edits.toReversed()) {
		lines.splice(start, end - start, added);
	}
	return lines.join('');
}

describe('the edits of lines between two texts', () => {
	const text = fc
		.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', ''), { maxLength: 20 })
		.map(lines => lines.join('\n'));

	it('turn any text into any other', () => {
		fc.assert(
			fc.property(text, text, (before, after) => {
				assert.equal(apply(before, lineEdits(before, after)), after);
			}),
		);
	});

	it('leave alone what lies between two changes', () => {
		const before = 'one\ntwo\nthree\nfour\nfive\n';
		assert.deepEqual(lineEdits(before, 'ONE\ntwo\nthree\nfour\nfive\nsix'), [
			{ start: 0, end: 1, text: 'ONE\n' },
			{ start: 5, end: 5, text: 'six' },
		]);
		assert.deepEqual(lineEdits(before, before), []);
		assert.deepEqual(lineEdits('', 'a'), [{ start: 0, end: 0, text: 'a' }]);
	});

	it('are found quickly for long texts', () => {
		const lines = Array.from({ length: 200_000 }, (_, line) => `line ${line % 5 === 0 ? 'same' : line}\n`);
		const changed = lines.toSpliced(100_000, 1, 'other\n').toSpliced(10, 3);
		const [before, after] = [lines.join(''), changed.join('')];
		const spent = processorMs(() => assert.equal(lineEdits(before, after).length, 2));
		assert.ok(spent < 5_000, `${spent} ms`);
	});
});
