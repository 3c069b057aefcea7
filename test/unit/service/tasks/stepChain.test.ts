import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StepChain, stepsFolder } from '../../../../src/agents/steps/stepChain.ts';
import { changesBetween, diffOfState } from '../../../../src/agents/steps/stepContent.ts';
import type { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { useCheckout } from './useCheckout.ts';

const PREFIX = 'refs/errand/steps/task';

const SECRET = 'what is outside';
/** Makes names mean a file, a link out of the tree, a folder or a pipe in turn, and folders a link, without a pause. */
const FLIP = `
const fs = require('node:fs');
const { execFileSync } = require('node:child_process');
const remove = name => fs.rmSync(name, { recursive: true, force: true });
for (let round = 0; ; round++) {
	for (const name of ['new', 'flips/file']) {
		try {
			remove(name);
			fs.writeFileSync(name, 'own\\n');
			remove(name);
			fs.symlinkSync('../outside/within', name);
			remove(name);
			fs.mkdirSync(name);
			fs.writeFileSync(name + '/within', 'own\\n');
			if (round % 20 === 0) {
				remove(name);
				execFileSync('mkfifo', [name]);
			}
		} catch {}
	}
	remove('flips');
	fs.symlinkSync('../outside', 'flips');
	remove('flips');
	fs.mkdirSync('flips');
	fs.writeFileSync('flips/within', 'own\\n');
	if (round === 0) {
		console.log('begun');
	}
}`;

describe('StepChain', () => {
	const at = useCheckout();
	let checkout: Checkout;
	let chain: StepChain;
	const inTree = (name: string) => path.join(checkout.tree, name);
	const begin = async () => {
		checkout = await at.checkOut();
		chain = await StepChain.begin(checkout, at.folder, { prefix: PREFIX, name: '0-1' });
	};
	const keep = async (title = 'A step') => {
		const look = await chain.look(chain.mark());
		const state = await chain.keep(title);
		await (state && chain.complete(state));
		return { ...look, state };
	};
	const git = (...args: string[]) =>
		execFileSync('git', ['--git-dir', stepsFolder(at.folder), ...args], { encoding: 'utf8', stdio: 'pipe' });
	const treeOf = (commit: string) => git('rev-parse', `${commit}^{tree}`).trim();

	/** Returns the tree that git itself makes of the files, in a repository of its own that is thrown away. */
	const treeByHand = () => {
		const env = { ...process.env, GIT_DIR: path.join(at.folder, 'by-hand'), GIT_WORK_TREE: checkout.tree };
		const run = (...args: string[]) => execFileSync('git', args, { env, cwd: checkout.tree, encoding: 'utf8' });
		if (!existsSync(env.GIT_DIR)) {
			run('init', '--quiet', '--template=');
		}
		run('-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', 'add', '--all');
		return run('write-tree').trim();
	};

	it('keeps what was added, changed, removed, moved and turned into something else', async () => {
		for (const name of ['changed', 'removed', 'moved', 'to-folder', 'to-file/inside', 'mode', 'to-link']) {
			await at.repository.write(name, `${name}\n`.repeat(20));
		}
		await at.repository.write('.gitignore', 'ignored\n');
		await at.repository.commitAll('Start');
		await begin();
		await writeFile(inTree('changed'), 'changed\r\n');
		await rm(inTree('removed'));
		await rename(inTree('moved'), inTree('moved to'));
		await rm(inTree('to-folder'));
		await mkdir(inTree('to-folder/deep'), { recursive: true });
		await writeFile(inTree('to-folder/deep/inside'), Uint8Array.of(0, 1, 255));
		await rm(inTree('to-file'), { recursive: true });
		await writeFile(inTree('to-file'), 'x\n');
		await chmod(inTree('mode'), 0o755);
		await rm(inTree('to-link'));
		await symlink('/etc/passwd', inTree('to-link'));
		await writeFile(inTree('ignored'), 'x');
		await writeFile(inTree('-leading dash\nand a line'), 'x\n');
		await writeFile(Buffer.concat([Buffer.from(`${checkout.tree}/latin-`), Buffer.of(0xe9)]), 'x\n');
		const { state, isLater, notKept } = await keep();
		assert.ok(state);
		assert.deepEqual({ isLater, notKept }, { isLater: false, notKept: [] });
		assert.equal(treeOf(state.commit), treeByHand());
		assert.equal(git('rev-parse', `${PREFIX}/0-1`).trim(), state.commit);
		assert.deepEqual(await chain.ignoredOf(['ignored', 'changed', 'nothing']), ['ignored']);
		const { files, fileCount } = await changesBetween(at.folder, state);
		assert.deepEqual(
			files.find(({ path: name }) => name === 'moved to'),
			{ path: 'moved to', status: 'renamed', from: 'moved' },
		);
		assert.equal(files.find(({ path: name }) => name === 'to-link')?.status, 'type');
		assert.equal(fileCount, 11);
		assert.match((await diffOfState(at.folder, state.commit)).diff.toString(), /^rename from moved$/m);
		assert.equal((await keep()).state, undefined);
	});

	it('has the files of each step of random histories, with 2,000 files', async () => {
		let seed = 4_711;
		const random = (below: number) => {
			seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
			return Math.floor((seed / 2 ** 31) * below);
		};
		const nameOf = (number: number) => `d${number % 40}/e${number % 3}/f${number}`;
		for (let file = 0; file < 2_000; file++) {
			await at.repository.write(nameOf(file), `file ${file}\n`.repeat(1 + (file % 9)));
		}
		await at.repository.commitAll('Start');
		await begin();
		const contents = ['text\n', 'text\r\nmore\r\n', '', 'x'.repeat(10_000), '\0binary\0'];
		const acts: ((name: string, other: string) => Promise<unknown>)[] = [
			name => writeFile(name, `${contents[random(contents.length)]}${random(1_000)}`),
			name => rm(name, { force: true, recursive: true }),
			(name, other) => rename(name, other),
			name => chmod(name, random(2) === 0 ? 0o755 : 0o644),
			(name, other) => symlink(path.basename(other), name),
			name => mkdir(name).then(() => writeFile(path.join(name, 'within'), `${random(9)}`)),
			name => rm(path.dirname(name), { recursive: true, force: true }),
			name => mkdir(path.dirname(name), { recursive: true }).then(() => writeFile(name, 'again\n')),
		];
		let last = '';
		for (let step = 0; step < 12; step++) {
			for (let change = random(30); change >= 0; change--) {
				const [name, other] = [inTree(nameOf(random(2_100))), inTree(nameOf(random(2_100)))];
				// Some changes do not apply to what is there.
				await acts[random(acts.length)]?.(name, other).catch(() => {});
			}
			const { state } = await keep(`Step ${step}`);
			const byHand = treeByHand();
			assert.equal(state === undefined ? last : treeOf(state.commit), byHand, `step ${step}`);
			last = byHand;
		}
		git('fsck', '--strict', '--no-dangling');
	});

	it('sees what was written again in the second of its checkout, and reads only what has changed in later ones', async () => {
		await at.repository.write('same', 'one\n');
		await at.repository.commitAll('Start');
		await begin();
		const secondOf = async (file: string) => Math.floor((await lstat(file)).mtimeMs / 1000);
		const second = await secondOf(inTree('README.md'));
		await writeFile(inTree('same'), 'two\n');
		const { state } = await keep();
		assert.equal(git('show', `${state?.commit}:same`), 'two\n');
		await waitFor('the next second', () => Date.now() / 1000 >= second + 1);
		await keep();
		// Git compares the content of a file whose time is not before that of the index.
		assert.ok((await secondOf(path.join(stepsFolder(at.folder), 'index'))) > second);
		await writeFile(inTree('same'), 'six\n');
		assert.equal(git('show', `${(await keep()).state?.commit}:same`), 'six\n');
	});

	it('says which state is one of a later moment', async () => {
		await begin();
		await writeFile(inTree('early'), 'x');
		const moment = chain.mark();
		await new Promise(resolve => setTimeout(resolve, 20));
		await writeFile(inTree('late'), 'x');
		assert.equal((await chain.look(moment)).isLater, true);
		await rm(inTree('late'));
		assert.equal((await chain.look(moment)).isLater, true);
		assert.equal((await chain.look(chain.mark())).isLater, false);
	});

	it('names what it cannot keep, once', async () => {
		await begin();
		await mkdir(inTree('inner'));
		execFileSync('git', ['init', '--quiet', inTree('inner')]);
		await writeFile(inTree('inner/file'), 'x');
		await writeFile(inTree('huge'), '');
		await truncate(inTree('huge'), 49 * 1024 * 1024);
		await writeFile(inTree('small'), 'x');
		const { state, notKept } = await keep();
		assert.deepEqual(notKept, [
			{ reason: 'submodule', names: ['inner/'] },
			{ reason: 'too-large', names: ['huge'] },
		]);
		assert.deepEqual((await changesBetween(at.folder, state ?? assert.fail())).files, [
			{ path: 'small', status: 'added' },
		]);
		await writeFile(inTree('small'), 'y');
		assert.deepEqual((await keep()).notKept, []);
	});

	it('reads nothing outside of the tree, whatever takes the place of a file or a folder', async () => {
		await at.repository.write('folder/file', 'x\n');
		await at.repository.commitAll('Start');
		await begin();
		await writeFile(path.join(at.folder, 'secret'), 'secret');
		await rm(inTree('folder'), { recursive: true });
		await symlink(at.folder, inTree('folder'));
		execFileSync('mkfifo', [inTree('pipe')]);
		const { state } = await keep();
		const listed = git('ls-tree', '-r', state?.commit ?? '');
		assert.match(listed, /^120000 blob \w+\tfolder$/m);
		assert.doesNotMatch(listed, /secret|pipe/);
		assert.ok((await lstat(inTree('pipe'))).isFIFO());
	});

	it('keeps what fits into a step, and names the rest', async () => {
		await begin();
		const names = ['a', 'b', 'c', 'd', 'e', 'f'];
		for (const name of names) {
			await writeFile(inTree(name), name);
			await truncate(inTree(name), 47 * 1024 * 1024);
		}
		const { state, notKept } = await keep();
		const kept = git('ls-tree', '-r', '--name-only', state?.commit ?? '')
			.split('\n')
			.filter(name => names.includes(name));
		assert.equal(kept.length, 5);
		assert.deepEqual(notKept, [{ reason: 'too-large', names: names.filter(name => !kept.includes(name)) }]);
	});

	it('keeps nothing from outside of the tree, and ends, while an agent changes what its names mean', async () => {
		for (const name of ['flips/within', 'flips/file', 'File', 'file']) {
			await at.repository.write(name, 'x\n');
		}
		await at.repository.commitAll('Start');
		await begin();
		await mkdir(path.join(at.folder, 'outside'));
		await writeFile(path.join(at.folder, 'outside', 'within'), SECRET);
		await mkdir(inTree('with\na line'));
		await writeFile(inTree('with\na line/.git'), `gitdir: ${at.repository.path}/.git\n`);
		const agent = spawn(process.execPath, ['-e', FLIP], { cwd: checkout.tree, stdio: ['ignore', 'pipe', 'inherit'] });
		const ended = once(agent, 'exit');
		try {
			await once(agent.stdout, 'data');
			for (let look = 0; look < 15; look++) {
				await writeFile(inTree('file'), `${look}\n`);
				const { state } = await keep();
				assert.equal(git('show', `${state?.commit}:file`), `${look}\n`);
			}
		} finally {
			agent.kill('SIGKILL');
			await ended;
		}
		await rm(inTree('with\na line'), { recursive: true });
		const { state } = await keep('The end');
		assert.equal(
			state === undefined ? git('rev-parse', `${PREFIX}/0-1^{tree}`).trim() : treeOf(state.commit),
			treeByHand(),
		);
		const blobs = git('cat-file', '--batch-all-objects', '--batch', '--unordered');
		assert.ok(!blobs.includes(SECRET) && blobs.includes('own\n'));
		git('fsck', '--strict', '--no-dangling');
	});

	it('keeps what an earlier run has left apart from the first step', async () => {
		await begin();
		await writeFile(inTree('left'), 'x');
		// As a machine leaves them that loses its power.
		await writeFile(path.join(stepsFolder(at.folder), 'index.lock'), '');
		await writeFile(path.join(stepsFolder(at.folder), 'config.lock'), '');
		chain = await StepChain.begin(checkout, at.folder, { prefix: PREFIX, name: '0-2' });
		await writeFile(inTree('new'), 'x');
		const { state } = await keep();
		assert.deepEqual((await changesBetween(at.folder, state ?? assert.fail())).files, [
			{ path: 'new', status: 'added' },
		]);
	});
});
