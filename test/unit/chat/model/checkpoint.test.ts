import assert from 'node:assert/strict';
import { agentPath, repositoryPath, withFolders } from '../../../../src/chat/model/checkpoint.ts';

const foldersOf = (...directories: string[]) =>
	withFolders(directories.map(directory => ({ directory }))).map(({ at }) => at);

describe('the repositories of an agent’s folder', () => {
	it('have no folder in it where there is only one', () => {
		assert.deepEqual(foldersOf('/code/web'), [undefined]);
		assert.equal(agentPath({}, 'src/a.ts'), 'src/a.ts');
		const kept = {};
		assert.deepEqual(repositoryPath([kept], 'src/a.ts'), { kept, path: 'src/a.ts' });
	});

	it('have each a folder of its name where there are several, also where two have the same', () => {
		assert.deepEqual(foldersOf('/code/web', '/code/server'), ['web', 'server']);
		assert.deepEqual(foldersOf('/a/web', '/b/web', '/c/Web'), ['web', 'web-2', 'Web-3']);
		assert.deepEqual(foldersOf('/a/web', '/b/web-2', '/c/web'), ['web', 'web-2', 'web-3']);
		assert.deepEqual(foldersOf('/a/caf\u00e9', '/b/cafe\u0301'), ['caf\u00e9', 'cafe\u0301-2']);
		assert.deepEqual(foldersOf('C:\\code\\web', 'D:\\'), ['web', 'D']);
		assert.deepEqual(foldersOf('/', '/code/'), ['repository', 'code']);
	});

	it('are found by the paths of their files, and nothing beside them is', () => {
		const [web, other] = [{ at: 'web' }, { at: 'web-2' }];
		assert.equal(agentPath(other, 'a.ts'), 'web-2/a.ts');
		assert.deepEqual(repositoryPath([web, other], 'web-2/src/a.ts'), { kept: other, path: 'src/a.ts' });
		for (const path of ['a.ts', 'web', 'web/', 'web-3/a.ts', '/web/a.ts', '']) {
			assert.equal(repositoryPath([web, other], path), undefined, path);
		}
	});
});
