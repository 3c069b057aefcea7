import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { readUncommitted } from '../../../src/chat/context/repositoryReading.ts';
import { commitChanges } from '../../../src/platform/commitChanges.ts';
import { listChanges } from '../../../src/tasks/launch/repositoryFacts.ts';
import { gitPrograms, sayWithoutNamedHooks } from '../../support/gitPrograms.ts';
import { declined, touch, useHostileRepository } from './useHostileRepository.ts';

describe('filters of a hostile repository', sayWithoutNamedHooks);

for (const program of gitPrograms()) {
	describe(`filters of a hostile repository, with ${program.label},`, () => {
		const hostile = useHostileRepository(program);

		it('is in a repository whose filters do spring when git is used without care', async () => {
			await hostile.fill();
			await hostile.trap.plantSettings();
			await hostile.trap.repository.git('config', '--unset', 'core.fsmonitor');
			await touch(path.join(hostile.directory, 'a.evil'));
			const careless = ['-c', 'diff.external=', '-c', 'core.fsmonitor=false', 'status', '--porcelain'];
			await promisify(execFile)(program.path, careless, { cwd: hostile.directory }).catch(() => {});
			assert.ok((await hostile.trap.sprung()).includes('clean'));
		});

		describe('when files are staged', () => {
			it('runs a filter of the repository’s own only after a yes that was shown it', async () => {
				await hostile.fill();
				await hostile.trap.repository.git(
					'config',
					'filter.evil.clean',
					`touch ${hostile.trap.marker('clean')}; tr a-z A-Z`,
				);
				const shown: string[] = [];
				const show = (programs: readonly { key: string; value: string }[]) => {
					shown.push(...programs.map(({ key, value }) => `${key}=${value}`));
				};
				const declines = commitChanges(hostile.place, {
					parent: 'main',
					message: 'x',
					confirm: async programs => {
						show(programs);
						throw new Error('no');
					},
				});
				await assert.rejects(declines, /^Error: no$/);
				assert.deepEqual(await hostile.trap.sprung(), []);
				const commit = await commitChanges(hostile.place, {
					parent: 'main',
					message: 'x',
					confirm: async programs => show(programs),
				});
				assert.deepEqual(await hostile.trap.sprung(), ['clean']);
				assert.equal(await hostile.trap.repository.git('show', `${commit}:new.evil`), 'NEW\n');
				assert.match(shown[0] ?? '', /^filter\.evil\.clean=touch .*tr a-z A-Z$/);
				assert.equal(shown.length, 2);
			});

			it('asks nothing where no file needs that filter', async () => {
				await hostile.trap.repository.git('config', 'filter.evil.clean', hostile.trap.command('clean'));
				await hostile.trap.repository.write('new.txt', 'new\n');
				const commit = await commitChanges(hostile.place, { parent: 'main', message: 'x', confirm: declined });
				assert.equal(await hostile.trap.repository.git('show', `${commit}:new.txt`), 'new\n');
			});

			it('never stores the content of a file as it is that a filter has to change', async () => {
				await hostile.fill();
				await hostile.trap.repository.git('config', 'filter.evil.clean', 'tr a-z A-Z');
				await assert.rejects(
					commitChanges(hostile.place, { parent: 'main', message: 'x', confirm: declined }),
					/declined/,
				);
				const objects = await hostile.trap.repository.git(
					'cat-file',
					'--batch-all-objects',
					'--batch-check=%(objectname)',
				);
				for (const object of objects.trim().split('\n')) {
					assert.notEqual(await hostile.trap.repository.git('cat-file', '-p', object), 'new\n');
				}
			});

			it('runs the filters that the user has set for every repository', async () => {
				await hostile.fill();
				await appendFile(
					path.join(hostile.home, '.gitconfig'),
					'[filter "evil"]\n\tclean = tr a-z A-Z\n\trequired = true\n',
				);
				const commit = await commitChanges(hostile.place, { parent: 'main', message: 'x', confirm: declined });
				assert.equal(await hostile.trap.repository.git('show', `${commit}:new.evil`), 'NEW\n');
			});

			it('asks where the repository puts a program of its own into the user’s Git LFS', async () => {
				await hostile.fill();
				await hostile.trap.repository.write('.gitattributes', '*.evil filter=lfs\n');
				await appendFile(path.join(hostile.home, '.gitconfig'), '[filter "lfs"]\n\tclean = tr a-z A-Z\n');
				await hostile.trap.repository.git('config', 'lfs.extension.evil.clean', hostile.trap.command('extension'));
				const shown: string[] = [];
				await assert.rejects(
					commitChanges(hostile.place, {
						parent: 'main',
						message: 'x',
						confirm: async programs => {
							shown.push(...programs.map(({ key }) => key));
							throw new Error('no');
						},
					}),
					/no/,
				);
				assert.deepEqual(shown, ['lfs.extension.evil.clean']);
			});
		});

		describe('with files that a filter keeps', () => {
			const content = 'large '.repeat(1_000);

			/** Makes the repository as after a checkout with Git LFS: the pointer is in git, the content in the tree. */
			async function fillWithPointers(): Promise<void> {
				const { repository } = hostile.trap;
				const hash = (await import('node:crypto')).createHash('sha256').update(content).digest('hex');
				const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${content.length}\n`;
				await repository.write('same.bin', pointer);
				await repository.write('other.bin', pointer);
				await repository.write('short.bin', pointer);
				await repository.write('.gitattributes', '*.bin filter=lfs diff=lfs\n');
				await repository.commitAll('Pointers');
				await appendFile(
					path.join(hostile.home, '.gitconfig'),
					`[filter "lfs"]\n\tprocess = ${hostile.trap.command('process')}\n\tclean = ${hostile.trap.command('clean')}\n\trequired = true\n`,
				);
				await repository.write('same.bin', content);
				await repository.write('other.bin', content.replace('large', 'Large'));
				await repository.write('short.bin', 'short\n');
			}

			it('does not call a file changed of which only the filter differs', async () => {
				await fillWithPointers();
				const { files } = await listChanges(program.path, hostile.directory);
				assert.deepEqual(files, ['other.bin', 'short.bin']);
				assert.deepEqual(await hostile.trap.sprung(), []);
			});

			it('leaves their content out of the diff, and names those that have changed', async () => {
				await fillWithPointers();
				await hostile.trap.repository.write('README.md', 'changed\n');
				await hostile.trap.repository.write('new.txt', 'new\n');
				const { diff, added, filtered } = await readUncommitted(program.path, hostile.directory);
				assert.deepEqual(filtered, ['other.bin', 'short.bin']);
				assert.deepEqual(added, ['new.txt']);
				assert.deepEqual(
					[...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name),
					['README.md'],
				);
				assert.match(diff, /^\+changed$/m);
				assert.deepEqual(await hostile.trap.sprung(), []);
			});

			it('gives the whole diff where none of what has changed is kept so, however much that is', async () => {
				await fillWithPointers();
				await hostile.trap.repository.git('checkout', '--quiet', '--', '.');
				for (let number = 0; number < 250; number++) {
					await hostile.trap.repository.write(`many/${number} [*]`, 'x\n');
				}
				await hostile.trap.repository.commitAll('Many');
				for (let number = 0; number < 250; number++) {
					await hostile.trap.repository.write(`many/${number} [*]`, 'y\n');
				}
				await hostile.trap.repository.write('short.bin', 'short\n');
				const { diff, filtered } = await readUncommitted(program.path, hostile.directory);
				assert.deepEqual(filtered, ['short.bin']);
				assert.equal(diff.match(/^diff --git /gm)?.length, 250);
			});
		});
	});
}
