import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { nullLogger } from '../../../../src/base/logger.ts';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import { RETENTION_DAYS, removeOldFolders, writeMarker } from '../../../../src/service/tasks/folderRetention.ts';
import { USER_SETTINGS } from '../../../../src/service/tasks/relay/taskGateway.ts';
import type { RunServices } from '../../../../src/service/tasks/runServices.ts';
import type { QueueLimits, RunSupport } from '../../../../src/service/tasks/taskRunner.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { NO_SERVICES } from './shellTaskAgent.ts';
import { useTaskRunner } from './useTaskRunner.ts';

const execute = promisify(execFile);

/** Models that no agent here calls. */
const NO_MODELS: RunServices['openModels'] = () => ({
	maxCost: undefined,
	settings: USER_SETTINGS,
	tellCost: () => {},
	allCounted: async () => {},
	handle: (_request, response) => response.end(),
	search: () => assert.fail('no agent here searches'),
});
const ALLOWED: RunServices = { ...NO_SERVICES, allowsUnsandboxed: async () => true, openModels: NO_MODELS };

describe('a run of an agent that is not built in', () => {
	const local = useTaskRunner();
	const { task, final, logOf, completed } = local;
	/** Runs a line of shell without a sandbox. */
	const agentOf = (line: string, id = 'own'): Agent => ({ ...local.shell(line, id), isBuiltIn: false });
	const runnerOf = (support: Partial<RunSupport> = {}, limits: QueueLimits = {}) =>
		local.runnerOf({ services: ALLOWED, ...support }, limits);
	const workOf = (id: string) => path.join(local.folder, 'work', `${id}-0`);
	const executionOf = (id: string) => {
		const record = local.store.get(id);
		return (record && local.store.executions(record)[0]) ?? assert.fail('no execution');
	};
	const signal = () => new AbortController().signal;
	const atWork = (id: string, file: string) =>
		waitFor('the agent', () => existsSync(path.join(workOf(id), 'tree', file)));

	it('does not begin without a sandbox unless that was allowed for the repository, and says what to do', async () => {
		const runner = local.runnerOf({ services: NO_SERVICES });
		const { id } = runner.create(task(), [agentOf('echo 1 > one.txt')]);
		const record = await final(id);
		assert.equal(record.status, 'error');
		assert.match(record.error ?? '', /^There is no sandbox .* asks whether agents may run without one/);
		assert.equal(existsSync(workOf(id)), false);
	});

	it('asks whether it may go without a sandbox for the very reason that there is none', async () => {
		const asked: unknown[] = [];
		const services: RunServices = {
			...ALLOWED,
			probeSandbox: async () => ({ works: false, problem: 'not-permitted' }),
			allowsUnsandboxed: async (...question) => {
				asked.push(question);
				return false;
			},
		};
		const { id } = runnerOf({ services }).create(task(), [agentOf('true')]);
		assert.match((await final(id)).error ?? '', /bubblewrap may not make one here/);
		assert.deepEqual(asked, [[task().repoUrl, 'not-permitted']]);
	});

	it('runs in a sandbox where one works, whatever was allowed', async () => {
		const services: RunServices = {
			...ALLOWED,
			probeSandbox: async () => ({ works: true }),
			allowsUnsandboxed: () => assert.fail('nobody needs to know'),
		};
		const { id } = runnerOf({ services }).create(task(), [agentOf('true')]);
		// The machine may have no sandbox, and then the run ends; it does not go without.
		const log = logOf(await final(id));
		assert.ok(log.includes('Starting agent "own" in a sandbox.'));
		assert.equal(executionOf(id).sandboxed, true);
	});

	it('goes on where its model has no price, which stands in the log as a warning', async () => {
		const openModels: RunServices['openModels'] = (model, events) => {
			events.onUnpriced('The limit does not hold.');
			return NO_MODELS(model, events);
		};
		const { id } = runnerOf({ services: { ...ALLOWED, openModels } }).create(task(), [agentOf('echo 1 > one.txt')]);
		const record = await completed(id);
		const entry = local.store.entries(record, 0, 100).find(({ step }) => step === 'agent_limit');
		assert.deepEqual([entry?.type, entry?.message], ['warning', 'The limit does not hold.']);
	});

	it('accounts for what its calls have cost, in its log and in the task, also where it fails', async () => {
		const openModels: RunServices['openModels'] = (model, events) => {
			const call = { model: 'small', outcome: 'whole', failure: undefined, isEstimated: false, seconds: 1 } as const;
			events.onCall({ ...call, provider: 'alpha', inputTokens: 100, outputTokens: 10, cost: 0.25 });
			events.onCall({ ...call, provider: 'beta', inputTokens: 100, outputTokens: 10, cost: undefined });
			return { ...NO_MODELS(model, events), maxCost: 1 };
		};
		const { id } = runnerOf({ services: { ...ALLOWED, openModels } }).create(task(), [agentOf('exit 1')]);
		const record = await final(id);
		assert.equal(record.status, 'error');
		const accounts = local.store.entries(record, 0, 100).filter(({ step }) => step === 'agent_cost');
		assert.deepEqual(
			accounts.map(({ message }) => message.split('\n')),
			[
				[
					'The models have cost at least US$ 0.2500:',
					'small by alpha: 1 call, 100 tokens in, 10 out, US$ 0.2500.',
					'small by beta: 1 call, 100 tokens in, 10 out, cost not known.',
					'25 % of the limit of US$ 1 (errand.tasks.maxCost) is used; it does not count models without a price.',
				],
			],
		);
		assert.deepEqual(
			local.store.modelUse.ofTask(record).map(({ provider, cost }) => [provider, cost]),
			[
				['alpha', 0.25],
				['beta', null],
			],
		);
		assert.equal(executionOf(id).maxCost, 1);
	});

	it('works in a git repository of its own, and tells that it had no sandbox', async () => {
		const agent = agentOf('git log --format=%s; git status --short; echo 1 > one.txt; git add -A; git commit -qm Mine');
		const { id } = runnerOf().create(task(), [agent]);
		const record = await completed(id);
		assert.equal(await local.repository.git('log', '-1', '--format=%s', record.branchName), 'Try it\n');
		assert.equal(await local.repository.git('diff', '--name-only', 'main', record.branchName), 'one.txt\n');
		assert.ok(logOf(record).includes('The state that the task starts from'));
		assert.equal(executionOf(id).sandboxed, false);
	});

	it('has a home of its own, and nothing of the environment that could be a secret', async () => {
		process.env['ERRAND_TEST_SECRET'] = 'sk-secret';
		try {
			const { id } = runnerOf().create(task(), [agentOf('env > env.txt')]);
			const record = await completed(id);
			const env = await local.repository.git('cat-file', 'blob', `${record.branchName}:env.txt`);
			assert.doesNotMatch(env, /sk-secret/);
		} finally {
			delete process.env['ERRAND_TEST_SECRET'];
		}
	});

	describe('with dependencies that lie outside of the tree', () => {
		const earlierPath = process.env['PATH'];
		/** Puts a program in front of those of the machine. It tells nothing of where packages come from. */
		const putOnPath = async (name: string, line: string) => {
			const folder = path.join(local.folder, 'bin');
			await mkdir(folder, { recursive: true });
			await writeFile(path.join(folder, name), `#!/bin/sh\ncase "$*" in *--help) exit 1;; esac\n${line}\n`, {
				mode: 0o755,
			});
			process.env['PATH'] = [folder, earlierPath].join(path.delimiter);
		};
		const services = (allowsScripts: boolean): RunServices => ({
			...ALLOWED,
			dependencyAnswer: async () => ({ hosts: [], allowsScripts }),
		});
		const seenBy = async (line: string, allowsScripts = true) => {
			await local.repository.write('Gemfile.lock', '');
			await local.repository.write('requirements.txt', '');
			await local.repository.commitAll('Lock');
			const { id } = runnerOf({ services: services(allowsScripts) }).create({ ...task(), installDependencies: true }, [
				agentOf(`{ ${line}; } > seen.txt 2>&1`),
			]);
			const { branchName } = await completed(id);
			return local.repository.git('show', `${branchName}:seen.txt`);
		};
		afterEach(() => {
			process.env['PATH'] = earlierPath;
		});

		it('finds the packages of Bundler, and the programs of packages of pip after those of the machine', async () => {
			await putOnPath('bundle', 'mkdir -p "$BUNDLE_PATH" && echo a gem > "$BUNDLE_PATH/gem"');
			const programs = '"$HOME/.local/bin"';
			await putOnPath(
				'python3',
				`mkdir -p ${programs}; for n in tool git; do echo 'echo a tool' > ${programs}/$n; chmod +x ${programs}/$n; done`,
			);
			const seen = await seenBy('cat "$BUNDLE_PATH/gem"; tool; git --version');
			assert.match(seen, /^a gem\na tool\ngit version /);
		});

		it('is not led to a folder that nothing was installed in', async () => {
			await putOnPath('bundle', 'exit 1');
			await putOnPath('python3', 'exit 1');
			assert.equal(await seenBy('echo "<$BUNDLE_PATH>"'), '<>\n');
			assert.equal(await seenBy('echo "<$BUNDLE_PATH>"', false), '<>\n');
		});

		it('has the user asked for the host that an installation failed without, and not where it went well', async () => {
			await local.repository.write('Gemfile.lock', '');
			await local.repository.commitAll('Lock');
			const connect = `const to = new URL(process.env.HTTPS_PROXY);
				const headers = { "proxy-authorization": "Basic " + btoa(to.username + ":" + to.password) };
				const place = { host: to.hostname, port: to.port, method: "CONNECT", path: "gems.example:443", headers };
				require("node:http").request(place).once("connect", () => process.exit()).end();`;
			for (const [end, missing] of [
				['exit 1', ['gems.example:443']],
				['exit 0', []],
			] as const) {
				await putOnPath('bundle', `"${process.execPath}" -e '${connect}'\n${end}`);
				const remembered: string[] = [];
				const rememberMissing: RunServices['rememberMissing'] = async (repoUrl, hosts) => {
					assert.equal(repoUrl, task().repoUrl);
					remembered.push(...hosts);
				};
				const runner = runnerOf({ services: { ...services(true), rememberMissing } });
				const { id } = runner.create({ ...task(), installDependencies: true }, [agentOf('echo 1 > one.txt')]);
				const log = logOf(await completed(id)).join('\n');
				assert.deepEqual(remembered, missing);
				assert.match(log, /Where it gets packages from by default is not known, as it could not be asked\./);
				assert.match(log, /The connection to gems\.example:443 was refused: this host has not been allowed\./);
				assert.equal(/next task asks whether it may reach gems\.example:443\./.test(log), missing.length > 0, log);
			}
		});
	});

	for (const [how, line] of [
		['stopped', 'echo 1 > one.txt; echo x > README.md; sleep 100'],
		['failed', 'echo 1 > one.txt; echo x > README.md; exit 3'],
	] as const) {
		it(`has ${how}, and what it had done can be kept as a commit, once`, async () => {
			const runner = runnerOf();
			const { id } = runner.create(task(), [agentOf(line)]);
			if (how === 'stopped') {
				await atWork(id, 'one.txt');
				await runner.stop(id);
			}
			const ended = await final(id);
			assert.equal(executionOf(id).hasWork, true);
			const branch = await runner.keepWork(ended, signal());
			assert.equal(await local.repository.git('diff', '--name-only', 'main', branch), 'README.md\none.txt\n');
			const kept = local.store.get(id);
			assert.equal(kept?.status, ended.status);
			assert.equal(kept?.error, ended.error);
			assert.deepEqual([kept?.branchName, kept?.filesChanged], [branch, 2]);
			assert.match(logOf(ended).at(-1) ?? '', /is kept: the branch errand\//);
			await assert.rejects(runner.keepWork(kept ?? ended, signal()), /nothing to keep/);
		});
	}

	it('leaves nothing to keep where it had changed nothing', async () => {
		const { id } = runnerOf().create(task(), [agentOf('exit 1')]);
		const record = await final(id);
		assert.equal(executionOf(id).hasWork, false);
		assert.equal(existsSync(workOf(id)), false);
		await assert.rejects(runnerOf().keepWork(record, signal()), /nothing to keep/);
	});

	it('can be kept although it has left a pipe where git looks for settings, and a lock of git is there', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task(), [agentOf('echo 1 > one.txt; mkdir d; mkfifo d/.gitignore; exit 1')]);
		const record = await final(id);
		assert.equal(executionOf(id).hasWork, true);
		await writeFile(path.join(workOf(id), 'git', 'index.lock'), '');
		await execute('mkfifo', [path.join(workOf(id), 'tree', '.gitattributes')]);
		const branch = await runner.keepWork(record, signal());
		assert.equal(await local.repository.git('diff', '--name-only', 'main', branch), 'one.txt\n');
	});

	it('can be kept later when it could not be at first', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task(), [agentOf('echo 1 > one.txt; exit 1')]);
		const record = await final(id);
		const ended = new AbortController();
		ended.abort(new Error('The service stops.'));
		await assert.rejects(runner.keepWork(record, ended.signal), /still there: try again/);
		assert.equal(executionOf(id).hasWork, true);
		assert.match(await runner.keepWork(record, signal()), /^errand\//);
	});

	it('keeps what can be kept when a follow-up is stopped before its agent starts', async () => {
		const runner = runnerOf({}, { maximumRunning: 1 });
		const { id } = runner.create(task('Begin'), [agentOf('echo 1 > one.txt')]);
		await completed(id);
		runner.continue(id, { prompt: 'Stop', agent: 'own', model: 'none' }, agentOf('echo 2 > two.txt; sleep 100'));
		await atWork(id, 'two.txt');
		await runner.stop(id);
		const other = runner.create(task('Other'), [agentOf('echo 1 > one.txt; sleep 100')]);
		await atWork(other.id, 'one.txt');
		runner.continue(id, { prompt: 'Waits', agent: 'own', model: 'none' }, agentOf('true'));
		await runner.stop(id);
		assert.equal(executionOf(id).hasWork, true);
		await runner.stop(other.id);
		const record = local.store.get(id);
		assert.ok(record);
		const branch = await runner.keepWork(record, signal());
		assert.equal(await local.repository.git('cat-file', 'blob', `${branch}:two.txt`), '2\n');
	});

	it('gets no home that an agent in a sandbox has made, when it runs without one', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task('Begin'), [agentOf('echo 1 > one.txt; touch ../home/planted')]);
		await completed(id);
		await writeMarker(workOf(id), { agent: 'own', session: 'earlier', sandboxed: true });
		runner.continue(id, { prompt: 'More', agent: 'own', model: 'none' }, agentOf('ls -a ../home > home.txt'));
		const record = await completed(id);
		const home = await local.repository.git('cat-file', 'blob', `${record.branchName}:home.txt`);
		assert.doesNotMatch(home, /planted/);
		assert.ok(logOf(record).includes('Starting agent "own" without a sandbox.'));
	});

	it('says so when its work is asked for and is not there any more', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task(), [agentOf('echo 1 > one.txt; exit 1')]);
		const record = await final(id);
		await rm(workOf(id), { recursive: true });
		await assert.rejects(runner.keepWork(record, signal()), /not on this machine any more/);
		assert.equal(executionOf(id).hasWork, false);
	});

	it('is told of the work so far in a follow-up, when it cannot continue its session, and the log shows it', async () => {
		const agent = agentOf('cat >> prompts.txt; ls >> ../home/seen.txt');
		const { id } = runnerOf().create(task('Begin'), [agent]);
		await completed(id);
		runnerOf().continue(id, { prompt: 'And more', agent: 'own', model: 'none' }, agent);
		const record = await completed(id);
		const prompts = await local.repository.git('cat-file', 'blob', `${record.branchName}:prompts.txt`);
		assert.match(
			prompts,
			/^BeginThis goes on with earlier work on the branch .*:\nBegin\nThe files .*: prompts\.txt\.\n\nAnd more$/,
		);
		assert.ok(logOf(record).some(message => /^The agent has no earlier session .*\n.*\nBegin\n/.test(message)));
		// The home is that of the first run.
		assert.ok(existsSync(path.join(workOf(id), 'home', 'seen.txt')));
	});

	it('is told of the files that a filter keeps, and the log names them and those that it has written', async () => {
		await local.repository.write('.gitattributes', '*.bin filter=lfs\n');
		await local.repository.write('a.bin', 'pointer\n');
		await local.repository.write('b.bin', 'pointer\n');
		await local.repository.commitAll('Kept by a filter');
		const { id } = runnerOf().create(task('Begin'), [agentOf('cat > prompt.txt; echo content > b.bin')]);
		const record = await completed(id);
		const prompt = await local.repository.git('cat-file', 'blob', `${record.branchName}:prompt.txt`);
		assert.match(prompt, /^A filter such as Git LFS .* a pointer .*: a\.bin, b\.bin\.\n\nBegin$/);
		assert.ok(logOf(record).some(message => /^A filter such as Git LFS .*: a\.bin, b\.bin\.$/.test(message)));
		assert.ok(logOf(record).some(message => /^The commit has files .*: b\.bin\. Check the branch out/.test(message)));
	});

	it('goes on in a follow-up with what a stopped one has left, as its session remembers it', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task('Begin'), [agentOf('echo 1 > one.txt')]);
		await completed(id);
		runner.continue(id, { prompt: 'Stop', agent: 'own', model: 'none' }, agentOf('echo 2 > two.txt; sleep 100'));
		await atWork(id, 'two.txt');
		await runner.stop(id);
		assert.equal(executionOf(id).hasWork, true);
		runner.continue(id, { prompt: 'Again', agent: 'own', model: 'none' }, agentOf('ls > files.txt'));
		const record = await completed(id);
		const files = await local.repository.git('cat-file', 'blob', `${record.branchName}:files.txt`);
		assert.deepEqual(files.trim().split('\n'), ['README.md', 'files.txt', 'one.txt', 'two.txt']);
		assert.ok(logOf(record).some(message => /nobody kept is still in the agent’s folder/.test(message)));
	});

	it('begins a follow-up with the branch as it is if it has been moved', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task('Begin'), [agentOf('echo 1 > one.txt')]);
		const { branchName } = await completed(id);
		runner.continue(id, { prompt: 'Stop', agent: 'own', model: 'none' }, agentOf('echo 2 > two.txt; sleep 100'));
		await atWork(id, 'two.txt');
		await runner.stop(id);
		await local.repository.git('checkout', '--quiet', branchName);
		await local.repository.write('theirs.txt', 'theirs\n');
		await local.repository.commitAll('Theirs');
		await local.repository.git('checkout', '--quiet', 'main');
		runner.continue(id, { prompt: 'Again', agent: 'own', model: 'none' }, agentOf('ls > files.txt'));
		const record = await completed(id);
		const files = await local.repository.git('cat-file', 'blob', `${record.branchName}:files.txt`);
		assert.deepEqual(files.trim().split('\n'), ['README.md', 'files.txt', 'one.txt', 'theirs.txt']);
		assert.ok(logOf(record).some(message => /nobody kept is not in the agent’s folder any more/.test(message)));
	});

	it('is not given the home of another agent', async () => {
		const runner = runnerOf();
		const { id } = runner.create(task('Begin'), [agentOf('echo 1 > one.txt; touch ../home/left.txt')]);
		await completed(id);
		runner.continue(id, { prompt: 'Other', agent: 'other', model: 'none' }, agentOf('echo 2 > two.txt', 'other'));
		await completed(id);
		assert.equal(existsSync(path.join(workOf(id), 'home', 'left.txt')), false);
	});

	it('of an earlier service that was killed can be kept too', async () => {
		const first = runnerOf();
		const { id } = first.create(task(), [agentOf('echo 1 > one.txt; exit 1')]);
		await final(id);
		// This is what a kill in the middle of the run leaves in the store.
		local.database.exec(
			"UPDATE executions SET status = 'processing', hasWork = 0; UPDATE tasks SET status = 'processing'",
		);
		const runner = runnerOf({ agentOf: () => agentOf('true') });
		await runner.recover();
		const record = local.store.get(id);
		assert.match(record?.error ?? '', /^Interrupted/);
		assert.ok(record);
		const branch = await runner.keepWork(record, signal());
		assert.equal(await local.repository.git('cat-file', 'blob', `${branch}:one.txt`), '1\n');
	});

	it('waits while the agents that run need the memory, in the order of the tasks', async () => {
		const runner = runnerOf({}, { maximumRunning: 3, maximumMegabytes: 1_000 });
		const needing = (megabytes: number): Agent => ({ ...agentOf('echo 1 > one.txt; sleep 100'), megabytes });
		const ids = [2_000, 700, 200].map(megabytes => runner.create(task(), [needing(megabytes)]).id);
		await atWork(ids[0] ?? '', 'one.txt');
		assert.deepEqual(
			ids.map(id => local.store.get(id)?.status),
			['processing', 'pending', 'pending'],
		);
		await runner.stop(ids[0] ?? '');
		await atWork(ids[1] ?? '', 'one.txt');
		await atWork(ids[2] ?? '', 'one.txt');
		await Promise.all(ids.map(id => runner.stop(id)));
	});
});

describe('the work that is kept of ended tasks', () => {
	const local = useTaskRunner();
	const work = () => path.join(local.folder, 'work');
	async function keep(name: string, { kilobytes = 1, daysAgo = 0 } = {}): Promise<void> {
		const folder = path.join(work(), name);
		await mkdir(folder, { recursive: true });
		await writeFile(path.join(folder, 'file'), Buffer.alloc(kilobytes * 1024, 'x'));
		await writeMarker(folder, { agent: 'own' });
		const at = new Date(Date.now() - daysAgo * 24 * 3600 * 1000);
		await utimes(path.join(folder, 'kept.json'), at, at);
	}
	const remove = (inUse: string[] = [], maximumBytes?: number) =>
		removeOldFolders(work(), {
			inUse: name => inUse.includes(name),
			logger: nullLogger,
			...(maximumBytes === undefined ? {} : { maximumBytes }),
		});

	it('is removed when it is too old, and the oldest first when it is too much', async () => {
		await keep('old', { daysAgo: RETENTION_DAYS + 1 });
		await keep('first', { kilobytes: 600, daysAgo: 3 });
		await keep('second', { kilobytes: 600, daysAgo: 2 });
		await keep('third', { kilobytes: 100, daysAgo: 1 });
		assert.deepEqual((await remove([], 1024 * 1024)).sort(), ['first', 'old']);
		assert.deepEqual((await readdir(work())).sort(), ['second', 'third']);
	});

	it('is not removed for one that is too large, and the newest stays however large it is', async () => {
		await keep('small', { daysAgo: 3 });
		await keep('large', { kilobytes: 2_000, daysAgo: 2 });
		await keep('newest', { kilobytes: 900, daysAgo: 1 });
		assert.deepEqual(await remove([], 1024 * 1024), ['large']);
		assert.deepEqual(await remove([], 10), ['small']);
		assert.deepEqual(await readdir(work()), ['newest']);
	});

	it('stays while a run uses it, and so does what is not marked', async () => {
		await keep('used', { daysAgo: RETENTION_DAYS + 1 });
		await mkdir(path.join(work(), 'running'));
		assert.deepEqual(await remove(['used']), []);
		assert.deepEqual((await readdir(work())).sort(), ['running', 'used']);
	});
});
