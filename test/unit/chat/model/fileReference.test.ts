import assert from 'node:assert/strict';
import { looksLikeFile, parseFileReference } from '../../../../src/chat/model/fileReference.ts';

describe('a file that a reply names', () => {
	it('may come with a line, a column or a range of lines', () => {
		assert.deepEqual(parseFileReference('src/a.ts'), { path: 'src/a.ts' });
		assert.deepEqual(parseFileReference('./src/a.ts:40'), { path: 'src/a.ts', line: 40 });
		assert.deepEqual(parseFileReference('src/a.ts:40:7'), { path: 'src/a.ts', line: 40, column: 7 });
		assert.deepEqual(parseFileReference('src/a.ts:40-50'), { path: 'src/a.ts', line: 40, endLine: 50 });
		assert.deepEqual(parseFileReference('src/a.ts#L40-L50'), { path: 'src/a.ts', line: 40, endLine: 50 });
		assert.deepEqual(parseFileReference('src\\a.ts#L4'), { path: 'src/a.ts', line: 4 });
		assert.deepEqual(parseFileReference('C:\\code\\a.ts:3'), { path: 'C:/code/a.ts', line: 3 });
		assert.deepEqual(parseFileReference('a.ts:0'), { path: 'a.ts' });
	});

	it('leads neither upwards nor to another machine, and is no command', () => {
		for (const text of [
			'../../etc/passwd',
			'src/../../secret',
			'..\\..\\secret',
			'src/..',
			'\\\\server\\share\\a.ts',
			'//server/share/a.ts',
			'\\/server\\share',
			'file:///etc/passwd',
			'command:workbench.action.quit',
			'vscode://extension/x',
			'javascript:alert(1)',
			'https://example.com/a.ts',
			'C:a.ts',
			'a.ts:stream',
			'~/secret.ts',
			'src/\u202ea.ts',
			'src/a\u{e0041}.ts',
			'src/\u3164.ts',
			'src/a\u0000.ts',
			' a.ts',
			'a/'.repeat(300),
			'src/',
			'.',
			'',
		]) {
			assert.equal(parseFileReference(text), undefined, text);
		}
	});

	it('is told from other code by its ending or its folders', () => {
		for (const text of ['a.ts', 'src/a.ts:40', 'Dockerfile.dev', 'src/chat/ui', '.github/ci.yml', '@scope/package']) {
			assert.equal(looksLikeFile(text), true, text);
		}
		for (const text of ['a', 'value', '1.5', '1/2 cup', 'a b.ts', 'call(a.b)', 'e.g.', '...', 'x => y', '-']) {
			assert.equal(looksLikeFile(text), false, text);
		}
	});
});
