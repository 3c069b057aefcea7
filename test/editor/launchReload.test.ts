import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import type { PromptEditor } from '../../src/tasks/launch/promptEditor.ts';
import { TaskLauncher } from '../../src/tasks/launch/taskLauncher.ts';
import type { TaskTarget } from '../../src/tasks/model/taskConnection.ts';
import { readTask } from '../support/readTask.ts';
import { State } from '../support/state.ts';
import { TaskServer } from '../support/taskServer.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { closeRepository, openRepository } from './gitExtension.ts';

const connection = { name: 'test', label: 'Test', isLocal: true, hasLookUps: false, agents: [] };
const PROMPT = 'Survive the reload';
const PROMPT_KEY = 'prompt';

/** One window as far as a launch knows it; `close` is what a reload does to it. */
class Window {
	readonly launcher: TaskLauncher;
	/** Ids of the tasks that were shown. */
	readonly shown: string[] = [];
	readonly problems: unknown[] = [];
	/** Resolved before the draft is forgotten. */
	beforeForgetting: (() => Promise<void>) | undefined;
	readonly target: TaskTarget;
	readonly state: State;
	private readonly gone = new AbortController();

	constructor(server: TaskServer, state: State) {
		this.state = state;
		const client: Client = createClient({
			connection: server.connection,
			keys: () => Promise.resolve('test'),
			transport: createFetchTransport((input, init) =>
				fetch(input, { ...init, signal: AbortSignal.any([this.gone.signal, ...(init?.signal ? [init.signal] : [])]) }),
			),
		});
		this.target = { connection, client };
		const ownPrompt = {
			remove: async (prompt: string) => {
				await this.beforeForgetting?.();
				if (state.get(PROMPT_KEY) === prompt) {
					await state.update(PROMPT_KEY, undefined);
				}
			},
		};
		this.launcher = new TaskLauncher({
			workspaceState: state,
			// The real one belongs to the extension that runs here.
			promptEditor: ownPrompt as PromptEditor,
			composer: { write: async () => {}, made: () => {} },
			next: { place: {}, setPlace: async () => {}, chosenSubject: () => undefined },
			connection: {
				target: () => Promise.resolve(this.target),
				ensureKey: () => Promise.resolve(true),
				allow: () => Promise.resolve(),
				createWithServers: () => assert.fail('no servers are handed over'),
			},
			check: subjects => ({
				subjects,
				globalState: new State(),
				nameFolder: () => Promise.resolve(),
				checkTask: () =>
					Promise.resolve({
						sandbox: { works: true },
						unusable: [],
						asksForUnsandboxed: false,
						unpricedModels: [],
						ownDependencies: { shown: [], unmet: [] },
						dependencies: null,
					}),
				serversForTasks: async () => [],
				isEmptyGitUser: false,
			}),
			store: { all: () => server.tasks.map(readTask), put: () => {} },
			list: { load: () => Promise.resolve() },
			starts: { remember: () => {} },
			active: { is: () => true },
			logs: { show: () => {} },
			view: { reveal: async id => void this.shown.push(id) },
			explain: error => this.problems.push(error),
			logger: { log() {} },
		});
	}

	get prompt(): unknown {
		return this.state.get(PROMPT_KEY);
	}

	/** Another window on the same folder. */
	beside(server: TaskServer): Window {
		return new Window(server, this.state);
	}

	/** Starts with what the state keeps now; the window before can change it no more. */
	reload(server: TaskServer): Window {
		this.gone.abort();
		return new Window(server, this.state.copy());
	}
}

describe('a reload of the window while a task is being started', () => {
	let server: TaskServer;
	let repository: TemporaryRepository;
	let origin: string;
	let before: Window;
	let release: () => void;
	let held: Promise<void>;

	beforeEach(async () => {
		server = await TaskServer.start();
		repository = await TemporaryRepository.create();
		origin = path.join(repository.folder, 'origin.git');
		await repository.git('clone', '--quiet', '--bare', repository.path, origin);
		await repository.git('remote', 'add', 'origin', origin);
		await repository.git('fetch', '--quiet', 'origin');
		await openRepository(repository.path);
		const state = new State();
		await state.update(PROMPT_KEY, PROMPT);
		before = new Window(server, state);
		({ promise: held, resolve: release } = Promise.withResolvers<void>());
	});

	afterEach(async () => {
		release();
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		await closeRepository(repository.path);
		await server.stop();
		await repository.remove();
	});

	const posts = () => server.requestsOf('POST');
	const wish = (prompt = PROMPT) => ({ prompt, repository: repository.path });

	/** Goes through the preflight with its default. `ended` settles with the launch. */
	async function start(
		{ launcher }: Window,
		until: () => boolean,
		prompt?: string,
	): Promise<{ ended: Promise<unknown> }> {
		const ended = launcher.start(wish(prompt));
		await waitFor('the yes to be taken', async () => {
			await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
			return until();
		});
		return { ended };
	}

	it('before the yes sends nothing, and keeps the prompt', async () => {
		let isOver = false;
		void before.launcher.start(wish()).then(() => {
			isOver = true;
		});
		const after = before.reload(server);
		await after.launcher.requests.settle(after.target);
		await waitFor('the question to be gone', async () => {
			await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
			return isOver;
		});
		assert.deepEqual([posts(), after.shown, after.prompt], [[], [], PROMPT]);
	});

	it('while commits are pushed sends nothing, and keeps the prompt', async () => {
		const [entered, goOn] = ['entered', 'go-on'].map(name => path.join(repository.folder, name));
		const hook = path.join(origin, 'hooks', 'pre-receive');
		await writeFile(hook, `#!/bin/sh\ntouch '${entered}'\nwhile [ ! -e '${goOn}' ]; do sleep 0.1; done\n`);
		await chmod(hook, 0o755);
		await repository.write('more.txt', 'more\n');
		await repository.commitAll('Not pushed yet');
		try {
			const { ended } = await start(before, () => existsSync(entered ?? ''));
			const after = before.reload(server);
			await after.launcher.requests.settle(after.target);
			await writeFile(goOn ?? '', '');
			const pushed = async () => (await repository.git('-C', origin, 'rev-parse', 'main')).trim();
			const head = await repository.head();
			await waitFor('the push', async () => (await pushed()) === head);
			await ended;
			assert.deepEqual([posts(), after.shown, after.prompt], [[], [], PROMPT]);
		} finally {
			await writeFile(goOn ?? '', '');
			await rm(hook, { force: true });
		}
	});

	it('while the request is under way shows the one task as soon as the service has made it', async () => {
		server.beforeCreate = () => held;
		await start(before, () => posts().length === 1);
		const after = before.reload(server);
		await after.launcher.requests.settle(after.target);
		assert.deepEqual([after.shown, after.prompt], [[], PROMPT]);
		// The list is read again and again by itself.
		await after.launcher.requests.settleFromList('test', () => Promise.resolve(after.target));
		assert.deepEqual(after.shown, []);
		release();
		await waitFor('the task to be made', () => server.tasks.length === 1);
		await Promise.all([
			after.launcher.requests.settleFromList('test', () => Promise.resolve(after.target)),
			after.launcher.requests.settleFromList('test', () => Promise.resolve(after.target)),
		]);
		assert.deepEqual([after.shown, after.prompt], [server.tasks.map(({ id }) => id), undefined]);
		assert.equal(posts().length, 1);
	});

	it('while the request is under way does not send it again before it is told that it may be a second one', async () => {
		server.beforeCreate = () => held;
		await start(before, () => posts().length === 1);
		const after = before.reload(server);
		const lists = () => server.requestsOf('GET /api/tasks?').length;
		// One look before the question, one before sending.
		const looked = lists() + 2;
		const { ended } = await start(after, () => lists() >= looked);
		assert.equal(await ended, undefined);
		assert.equal(posts().length, 1);
		release();
		await waitFor('the task to be made', () => server.tasks.length === 1);
		await after.launcher.requests.settleFromList('test', () => Promise.resolve(after.target));
		assert.deepEqual([after.shown.length, after.prompt, posts().length], [1, undefined, 1]);
	});

	it('leaves the request of another window, which waits for its reply, to that window', async () => {
		const other = before.beside(server);
		server.beforeCreate = () => held;
		const { ended } = await start(before, () => posts().length === 1);
		const [{ prompt = PROMPT, repoUrl = '' } = {}] = before.launcher.requests.open('test');
		// The list tells of the task before the reply does.
		server.add({ id: 'made', prompt, repoUrl });
		const theirs = await start(other, () => posts().length === 2, 'Another prompt');
		release();
		await Promise.all([ended, theirs.ended]);
		assert.deepEqual([before.problems, other.problems], [[], []]);
		assert.deepEqual(other.shown, [await theirs.ended]);
		assert.equal(server.tasks.find(({ id }) => id === other.shown[0])?.prompt, 'Another prompt');
		assert.deepEqual(before.shown, [await ended]);
	});

	it('just after the service has accepted it shows the task, and forgets the prompt', async () => {
		before.beforeForgetting = () => held;
		await start(before, () => server.tasks.length === 1);
		const after = before.reload(server);
		assert.deepEqual([before.shown, after.prompt], [[], PROMPT]);
		await after.launcher.requests.settle(after.target);
		await after.launcher.requests.settle(after.target);
		assert.deepEqual([after.shown, after.prompt], [server.tasks.map(({ id }) => id), undefined]);
		assert.equal(posts().length, 1);
	});

	it('once the task is shown does nothing more', async () => {
		await start(before, () => before.shown.length === 1);
		const after = before.reload(server);
		await after.launcher.requests.settle(after.target);
		assert.deepEqual([after.shown, after.prompt, posts().length], [[], undefined, 1]);
		assert.deepEqual(before.problems, []);
	});
});
