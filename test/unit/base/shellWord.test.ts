import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { shellWord } from '../../../src/base/shellWord.ts';

describe('a text as a word of a command', () => {
	it('is one word and nothing else to a shell, or is not given', () => {
		for (const text of [
			'/home/me/plain',
			'/home/me/two words',
			'/x; touch pwned',
			'/x$(touch pwned)',
			'/x`touch pwned`',
			'/x && touch pwned',
			'/x > pwned',
			'/x"y',
			'/x#y',
			'/x*',
			'~',
			'/caf\u00e9',
		]) {
			const word = shellWord(text, 'linux') ?? assert.fail(text);
			assert.equal(execFileSync('sh', ['-c', `printf '[%s]' ${word}`], { encoding: 'utf8' }), `[${text}]`);
		}
		for (const text of ["/x'y", "/x\\'; touch pwned; '", '/x\\', '/x\ny', '/x\u202ey', '/x\u001by']) {
			assert.equal(shellWord(text, 'linux'), undefined, text);
		}
	});

	it('is not given on Windows where one of the shells there would read more in it', () => {
		assert.equal(shellWord('C:\\Users\\me\\two words & more', 'win32'), '"C:\\Users\\me\\two words & more"');
		assert.equal(shellWord('C:\\', 'win32'), '"C:\\\\"');
		for (const text of ['C:\\$(calc)', 'C:\\`x', 'C:\\%PATH%', 'C:\\x"y', 'C:\\x!y!']) {
			assert.equal(shellWord(text, 'win32'), undefined, text);
		}
	});
});
