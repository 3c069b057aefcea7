import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { readSource, writeGitConfiguration } from '../../../../src/service/tasks/sourceRepository.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

describe('the repository that an agent finds in its tree', () => {
	let repository: TemporaryRepository;
	let folder: string;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-agent-'));
	});
	afterEach(async () => {
		await repository.remove();
		await rm(folder, { recursive: true, force: true });
	});

	async function checkOut(): Promise<Checkout> {
		const { signal } = new AbortController();
		await writeGitConfiguration(folder, signal);
		const sourceFolder = repository.path;
		const query = { folder: sourceFolder, branch: undefined, scratchFolder: folder, signal };
		const source = await readSource(query);
		return await Checkout.create({ folder, source, sourceFolder, agent: 'demo', signal });
	}

	const gitIn = (tree: string, ...args: string[]) =>
		execFileSync('git', args, { cwd: tree, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } }).trim();

	it('has one commit with the files, nothing to commit, no remote and no hooks', async () => {
		await repository.write('src/a.txt', 'a\n');
		await repository.commitAll('Second');
		const checkout = await checkOut();
		await checkout.makeAgentRepository();
		const { tree } = checkout;
		assert.equal(gitIn(tree, 'rev-list', '--count', 'HEAD'), '1');
		assert.equal(gitIn(tree, 'branch', '--show-current'), 'main');
		assert.equal(gitIn(tree, 'status', '--porcelain'), '');
		assert.equal(gitIn(tree, 'remote'), '');
		assert.equal(existsSync(path.join(tree, '.git', 'hooks')), false);
		assert.equal(gitIn(tree, 'show', 'HEAD:src/a.txt'), 'a');
	});

	it('has no effect on what is committed, whatever the agent does to it', async () => {
		const checkout = await checkOut();
		await checkout.makeAgentRepository();
		const { tree } = checkout;
		await writeFile(path.join(tree, 'new.txt'), 'new\n');
		gitIn(tree, 'add', '-A');
		gitIn(tree, 'commit', '--quiet', '-m', 'The agent commits');
		const marker = path.join(folder, 'marker');
		await mkdir(path.join(tree, '.git', 'hooks'), { recursive: true });
		await writeFile(path.join(tree, '.git', 'hooks', 'pre-commit'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
		await writeFile(path.join(tree, '.git', 'config'), `[core]\n\tfsmonitor = touch ${marker}\n\tworktree = /\n`);
		const { commit, leftOut } = await checkout.commit('Work');
		assert.ok(commit);
		assert.deepEqual(leftOut, []);
		assert.equal((await checkout.statistics(await checkout.start(), commit)).filesChanged, 1);
		assert.equal(existsSync(marker), false);
	});

	it('is made anew for a follow-up, on a tree that is brought back to the branch and keeps ignored files', async () => {
		await repository.write('.gitignore', 'node_modules/\n');
		await repository.write('kept.txt', 'kept\n');
		await repository.commitAll('Ignore');
		const first = await checkOut();
		await first.makeAgentRepository();
		await writeFile(path.join(first.tree, 'kept.txt'), 'changed by a run that was stopped\n');
		await writeFile(path.join(first.tree, 'left.txt'), 'left by it\n');
		await rm(path.join(first.tree, 'README.md'));
		await mkdir(path.join(first.tree, 'node_modules'));
		await writeFile(path.join(first.tree, 'node_modules', 'a.js'), 'a\n');
		assert.equal(await first.isChanged(), true);
		await repository.write('later.txt', 'later\n');
		await repository.commitAll('Later');
		const again = await checkOut();
		await again.makeAgentRepository();
		assert.equal(await readFile(path.join(again.tree, 'kept.txt'), 'utf8'), 'kept\n');
		assert.equal(await readFile(path.join(again.tree, 'later.txt'), 'utf8'), 'later\n');
		assert.equal(existsSync(path.join(again.tree, 'README.md')), true);
		assert.equal(existsSync(path.join(again.tree, 'left.txt')), false);
		assert.equal(existsSync(path.join(again.tree, 'node_modules', 'a.js')), true);
		assert.equal(await again.isChanged(), false);
		assert.equal(gitIn(again.tree, 'status', '--porcelain'), '');
	});

	it('writes through no link that an earlier run has put in the place of a folder', async () => {
		await repository.write('src/a.txt', 'a\n');
		await repository.commitAll('Source');
		const first = await checkOut();
		const outside = path.join(folder, 'outside');
		await mkdir(outside);
		await writeFile(path.join(outside, 'a.txt'), 'outside\n');
		await rm(path.join(first.tree, 'src'), { recursive: true });
		await symlink(outside, path.join(first.tree, 'src'));
		await repository.write('later.txt', 'later\n');
		await repository.commitAll('Later');
		const again = await checkOut();
		assert.equal(await readFile(path.join(outside, 'a.txt'), 'utf8'), 'outside\n');
		assert.equal(await readFile(path.join(again.tree, 'src', 'a.txt'), 'utf8'), 'a\n');
	});
});
