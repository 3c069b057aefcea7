import assert from 'node:assert/strict';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, packageVersion } from '../../../../src/agents/catalogue/findProgram.ts';
import { useFolder } from '../useFolder.ts';

describe('findProgram', () => {
	const folder = useFolder();
	const onPath = (...folders: string[]) => ({ path: folders.join(path.delimiter) });

	it('finds the first program of the name on PATH, and its real path behind links', async () => {
		const program = await folder.program('package/dist/cli.js');
		await mkdir(folder.at('bin'));
		await symlink('../package/dist/cli.js', folder.at('bin', 'one'));
		await folder.program('later/one');
		const found = await findProgram('one', onPath(folder.at('none'), folder.at('bin'), folder.at('later')));
		assert.deepEqual(found, { file: folder.at('bin', 'one'), real: program });
	});

	it('finds names with spaces and quotes, in folders with spaces', async () => {
		const program = await folder.program(`my bin/it's an "agent" $(x)`);
		const found = await findProgram(`it's an "agent" $(x)`, onPath(folder.at('my bin')));
		assert.equal(found?.real, program);
	});

	it('passes over empty and relative folders of PATH, which stand for where the service runs', async () => {
		await folder.program('bin/one');
		const relative = path.relative(process.cwd(), folder.at('bin'));
		const before = process.cwd();
		process.chdir(folder.at('bin'));
		try {
			assert.equal(await findProgram('one', onPath('', '.', './', '../bin')), undefined);
		} finally {
			process.chdir(before);
		}
		assert.equal(await findProgram('one', onPath(relative)), undefined);
	});

	it('passes over a folder, a file that cannot be executed, and links that lead nowhere or in a circle', async () => {
		await mkdir(folder.at('a', 'one'), { recursive: true });
		await folder.file('b/one', 'text');
		await chmod(folder.at('b', 'one'), 0o644);
		await mkdir(folder.at('c'));
		await symlink('gone', folder.at('c', 'one'));
		await mkdir(folder.at('d'));
		await symlink('one', folder.at('d', 'one'));
		await folder.file('e', 'a file on PATH');
		const folders = ['a', 'b', 'c', 'd', 'e'].map(name => folder.at(name));
		assert.equal(await findProgram('one', onPath(...folders)), undefined);
		const program = await folder.program('f/one');
		assert.equal((await findProgram('one', onPath(...folders, folder.at('f'))))?.real, program);
	});

	it('takes an absolute path as it is, and no relative path', async () => {
		const program = await folder.program('bin/one');
		assert.equal((await findProgram(program, onPath()))?.real, program);
		assert.equal(await findProgram(folder.at('bin'), onPath()), undefined);
		for (const command of ['bin/one', './bin/one', '../one', '.', '..', '', 'one\0', `${program}\0`]) {
			assert.equal(await findProgram(command, onPath(folder.path, folder.at('bin'))), undefined, command);
		}
		assert.equal(await findProgram('one', onPath(`${folder.at('bin')}\0`)), undefined);
	});

	it('uses no program of the repository that is worked on, and looks on behind it', async () => {
		const planted = await folder.program('repository/node_modules/.bin/one');
		await mkdir(folder.at('bin'));
		await symlink(planted, folder.at('bin', 'one'));
		await symlink(folder.at('repository'), folder.at('link'));
		const folders = [
			path.dirname(planted),
			folder.at('bin'),
			folder.at('link', 'node_modules', '.bin'),
			folder.at('repository', '..', 'repository', 'node_modules', '.bin'),
		];
		for (const repository of [folder.at('repository'), folder.at('link')]) {
			const outside = [folder.at('other'), repository];
			assert.equal(await findProgram('one', { ...onPath(...folders), outside }), undefined, repository);
			assert.equal(await findProgram(planted, { ...onPath(), outside }), undefined, repository);
		}
		const program = await folder.program('own/one');
		const search = { ...onPath(...folders, folder.at('own')), outside: [folder.at('repository')] };
		assert.equal((await findProgram('one', search))?.real, program);
		assert.equal((await findProgram('one', onPath(...folders)))?.real, planted);
	});

	it('uses no program that a link in the repository leads to', async () => {
		await folder.program('elsewhere/one');
		await mkdir(folder.at('repository'));
		await symlink(folder.at('elsewhere'), folder.at('repository', 'bin'));
		const search = { ...onPath(folder.at('repository', 'bin')), outside: [folder.at('repository')] };
		assert.equal(await findProgram('one', search), undefined);
	});
});

describe('packageVersion', () => {
	const folder = useFolder();

	it('is that of the innermost package that the program lies in', async () => {
		await folder.file('node_modules/outer/package.json', '{"version":"9.9.9"}');
		await folder.file('node_modules/outer/node_modules/@scope/agent/package.json', '{"version":"1.2.3-beta.4"}');
		const program = await folder.program('node_modules/outer/node_modules/@scope/agent/dist/bin/cli.js');
		assert.equal(await packageVersion(program), '1.2.3-beta.4');
	});

	it('is unknown where there is no package, or one that does not say it in a few characters', async () => {
		await folder.file('package.json', '{"version":"1.0.0"}');
		assert.equal(await packageVersion(await folder.program('bin/cli')), undefined);
		const texts = ['', 'null', '[]', '{}', '{"version":7}', '{"version":"1\\n2"}', `{"version":"${'1'.repeat(61)}"}`];
		for (const text of [...texts, `{"version":"1.0.0","x":"${'x'.repeat(1024 * 1024)}"}`]) {
			await folder.file('node_modules/agent/package.json', text);
			assert.equal(await packageVersion(await folder.program('node_modules/agent/cli')), undefined, text.slice(0, 99));
		}
	});
});
