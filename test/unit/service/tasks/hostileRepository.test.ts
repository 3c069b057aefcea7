import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { createTask, finalTask, logOf } from '../helpers.ts';

const HOOKS = [
	'applypatch-msg',
	'pre-applypatch',
	'post-applypatch',
	'pre-commit',
	'pre-merge-commit',
	'prepare-commit-msg',
	'commit-msg',
	'post-commit',
	'pre-rebase',
	'post-checkout',
	'post-merge',
	'pre-push',
	'pre-receive',
	'update',
	'proc-receive',
	'post-receive',
	'post-update',
	'reference-transaction',
	'push-to-checkout',
	'pre-auto-gc',
	'post-rewrite',
	'sendemail-validate',
	'fsmonitor-watchman',
	'post-index-change',
];

/** A repository that tries to run a program by every way that its files give it; each touches a marker of its own. */
class Trap {
	readonly repository: TemporaryRepository;
	private readonly markers: string;

	private constructor(repository: TemporaryRepository) {
		this.repository = repository;
		this.markers = path.join(repository.folder, 'markers');
	}

	static async create(): Promise<Trap> {
		const trap = new Trap(await TemporaryRepository.create());
		await mkdir(trap.markers);
		return trap;
	}

	marker(name: string): string {
		return path.join(this.markers, name.replaceAll('/', '-'));
	}

	/** A command line for a setting, harmless in what it prints. */
	command(name: string): string {
		return `touch ${this.marker(name)}; cat`;
	}

	async script(file: string, name: string): Promise<string> {
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, `#!/bin/sh\ntouch ${this.marker(name)}\nexit 0\n`);
		await chmod(file, 0o755);
		return file;
	}

	async sprung(): Promise<string[]> {
		const { readdir } = await import('node:fs/promises');
		return await readdir(this.markers);
	}
}

describe('a hostile repository', function () {
	this.timeout(60_000);
	let service: ServiceProcess;
	let trap: Trap;

	before(async () => {
		service = await ServiceProcess.start();
	});
	after(() => service.stop());
	beforeEach(async () => {
		trap = await Trap.create();
	});
	afterEach(() => trap.repository.remove());

	async function run(expected: 'completed' | 'error') {
		const task = await createTask(service, { prompt: 'Look around', repoUrl: trap.repository.path });
		const ended = await finalTask(service, task.id, 40_000);
		const log = await logOf(service, task.id);
		assert.equal(ended.status, expected, `${ended.error}\n${log.map(({ log }) => log.message).join('\n')}`);
		assert.deepEqual(await trap.sprung(), []);
		return ended;
	}

	it('has traps that do spring when git is used without care', async () => {
		const { repository } = trap;
		await trap.script(path.join(repository.path, '.git', 'hooks', 'post-commit'), 'hook');
		await repository.git(
			'config',
			'core.fsmonitor',
			await trap.script(path.join(repository.folder, 'monitor'), 'monitor'),
		);
		await repository.git('config', 'filter.evil.clean', trap.command('clean'));
		await repository.write('.gitattributes', '*.evil filter=evil\n');
		await repository.write('x.evil', 'x');
		await repository.commitAll('Careless');
		assert.deepEqual((await trap.sprung()).sort(), ['clean', 'hook', 'monitor']);
	});

	it('runs no hook, on either side', async () => {
		const { repository } = trap;
		for (const hook of HOOKS) {
			await trap.script(path.join(repository.path, '.git', 'hooks', hook), `hook-${hook}`);
		}
		await run('completed');
	});

	it('runs no hook of a folder that core.hooksPath names', async () => {
		const { repository } = trap;
		const hooks = path.join(repository.folder, 'hooks');
		for (const hook of HOOKS) {
			await trap.script(path.join(hooks, hook), `path-${hook}`);
		}
		await repository.git('config', 'core.hooksPath', hooks);
		await run('completed');
	});

	it('runs nothing that its configuration names', async () => {
		const { repository } = trap;
		const program = (name: string) => trap.script(path.join(repository.folder, 'programs', name), name);
		const settings: Record<string, string> = {
			'core.fsmonitor': await program('fsmonitor'),
			'core.sshCommand': trap.command('sshCommand'),
			'core.gitProxy': await program('gitProxy'),
			'core.askPass': await program('askPass'),
			'core.pager': trap.command('pager'),
			'core.editor': trap.command('editor'),
			'sequence.editor': trap.command('sequenceEditor'),
			'gpg.program': await program('gpg'),
			'gpg.ssh.program': await program('gpgSsh'),
			'commit.gpgSign': 'true',
			'push.gpgSign': 'true',
			'receive.certNonceSeed': 'seed',
			'credential.helper': `!${trap.command('credential')}`,
			'uploadpack.packObjectsHook': await program('packObjectsHook'),
			'diff.external': await program('diffExternal'),
			'diff.evil.command': await program('diffCommand'),
			'diff.evil.textconv': trap.command('textconv'),
			'merge.evil.driver': trap.command('mergeDriver'),
			'interactive.diffFilter': trap.command('diffFilter'),
			'remote.origin.url': `ext::${trap.command('remoteUrl')}`,
			'remote.origin.vcs': 'evil',
			'remote.origin.uploadpack': trap.command('uploadpack'),
			'remote.origin.receivepack': trap.command('receivepack'),
			'url.ext::false.insteadOf': '/',
			'url.ext::false.pushInsteadOf': '/',
			'protocol.ext.allow': 'always',
			'protocol.allow': 'always',
			'submodule.recurse': 'true',
			'fetch.recurseSubmodules': 'true',
			'gc.auto': '1',
			'receive.autogc': 'true',
			'trace2.eventTarget': trap.marker('trace2'),
			'alias.upload-pack': `!${trap.command('aliasUpload')}`,
			'alias.receive-pack': `!${trap.command('aliasReceive')}`,
			'pager.log': 'true',
			'trailer.evil.command': trap.command('trailer'),
			'core.attributesFile': path.join(repository.folder, 'attributes'),
		};
		for (const [name, value] of Object.entries(settings)) {
			await repository.git('config', name, value);
		}
		await writeFile(path.join(repository.folder, 'attributes'), '* diff=evil merge=evil filter=evil\n');
		const included = path.join(repository.folder, 'included');
		await writeFile(included, `[core]\n\tfsmonitor = ${await program('includedMonitor')}\n`);
		await repository.git('config', 'include.path', included);
		await run('completed');
	});

	it('lists no alternates by a command of its own', async () => {
		const { repository } = trap;
		const other = await TemporaryRepository.create();
		try {
			await writeFile(
				path.join(repository.path, '.git', 'objects', 'info', 'alternates'),
				`${path.join(other.path, '.git', 'objects')}\n`,
			);
			await repository.git('config', 'core.alternateRefsCommand', trap.command('alternateRefs'));
			await run('completed');
		} finally {
			await other.remove();
		}
	});

	it('runs no filter, and the tree keeps what is stored', async () => {
		const { repository } = trap;
		await repository.write('a.txt', 'stored\n');
		await repository.write('.gitattributes', '* filter=evil diff=evil\n');
		await repository.commitAll('Attributes');
		for (const kind of ['clean', 'smudge', 'process']) {
			await repository.git('config', `filter.evil.${kind}`, trap.command(`filter-${kind}`));
		}
		await repository.git('config', 'filter.evil.required', 'true');
		const task = await run('completed');
		assert.equal(task.diffStats?.totalFilesChanged, 1);
		assert.equal(await repository.git('cat-file', 'blob', `${task.branchName}:a.txt`), 'stored\n');
	});

	it('fetches no objects that a partial clone keeps elsewhere', async () => {
		const { repository } = trap;
		await repository.write('big.txt', 'kept elsewhere\n');
		await repository.commitAll('Big');
		const blob = await repository.head('HEAD:big.txt');
		const { rm } = await import('node:fs/promises');
		await rm(path.join(repository.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
		await repository.git('config', 'core.repositoryFormatVersion', '1');
		await repository.git('config', 'extensions.partialClone', 'origin');
		await repository.git('config', 'remote.origin.promisor', 'true');
		await repository.git('config', 'remote.origin.url', repository.folder);
		await repository.git('config', 'remote.origin.uploadpack', trap.command('promisor'));
		const task = await run('error');
		assert.match(task.error ?? '', /objects are missing or damaged|cannot/);
		assert.deepEqual(await repository.branches(), ['main']);
	});

	it('is led by no link or submodule out of the task folder', async () => {
		const { repository } = trap;
		const outside = path.join(repository.folder, 'outside.md');
		await symlink(outside, path.join(repository.path, 'errand-demo.md'));
		await symlink(repository.folder, path.join(repository.path, 'folder'));
		await repository.git('update-index', '--add', '--cacheinfo', `160000,${await repository.head()},module`);
		await repository.write(
			'.gitmodules',
			`[submodule "module"]\n\tpath = module\n\turl = ext::${trap.command('module')}\n`,
		);
		await repository.git('add', '.gitmodules', 'errand-demo.md', 'folder');
		await repository.git('commit', '--quiet', '-m', 'Links');
		const task = await run('completed');
		await assert.rejects(lstat(outside));
		// The link is not there for the agent, so its file takes the name; it is a file, and the other link stays.
		const changes = await repository.git('diff', '--name-status', 'main', task.branchName ?? '');
		assert.equal(changes, 'T\terrand-demo.md\n');
	});

	it('says in a sentence that it refuses the branch, and leaves none', async () => {
		const { repository } = trap;
		await repository.git('config', 'receive.procReceiveRefs', 'refs/heads');
		await trap.script(path.join(repository.path, '.git', 'hooks', 'proc-receive'), 'proc-receive');
		const task = await run('error');
		assert.match(task.error ?? '', /does not accept the new branch/);
		assert.deepEqual(await repository.branches(), ['main']);
	});

	it('whose configuration does not even parse is answered with a sentence', async () => {
		const { repository } = trap;
		await writeFile(path.join(repository.path, '.git', 'config'), '[core\nhooksPath = ');
		const response = await service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: repository.path } });
		assert.equal(response.status, 400);
		assert.match(await response.text(), /git cannot read the repository|not the top folder/);
		assert.deepEqual(await trap.sprung(), []);
	});

	it('is not changed in anything but the new branch', async () => {
		const { repository } = trap;
		await repository.write('dirty.txt', 'not committed');
		await repository.write('README.md', '# Changed\n');
		const before = await repository.git('status', '--porcelain');
		const head = await readFile(path.join(repository.path, '.git', 'HEAD'), 'utf8');
		const config = await readFile(path.join(repository.path, '.git', 'config'), 'utf8');
		const task = await run('completed');
		assert.equal(await repository.git('status', '--porcelain'), before);
		assert.equal(await readFile(path.join(repository.path, '.git', 'HEAD'), 'utf8'), head);
		assert.equal(await readFile(path.join(repository.path, '.git', 'config'), 'utf8'), config);
		assert.deepEqual(await repository.branches(), [task.branchName, 'main']);
	});
});
