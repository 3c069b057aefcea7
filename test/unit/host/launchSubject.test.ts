import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UserFacingError } from '../../../src/base/errors.ts';
import { getGitApi } from '../../../src/platform/git.ts';
import { gatherFacts } from '../../../src/tasks/launch/launchSubject.ts';
import { findFindings, type LaunchFacts, planLaunch } from '../../../src/tasks/model/findings.ts';
import { TemporaryRepository } from '../../support/temporaryRepository.ts';
import { useGit } from './useOpenRepository.ts';

const rest = { service: { kind: 'not-asked' }, isEmptyGitUser: false, unknownAgent: undefined, needs: [] } as const;

describe('the look at the repository before a task is sent', () => {
	let repository: TemporaryRepository;
	const { open } = useGit();
	const address = 'https://host.example/acme/widgets.git';

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('remote', 'add', 'origin', address);
		await repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
	});

	afterEach(() => repository.remove());

	async function read(branch = 'main', folder = repository.path, isLocal = false): Promise<LaunchFacts> {
		const opened = await open(folder);
		const { facts } = await gatherFacts(await getGitApi(), opened, { name: branch, remote: undefined }, isLocal);
		return { ...facts, ...rest };
	}
	const kinds = async (...args: Parameters<typeof read>) =>
		findFindings(await read(...args), {}).map(({ kind }) => kind);

	it('finds nothing about a branch that is pushed and clean', async () => {
		assert.deepEqual(await kinds(), []);
	});

	it('finds unpushed commits, a branch that is behind, and one that has diverged', async () => {
		const first = await repository.head();
		await repository.commitAll('Second');
		const second = await repository.commitAll('Third');
		const [unpushed] = findFindings(await read(), {});
		assert.deepEqual(unpushed?.kind === 'unpushed' && [unpushed.ahead, unpushed.behind, unpushed.chosen], [
			2,
			0,
			'push',
		]);
		await repository.git('update-ref', 'refs/remotes/origin/main', second);
		await repository.git('reset', '--quiet', '--hard', first);
		const [behind] = findFindings(await read(), {});
		assert.equal(behind?.kind === 'behind' && behind.behind, 2);
		await repository.commitAll('Another way');
		const [parted] = findFindings(await read(), {});
		assert.deepEqual(parted?.kind === 'unpushed' && [parted.ahead, parted.behind, parted.chosen], [1, 2, 'leave']);
	});

	it('finds a branch that is not on the remote, no remote, and a remote for this machine only', async () => {
		await repository.git('switch', '--quiet', '--create', 'new');
		assert.deepEqual(await kinds('new'), ['not-on-remote']);
		await repository.git('remote', 'set-url', 'origin', '../elsewhere');
		assert.deepEqual(await kinds(), ['unusable-remote']);
		await repository.git('remote', 'remove', 'origin');
		assert.deepEqual(await kinds(), ['no-remote']);
	});

	it('finds uncommitted files on the branch that is checked out, and only there', async () => {
		await repository.git('branch', 'other');
		await repository.git('update-ref', 'refs/remotes/origin/other', 'HEAD');
		await repository.write('README.md', 'changed\n');
		await repository.write('new folder/ü "q".txt', 'new\n');
		assert.deepEqual((await read()).changed, ['README.md', 'new folder/ü "q".txt']);
		assert.deepEqual(await kinds(), ['changes']);
		assert.deepEqual(await kinds('other'), []);
	});

	it('reads a remote’s address as git does, with the user’s abbreviations', async () => {
		await repository.git('config', 'url.https://robin:secret@host.example/.insteadOf', 'short:');
		await repository.git('remote', 'set-url', 'origin', 'short:acme/widgets.git');
		const { target, hasCredentials } = await read();
		assert.equal(target.ok && target.repoUrl, address);
		assert.equal(hasCredentials, true);
	});

	it('finds an unfinished merge', async () => {
		await repository.git('switch', '--quiet', '--create', 'side');
		await repository.write('README.md', 'one\n');
		await repository.commitAll('One');
		await repository.git('switch', '--quiet', 'main');
		await repository.write('README.md', 'two\n');
		await repository.commitAll('Two');
		await repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
		await repository.git('merge', 'side').catch(() => {});
		assert.deepEqual(await kinds(), ['conflicts']);
	});

	it('finds what a clone lacks, and its submodules, where the local service clones it', async () => {
		await repository.write('out/b.txt', 'b\n');
		await repository.commitAll('Second');
		await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository.path, 'library');
		await repository.commitAll('Submodule');
		await repository.git('config', 'uploadpack.allowFilter', 'true');
		const clone = path.join(repository.folder, 'clone');
		const how = ['--quiet', '--filter=blob:none', '--sparse', '--depth=1'];
		await repository.git('clone', ...how, `file://${repository.path}`, clone);
		await repository.git('-C', clone, 'remote', 'set-url', 'origin', address);
		const isLocal = true;
		assert.deepEqual(await kinds('main', clone, isLocal), [
			'missing-files',
			'partial-clone',
			'shallow-clone',
			'sparse-checkout',
			'submodules',
		]);
		const { missingFiles, submodules } = await read('main', clone, isLocal);
		assert.deepEqual(missingFiles, { remote: 'origin', objects: 1 });
		assert.deepEqual(submodules, [{ name: 'library', isCheckedOut: false }]);
		assert.deepEqual(await kinds('main', repository.path, isLocal), ['submodules']);
		assert.equal(
			(await kinds('main', clone)).includes('missing-files'),
			false,
			'a service elsewhere clones the remote',
		);
	});

	it('finds worktrees, submodules, and credentials that are not sent', async () => {
		const worktree = path.join(repository.folder, 'worktree');
		await repository.git('worktree', 'add', '--quiet', '-b', 'beside', worktree);
		await repository.git('update-ref', 'refs/remotes/origin/beside', 'HEAD');
		assert.deepEqual(await kinds('beside', worktree), ['worktree']);
		await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repository.path, 'inner');
		const inner = path.join(repository.path, 'inner');
		await repository.git('-C', 'inner', 'update-ref', 'refs/remotes/origin/main', 'HEAD');
		assert.ok((await kinds('main', inner)).includes('submodule'));
		await rm(worktree, { recursive: true, force: true });
		await repository.git('remote', 'set-url', 'origin', 'https://robin:secret@host.example/acme/widgets.git');
		const facts = await read();
		assert.equal(facts.hasCredentials, true);
		assert.doesNotMatch(JSON.stringify(planLaunch(facts, {})), /robin|secret/);
	});

	it('refuses a branch whose name is an option, without handing it to git', async () => {
		await repository.git('update-ref', 'refs/heads/--upload-pack=id', 'HEAD');
		assert.ok((await kinds('--upload-pack=id')).includes('unsafe-name'));
		assert.equal(planLaunch(await read('--upload-pack=id'), {}), undefined);
	});

	it('says in a sentence that git cannot read what is changed', async () => {
		await writeFile(path.join(repository.path, '.git', 'index'), 'damaged');
		await assert.rejects(read(), (error: Error) => {
			assert.ok(error instanceof UserFacingError);
			assert.match(error.message, /^Git couldn’t read the changes in “repository”: .*index.*\. Fix that/);
			return true;
		});
	});

	it('changes neither references nor files', async () => {
		await repository.write('new.txt', 'new\n');
		const before = [await repository.git('for-each-ref'), await repository.git('status', '--porcelain')];
		await read();
		assert.deepEqual([await repository.git('for-each-ref'), await repository.git('status', '--porcelain')], before);
	});
});
