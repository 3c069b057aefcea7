import assert from 'node:assert/strict';
import { lstat, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { prepareFolders } from '../../../../src/agents/sandbox/folders.ts';
import { UNPRIVILEGED_ID } from '../../../../src/agents/sandbox/wrap.ts';
import { useFolder } from '../useFolder.ts';

describe('prepareFolders', () => {
	const folder = useFolder();
	const isRoot = process.getuid?.() === 0;
	let tree: string;
	let home: string;
	beforeEach(async () => {
		[tree, home] = [folder.at('tree'), folder.at('home')];
		await mkdir(tree);
		await mkdir(home);
	});
	const { signal } = new AbortController();

	it('makes a folder for temporary files', async () => {
		await prepareFolders({ tree, home, signal });
		assert.ok((await lstat(path.join(home, 'tmp'))).isDirectory());
	});

	it('gives all files to the user of the sandbox where this process is root, and nothing that links lead to', async function () {
		if (!isRoot) {
			this.skip();
		}
		const outside = await folder.file('outside/file', '');
		const inside = await folder.file('tree/folder/file', '');
		await symlink(path.dirname(outside), path.join(tree, 'link'));
		await prepareFolders({ tree, home, signal });
		const owners = await Promise.all([inside, path.join(tree, 'link'), home, outside].map(file => lstat(file)));
		assert.deepEqual(
			owners.map(({ uid }) => uid),
			[UNPRIVILEGED_ID, UNPRIVILEGED_ID, UNPRIVILEGED_ID, 0],
		);
	});

	it('is ended by its signal, and fails with one line however much there is to say', async function () {
		if (!isRoot) {
			this.skip();
		}
		await assert.rejects(
			prepareFolders({ tree, home, signal: AbortSignal.abort(new Error('stopped')) }),
			/^Error: stopped$/,
		);
		const missing = path.join(folder.path, `missing-${'x'.repeat(200)}`);
		await assert.rejects(prepareFolders({ tree: missing, home, signal }), (error: Error) => {
			assert.match(error.message, /could not be given to its user: .*missing-/);
			return !error.message.includes('\n') && error.message.length < 1_500;
		});
	});
});
