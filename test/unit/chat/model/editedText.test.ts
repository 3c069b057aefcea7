import assert from 'node:assert/strict';
import fc from 'fast-check';
import { editedText } from '../../../../src/chat/model/editedText.ts';

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
