import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withHunks } from '../../../../src/base/hunks.ts';
import {
	changedParts,
	editedText,
	inverted,
	lineHunks,
	refusableHunks,
	withoutHunk,
	withoutParts,
} from '../../../../src/chat/model/hunks.ts';

describe('the hunks of two texts', () => {
	it('are apart by a line that both have, whose break belongs to it', () => {
		const range = (start: number, count: number) => ({ start, count });
		assert.deepEqual(lineHunks('a\nb\nc\nd', 'A\nb\nd\n'), [
			{ before: range(0, 1), after: range(0, 1) },
			{ before: range(2, 2), after: range(2, 1) },
		]);
		assert.deepEqual(lineHunks('a\n', 'a\n'), []);
		assert.deepEqual(lineHunks('', 'a'), [{ before: range(0, 0), after: range(0, 1) }]);
		assert.deepEqual(lineHunks('a\r\nb\n', 'a\nb\n'), [{ before: range(0, 1), after: range(0, 1) }]);
	});

	it('make the one text of the other, byte for byte, and none of them leave it as it is', () => {
		const text = fc
			.array(fc.constantFrom('a\n', 'b\r\n', 'c', '\n', 'ä\n'), { maxLength: 12 })
			.map(parts => parts.join(''));
		fc.assert(
			fc.property(text, text, (before, after) => {
				const made = (hunks: ReturnType<typeof lineHunks>) =>
					withHunks(Buffer.from(before), Buffer.from(after), hunks ?? assert.fail()).toString();
				assert.equal(made(lineHunks(before, after)), after);
				assert.equal(made([]), before);
			}),
		);
	});
});

describe('a hunk that is refused', () => {
	const BEFORE = 'one\r\ntwo\nthree\nfour\nfive\nsix';
	const AFTER = '1\r\ntwo\nthree\n4\nfive\nsix\nseven';

	it('leaves exactly the others, byte for byte, with their line ends and without one at the end of the file', () => {
		assert.equal(withoutHunk(BEFORE, AFTER, 0), 'one\r\ntwo\nthree\n4\nfive\nsix\nseven');
		assert.equal(withoutHunk(BEFORE, AFTER, 1), '1\r\ntwo\nthree\nfour\nfive\nsix\nseven');
		assert.equal(withoutHunk(BEFORE, AFTER, 2), '1\r\ntwo\nthree\n4\nfive\nsix');
	});

	it('is one of several, as the last one left is the whole change', () => {
		assert.equal(withoutHunk(BEFORE, AFTER, 3), undefined);
		assert.equal(withoutHunk(BEFORE, AFTER, -1), undefined);
		assert.equal(withoutHunk('one\ntwo\n', 'one\n2\n', 0), undefined);
		assert.deepEqual(refusableHunks(undefined, 'a new file\n'), []);
		assert.equal(refusableHunks(BEFORE, AFTER).length, 3);
	});

	it('is left out of a file that has it, and passed over in one that does not', () => {
		const rest = withoutHunk(BEFORE, AFTER, 1) ?? assert.fail();
		const parts = changedParts(rest, AFTER);
		assert.deepEqual(parts, [{ before: 'three\nfour\nfive\n', after: 'three\n4\nfive\n' }]);
		assert.equal(withoutParts(AFTER, parts), rest);
		assert.equal(withoutParts('zero\n4\n', parts), 'zero\n4\n');
	});

	it('has as few lines around it as tell its place, so that each can be taken back where the other has changed', () => {
		const lines = (...changed: string[]) => ['a', 'b', 'c', 'd', 'e', ...changed].join('\n');
		const before = `x\n${lines('y')}\n`;
		const after = `X\n${lines('Y')}\n`;
		assert.deepEqual(changedParts(before, after), [
			{ before: 'x\na\n', after: 'X\na\n' },
			{ before: 'e\ny\n', after: 'e\nY\n' },
		]);
		assert.deepEqual(changedParts('a\nx\nb\na\nx\nc\n', 'a\nx\nb\na\nX\nc\n'), [
			{ before: 'a\nx\nc\n', after: 'a\nX\nc\n' },
		]);
		assert.deepEqual(changedParts('a\nx\nb\na\nx\nb\n', 'a\nx\nb\na\nX\nb\n'), [
			{ before: 'b\na\nx\nb\n', after: 'b\na\nX\nb\n' },
		]);
		const other = after.replace('X', 'Z').replace('d', 'D');
		assert.equal(withoutParts(other, changedParts(before, after)), other.replace('Y', 'y'));
	});

	it('gives the one text of the other and back, wherever its lines stand once', () => {
		const line = fc.constantFrom('a', 'b', 'c', 'd\r', 'e');
		const end = fc.constantFrom('', '\n');
		// A file has its own line ends, and lines with others are made like them.
		const text = fc
			.tuple(fc.array(line, { maxLength: 10 }), end)
			.map(([lines, last]) => `\r\n${lines.join('\n')}${last}`);
		fc.assert(
			fc.property(text, text, (before, after) => {
				const parts = changedParts(before, after);
				const there = editedText(before, parts);
				const back = editedText(after, parts.map(inverted));
				assert.ok(there === undefined || there === after);
				assert.ok(back === undefined || back === before);
			}),
		);
	});
});

describe('what a file becomes by changes that were shown', () => {
	it('is the shown text, where the whole file was shown', () => {
		assert.equal(editedText('old', [{ before: 'old', after: 'new' }]), 'new');
		assert.equal(editedText('', [{ before: '', after: 'new' }]), 'new');
		assert.equal(editedText(undefined, [{ after: 'new' }]), 'new');
		assert.equal(editedText(undefined, [{ before: '', after: 'new' }]), 'new');
	});

	it('is the file with the shown part replaced, wherever that stands once', () => {
		assert.equal(editedText('a\nb\nc\n', [{ before: 'b\n', after: '$&\n' }]), 'a\n$&\nc\n');
		const both = [
			{ before: 'a', after: 'b' },
			{ before: 'c', after: 'a' },
		];
		assert.equal(editedText('a\nc\n', both), 'b\na\n');
	});

	it('has the line ends of the file, where git gives the agent others', () => {
		assert.equal(editedText('a\nb\n', [{ before: 'a\r\nb\r\n', after: 'a\r\nc\r\n' }]), 'a\nc\n');
		assert.equal(editedText('a\r\nb\n', [{ before: 'b\n', after: 'c\r\n' }]), 'a\r\nc\r\n');
	});

	it('is not known where the file is not the one that was shown', () => {
		assert.equal(editedText('there', [{ after: 'new' }]), undefined);
		assert.equal(editedText(undefined, [{ before: 'old', after: 'new' }]), undefined);
		assert.equal(editedText('other', [{ before: 'old', after: 'new' }]), undefined);
		assert.equal(editedText('}\n}\n', [{ before: '}', after: '' }]), undefined);
		assert.equal(editedText('aaa', [{ before: 'aa', after: '' }]), undefined);
		assert.equal(editedText('text', [{ before: '', after: 'more' }]), undefined);
		assert.equal(editedText(undefined, [{ after: 'new' }, { after: 'newer' }]), undefined);
	});

	it('keeps everything around the shown part as it was', () => {
		const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n') });
		fc.assert(
			fc.property(text, text, text, text, (head, before, tail, after) => {
				const edited = editedText(head + before + tail, [{ before, after }]);
				assert.ok(edited === undefined || edited === head + after + tail || head + tail === '');
			}),
		);
	});
});
