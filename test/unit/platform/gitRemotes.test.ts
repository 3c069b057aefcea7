import assert from 'node:assert/strict';
import { appendFile, cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { GitRefusal } from '../../../src/platform/gitCommand.ts';
import {
	findScratchBranch,
	makeScratchBranch,
	nameScratchBranch,
	removeScratchBranch,
} from '../../../src/tasks/launch/scratchBranches.ts';
import { gitPrograms, sayWithoutNamedHooks } from '../../support/gitPrograms.ts';
import { useHostileRepository } from './useHostileRepository.ts';

describe('remotes of a hostile repository', sayWithoutNamedHooks);

for (const program of gitPrograms()) {
	describe(`remotes of a hostile repository, with ${program.label},`, () => {
		const hostile = useHostileRepository(program);

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
					await hostile.trap.repository.git('remote', 'add', 'origin', url);
					await hostile.trap.repository.git('config', key, hostile.trap.command('program'));
					const branch = nameScratchBranch(await hostile.trap.repository.head(), 'origin');
					const refused = (error: unknown) => error instanceof GitRefusal && error.reason === 'transport-program';
					await assert.rejects(makeScratchBranch(hostile.place, branch), refused);
					await assert.rejects(removeScratchBranch(hostile.place, branch), refused);
					await assert.rejects(findScratchBranch(hostile.place, branch), refused);
					assert.deepEqual(await hostile.trap.sprung(), []);
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
					const programs = path.join(hostile.trap.repository.folder, 'programs');
					await hostile.trap.script(path.join(programs, 'git-remote-evil'), 'helper');
					await hostile.trap.repository.git('remote', 'add', 'origin', 'https://host.invalid/x');
					await hostile.trap.repository.git('config', key, value);
					process.env['PATH'] = programs + path.delimiter + PATH;
					try {
						const branch = nameScratchBranch(await hostile.trap.repository.head(), 'origin');
						await assert.rejects(makeScratchBranch(hostile.place, branch));
						await assert.rejects(findScratchBranch(hostile.place, branch));
					} finally {
						process.env['PATH'] = PATH;
					}
					assert.deepEqual(await hostile.trap.sprung(), []);
				});
			}

			it('runs what the user’s own configuration names', async () => {
				await hostile.trap.repository.git('remote', 'add', 'origin', 'ssh://host.invalid/x');
				await appendFile(
					path.join(hostile.home, '.gitconfig'),
					`[core]\n\tsshCommand = "touch ${hostile.trap.marker('ssh')}; false"\n`,
				);
				await assert.rejects(
					makeScratchBranch(hostile.place, nameScratchBranch(await hostile.trap.repository.head(), 'origin')),
				);
				assert.deepEqual(await hostile.trap.sprung(), ['ssh']);
			});

			it('is not kept from one remote by what is named for another', async () => {
				await hostile.trap.repository.git('config', 'remote.other.receivepack', hostile.trap.command('program'));
				await hostile.trap.repository.git('remote', 'add', 'origin', 'ssh://host.invalid/x');
				await appendFile(path.join(hostile.home, '.gitconfig'), '[core]\n\tsshCommand = "false"\n');
				await assert.rejects(
					makeScratchBranch(hostile.place, nameScratchBranch(await hostile.trap.repository.head(), 'origin')),
					(error: unknown) => !(error instanceof GitRefusal),
				);
			});
		});

		it('makes, finds and removes a branch of a remote that is a hostile.directory, and runs nothing that either names', async () => {
			const { repository } = hostile.trap;
			for (const name of ['plain', 'bare.git', "odd 'name; touch x"]) {
				const remote = path.join(repository.folder, name);
				await (name === 'plain'
					? cp(hostile.directory, remote, { recursive: true })
					: repository.git('clone', '--quiet', '--bare', hostile.directory, remote));
				await hostile.trap.plantNamedHooks(path.join(remote, name === 'plain' ? '.git/config' : 'config'));
				const settings = {
					'core.alternateRefsCommand': hostile.trap.command('alternateRefs'),
					'core.fsmonitor': hostile.trap.command('monitor'),
					'gc.auto': '1',
					'gc.autoDetach': 'false',
					'gc.recentObjectsHook': hostile.trap.command('recentObjects'),
					'gc.pruneExpire': 'now',
				};
				for (const [key, value] of Object.entries(settings)) {
					await repository.git('-C', remote, 'config', key, value);
				}
				await repository.git('remote', 'remove', 'origin').catch(() => {});
				await repository.git('remote', 'add', 'origin', remote);
				await repository.git('config', 'remote.origin.receivepack', hostile.trap.command('receivepack'));
				await repository.git('config', 'remote.origin.uploadpack', hostile.trap.command('uploadpack'));
				const branch = nameScratchBranch(await repository.head(), 'origin');
				await makeScratchBranch(hostile.place, branch);
				assert.equal(await findScratchBranch(hostile.place, branch), branch.commit);
				await removeScratchBranch(hostile.place, branch);
				assert.equal(await findScratchBranch(hostile.place, branch), undefined);
				assert.deepEqual(await hostile.trap.sprung(), []);
			}
			await rm(path.join(repository.folder, 'plain'), { recursive: true });
		});

		it('fetches nothing from elsewhere for a push, whatever program is named for the way there', async () => {
			const { repository } = hostile.trap;
			const origin = path.join(repository.folder, 'origin.git');
			await repository.git('init', '--quiet', '--bare', origin);
			await repository.git('remote', 'add', 'origin', origin);
			await repository.write('big.txt', 'kept elsewhere\n');
			await repository.commitAll('Big');
			const blob = await repository.head('HEAD:big.txt');
			await rm(path.join(hostile.directory, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
			for (const [key, value] of [
				['core.repositoryFormatVersion', '1'],
				['extensions.partialClone', 'elsewhere'],
				['remote.elsewhere.promisor', 'true'],
				['remote.elsewhere.url', repository.folder],
				['remote.elsewhere.uploadpack', hostile.trap.command('promisor')],
			] as const) {
				await repository.git('config', key, value);
			}
			await makeScratchBranch(hostile.place, nameScratchBranch(await repository.head(), 'origin')).catch(() => {});
			assert.deepEqual(await hostile.trap.sprung(), []);
		});
	});
}
