import assert from 'node:assert/strict';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { WORK_MARKER, workFolderOf } from '../../../../src/service/stateFolder.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { createTask, errorOf, finalTask, logOf, readTask, stopTask, type TaskView } from '../helpers.ts';
import { useTaskService } from './taskService.ts';

describe('a task on a local repository', () => {
	const local = useTaskService();
	const { create, completed } = local;
	const refused = async (fields: object, status = 400) =>
		errorOf(
			await local.service.fetch('/api/tasks', { json: { prompt: 'x', repoUrl: local.repository.path, ...fields } }),
			status,
		);

	it('makes one commit on a new branch, from the branch that was chosen, and leaves nothing else behind', async () => {
		await local.repository.git('config', 'user.name', 'Ada');
		await local.repository.git('config', 'user.email', 'ada@example.invalid');
		await local.repository.git('checkout', '--quiet', '-b', 'work');
		await local.repository.write('work.txt', 'work\n');
		const base = await local.repository.commitAll('Work');
		await local.repository.git('checkout', '--quiet', 'main');
		const task = await completed({ prompt: 'Añadir a Größe\u202e test!\nand more', selectedBranch: 'work' });
		assert.equal(task.selectedBranch, 'work');
		assert.match(task.branchName, new RegExp(`^errand/anadir-a-gro-e-test-${task.id.slice(0, 8)}$`));
		assert.equal(await local.repository.head(`${task.branchName}^`), base);
		const log = await local.repository.git('log', '-1', '--format=%an <%ae>|%cn <%ce>|%B', task.branchName);
		const author = 'Ada <ada@example.invalid>';
		assert.equal(log.trim(), `${author}|${author}|Añadir a Größe test!\n\nErrand-Agent: demo`);
		assert.deepEqual(await local.repository.branches(), [task.branchName, 'main', 'work']);
		assert.deepEqual(await readdir(workFolderOf(local.service.stateFolder)), [WORK_MARKER]);
	});

	it('reports the statistics that git reports, and an honest file', async () => {
		const task = await completed({ prompt: '# `not` a heading\n\n<script>' });
		const numstat = await local.repository.git('diff', '--numstat', 'main', task.branchName);
		const [added] = numstat.split('\t');
		assert.deepEqual(task.diffStats, { totalLinesAdded: Number(added), totalLinesRemoved: 0, totalFilesChanged: 1 });
		const text = await local.repository.git('cat-file', 'blob', `${task.branchName}:errand-demo.md`);
		assert.match(text, /No language model took part/);
		assert.match(text, /^ {4}# `not` a heading$/m);
		assert.match(text, /^ {4}<script>$/m);
		assert.equal(task.progress, 100);
		assert.ok(task.completedAt);
	});

	it('logs each step, and what the agent says, plans and does, in order', async () => {
		const { id } = await completed();
		const log = (await logOf(local.service, id)).map(({ log }) => log);
		const steps = [...new Set(log.map(entry => entry.step))];
		const ofAgent = ['agent_executing', 'agent_plan', 'agent_message', 'agent_tool'];
		assert.deepEqual(
			steps.filter(step => !ofAgent.includes(step)),
			['git_cloning', 'git_cloned', 'git_committed', 'git_pushed'],
		);
		assert.ok(ofAgent.every(step => steps.includes(step)));
		assert.deepEqual(
			log.filter(({ type }) => type === 'warning').map(({ message }) => message),
			[],
		);
		const said = log.filter(entry => entry.step === 'agent_message');
		assert.equal(said.length, 6);
		assert.ok(said.every(entry => entry.contentType === 'agentResponse'));
		const [, diff] = log.filter(entry => entry.step === 'agent_tool');
		assert.equal(diff?.contentType, 'ansi');
		assert.match(diff?.message ?? '', /errand-demo\.md\n.*\+ # Errand demo/);
		assert.ok(log.every(entry => entry.agent === 'demo' && !Number.isNaN(Date.parse(entry.timestamp))));
	});

	it('takes folders whose names are in no encoding that is known', async () => {
		await mkdir(path.join(local.repository.path, 'more'));
		const folder = Buffer.concat([Buffer.from(`${local.repository.path}/more/caf`), Buffer.of(0xe9)]);
		await mkdir(folder);
		await writeFile(Buffer.concat([folder, Buffer.from('/old.txt')]), 'x\n');
		await local.repository.commitAll('Latin');
		const task = await completed();
		assert.equal(task.diffStats?.totalFilesChanged, 1);
	});

	it('starts from the branch that the repository is on when none is chosen', async () => {
		await local.repository.git('checkout', '--quiet', '-b', 'feature/über');
		const task = await completed({ repoUrl: pathToFileURL(local.repository.path).href });
		assert.equal(task.selectedBranch, 'feature/über');
	});

	it('works on a bare repository, a linked worktree, a shallow clone and one with SHA-256', async () => {
		const bare = path.join(local.repository.folder, 'bare with space');
		await local.repository.git('clone', '--quiet', '--bare', local.repository.path, bare);
		const tree = path.join(local.repository.folder, 'tree');
		await local.repository.git('worktree', 'add', '--quiet', '-b', 'tree', tree);
		await local.repository.write('second.txt', '2\n');
		await local.repository.commitAll('Second');
		const shallow = path.join(local.repository.folder, 'shallow');
		await local.repository.git('clone', '--quiet', '--depth=1', `file://${local.repository.path}`, shallow);
		const modern = await TemporaryRepository.create({ objectFormat: 'sha256' });
		try {
			const tasks = await Promise.all(
				[bare, tree, shallow, modern.path].map(repoUrl => create({ repoUrl, prompt: path.basename(repoUrl) })),
			);
			for (const { id } of tasks) {
				const task = await finalTask(local.service, id);
				assert.equal(task.status, 'completed', task.error ?? '');
			}
			assert.match(await local.repository.git('-C', shallow, 'branch', '--list', 'errand/*'), /errand\/shallow/);
		} finally {
			await modern.remove();
		}
	});

	it('takes no part of the user’s own git configuration', async () => {
		const marker = path.join(local.repository.folder, 'marker');
		const home = path.join(local.repository.folder, 'home');
		const hooks = path.join(home, 'hooks');
		await mkdir(hooks, { recursive: true });
		for (const hook of ['post-checkout', 'pre-push', 'pre-receive', 'post-index-change', 'reference-transaction']) {
			await writeFile(path.join(hooks, hook), `#!/bin/sh\ntouch ${marker}\n`);
			await chmod(path.join(hooks, hook), 0o755);
		}
		await writeFile(
			path.join(home, '.gitconfig'),
			`[core]\n\thooksPath = ${hooks}\n\tfsmonitor = touch ${marker}\n\tattributesFile = ${home}/attributes\n[filter "own"]\n\tclean = touch ${marker}; cat\n\tsmudge = touch ${marker}; cat\n[init]\n\ttemplateDir = ${home}/template\n[url "/nowhere"]\n\tinsteadOf = /\n`,
		);
		await writeFile(path.join(home, 'attributes'), '* filter=own\n');
		const own = await ServiceProcess.start({ environment: { HOME: home } });
		try {
			const { id } = await createTask(own, { prompt: 'x', repoUrl: local.repository.path });
			const task = await finalTask(own, id);
			assert.equal(task.status, 'completed', task.error ?? '');
			assert.ok(!(await readdir(local.repository.folder)).includes('marker'));
		} finally {
			await own.stop();
		}
	});

	it('honours which folders of other owners the user lets git use', async function () {
		if (process.getuid?.() !== 0) {
			this.skip();
		}
		await local.repository.git('config', 'core.bare', 'false');
		await chown(local.repository.path, 12_345, 12_345);
		await chown(path.join(local.repository.path, '.git'), 12_345, 12_345);
		assert.match(await refused({}), /belongs to another user.*safe\.directory/);
		const home = path.join(local.repository.folder, 'home');
		await mkdir(home);
		await writeFile(path.join(home, '.gitconfig'), `[safe]\n\tdirectory = ${local.repository.path}\n`);
		const own = await ServiceProcess.start({ environment: { HOME: home } });
		try {
			const { id } = await createTask(own, { prompt: 'x', repoUrl: local.repository.path });
			const task = await finalTask(own, id);
			assert.equal(task.status, 'completed', task.error ?? '');
		} finally {
			await own.stop();
		}
	});

	it('suggests a command with the folder of another owner only as one word of it', async function () {
		if (process.getuid?.() !== 0) {
			this.skip();
		}
		for (const [name, command] of [
			['two words; touch pwned', (folder: string) => `run: git config --global --add safe.directory '${folder}'`],
			["it's $(touch pwned)", () => 'add the folder to safe.directory in your own git configuration.'],
			['*', () => 'add the folder to safe.directory in your own git configuration.'],
		] as const) {
			const folder = path.join(local.repository.folder, name);
			await cp(local.repository.path, folder, { recursive: true });
			await chown(folder, 12_345, 12_345);
			await chown(path.join(folder, '.git'), 12_345, 12_345);
			const message = await refused({ repoUrl: folder });
			assert.equal(message, `repoUrl: ${folder} belongs to another user. If you trust it, ${command(folder)}`);
		}
	});

	describe('that cannot start', () => {
		for (const [repoUrl, reason] of [
			['https://example.com/owner/name', /network address.*path of a local clone/],
			['ssh://git@example.com/owner/name', /network address/],
			['git@example.com:owner/name', /only the absolute path/],
			['ext::sh -c touch% /tmp/marker', /only the absolute path/],
			['-oProxyCommand=touch', /only the absolute path/],
			['--upload-pack=touch', /only the absolute path/],
			['relative/path', /only the absolute path/],
			['ftp://example.com/', /only the absolute path/],
			['file://host.example/path', /names no folder of this machine/],
			['//host/share', /network shares/],
			['/path\nwith a line', /control characters/],
			['/nowhere/at/all', /there is no folder/],
		] as const) {
			it(`says what is wrong with ${JSON.stringify(repoUrl)}`, async () => {
				const message = await refused({ repoUrl });
				assert.match(message, /^repoUrl: /);
				assert.match(message, reason);
			});
		}

		it('says that a folder is no repository, or no top folder of one', async () => {
			assert.match(await refused({ repoUrl: local.repository.folder }), /not the top folder of a git repository/);
			await mkdir(path.join(local.repository.path, 'inside'));
			assert.match(await refused({ repoUrl: path.join(local.repository.path, 'inside') }), /not the top folder/);
		});

		it('says that a repository has no commit', async () => {
			const empty = await TemporaryRepository.create({ empty: true });
			try {
				assert.match(await refused({ repoUrl: empty.path }), /repoUrl: the repository .* has no commit yet/);
			} finally {
				await empty.remove();
			}
		});

		it('names a branch that is not there, is no name, or looks like an option', async () => {
			assert.match(await refused({ selectedBranch: 'gone' }), /selectedBranch: there is no branch "gone"/);
			for (const selectedBranch of ['--force', 'a..b', 'a b', 'a:b', '@{u}', 'x.lock', '/a']) {
				assert.match(await refused({ selectedBranch }), /selectedBranch: .* is no name of a branch/);
			}
		});

		it('asks for a branch when the repository is on none', async () => {
			await local.repository.git('checkout', '--quiet', '--detach');
			assert.match(await refused({}), /selectedBranch: .*detached HEAD/);
			await completed({ selectedBranch: 'main' });
			await local.repository.git('checkout', '--quiet', '--orphan', 'unborn');
			assert.match(await refused({}), /selectedBranch: .* is on a branch that has no commit yet/);
		});

		it('says that a branch stands in the way of its own', async () => {
			await local.repository.git('branch', 'errand');
			assert.match(await refused({}), /branch named "errand".*stands in the way/);
		});

		it('names the field of a request that is not as documented', async () => {
			assert.match(await refused({ prompt: ' \n' }), /^prompt: /);
			assert.match(await refused({ prompt: undefined }), /^prompt: /);
			assert.match(await refused({ maxDuration: 0 }), /^maxDuration: /);
			assert.match(await refused({ selectedAgent: 'other' }), /^selectedAgent: .*"demo"/);
			assert.match(await refused({ selectedModel: 'other' }), /^selectedModel: .*"demo"/);
			assert.match(await refused({ selectedAgents: [] }), /selectedAgents/);
		});

		it('leaves no task in the list', async () => {
			const prompt = 'Never in the list';
			await refused({ prompt, repoUrl: '/nowhere' });
			await refused({ prompt, selectedBranch: 'gone' });
			const { tasks } = (await (await local.service.fetch('/api/tasks?limit=100')).json()) as {
				tasks: { prompt: string }[];
			};
			assert.ok(!tasks.some(task => task.prompt === prompt));
		});
	});

	describe('that ends early', () => {
		it('says why when the agent fails, and makes no branch', async () => {
			const { id } = await create({ prompt: 'Please /demo fail' });
			const task = await finalTask(local.service, id);
			assert.equal(task.status, 'error');
			assert.match(task.error ?? '', /told to fail \(\/demo fail\).*No branch was made/);
			const log = await logOf(local.service, id);
			assert.ok(log.some(({ log }) => log.type === 'error' && /told to fail/.test(log.message)));
			assert.equal(log.at(-1)?.log.type, 'error');
			assert.deepEqual(await local.repository.branches(), ['main']);
		});

		it('is a timeout after maxDuration, and leaves nothing', async () => {
			const { id } = await create({ prompt: '/demo slow', maxDuration: 0.4 });
			const task = await finalTask(local.service, id);
			assert.equal(task.status, 'timeout');
			assert.match(task.error ?? '', /longer than its limit of 0\.4 s/);
			assert.deepEqual(await local.repository.branches(), ['main']);
			assert.deepEqual(await readdir(workFolderOf(local.service.stateFolder)), [WORK_MARKER]);
		});

		it('is stopped when told so; the answer comes when that is so', async () => {
			const { id } = await create({ prompt: '/demo slow' });
			await waitFor('the agent', async () => (await readTask(local.service, id)).progress === 20);
			const task = await stopTask(local.service, id);
			assert.equal(task.status, 'stopped');
			assert.equal(task.error, null);
			assert.deepEqual(await readdir(workFolderOf(local.service.stateFolder)), [WORK_MARKER]);
			assert.deepEqual(await local.repository.branches(), ['main']);
			assert.equal((await logOf(local.service, id)).at(-1)?.log.message, 'Stopped by the user.');
			assert.equal((await stopTask(local.service, id)).status, 'stopped');
		});

		it('names the branch that was deleted while the task waited', async () => {
			await local.repository.git('branch', 'short-lived');
			const running = await Promise.all([create({ prompt: '/demo slow' }), create({ prompt: '/demo slow' })]);
			const waiting = await create({ selectedBranch: 'short-lived' });
			assert.equal((await readTask(local.service, waiting.id)).status, 'pending');
			await local.repository.git('branch', '-D', 'short-lived');
			await Promise.all(running.map(({ id }) => stopTask(local.service, id)));
			const task = await finalTask(local.service, waiting.id);
			assert.equal(task.status, 'error');
			assert.match(task.error ?? '', /^there is no branch "short-lived"/i);
		});

		it('never touches a branch that has its name already', async () => {
			const { id } = await create({ prompt: 'Taken' });
			const name = `errand/taken-${id.slice(0, 8)}`;
			await local.repository.git('branch', name);
			const before = await local.repository.head(name);
			const task = await finalTask(local.service, id);
			assert.equal(task.status, 'error');
			assert.match(task.error ?? '', /cannot be made .*name is taken/);
			assert.equal(await local.repository.head(name), before);
		});
	});

	it('runs two at a time, the rest in the order they came', async () => {
		const own = await ServiceProcess.start();
		try {
			const ids: string[] = [];
			for (let number = 0; number < 4; number++) {
				ids.push((await createTask(own, { prompt: '/demo slow', repoUrl: local.repository.path })).id);
			}
			const statuses = () => Promise.all(ids.map(async id => (await readTask(own, id)).status));
			await waitFor('two to run', async () => (await statuses()).join() === 'processing,processing,pending,pending');
			await stopTask(own, ids[3] ?? '');
			await stopTask(own, ids[0] ?? '');
			await waitFor('the third', async () => (await statuses()).join() === 'stopped,processing,processing,stopped');
		} finally {
			await own.stop();
		}
	});

	it('tells the truth about a task whose service crashed at any step', async () => {
		const stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-crash-'));
		const references = path.join(local.repository.path, '.git', 'refs', 'heads', 'errand');
		let own = await ServiceProcess.start({ stateFolder });
		try {
			const reached = (id: string): Record<string, () => Promise<boolean>> => ({
				created: async () => true,
				cloned: async () => (await readTask(own, id)).progress >= 10,
				saving: async () => (await readTask(own, id)).progress >= 90,
				pushed: async () => (await readdir(references).catch(() => [])).length > 0,
			});
			for (const step of ['created', 'cloned', 'saving', 'pushed']) {
				const { id } = await createTask(own, { prompt: step, repoUrl: local.repository.path });
				await waitFor(step, reached(id)[step] ?? assert.fail);
				await own.crash();
				own = await ServiceProcess.start({ stateFolder });
				const task = await finalTask(own, id);
				const branch = `errand/${step}-${id.slice(0, 8)}`;
				const there = (await local.repository.branches()).includes(branch);
				if (task.status === 'completed') {
					assert.equal(task.branchName, branch, step);
					assert.ok(there && task.diffStats, step);
				} else {
					assert.match(task.error ?? '', /^Interrupted: /, step);
					assert.ok(!there || task.error?.includes(branch), `${step}: the branch is there, and nothing says so`);
				}
				const log = await logOf(own, id);
				assert.deepEqual(
					log.map(({ index }) => index),
					log.map((_, index) => index),
				);
				assert.deepEqual(await readdir(workFolderOf(stateFolder)), [WORK_MARKER], step);
				for (const name of (await local.repository.branches()).filter(candidate => candidate.startsWith('errand/'))) {
					assert.equal(await local.repository.head(`${name}^`), await local.repository.head('main'));
					await local.repository.git('branch', '-D', name);
				}
			}
		} finally {
			await own.stop();
			await rm(stateFolder, { recursive: true, force: true });
		}
	});

	it('survives a crash of the service: what was acknowledged is there, what ran says that it was interrupted, what waited goes on', async () => {
		const stateFolder = await mkdtemp(path.join(os.tmpdir(), 'errand-crash-'));
		const first = await ServiceProcess.start({ stateFolder });
		let second: ServiceProcess | undefined;
		try {
			const done = await createTask(first, { prompt: 'Done before', repoUrl: local.repository.path });
			const ended = await finalTask(first, done.id);
			const doneLog = await logOf(first, done.id);
			const running = await createTask(first, { prompt: '/demo slow', repoUrl: local.repository.path });
			await waitFor('a line of the agent', async () => (await readTask(first, running.id)).progress === 20);
			const others: TaskView[] = [];
			for (const number of [2, 3]) {
				others.push(await createTask(first, { prompt: `/demo slow ${number}`, repoUrl: local.repository.path }));
			}
			await waitFor('the second to run', async () => (await readTask(first, others[0]?.id ?? '')).status !== 'pending');
			await first.crash();
			second = await ServiceProcess.start({ stateFolder });
			assert.deepEqual(await readTask(second, done.id), ended);
			assert.deepEqual(
				(await logOf(second, done.id)).map(({ log }) => log),
				doneLog.map(({ log }) => log),
			);
			const [alsoRunning, waiting] = others;
			assert.ok(alsoRunning && waiting);
			assert.match((await readTask(second, waiting.id)).status, /^(?:pending|processing)$/);
			await stopTask(second, waiting.id);
			for (const { id } of [running, alsoRunning]) {
				const task = await readTask(second, id);
				assert.equal(task.status, 'error');
				assert.match(task.error ?? '', /^Interrupted: /);
				const log = await logOf(second, id);
				assert.match(log.at(-1)?.log.message ?? '', /^Interrupted: /);
				assert.deepEqual(
					log.map(({ index }) => index),
					log.map((_, index) => index),
				);
			}
			assert.deepEqual(await local.repository.branches(), [ended.branchName, 'main']);
			const next = await createTask(second, { prompt: 'After', repoUrl: local.repository.path });
			assert.equal((await finalTask(second, next.id)).status, 'completed');
		} finally {
			await first.stop();
			await second?.stop();
			await rm(stateFolder, { recursive: true, force: true });
		}
	});
});
