import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Checkout } from '../../../../src/service/tasks/checkout.ts';
import { useCheckout } from './useCheckout.ts';

describe('what git ignores in a repository', () => {
	const at = useCheckout();
	const { HOME, XDG_CONFIG_HOME } = process.env;

	/** The user's home, with a configuration of git. */
	const home = () => path.join(at.repository.folder, 'home');

	beforeEach(async () => {
		await mkdir(home());
		process.env['HOME'] = home();
		delete process.env['XDG_CONFIG_HOME'];
	});
	afterEach(() => {
		process.env['HOME'] = HOME;
		if (XDG_CONFIG_HOME !== undefined) {
			process.env['XDG_CONFIG_HOME'] = XDG_CONFIG_HOME;
		}
	});

	async function make(checkout: Checkout, ...names: string[]): Promise<void> {
		for (const name of names) {
			const file = path.join(checkout.tree, name);
			await mkdir(path.dirname(file), { recursive: true });
			await writeFile(file, `${name}\n`);
		}
	}

	/** Returns the names of the files that a task commits where an agent has made all of these. */
	async function committed(...names: string[]): Promise<string[]> {
		const checkout = await at.checkOut();
		await make(checkout, ...names);
		const { commit } = await checkout.commit('Work');
		const changed = commit === undefined ? [] : await checkout.changedFiles(await checkout.start(), commit);
		return changed.sort();
	}

	/** Returns what the user's own git would add of these files. */
	async function addedByGit(...names: string[]): Promise<string[]> {
		for (const name of names) {
			await at.repository.write(name, `${name}\n`);
		}
		const git = (...args: string[]) =>
			execFileSync('git', args, { cwd: at.repository.path, encoding: 'utf8', env: { ...process.env } });
		return git('ls-files', '--others', '--exclude-standard', '-z').split('\0').slice(0, -1).sort();
	}

	async function isAsGitSays(...names: string[]): Promise<string[]> {
		const own = await committed(...names);
		assert.deepEqual(own, await addedByGit(...names));
		return own;
	}

	it('by the list of the repository alone stays out of a commit', async () => {
		await writeFile(path.join(at.repository.path, '.git', 'info', 'exclude'), 'notes/\n*.local\n!keep.local\n');
		assert.deepEqual(await isAsGitSays('notes/a.md', 'a.local', 'keep.local', 'b.txt'), ['b.txt', 'keep.local']);
	});

	it('by the list that the user’s configuration names stays out of a commit', async () => {
		await writeFile(path.join(home(), '.gitconfig'), '[core]\n\texcludesFile = ~/ignored\n');
		await writeFile(path.join(home(), 'ignored'), '\uFEFF*.swp\r\n.DS_Store\n');
		assert.deepEqual(await isAsGitSays('a.swp', 'in/.DS_Store', 'b.txt'), ['b.txt']);
	});

	it('by the user’s usual list stays out of a commit, unless the configuration names none', async () => {
		await mkdir(path.join(home(), '.config', 'git'), { recursive: true });
		await writeFile(path.join(home(), '.config', 'git', 'ignore'), '.idea/');
		assert.deepEqual(await isAsGitSays('.idea/a.xml', 'b.txt'), ['b.txt']);
		await at.repository.git('config', 'core.excludesFile', '');
		assert.deepEqual(await committed('.idea/a.xml', 'b.txt'), ['.idea/a.xml', 'b.txt']);
	});

	it('by a list that the repository’s configuration names from its top folder stays out of a commit', async () => {
		await at.repository.write('lists/ignored', 'out/\n');
		await at.repository.commitAll('List');
		await at.repository.git('config', 'core.excludesFile', 'lists/ignored');
		assert.deepEqual(await isAsGitSays('out/a.js', 'b.js'), ['b.js']);
	});

	it('is decided by the last word: nested lists, negations, then the repository’s list, then the user’s', async () => {
		await writeFile(path.join(home(), '.gitconfig'), '[core]\n\texcludesFile = ~/ignored\n');
		await writeFile(path.join(home(), 'ignored'), '*.log\n*.tmp\n');
		await writeFile(path.join(at.repository.path, '.git', 'info', 'exclude'), '!*.tmp\n*.out\n');
		await at.repository.write('.gitignore', '/build\n');
		await at.repository.write('in/.gitignore', '!*.log\n!*.out\n/build/*\n!/build/keep\n');
		await at.repository.commitAll('Lists');
		const names = ['a.log', 'a.tmp', 'a.out', 'in/a.log', 'in/a.out', 'build/x', 'in/build/x', 'in/build/keep'];
		assert.deepEqual(await isAsGitSays(...names), ['a.tmp', 'in/a.log', 'in/a.out', 'in/build/keep']);
	});

	it('in any case, where git takes both cases for the same', async () => {
		await at.repository.write('.gitignore', '*.log\nTemp/\n');
		await at.repository.commitAll('List');
		assert.deepEqual(await isAsGitSays('A.LOG', 'temp/a', 'b.txt'), ['A.LOG', 'b.txt', 'temp/a']);
		await rm(path.join(at.repository.path, 'temp'), { recursive: true });
		await at.repository.git('config', 'core.ignoreCase', 'true');
		assert.deepEqual(await isAsGitSays('A.LOG', 'temp/a', 'b.txt'), ['b.txt']);
	});

	it('is the same in a further working tree', async () => {
		await writeFile(path.join(at.repository.path, '.git', 'info', 'exclude'), '*.local\n');
		const worktree = path.join(at.repository.folder, 'worktree');
		await at.repository.git('worktree', 'add', '--quiet', '-b', 'beside', worktree);
		const checkout = await at.checkOut(worktree);
		await make(checkout, 'a.local');
		assert.equal((await checkout.commit('Work')).commit, undefined);
	});

	it('is ignored by the agent’s git too, which gets to see no file that only the repository names', async () => {
		const secret = path.join(home(), 'secret');
		await writeFile(secret, 'a-secret-of-the-user\n');
		await writeFile(path.join(home(), '.gitconfig'), '[core]\n\texcludesFile = ~/ignored\n');
		await writeFile(path.join(home(), 'ignored'), '*.swp\n');
		const checkout = await at.checkOut();
		await make(checkout, 'a.swp', 'b.txt');
		await checkout.makeAgentRepository();
		const git = (...args: string[]) =>
			execFileSync('git', args, { cwd: checkout.tree, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
		assert.equal(git('status', '--porcelain'), '?? b.txt\n');

		const list = path.join(at.repository.path, '.git', 'info', 'exclude');
		for (const hide of [
			() => at.repository.git('config', 'core.excludesFile', secret),
			() => rm(list).then(() => symlink(secret, list)),
		]) {
			await hide();
			const later = await at.reopen();
			await later.makeAgentRepository();
			const seen = await readFile(path.join(later.tree, '.git', 'info', 'exclude'), 'utf8');
			assert.doesNotMatch(seen, /a-secret/);
		}
	});
});
