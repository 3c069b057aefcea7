import assert from 'node:assert/strict';
import path from 'node:path';
import { workFolder } from '../../../../src/chat/model/workFolder.ts';

describe('the folder that an agent works in', () => {
	const [web, server, docs] = ['web', 'server', path.join('mono', 'docs')].map(name => path.resolve('/code', name));
	const folders = [web, server, docs].map(String);

	it('is that of the active editor, or the first, where the conversation has worked nowhere', () => {
		assert.equal(workFolder(folders, server, undefined), server);
		assert.equal(workFolder(folders, undefined, undefined), web);
		assert.equal(workFolder(folders, '/elsewhere', undefined), web);
		assert.equal(workFolder([], undefined, web), undefined);
	});

	it('stays where the conversation has worked, whatever is looked at since', () => {
		assert.equal(workFolder(folders, web, server), server);
		assert.equal(workFolder(folders, web, path.resolve('/code', 'mono')), docs);
	});

	it('is another one where that is not open any more', () => {
		assert.equal(workFolder(folders, server, path.resolve('/code', 'gone')), server);
		assert.equal(workFolder(folders, undefined, path.resolve('/code', 'web-old')), web);
	});
});
