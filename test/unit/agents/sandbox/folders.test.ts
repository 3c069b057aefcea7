import assert from 'node:assert/strict';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeTemporaryFolder, prepareFolders, writeAgentHome } from '../../../../src/agents/sandbox/folders.ts';
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

describe('makeTemporaryFolder', () => {
	const folder = useFolder();

	it('makes the folder, keeps what is in it, and replaces a link that an agent has left there', async () => {
		const home = folder.path;
		await makeTemporaryFolder(home);
		await folder.file('tmp/kept', '');
		await makeTemporaryFolder(home);
		assert.deepEqual(await readdir(folder.at('tmp')), ['kept']);
		assert.equal((await lstat(folder.at('tmp'))).mode & 0o777, 0o700);
		await rm(folder.at('tmp'), { recursive: true });
		await mkdir(folder.at('outside'));
		await symlink('outside', folder.at('tmp'));
		await makeTemporaryFolder(home);
		await folder.file('tmp/file', '');
		assert.deepEqual(await readdir(folder.at('outside')), []);
	});
});

describe('writeAgentHome', () => {
	const folder = useFolder();
	let home: string;
	beforeEach(async () => {
		home = folder.at('home');
		await mkdir(home);
		await folder.file('outside/config.toml', 'untouched');
	});
	const untouched = async () => assert.equal(await readFile(folder.at('outside', 'config.toml'), 'utf8'), 'untouched');

	it('writes the files for their owner alone', async () => {
		await writeAgentHome(home, { '.codex/config.toml': 'one', '.pi/agent/models.json': 'two' });
		assert.equal(await readFile(folder.at('home/.codex/config.toml'), 'utf8'), 'one');
		assert.equal(await readFile(folder.at('home/.pi/agent/models.json'), 'utf8'), 'two');
		assert.equal((await lstat(folder.at('home/.codex/config.toml'))).mode & 0o777, 0o600);
	});

	it('replaces the files of an earlier turn and keeps what else is there', async () => {
		await writeAgentHome(home, { '.codex/config.toml': 'one' });
		await writeFile(folder.at('home/.codex/history'), 'kept');
		await writeAgentHome(home, { '.codex/config.toml': 'two' });
		assert.equal(await readFile(folder.at('home/.codex/config.toml'), 'utf8'), 'two');
		assert.equal(await readFile(folder.at('home/.codex/history'), 'utf8'), 'kept');
	});

	it('writes nothing through a link that the agent has put in the place of a folder or a file', async () => {
		await symlink('../outside', folder.at('home/.codex'));
		await writeAgentHome(home, { '.codex/config.toml': 'one' });
		await untouched();
		assert.equal(await readFile(folder.at('home/.codex/config.toml'), 'utf8'), 'one');

		await mkdir(folder.at('home/.qwen'));
		await symlink('../../outside/config.toml', folder.at('home/.qwen/settings.json'));
		await writeAgentHome(home, { '.qwen/settings.json': 'two' });
		await untouched();
	});

	it('replaces a file in the place of a folder and a folder in the place of a file', async () => {
		await writeFile(folder.at('home/.codex'), 'a file');
		await mkdir(folder.at('home/.qwen/settings.json/deep'), { recursive: true });
		await writeAgentHome(home, { '.codex/config.toml': 'one', '.qwen/settings.json': 'two' });
		assert.equal(await readFile(folder.at('home/.codex/config.toml'), 'utf8'), 'one');
		assert.equal(await readFile(folder.at('home/.qwen/settings.json'), 'utf8'), 'two');
	});

	it('refuses a name that leads out of the home', async () => {
		for (const name of ['../outside/config.toml', '/etc/x', '.codex/../../outside/config.toml', 'a//b', './a', '']) {
			await assert.rejects(writeAgentHome(home, { [name]: 'x' }), /outside the home/, name);
		}
		await untouched();
	});
});
