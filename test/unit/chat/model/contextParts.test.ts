import assert from 'node:assert/strict';
import { plainTerminalText } from '../../../../src/chat/context/terminalMemory.ts';
import { decodeText, isImagePath } from '../../../../src/chat/model/addedFiles.ts';
import { followEdit, type Span } from '../../../../src/chat/model/contextSource.ts';
import { shortenedLengths } from '../../../../src/chat/model/measure.ts';

describe('a selection that is context', () => {
	const span = (l1: number, c1: number, l2: number, c2: number): Span => ({
		start: { line: l1, character: c1 },
		end: { line: l2, character: c2 },
	});
	const selection = span(4, 2, 6, 5);
	const changed = (range: Span, text: string) => followEdit(selection, { range, text });

	it('moves with lines that come and go above it', () => {
		assert.deepEqual(changed(span(0, 0, 0, 0), 'a\nb\n'), span(6, 2, 8, 5));
		assert.deepEqual(changed(span(1, 0, 3, 0), ''), span(2, 2, 4, 5));
	});

	it('moves with what is typed before it in its line', () => {
		assert.deepEqual(changed(span(4, 0, 4, 0), 'ab'), span(4, 4, 6, 5));
		assert.deepEqual(changed(span(4, 2, 4, 2), 'ab'), span(4, 4, 6, 5));
	});

	it('grows and shrinks with what is written in it', () => {
		assert.deepEqual(changed(span(5, 0, 5, 0), 'x\n'), span(4, 2, 7, 5));
		assert.deepEqual(changed(span(5, 0, 6, 2), ''), span(4, 2, 5, 3));
	});

	it('stays when something is written after it, or at its end', () => {
		assert.deepEqual(changed(span(6, 5, 6, 5), 'xy'), selection);
		assert.deepEqual(changed(span(9, 0, 9, 0), '\n'), selection);
	});

	it('is cut where a change reaches over its border, and empty where it is gone', () => {
		assert.deepEqual(changed(span(5, 1, 8, 0), ''), span(4, 2, 5, 1));
		assert.deepEqual(changed(span(3, 0, 8, 0), ''), span(3, 0, 3, 0));
	});
});

describe('the room for context', () => {
	it('is made by the longest texts first', () => {
		const texts = ['a'.repeat(700), 'b'.repeat(7_000), 'c'.repeat(7_000)];
		const [short, long, other] = shortenedLengths(texts, 2_000);
		assert.equal(short, 700);
		assert.ok(long !== undefined && long > 3_000 && long < 3_600, String(long));
		assert.equal(long, other);
	});

	it('is not made where there is not enough to leave out', () => {
		assert.deepEqual(shortenedLengths(['a'.repeat(70)], 1_000), [0]);
	});
});

describe('the output of a terminal', () => {
	it('is read without colours, titles and marks', () => {
		assert.equal(
			plainTerminalText('\u001b]633;C\u0007\u001b[31mred\u001b[0m\r\n\u001b]0;title\u001b\\done\r\n'),
			'red\ndone\n',
		);
	});

	it('is read as what a line showed last', () => {
		assert.equal(plainTerminalText('10 %\r50 %\r100 %\r\nend'), '100 %\nend');
	});
});

describe('a file that is context', () => {
	it('is text in UTF-8, or none', () => {
		assert.equal(decodeText(new TextEncoder().encode('größe')), 'größe');
		assert.equal(decodeText(Uint8Array.of(1, 0, 2)), undefined);
		assert.equal(decodeText(Uint8Array.of(0xff, 0xfe, 0x41)), undefined);
	});

	it('is known as an image by its name', () => {
		assert.ok(isImagePath('a/B.PNG'));
		assert.ok(!isImagePath('a/png.ts'));
	});
});
