import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { nullLogger } from '../../src/base/logger.ts';
import { isFinalStatus } from '../../src/contract/tasks.ts';
import { WORK_MARKER, workFolderOf } from '../../src/service/stateFolder.ts';
import type { NewTask } from '../../src/service/store/taskRecord.ts';
import { SourceTokens } from '../../src/team/database/sourceTokens.ts';
import type { TeamTask } from '../../src/team/database/taskRows.ts';
import { RunQueue } from '../../src/team/runQueue.ts';
import { Secrets } from '../../src/team/secrets.ts';
import { GitHttpServer } from './gitHttpServer.ts';
import { type TeamTasks, useTeamTasks } from './teamTasks.ts';
import { STARTED, type TeamWorkerInput } from './teamWorker.ts';
import { TemporaryRepository } from './temporaryRepository.ts';
import { waitFor } from './waitFor.ts';

/** The form of a token that no log may show, though nothing recognises it as one. */
export const HOST_TOKEN = `${randomBytes(8).toString('hex')}tokenofahost`;
const SCM = 'host';

/** A worker in a process of its own. */
export class TeamWorker {
	readonly workFolder: string;
	readonly child: ChildProcess;
	output = '';

	constructor(input: TeamWorkerInput) {
		this.workFolder = workFolderOf(input.folder);
		this.child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'test/support/teamWorker.ts'], {
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		this.child.stdin?.end(`${JSON.stringify(input)}\n`);
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream?.setEncoding('utf8').on('data', (text: string) => {
				this.output += text;
			});
		}
	}

	async started(): Promise<void> {
		await waitFor(
			() => `the worker to start: ${this.output}`,
			() => this.output.includes(`${STARTED}\n`),
		);
	}

	signal(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	async end(signal: NodeJS.Signals): Promise<void> {
		if (this.child.exitCode === null && this.child.signalCode === null) {
			const ended = once(this.child, 'exit');
			this.child.kill(signal);
			await ended;
		}
	}

	/** The folders of runs. */
	async folders(): Promise<string[]> {
		return (await readdir(this.workFolder)).filter(name => name !== WORK_MARKER);
	}
}

export interface TeamWorkers {
	readonly team: TeamTasks;
	/** The repository at the host, bare. */
	readonly host: GitHttpServer;
	readonly address: string;
	branches(): Promise<string[]>;
	git(...args: string[]): Promise<string>;
	start(options?: { slots?: number; graceMs?: number; configuration?: object }): Promise<TeamWorker>;
	create(prompt: string, fields?: Partial<NewTask>): Promise<TeamTask>;
	followUp(id: string, prompt: string): Promise<TeamTask>;
	/** Waits until the log has an entry that matches. */
	logged(id: string, pattern: RegExp): Promise<void>;
	log(id: string): Promise<string[]>;
	final(id: string): Promise<TeamTask>;
	setToken(token: string): Promise<void>;
}

/** Prepares a database, a queue and a git host before the tests of a file. Workers that a test has started end with it. */
export function useTeamWorkers(): TeamWorkers {
	const team = useTeamTasks();
	const keys = randomBytes(32).toString('base64');
	const workers = new Set<TeamWorker>();
	let folder: string;
	let queue: RunQueue;
	let host: GitHttpServer;
	let repository: TemporaryRepository;
	before(async () => {
		folder = await mkdtemp(path.join(os.tmpdir(), 'errand-workers-'));
		queue = new RunQueue(team.database.url, nullLogger);
		await queue.start();
	});
	after(async () => {
		await queue.stop();
		await rm(folder, { recursive: true, force: true });
	});
	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.git('clone', '--quiet', '--bare', '.', path.join(repository.folder, 'team', 'project.git'));
		host = await GitHttpServer.start(repository.folder);
		host.user = 'x-access-token';
		host.password = HOST_TOKEN;
		await result.setToken(HOST_TOKEN);
	});
	afterEach(async () => {
		await Promise.all([...workers].map(worker => worker.end('SIGKILL')));
		workers.clear();
		await host.stop();
		await repository.remove();
	});
	const git = (...args: string[]) =>
		repository.git('--git-dir', path.join(repository.folder, 'team', 'project.git'), ...args);
	const require = async (id: string) => (await team.tasks.get(id)) ?? assert.fail('no such task');
	const log = async (id: string) => {
		const task = await require(id);
		const messages: string[] = [];
		for (let from = 0; ; from = messages.length) {
			const entries = await team.tasks.entries(task, from, 1_000);
			if (entries.length === 0) {
				return messages;
			}
			messages.push(...entries.map(({ message }) => message));
		}
	};
	const queueing = { enqueue: (...args: Parameters<RunQueue['enqueue']>) => queue.enqueue(...args) };
	const result: TeamWorkers = {
		team,
		get host() {
			return host;
		},
		get address() {
			return host.address('team/project.git');
		},
		git,
		async branches() {
			const names = await git('for-each-ref', '--format=%(refname:short)', 'refs/heads');
			return names.split('\n').filter(name => name !== '' && name !== 'main');
		},
		async start({ slots = 2, graceMs = 0, configuration = {} } = {}) {
			const origin = new URL(host.address('')).origin;
			const worker = new TeamWorker({
				databaseUrl: team.database.url,
				configuration: {
					demo: true,
					sources: [{ scm: SCM, kind: 'gitea', api: `${origin}/api/v1`, clone: origin }],
					...configuration,
				},
				keys,
				slots,
				graceMs,
				folder: path.join(folder, randomUUID()),
			});
			workers.add(worker);
			await worker.started();
			return worker;
		},
		create: (prompt, fields = {}) =>
			team.tasks.create(
				{
					id: randomUUID(),
					prompt,
					repoUrl: result.address,
					selectedBranch: 'main',
					agents: [{ agent: 'demo', model: 'demo' }],
					installDependencies: false,
					maxDuration: 600,
					...fields,
				},
				{ userId: team.user.id, teamId: null, isPublic: false },
				queueing,
			),
		followUp: (id, prompt) => team.tasks.followUp(id, { prompt, agent: 'demo', model: 'demo' }, queueing),
		log,
		async logged(id, pattern) {
			await waitFor(
				() => `an entry ${pattern}`,
				async () => (await log(id)).some(message => pattern.test(message)),
			);
		},
		final: id =>
			waitFor('the end of the task', async () => {
				const task = await require(id);
				return isFinalStatus(task.status) && task;
			}),
		setToken: token => new SourceTokens(team.database.pool, new Secrets(keys)).set(team.user.id, SCM, token),
	};
	return result;
}
