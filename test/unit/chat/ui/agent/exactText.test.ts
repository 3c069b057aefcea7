import assert from 'node:assert/strict';
import { exactParts, terminalText } from '../../../../../src/chat/ui/agent/exactText.ts';

describe('a text that is shown exactly', () => {
	it('has the name of each hidden character in its place', () => {
		assert.deepEqual(exactParts('a\u202eb\u200b\u200d\u0001c'), [
			'a',
			{ name: 'U+202E' },
			'b',
			{ name: 'U+200B' },
			{ name: 'U+200D' },
			{ name: 'U+0001' },
			'c',
		]);
		assert.deepEqual(exactParts('\u{e0041}'), [{ name: 'U+E0041' }]);
	});

	it('shows a carriage return, which would hide what it returns over', () => {
		assert.deepEqual(exactParts('rm -rf ~\rls'), ['rm -rf ~', { name: 'U+000D' }, 'ls']);
	});

	it('is as it was where nothing is hidden', () => {
		const text = 'if a; then\n\techo "ü 漢字 🔎"\nfi';
		assert.deepEqual(exactParts(text), [text]);
		assert.deepEqual(exactParts(''), []);
	});
});

describe('the output of a command', () => {
	it('has no colours, links and other control sequences', () => {
		assert.equal(
			terminalText('\u001b[1;32mok\u001b[0m \u001b]8;;https://a.example\u0007link\u001b]8;;\u0007\u001b(B'),
			'ok link',
		);
		assert.equal(terminalText('\u001b]0;title\u001b\\words'), 'words');
	});

	it('has each line as it was left', () => {
		assert.equal(terminalText('10 %\r50 %\r100 %\ndone\r\nend\r'), '100 %\ndone\nend');
	});
});
