import assert from 'node:assert/strict';
import { parseFenceInfo } from '../../../../src/chat/ui/markdown/fenceInfo.ts';

describe('the first line of a fence', () => {
	for (const [info, language, file] of [
		['', undefined, undefined],
		['ts', 'ts', undefined],
		['c++', 'c++', undefined],
		['html onload=alert(1)', 'html', undefined],
		['ts src/a.ts', 'ts', 'src/a.ts'],
		['ts:src/a.ts', 'ts', 'src/a.ts'],
		['src/a.test.ts', 'ts', 'src/a.test.ts'],
		['src/a.ts:10-20', 'ts', 'src/a.ts:10-20'],
		['Makefile', 'Makefile', undefined],
		['ts title="src/my file.ts"', 'ts', 'src/my file.ts'],
		["filename='a.py'", 'py', 'a.py'],
		['python file=a.py {1,3}', 'python', 'a.py'],
		['js {1,3}', 'js', undefined],
	] as const) {
		it(`says of “${info}” the language ${language} and the file ${file}`, () => {
			assert.deepEqual(parseFenceInfo(info), {
				...(language === undefined ? {} : { language }),
				...(file === undefined ? {} : { file }),
			});
		});
	}

	it('is read only so far', () => {
		assert.ok((parseFenceInfo('x'.repeat(1_000_000)).language?.length ?? 0) <= 400);
	});
});
