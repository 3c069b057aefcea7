import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { isIgnored, listNotIgnored, readUncommitted } from '../../../src/chat/context/repositoryReading.ts';
import { GitRefusal, runGit } from '../../../src/platform/gitCommand.ts';
import {
	countCommits,
	listBranches,
	listChanges,
	readBranchCommit,
	readRemoteAddress,
	readRepositoryKind,
} from '../../../src/tasks/launch/repositoryFacts.ts';
import {
	commitChanges,
	findScratchBranch,
	type GitPlace,
	makeScratchBranch,
	nameScratchBranch,
	removeScratchBranch,
} from '../../../src/tasks/launch/scratchCommit.ts';
import { gitPrograms, sayWithoutNamedHooks } from '../../support/gitPrograms.ts';
import { RepositoryTrap } from '../../support/repositoryTrap.ts';

const declined = () => Promise.reject(new Error('declined'));

/** Long ago, so that git has to compare the content. */
const touch = (file: string) => utimes(file, 1_000_000_000, 1_000_000_000);

describe('git of the editor in a hostile repository', sayWithoutNamedHooks);

for (const program of gitPrograms()) {
	describe(`git of the editor in a hostile repository, with ${program.label},`, function () {
		this.timeout(60_000);
		let trap: RepositoryTrap;
		let place: GitPlace;
		let directory: string;
		let home: string;
		let gitHome: string | undefined;

		beforeEach(async () => {
			trap = await RepositoryTrap.create();
			const { repository } = trap;
			directory = repository.path;
			place = { gitPath: program.path, directory, credentials: {} };
			await repository.git('config', 'user.name', 'Tester');
			await repository.git('config', 'user.email', 'tester@example.invalid');
			home = path.join(repository.folder, 'home');
			await mkdir(home);
			gitHome = process.env['HOME'];
			process.env['HOME'] = home;
		});
		afterEach(async () => {
			process.env['HOME'] = gitHome;
			await trap.remove();
		});

		/** Every call of git that Errand makes without having asked; what it answers does not matter here. */
		const calls: Record<string, (place: GitPlace) => Promise<unknown>> = {
			listBranches: ({ gitPath, directory }) => listBranches(gitPath, directory, ['origin']),
			readBranchCommit: ({ gitPath, directory }) =>
				readBranchCommit(gitPath, directory, { name: 'main', remote: undefined }, path.dirname(directory)),
			countCommits: ({ gitPath, directory }) => countCommits(gitPath, directory, '1'.repeat(40), 'main'),
			listChanges: ({ gitPath, directory }) => listChanges(gitPath, directory),
			readRemoteAddress: ({ gitPath, directory }) => readRemoteAddress(gitPath, directory, 'origin'),
			readRepositoryKind: ({ gitPath, directory }) => readRepositoryKind(gitPath, directory),
			isIgnored: ({ gitPath, directory }) => isIgnored(gitPath, directory, 'a.evil'),
			listNotIgnored: ({ gitPath, directory }) => listNotIgnored(gitPath, directory, directory),
			readUncommitted: ({ gitPath, directory }) => readUncommitted(gitPath, directory),
			commitChanges: at => commitChanges(at, 'main', 'Uncommitted changes', declined),
			'a scratch branch here': at => scratch(at, undefined),
			'a scratch branch on a remote': at => scratch(at, 'origin'),
		};

		async function scratch(at: GitPlace, remote: string | undefined): Promise<void> {
			const commit = await trap.repository.head('main');
			const branch = nameScratchBranch(commit, remote);
			// Each on its own: where one fails, the others still have to run nothing.
			await makeScratchBranch(at, branch).catch(() => {});
			await findScratchBranch(at, branch).catch(() => {});
			await removeScratchBranch(at, branch).catch(() => {});
		}

		async function runAll(): Promise<void> {
			for (const [name, call] of Object.entries(calls)) {
				// A changed time, so that every call has to look.
				await Promise.all(['a.evil', 'a.evil-process'].map(file => touch(path.join(directory, file))));
				await call(place).catch(() => {});
				assert.deepEqual(await trap.sprung(), [], name);
			}
		}

		/** Tracked files with filters, a changed one, and a submodule in which files have filters too. */
		async function fill(): Promise<void> {
			const { repository } = trap;
			const evil = '*.evil filter=evil diff=evil\n*.evil-process filter=evil-process diff=evil\n';
			await repository.write('.gitattributes', evil);
			await repository.write('a.evil', 'a\n');
			await repository.write('a.evil-process', 'a\n');
			await repository.commitAll('Filtered');
			await repository.write('README.md', 'changed\n');
			await repository.write('new.evil', 'new\n');
		}

		it('runs nothing that any setting names', async () => {
			await fill();
			await trap.plantSettings();
			await trap.plantHooks(path.join(directory, '.git', 'hooks'));
			await runAll();
		});

		it('runs nothing that a submodule names where a diff would show what has changed in it', async () => {
			const { repository } = trap;
			const proof = path.join(repository.folder, 'submodule-ran');
			const inner = path.join(repository.folder, 'inner');
			const git = (...args: string[]) => repository.git('-c', 'protocol.file.allow=always', ...args);
			await git('clone', '--quiet', directory, inner);
			await git('submodule', '--quiet', 'add', inner, 'inner');
			await repository.commitAll('With a submodule');
			const moved = path.join(directory, 'inner');
			const commit = ['commit', '--quiet', '--allow-empty', '-m', 'Moved'];
			await git('-C', moved, '-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid', ...commit);
			await git('-C', moved, 'config', 'diff.external', `touch '${proof}'; true`);
			await repository.git('config', 'diff.submodule', 'diff');
			const { diff } = await readUncommitted(program.path, directory);
			assert.match(diff, /Subproject commit/);
			assert.ok(!(await readdir(repository.folder)).includes('submodule-ran'));
		});

		it('runs no hook that the repository’s or the user’s configuration names', async () => {
			await fill();
			const { repository } = trap;
			const bare = path.join(repository.folder, 'origin.git');
			await repository.git('clone', '--quiet', '--bare', directory, bare);
			await repository.git('remote', 'add', 'origin', bare);
			const included = path.join(repository.folder, 'included');
			await trap.plantNamedHooks(path.join(directory, '.git', 'config'));
			await trap.plantNamedHooks(included, 'included');
			await trap.plantNamedHooks(path.join(home, '.gitconfig'), 'own');
			await trap.plantNamedHooks(path.join(bare, 'config'), 'remote');
			await trap.plantHooks(path.join(bare, 'hooks'), 'remote');
			await repository.git('config', 'include.path', included);
			await repository.git('config', 'extensions.worktreeConfig', 'true');
			await trap.plantNamedHooks(path.join(directory, '.git', 'config.worktree'), 'worktree');
			await runAll();
			const commit = await commitChanges(place, 'main', 'Uncommitted changes', declined);
			assert.equal(await repository.git('show', `${commit}:README.md`), 'changed\n');
		});

		if (program.runsNamedHooks) {
			it('is in a repository whose named hooks do spring when git is used without care', async () => {
				await trap.plantNamedHooks(path.join(directory, '.git', 'config'));
				const careless = (...args: string[]) =>
					promisify(execFile)(program.path, ['-c', `core.hooksPath=${os.devNull}`, ...args], { cwd: directory });
				await writeFile(path.join(directory, 'README.md'), 'changed\n');
				await careless('add', '--all');
				await careless('update-ref', 'refs/heads/other', 'main');
				const sprung = await trap.sprung();
				assert.ok(sprung.includes('post-index-change-of-named-post-index-change'), String(sprung));
				assert.ok(sprung.includes('reference-transaction-of-named-reference-transaction'), String(sprung));
			});
		}

		it('is in a repository whose filters do spring when git is used without care', async () => {
			await fill();
			await trap.plantSettings();
			await trap.repository.git('config', '--unset', 'core.fsmonitor');
			await touch(path.join(directory, 'a.evil'));
			const careless = ['-c', 'diff.external=', '-c', 'core.fsmonitor=false', 'status', '--porcelain'];
			await promisify(execFile)(program.path, careless, { cwd: directory }).catch(() => {});
			assert.ok((await trap.sprung()).includes('clean'));
		});

		it('runs no filter of a submodule, and still says that something in it has changed', async () => {
			const { repository } = trap;
			const other = await RepositoryTrap.create();
			try {
				const add = [
					'-c',
					'protocol.file.allow=always',
					'submodule',
					'--quiet',
					'add',
					other.repository.path,
					'module',
				];
				await repository.git(...add);
				await repository.commitAll('Submodule');
				const module = path.join(directory, 'module');
				await repository.git('-C', 'module', 'config', 'filter.evil.clean', trap.command('clean'));
				await trap.plantNamedHooks(path.join(directory, '.git', 'modules', 'module', 'config'));
				await writeFile(path.join(module, '.gitattributes'), '* filter=evil\n');
				await touch(path.join(module, 'README.md'));
				assert.deepEqual((await listChanges(program.path, directory)).nested, ['module']);
				await readUncommitted(program.path, directory);
				await repository.write('new.txt', 'new\n');
				await commitChanges(place, 'main', 'Uncommitted changes', declined);
				assert.deepEqual(await trap.sprung(), []);
			} finally {
				await other.remove();
			}
		});

		it('looks for changed submodules below the repository alone, whatever .gitmodules names', async () => {
			const { repository } = trap;
			const outside = path.join(repository.folder, 'outside');
			await repository.git('init', '--quiet', outside);
			await writeFile(path.join(outside, 'new.txt'), 'new\n');
			const paths = ['../outside', '.', '', 'loop', 'loop/loop', outside, 'a/../../outside', 'link', '.git'];
			const sections = paths.map((name, index) => `[submodule "${index}"]\n\tpath = "${name}"\n\turl = x\n`);
			await repository.write('.gitmodules', sections.join(''));
			await promisify(execFile)('ln', ['-s', '.', path.join(directory, 'loop')]);
			await promisify(execFile)('ln', ['-s', outside, path.join(directory, 'link')]);
			assert.deepEqual(await listChanges(program.path, directory), {
				files: ['.gitmodules', 'link', 'loop'],
				nested: [],
				hasConflicts: false,
			});
		});

		for (const [section, name] of [
			['hook', 'x;touch pwned;'],
			['hook', 'a=b'],
			['hook', ''],
			['filter', 'a b'],
		] as const) {
			it(`refuses a repository with a ${section} called ${JSON.stringify(name)}, and runs nothing`, async () => {
				const setting = section === 'hook' ? 'event = pre-push' : `clean = "${trap.command('clean')}"`;
				await appendFile(path.join(directory, '.git', 'config'), `[${section} "${name}"]\n\t${setting}\n`);
				const unsafe = (error: unknown) => error instanceof GitRefusal && error.reason === 'unsafe-name';
				await assert.rejects(listBranches(program.path, directory, []), unsafe);
				await assert.rejects(isIgnored(program.path, directory, 'README.md'), unsafe);
				await assert.rejects(readUncommitted(program.path, directory), unsafe);
				await assert.rejects(commitChanges(place, 'main', 'x', declined), unsafe);
				assert.deepEqual(await trap.sprung(), []);
			});
		}

		it('refuses a filter whose name is no text, as nothing could switch it off', async () => {
			await trap.repository.write('a.txt', 'a\n');
			await trap.repository.commitAll('More');
			const section = Buffer.from(`[filter "?"]\n\tclean = "${trap.command('clean')}"\n`);
			section[section.indexOf('?')] = 0xff;
			await appendFile(path.join(directory, '.git', 'config'), section);
			await writeFile(path.join(directory, '.gitattributes'), Buffer.from('*.txt filter=\xff\n', 'latin1'));
			await touch(path.join(directory, 'a.txt'));
			await assert.rejects(listChanges(program.path, directory), GitRefusal);
			assert.deepEqual(await trap.sprung(), []);
		});

		it('takes the user’s own hooks and filters for what they are, whatever they are called', async () => {
			await appendFile(
				path.join(home, '.gitconfig'),
				`[hook "my own = hook"]\n\tevent = post-index-change\n\tcommand = touch ${trap.marker('own')}\n`,
			);
			await trap.repository.write('new.txt', 'new\n');
			await commitChanges(place, 'main', 'Uncommitted changes', declined);
			assert.deepEqual(await trap.sprung(), []);
		});

		describe('when files are staged', () => {
			it('runs a filter of the repository’s own only after a yes that was shown it', async () => {
				await fill();
				await trap.repository.git('config', 'filter.evil.clean', `touch ${trap.marker('clean')}; tr a-z A-Z`);
				const shown: string[] = [];
				const show = (programs: readonly { key: string; value: string }[]) => {
					shown.push(...programs.map(({ key, value }) => `${key}=${value}`));
				};
				const declines = commitChanges(place, 'main', 'x', async programs => {
					show(programs);
					throw new Error('no');
				});
				await assert.rejects(declines, /^Error: no$/);
				assert.deepEqual(await trap.sprung(), []);
				const commit = await commitChanges(place, 'main', 'x', async programs => show(programs));
				assert.deepEqual(await trap.sprung(), ['clean']);
				assert.equal(await trap.repository.git('show', `${commit}:new.evil`), 'NEW\n');
				assert.match(shown[0] ?? '', /^filter\.evil\.clean=touch .*tr a-z A-Z$/);
				assert.equal(shown.length, 2);
			});

			it('asks nothing where no file needs that filter', async () => {
				await trap.repository.git('config', 'filter.evil.clean', trap.command('clean'));
				await trap.repository.write('new.txt', 'new\n');
				const commit = await commitChanges(place, 'main', 'x', declined);
				assert.equal(await trap.repository.git('show', `${commit}:new.txt`), 'new\n');
			});

			it('never stores the content of a file as it is that a filter has to change', async () => {
				await fill();
				await trap.repository.git('config', 'filter.evil.clean', 'tr a-z A-Z');
				await assert.rejects(commitChanges(place, 'main', 'x', declined), /declined/);
				const objects = await trap.repository.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
				for (const object of objects.trim().split('\n')) {
					assert.notEqual(await trap.repository.git('cat-file', '-p', object), 'new\n');
				}
			});

			it('runs the filters that the user has set for every repository', async () => {
				await fill();
				await appendFile(path.join(home, '.gitconfig'), '[filter "evil"]\n\tclean = tr a-z A-Z\n\trequired = true\n');
				const commit = await commitChanges(place, 'main', 'x', declined);
				assert.equal(await trap.repository.git('show', `${commit}:new.evil`), 'NEW\n');
			});

			it('asks where the repository puts a program of its own into the user’s Git LFS', async () => {
				await fill();
				await trap.repository.write('.gitattributes', '*.evil filter=lfs\n');
				await appendFile(path.join(home, '.gitconfig'), '[filter "lfs"]\n\tclean = tr a-z A-Z\n');
				await trap.repository.git('config', 'lfs.extension.evil.clean', trap.command('extension'));
				const shown: string[] = [];
				await assert.rejects(
					commitChanges(place, 'main', 'x', async programs => {
						shown.push(...programs.map(({ key }) => key));
						throw new Error('no');
					}),
					/no/,
				);
				assert.deepEqual(shown, ['lfs.extension.evil.clean']);
			});
		});

		describe('with files that a filter keeps', () => {
			const content = 'large '.repeat(1_000);

			/** As after a checkout with Git LFS: the pointer in git, the content in the tree. */
			async function fillWithPointers(): Promise<void> {
				const { repository } = trap;
				const hash = (await import('node:crypto')).createHash('sha256').update(content).digest('hex');
				const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${content.length}\n`;
				await repository.write('same.bin', pointer);
				await repository.write('other.bin', pointer);
				await repository.write('short.bin', pointer);
				await repository.write('.gitattributes', '*.bin filter=lfs diff=lfs\n');
				await repository.commitAll('Pointers');
				await appendFile(
					path.join(home, '.gitconfig'),
					`[filter "lfs"]\n\tprocess = ${trap.command('process')}\n\tclean = ${trap.command('clean')}\n\trequired = true\n`,
				);
				await repository.write('same.bin', content);
				await repository.write('other.bin', content.replace('large', 'Large'));
				await repository.write('short.bin', 'short\n');
			}

			it('does not call a file changed of which only the filter differs', async () => {
				await fillWithPointers();
				const { files } = await listChanges(program.path, directory);
				assert.deepEqual(files, ['other.bin', 'short.bin']);
				assert.deepEqual(await trap.sprung(), []);
			});

			it('leaves their content out of the diff, and names those that have changed', async () => {
				await fillWithPointers();
				await trap.repository.write('README.md', 'changed\n');
				await trap.repository.write('new.txt', 'new\n');
				const { diff, added, filtered } = await readUncommitted(program.path, directory);
				assert.deepEqual(filtered, ['other.bin', 'short.bin']);
				assert.deepEqual(added, ['new.txt']);
				assert.deepEqual(
					[...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name),
					['README.md'],
				);
				assert.match(diff, /^\+changed$/m);
				assert.deepEqual(await trap.sprung(), []);
			});

			it('gives the whole diff where none of what has changed is kept so, however much that is', async () => {
				await fillWithPointers();
				await trap.repository.git('checkout', '--quiet', '--', '.');
				for (let number = 0; number < 250; number++) {
					await trap.repository.write(`many/${number} [*]`, 'x\n');
				}
				await trap.repository.commitAll('Many');
				for (let number = 0; number < 250; number++) {
					await trap.repository.write(`many/${number} [*]`, 'y\n');
				}
				await trap.repository.write('short.bin', 'short\n');
				const { diff, filtered } = await readUncommitted(program.path, directory);
				assert.deepEqual(filtered, ['short.bin']);
				assert.equal(diff.match(/^diff --git /gm)?.length, 250);
			});
		});

		it('leaves the index as it is', async () => {
			await fill();
			const index = path.join(directory, '.git', 'index');
			const before = await readFile(index);
			await touch(path.join(directory, 'a.evil'));
			await readUncommitted(program.path, directory);
			await listChanges(program.path, directory);
			await commitChanges(place, 'main', 'x', declined);
			assert.deepEqual(await readFile(index), before);
		});

		it('says of a git that takes no settings from its environment that it is too old', async () => {
			const old = path.join(trap.repository.folder, 'old-git');
			await writeFile(old, `#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec ${program.path} "$@"\n`, { mode: 0o755 });
			await assert.rejects(
				runGit(old, directory, ['status']),
				(error: unknown) => error instanceof GitRefusal && error.reason === 'old-git',
			);
		});

		describe('on the way to a remote of another machine', () => {
			for (const [key, url] of [
				['core.sshCommand', 'ssh://host.invalid/x'],
				['core.gitProxy', 'git://host.invalid/x'],
				['core.askPass', 'https://host.invalid/x'],
				['credential.helper', 'https://host.invalid/x'],
				['credential.https://host.invalid.helper', 'https://host.invalid/x'],
				['remote.origin.receivepack', 'ssh://host.invalid/x'],
				['remote.origin.uploadpack', 'ssh://host.invalid/x'],
			] as const) {
				it(`refuses where the repository names ${key}, and runs nothing`, async () => {
					await trap.repository.git('remote', 'add', 'origin', url);
					await trap.repository.git('config', key, trap.command('program'));
					const branch = nameScratchBranch(await trap.repository.head(), 'origin');
					const refused = (error: unknown) => error instanceof GitRefusal && error.reason === 'transport-program';
					await assert.rejects(makeScratchBranch(place, branch), refused);
					await assert.rejects(removeScratchBranch(place, branch), refused);
					await assert.rejects(findScratchBranch(place, branch), refused);
					assert.deepEqual(await trap.sprung(), []);
				});
			}

			for (const [key, value] of [
				['remote.origin.vcs', 'evil'],
				['remote.origin.url', 'evil::x'],
				['url.evil::x.insteadOf', 'https://host.invalid/x'],
				['url.evil::x.pushInsteadOf', 'https://host.invalid/x'],
			] as const) {
				it(`is not led to a program of its own by ${key}`, async () => {
					const { PATH } = process.env;
					const programs = path.join(trap.repository.folder, 'programs');
					await trap.script(path.join(programs, 'git-remote-evil'), 'helper');
					await trap.repository.git('remote', 'add', 'origin', 'https://host.invalid/x');
					await trap.repository.git('config', key, value);
					process.env['PATH'] = programs + path.delimiter + PATH;
					try {
						const branch = nameScratchBranch(await trap.repository.head(), 'origin');
						await assert.rejects(makeScratchBranch(place, branch));
						await assert.rejects(findScratchBranch(place, branch));
					} finally {
						process.env['PATH'] = PATH;
					}
					assert.deepEqual(await trap.sprung(), []);
				});
			}

			it('runs what the user’s own configuration names', async () => {
				await trap.repository.git('remote', 'add', 'origin', 'ssh://host.invalid/x');
				await appendFile(
					path.join(home, '.gitconfig'),
					`[core]\n\tsshCommand = "touch ${trap.marker('ssh')}; false"\n`,
				);
				await assert.rejects(makeScratchBranch(place, nameScratchBranch(await trap.repository.head(), 'origin')));
				assert.deepEqual(await trap.sprung(), ['ssh']);
			});

			it('is not kept from one remote by what is named for another', async () => {
				await trap.repository.git('config', 'remote.other.receivepack', trap.command('program'));
				await trap.repository.git('remote', 'add', 'origin', 'ssh://host.invalid/x');
				await appendFile(path.join(home, '.gitconfig'), '[core]\n\tsshCommand = "false"\n');
				await assert.rejects(
					makeScratchBranch(place, nameScratchBranch(await trap.repository.head(), 'origin')),
					(error: unknown) => !(error instanceof GitRefusal),
				);
			});
		});

		it('makes, finds and removes a branch of a remote that is a directory, and runs nothing that either names', async () => {
			const { repository } = trap;
			for (const name of ['plain', 'bare.git', "odd 'name; touch x"]) {
				const remote = path.join(repository.folder, name);
				await (name === 'plain'
					? cp(directory, remote, { recursive: true })
					: repository.git('clone', '--quiet', '--bare', directory, remote));
				await trap.plantNamedHooks(path.join(remote, name === 'plain' ? '.git/config' : 'config'));
				const settings = {
					'core.alternateRefsCommand': trap.command('alternateRefs'),
					'core.fsmonitor': trap.command('monitor'),
					'gc.auto': '1',
					'gc.autoDetach': 'false',
					'gc.recentObjectsHook': trap.command('recentObjects'),
					'gc.pruneExpire': 'now',
				};
				for (const [key, value] of Object.entries(settings)) {
					await repository.git('-C', remote, 'config', key, value);
				}
				await repository.git('remote', 'remove', 'origin').catch(() => {});
				await repository.git('remote', 'add', 'origin', remote);
				await repository.git('config', 'remote.origin.receivepack', trap.command('receivepack'));
				await repository.git('config', 'remote.origin.uploadpack', trap.command('uploadpack'));
				const branch = nameScratchBranch(await repository.head(), 'origin');
				await makeScratchBranch(place, branch);
				assert.equal(await findScratchBranch(place, branch), branch.commit);
				await removeScratchBranch(place, branch);
				assert.equal(await findScratchBranch(place, branch), undefined);
				assert.deepEqual(await trap.sprung(), []);
			}
			await rm(path.join(repository.folder, 'plain'), { recursive: true });
		});

		it('fetches nothing from elsewhere for a push, whatever program is named for the way there', async () => {
			const { repository } = trap;
			const origin = path.join(repository.folder, 'origin.git');
			await repository.git('init', '--quiet', '--bare', origin);
			await repository.git('remote', 'add', 'origin', origin);
			await repository.write('big.txt', 'kept elsewhere\n');
			await repository.commitAll('Big');
			const blob = await repository.head('HEAD:big.txt');
			await rm(path.join(directory, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
			for (const [key, value] of [
				['core.repositoryFormatVersion', '1'],
				['extensions.partialClone', 'elsewhere'],
				['remote.elsewhere.promisor', 'true'],
				['remote.elsewhere.url', repository.folder],
				['remote.elsewhere.uploadpack', trap.command('promisor')],
			] as const) {
				await repository.git('config', key, value);
			}
			await makeScratchBranch(place, nameScratchBranch(await repository.head(), 'origin')).catch(() => {});
			assert.deepEqual(await trap.sprung(), []);
		});
	});
}
