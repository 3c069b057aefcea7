import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { GitPlace } from '../../../src/platform/git.ts';
import { GitRefusal } from '../../../src/platform/gitCommand.ts';
import { fetchMissingFiles, findMissingFiles } from '../../../src/platform/partialClone.ts';
import { GitHttpServer } from '../../support/gitHttpServer.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';

describe('the files that a partial clone lacks', () => {
	let repository: TemporaryRepository;
	let place: GitPlace;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.write('in/a.txt', 'first\n');
		await repository.commitAll('Second');
		await repository.write('in/a.txt', 'a\n');
		await repository.write('out/deep/b.txt', 'b\n');
		await repository.commitAll('Third');
		await repository.git('config', 'uploadpack.allowFilter', 'true');
		place = { gitPath: 'git', directory: path.join(repository.folder, 'clone'), credentials: {} };
	});
	afterEach(() => repository.remove());

	const clone = (...how: string[]) =>
		repository.git('clone', '--quiet', ...how, `file://${repository.path}`, place.directory);

	it('are none where git has checked all of them out, or where the clone is whole', async () => {
		await clone('--filter=blob:none');
		assert.equal(await findMissingFiles(place, 'main'), undefined);
		assert.equal(await findMissingFiles({ ...place, directory: repository.path }, 'main'), undefined);
	});

	it('are known by what older versions of git have written, too', async () => {
		await clone('--filter=blob:none', '--no-checkout');
		const config = (...args: string[]) => repository.git('-C', place.directory, 'config', ...args);
		await config('--unset', 'remote.origin.promisor');
		await config('--unset', 'remote.origin.partialCloneFilter');
		assert.equal(await findMissingFiles(place, 'main').catch(() => undefined), undefined);
		await config('core.repositoryFormatVersion', '1');
		await config('extensions.partialClone', 'origin');
		assert.equal((await findMissingFiles(place, 'main'))?.remote, 'origin');
	});

	for (const [what, objects, how] of [
		['a sparse checkout', 1, ['--filter=blob:none', '--sparse']],
		['no checkout', 3, ['--filter=blob:none', '--no-checkout']],
		['no folder', 1, ['--filter=tree:0', '--no-checkout']],
	] as const) {
		it(`come from the remote where it has ${what}, and no older ones with them`, async () => {
			await clone(...how);
			const missing = await findMissingFiles(place, 'main');
			assert.equal(missing?.remote, 'origin');
			assert.ok((missing?.objects ?? 0) >= objects);
			await fetchMissingFiles(place, 'main', 'origin');
			assert.equal(await findMissingFiles(place, 'main'), undefined);
			assert.notEqual(await findMissingFiles(place, 'main~1'), undefined);
			assert.equal(await repository.git('-C', place.directory, 'show', 'main:out/deep/b.txt'), 'b\n');
		});
	}

	it('come from another machine with the editor’s credentials', async () => {
		const served = path.join(repository.folder, 'served');
		await repository.git('clone', '--quiet', '--bare', repository.path, path.join(served, 'x.git'));
		await repository.git('-C', path.join(served, 'x.git'), 'config', 'uploadpack.allowFilter', 'true');
		const server = await GitHttpServer.start(served);
		try {
			await clone('--filter=blob:none', '--no-checkout');
			await repository.git('-C', place.directory, 'remote', 'set-url', 'origin', server.address('x.git'));
			await assert.rejects(fetchMissingFiles(place, 'main', 'origin'), /could not read Username/);
			await fetchMissingFiles({ ...place, credentials: await server.credentials() }, 'main', 'origin');
			assert.equal(await findMissingFiles(place, 'main'), undefined);
		} finally {
			await server.stop();
		}
	});

	it('are an error where the remote is gone, or the repository names a program for the way to it', async () => {
		await clone('--filter=blob:none', '--no-checkout');
		await rename(repository.path, `${repository.path}-moved`);
		await assert.rejects(fetchMissingFiles(place, 'main', 'origin'));
		await rename(`${repository.path}-moved`, repository.path);
		await repository.git('-C', place.directory, 'remote', 'set-url', 'origin', 'ssh://host.invalid/x');
		await repository.git('-C', place.directory, 'config', 'core.sshCommand', 'touch /tmp/never');
		await assert.rejects(fetchMissingFiles(place, 'main', 'origin'), GitRefusal);
	});
});
