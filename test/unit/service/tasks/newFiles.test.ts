import assert from 'node:assert/strict';
import { countNewFiles } from '../../../../src/agents/steps/newFiles.ts';
import { newFilesText } from '../../../../src/service/tasks/saveWork.ts';

describe('where the new files of a commit are', () => {
	const many = (folder: string, count: number) => Array.from({ length: count }, (_, index) => `${folder}${index}.js`);

	it('is the innermost folder that has more than half of them', () => {
		const packages = Array.from({ length: 20 }, (_, index) => many(`web/node_modules/p${index}/`, 10)).flat();
		assert.deepEqual(countNewFiles([...packages, ...many('src/', 30), 'README']), {
			count: 231,
			folder: 'web/node_modules/',
			inFolder: 200,
		});
		assert.equal(countNewFiles(many('out/', 3)).folder, 'out/');
		assert.equal(countNewFiles([...many('out/a/', 3), ...many('out/b/', 3)]).folder, 'out/');
	});

	it('is the top folder where none has as many, and for none', () => {
		assert.deepEqual(countNewFiles([...many('a/', 2), ...many('b/', 2)]), { count: 4, folder: '', inFolder: 4 });
		assert.deepEqual(countNewFiles([...many('', 5), ...many('a/', 4)]), { count: 9, folder: '', inFolder: 9 });
		assert.deepEqual(countNewFiles([]), { count: 0, folder: '', inFolder: 0 });
	});

	it('is said with their number, and with what to ignore', () => {
		assert.equal(
			newFilesText({ count: 130_000, folder: 'web/node_modules/', inFolder: 129_998 }),
			'The agent made 130000 new files, 129998 of them in web/node_modules/. If they do not belong to the branch, ask it to name that folder in .gitignore.',
		);
		assert.equal(
			newFilesText({ count: 20_000, folder: '', inFolder: 20_000 }),
			'The agent made 20000 new files. If they do not belong to the branch, ask it to name what need not be kept in .gitignore.',
		);
	});
});
