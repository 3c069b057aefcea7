import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileFolder, packageFolders } from '../../../../src/agents/sandbox/packageFolders.ts';
import { toolchains } from '../../../../src/agents/sandbox/toolchains.ts';
import { UserFacingError } from '../../../../src/base/errors.ts';

let root: string;
let home: string;

/** Makes a file, executable, and returns its path. */
function file(name: string, content = ''): string {
	const place = path.join(root, name);
	mkdirSync(path.dirname(place), { recursive: true });
	writeFileSync(place, content);
	chmodSync(place, 0o755);
	return place;
}

function folder(name: string): string {
	const place = path.join(root, name);
	mkdirSync(place, { recursive: true });
	return place;
}

beforeEach(() => {
	root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'errand-toolchains-')));
	home = folder('home/user');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('toolchains', () => {
	const of = (entries: string[], further: string[] = [], environment: Record<string, string> = {}) =>
		toolchains(further, { PATH: entries.join(':'), ...environment }, home);

	it('keeps the order of PATH, without links, and always ends with the system', () => {
		const one = folder('one/bin');
		const two = folder('two/tools');
		symlinkSync(two, path.join(root, 'link'));
		const found = of([path.join(root, 'link'), '/usr/bin', one, two]);
		assert.equal(found.path, [two, '/usr/bin', one, '/usr/local/bin', '/bin'].join(':'));
		assert.deepEqual(found.readOnly, [two, one]);
	});

	it('leaves out what is empty, relative, missing or a file: they could be folders of a repository', () => {
		const found = of(['', '.', 'node_modules/.bin', '../bin', path.join(root, 'missing'), file('file')]);
		assert.equal(found.path, '/usr/local/bin:/usr/bin:/bin');
		assert.deepEqual(found.readOnly, []);
		assert.deepEqual(toolchains([], {}, home), { ...found });
	});

	it('shows the installation around a bin folder, where there is one', () => {
		folder('home/user/.nvm/versions/node/v24/lib');
		const bin = folder('home/user/.nvm/versions/node/v24/bin');
		assert.deepEqual(of([bin]).readOnly, [path.dirname(bin)]);
		const alone = folder('home/user/go/bin');
		assert.deepEqual(of([alone]).readOnly, [alone]);
	});

	it('never shows the home folder, a folder of it with credentials, or what holds them', () => {
		folder('home/user/lib');
		folder('home/user/.local/share');
		folder('home/user/.cargo/lib');
		const [bin, local, cargo] = ['bin', '.local/bin', '.cargo/bin'].map(name => folder(`home/user/${name}`));
		assert.deepEqual(of([bin ?? '', local ?? '', cargo ?? '']).readOnly, [bin, local, cargo]);
		const ssh = folder('home/user/.ssh');
		const found = of([home, path.dirname(home), root, '/', ssh, folder('home/user/.config')]);
		assert.deepEqual(found.readOnly, []);
		assert.equal(found.path, '/usr/local/bin:/usr/bin:/bin');
	});

	it('never shows a private folder, by a link or by a folder around it either', () => {
		const state = folder('home/user/state');
		const bin = folder('home/user/state/bin');
		symlinkSync(path.join(root, 'home'), path.join(root, 'innocent'));
		assert.deepEqual(of([state, path.join(root, 'innocent'), path.join(root, 'innocent/user')], [state]).readOnly, []);
		folder('home/user/state/lib');
		assert.deepEqual(of([bin], [state]).readOnly, [bin]);
	});

	it('takes the bin and lib of a repository for no installation', () => {
		folder('project/.git');
		folder('project/lib');
		const bin = folder('project/bin');
		assert.deepEqual(of([bin]).readOnly, [bin]);
	});

	it('shows what a version manager chooses from, and says where that is', () => {
		folder('home/user/.rustup/toolchains');
		folder('home/user/.pyenv/versions');
		const cargo = folder('home/user/.cargo/bin');
		const shims = folder('home/user/.pyenv/shims');
		const found = of([cargo, shims]);
		assert.deepEqual(found.readOnly, [cargo, path.join(home, '.rustup'), path.join(home, '.pyenv')]);
		assert.deepEqual(found.variables, {
			RUSTUP_HOME: path.join(home, '.rustup'),
			PYENV_ROOT: path.join(home, '.pyenv'),
		});
		const elsewhere = folder('pyenv/shims');
		const named = of([elsewhere], [], { PYENV_ROOT: path.dirname(elsewhere) });
		assert.deepEqual(named.variables, { PYENV_ROOT: path.dirname(elsewhere) });
		const hostile = of([shims], [], { PYENV_ROOT: home });
		assert.deepEqual([hostile.readOnly, hostile.variables], [[shims], {}]);
	});
});

describe('packageFolders', () => {
	const of = (program: string, further: string[] = []) => packageFolders(program, home, further);

	it('needs nothing for a program of the system', async () => {
		const { command, readOnly } = await of('/bin/sh');
		assert.equal(command, realpathSync('/bin/sh'));
		assert.deepEqual(
			readOnly.filter(name => name !== command),
			[],
		);
	});

	it('finds the outermost node_modules of a package behind its link, which leaves Node to the PATH', async () => {
		const main = file('npm/lib/node_modules/agent/node_modules/inner/cli.js', '#!/usr/bin/env node\n');
		folder('npm/bin');
		const link = path.join(root, 'npm/bin/agent');
		symlinkSync('../lib/node_modules/agent/node_modules/inner/cli.js', link);
		assert.deepEqual(await of(link), { command: main, readOnly: [path.join(root, 'npm/lib/node_modules')] });
	});

	it('finds the installation of a program, or its own folder', async () => {
		folder('agent/share');
		const installed = file('agent/bin/agent');
		assert.deepEqual((await of(installed)).readOnly, [path.join(root, 'agent')]);
		const alone = file('home/user/.agent/bin/agent');
		assert.deepEqual((await of(alone)).readOnly, [path.dirname(alone)]);
	});

	it('finds the interpreter that a script names, with its environment', async () => {
		file('python/lib/os.py');
		const python = file('python/bin/python3');
		file('venv/lib/agent.py');
		const script = file('venv/bin/agent', `#!${path.join(root, 'venv/bin/python')}\n`);
		symlinkSync(python, path.join(root, 'venv/bin/python'));
		assert.deepEqual((await of(script)).readOnly, [path.join(root, 'venv'), path.join(root, 'python')]);
	});

	it('keeps the path to the Python of a virtual environment, and shows the installation by the path that it names', async () => {
		file('python-3.12.4/lib/os.py');
		file('python-3.12.4/bin/python3');
		symlinkSync('python-3.12.4', path.join(root, 'python-3.12'));
		const named = path.join(root, 'python-3.12/bin');
		file('venv/lib/server.py');
		const configuration = file('venv/pyvenv.cfg', `home = ${named}\nversion_info = 3.12.4\n`);
		const python = path.join(folder('venv/bin'), 'python');
		symlinkSync(path.join(named, 'python3'), python);
		const shown = ['python-3.12.4', 'venv', 'python-3.12'].map(name => path.join(root, name));
		assert.deepEqual(await of(python), { command: python, readOnly: shown });
		const script = file('venv/bin/server', `#!${python}\n`);
		assert.deepEqual(new Set((await of(script)).readOnly), new Set(shown));
		for (const other of [root, home, path.join(root, 'python-3.12/lib'), '']) {
			writeFileSync(configuration, `home = ${other}\n`);
			assert.deepEqual((await of(python)).readOnly, shown.slice(0, 2), other);
		}
	});

	it('shows no file that nobody could start though a script names it as its interpreter, and none for a mere file', async () => {
		const key = file('home/user/.ssh/key');
		chmodSync(key, 0o600);
		const script = file('tools/script', `#!${key}\n`);
		assert.deepEqual((await of(script)).readOnly, [path.dirname(script)]);
		const notes = file('home/user/notes/run');
		const main = file('packages/node_modules/server/run.js', `#!${notes}\n`);
		assert.equal(await fileFolder(main, home, []), path.join(root, 'packages/node_modules'));
	});

	it('shows a file alone where its folder is private', async () => {
		const inHome = file('home/user/agent');
		assert.deepEqual((await of(inHome)).readOnly, [inHome]);
		const state = folder('home/user/state');
		const beside = file('home/user/state/agent');
		assert.deepEqual((await of(beside, [state])).readOnly, [beside]);
	});

	it('says so when the program, or its interpreter, is gone', async () => {
		await assert.rejects(of(path.join(root, 'gone')), UserFacingError);
		await assert.rejects(of(file('tools/script', '#!/no/such/interpreter\n')), UserFacingError);
	});
});
