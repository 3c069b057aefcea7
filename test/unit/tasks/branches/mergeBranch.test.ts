import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FilesInTheWay } from '../../../../src/tasks/branches/blockingFiles.ts';
import { mergeBranch, previewMerge } from '../../../../src/tasks/branches/mergeBranch.ts';
import { gitPrograms } from '../../../support/gitPrograms.ts';
import { useHostileRepository } from '../../platform/useHostileRepository.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', ''].join('\n');

for (const program of gitPrograms()) {
	describe(`merging the branch of a task, with ${program.label},`, () => {
		const hostile = useHostileRepository(program);
		const repository = () => hostile.trap.repository;
		const read = (name: string) => readFile(path.join(repository().path, name), 'utf8');
		const HERE = { branch: 'errand/work', address: undefined };

		/** Makes the branch `errand/work` with what `work` writes, and leaves `main` checked out. */
		async function branch(work: () => Promise<void>): Promise<string> {
			await repository().write('lines.txt', LINES);
			await repository().commitAll('Base');
			await repository().git('switch', '-q', '-c', 'errand/work');
			await work();
			const tip = await repository().commitAll('Work');
			await repository().git('switch', '-q', 'main');
			return tip;
		}
		/** A commit on `main` that the branch has not got. */
		async function moveOn(name: string, text: string): Promise<void> {
			await repository().write(name, text);
			await repository().commitAll('Moved on');
		}
		async function state(): Promise<string[]> {
			const files = await repository().git('status', '--porcelain');
			return [files, await repository().git('for-each-ref'), await read('lines.txt')];
		}

		it('says how many files a clean merge changes, and changes none before a yes', async () => {
			const tip = await branch(async () => {
				await repository().write('lines.txt', LINES.replace('one', 'ONE'));
				await repository().write('new.txt', 'new\n');
			});
			await moveOn('lines.txt', LINES.replace('nine', 'NINE'));
			const before = await state();
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'clean', files: 2, isFastForward: false });
			assert.deepEqual(await state(), before);
			assert.equal(await mergeBranch(hostile.place, tip, HERE), 'merged');
			assert.equal(await read('lines.txt'), LINES.replace('one', 'ONE').replace('nine', 'NINE'));
			const made = await repository().git('log', '-1', '--format=%an <%ae>%n%cn%n%B');
			assert.equal(made.trim(), "Tester <tester@example.invalid>\nTester\nMerge branch 'errand/work'");
		});

		it('has the message that git writes, for a remote’s branch and into a branch of another name', async () => {
			const tip = await branch(() => repository().write('new.txt', 'new\n'));
			await repository().git('switch', '-q', '-c', 'release');
			await moveOn('more.txt', 'more\n');
			await mergeBranch(hostile.place, tip, { branch: 'errand/work', address: 'https://host.example/acme/widgets' });
			assert.equal(
				(await repository().git('log', '-1', '--format=%B')).trim(),
				"Merge branch 'errand/work' of https://host.example/acme/widgets into release",
			);
		});

		it('fast-forwards where nothing else has happened, and says when there is nothing to do', async () => {
			const tip = await branch(() => repository().write('new.txt', 'new\n'));
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'clean', files: 1, isFastForward: true });
			await mergeBranch(hostile.place, tip, HERE);
			assert.equal(await repository().head(), tip);
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'nothing' });
		});

		it('makes a merge commit in any case where the user’s configuration says so', async () => {
			const tip = await branch(() => repository().write('new.txt', 'new\n'));
			await repository().git('config', 'merge.ff', 'no');
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'clean', files: 1, isFastForward: false });
			await repository().write('staged.txt', 'mine\n');
			await repository().git('add', 'staged.txt');
			await assert.rejects(mergeBranch(hostile.place, tip, HERE), FilesInTheWay);
			await repository().git('rm', '-q', '--cached', 'staged.txt');
			await mergeBranch(hostile.place, tip, HERE);
			assert.equal(await repository().head('HEAD^2'), tip);
		});

		it('names the files with conflicts, and leaves them to the editor’s merge tools', async () => {
			const tip = await branch(async () => {
				await repository().write('lines.txt', LINES.replace('two', 'TWO'));
				await repository().write('grün.txt', 'theirs\n');
			});
			await repository().write('grün.txt', 'mine\n');
			await moveOn('lines.txt', LINES.replace('two', 'Two'));
			const before = await state();
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'conflicts', files: ['grün.txt', 'lines.txt'] });
			assert.deepEqual(await state(), before);
			assert.equal(await mergeBranch(hostile.place, tip, HERE), 'conflicts');
			assert.match(await read('lines.txt'), /^<<<<<<< HEAD\nTwo\n=======\nTWO\n>>>>>>> /m);
			assert.match(await repository().git('status', '--porcelain'), /^UU lines\.txt$/m);
			assert.match(await read('.git/MERGE_MSG'), /^Merge branch 'errand\/work'\n/);
		});

		it('names the files of the user that are in the way, staged or not, and changes nothing', async () => {
			const tip = await branch(async () => {
				await repository().write('lines.txt', LINES.replace('one', 'ONE'));
				await repository().write('new.txt', 'new\n');
			});
			await moveOn('more.txt', 'more\n');
			await repository().write('lines.txt', 'mine\n');
			await repository().write('new.txt', 'mine\n');
			const files = async () => {
				const before = await state();
				const refused: unknown = await mergeBranch(hostile.place, tip, HERE).catch((error: unknown) => error);
				assert.ok(refused instanceof FilesInTheWay, String(refused));
				assert.deepEqual(await state(), before);
				return [...refused.files].sort();
			};
			assert.deepEqual(await files(), ['lines.txt', 'new.txt']);
			await repository().git('config', 'merge.autoStash', 'true');
			assert.deepEqual(await files(), ['lines.txt', 'new.txt']);
			await repository().git('add', 'lines.txt');
			assert.deepEqual(await files(), ['lines.txt']);
		});

		it('is not tried with a git that is too old for it, but where nothing can conflict', async () => {
			const tip = await branch(() => repository().write('new.txt', 'new\n'));
			const old = path.join(repository().folder, 'old-git');
			const script = `#!/bin/sh\ncase "$*" in *--version) echo 'git version 2.37.9';; *) exec '${program.path}' "$@";; esac\n`;
			await writeFile(old, script, { mode: 0o755 });
			const place = { ...hostile.place, gitPath: old };
			assert.equal((await previewMerge(place, tip)).kind, 'clean');
			await moveOn('more.txt', 'more\n');
			assert.deepEqual(await previewMerge(place, tip), { kind: 'too-old' });
		});

		it('is not begun while a merge, a cherry-pick or a revert waits for the user, whose work stays staged', async () => {
			const tip = await branch(() => repository().write('new.txt', 'new\n'));
			await repository().git('switch', '-q', '-c', 'other');
			await moveOn('lines.txt', LINES.replace('one', 'other'));
			await repository().git('switch', '-q', 'main');
			await moveOn('lines.txt', LINES.replace('one', 'main'));
			for (const how of ['merge', 'cherry-pick']) {
				await assert.rejects(repository().git(how, 'other'));
				await repository().write('lines.txt', LINES.replace('one', 'both'));
				await repository().git('add', 'lines.txt');
				assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'unfinished' }, how);
				assert.equal(await repository().git('diff', '--cached', '--name-only'), 'lines.txt\n');
				await repository().git(how, '--abort');
			}
			assert.equal((await previewMerge(hostile.place, tip)).kind, 'clean');
		});

		it('does not merge what has nothing in common', async () => {
			await branch(async () => {});
			await repository().git('switch', '-q', '--orphan', 'other');
			await repository().write('other.txt', 'other\n');
			const tip = await repository().commitAll('Other');
			await repository().git('switch', '-q', 'main');
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'unrelated' });
		});

		it('runs nothing that the repository names, and merges text where it names a merge driver', async () => {
			const tip = await branch(async () => {
				await repository().write('.gitattributes', '*.txt merge=evil\n');
				await repository().write('lines.txt', LINES.replace('one', 'ONE'));
				await repository().write('binary.txt', 'a\0b');
			});
			await repository().write('.gitattributes', '*.txt merge=evil\n');
			await repository().write('binary.txt', 'a\0c');
			await moveOn('lines.txt', LINES.replace('nine', 'NINE'));
			await hostile.trap.plantSettings();
			await hostile.trap.plantHooks(path.join(repository().path, '.git', 'hooks'));
			for (const [name, value] of [
				['branch.main.mergeOptions', '-s evil --gpg-sign --verify-signatures'],
				['pull.twohead', 'evil'],
				['alias.merge-evil', `!${hostile.trap.command('strategy')}`],
				['merge.verifySignatures', 'true'],
				['merge.renormalize', 'true'],
				['merge.default', 'evil'],
				['merge.stat', 'true'],
			] as const) {
				await repository().git('config', name, value);
			}
			await hostile.trap.sprung();
			assert.deepEqual(await previewMerge(hostile.place, tip), { kind: 'conflicts', files: ['binary.txt'] });
			assert.deepEqual(await hostile.trap.sprung(), []);
			assert.equal(await mergeBranch(hostile.place, tip, HERE), 'conflicts');
			assert.equal(await read('lines.txt'), LINES.replace('one', 'ONE').replace('nine', 'NINE'));
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('runs no hook that the branch itself brings, where the repository keeps its hooks in the tree', async () => {
			const tip = await branch(() => hostile.trap.plantHooks(path.join(repository().path, '.githooks')));
			await repository().git('config', 'core.hooksPath', '.githooks');
			await mergeBranch(hostile.place, tip, HERE);
			await read('.githooks/post-merge');
			assert.deepEqual(await hostile.trap.sprung(), []);
		});

		it('uses a merge driver of the user’s own configuration, before and at the merge', async () => {
			const tip = await branch(async () => {
				await repository().write('.gitattributes', '*.txt merge=mine\n');
				await repository().write('lines.txt', 'theirs\n');
			});
			await repository().write('.gitattributes', '*.txt merge=mine\n');
			await moveOn('lines.txt', 'ours\n');
			await writeFile(path.join(hostile.home, '.gitconfig'), '[merge "mine"]\n\tdriver = "cat %B >> %A"\n');
			assert.equal((await previewMerge(hostile.place, tip)).kind, 'clean');
			assert.equal(await mergeBranch(hostile.place, tip, HERE), 'merged');
			assert.equal(await read('lines.txt'), 'ours\ntheirs\n');
		});
	});
}
