import assert from 'node:assert/strict';
import { isText, likeFile, lineEndsOf, withLineEnds } from '../../../../src/tasks/apply/lineEnds.ts';

const bytes = (text: string) => Buffer.from(text);

describe('line ends', () => {
	it('are told apart, also where a text has both or none', () => {
		const kinds = ['a\nb\n', 'a\r\nb\r\n', 'a\r\nb\n', 'a\nb\r\n', 'a', '', 'a\rb', '\n', 'a\r\nb'].map(text =>
			lineEndsOf(bytes(text)),
		);
		assert.deepEqual(kinds, ['lf', 'crlf', 'mixed', 'mixed', 'none', 'none', 'none', 'lf', 'crlf']);
	});

	it('are changed without touching anything else, such as a byte order mark or bytes that are not UTF-8', () => {
		const text = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf, 0xff]), bytes('é\rx\r\ny\n')]);
		const changed = withLineEnds(text, 'crlf');
		assert.deepEqual(changed, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf, 0xff]), bytes('é\rx\r\ny\r\n')]));
		assert.deepEqual(withLineEnds(changed, 'lf'), Buffer.concat([text.subarray(0, 4), bytes('é\rx\ny\n')]));
	});

	it('of stored versions become those of the file, so that a merge never mixes them', () => {
		const like = (file: string, base: string, other: string) => {
			const found = likeFile(bytes(file), bytes(base), bytes(other));
			return [found.base.toString(), found.other.toString()];
		};
		assert.deepEqual(like('a\r\nb\r\n', 'a\nb\n', 'a\nc\n'), ['a\r\nb\r\n', 'a\r\nc\r\n']);
		assert.deepEqual(like('a\nb\n', 'a\r\nb\r\n', 'a\r\nc\r\n'), ['a\nb\n', 'a\nc\n']);
		assert.deepEqual(like('a\r\nb\r\n', 'a', 'a\nb\n'), ['a', 'a\r\nb\r\n']);
		assert.deepEqual(like('a\nb\n', 'a\r\nb\n', 'a\r\nc\n'), ['a\nb\n', 'a\nc\n']);
	});

	it('that the task itself has changed stay as the task has them, as do those of a file with both', () => {
		const [base, changed, mixed] = [bytes('a\nb\n'), bytes('a\r\nb\r\n'), bytes('a\nb\r\n')];
		assert.equal(likeFile(base, base, changed).other, changed);
		assert.equal(likeFile(mixed, base, changed).other, changed);
		assert.equal(likeFile(bytes('a'), base, changed).other, changed);
	});

	it('mean nothing in UTF-16 and in binary files', () => {
		assert.equal(isText(Buffer.from('text\n', 'utf16le')), false);
		assert.equal(isText(bytes('é\n')), true);
		assert.equal(isText(Buffer.of()), true);
		assert.equal(isText(Buffer.alloc(9 * 1024 * 1024, 'a')), false);
	});
});
