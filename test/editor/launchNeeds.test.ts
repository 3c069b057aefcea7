import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../src/base/errors.ts';
import type { OfferedServer } from '../../src/chat/api.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../../src/contract/agents.ts';
import { writeSetting } from '../../src/platform/settings.ts';
import type { PromptEditor } from '../../src/tasks/launch/promptEditor.ts';
import { TaskLauncher } from '../../src/tasks/launch/taskLauncher.ts';
import { readTask } from '../support/readTask.ts';
import { State } from '../support/state.ts';
import { taskClient } from '../support/taskClient.ts';
import { TaskServer } from '../support/taskServer.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { closeRepository, openRepository } from './gitExtension.ts';

const ready: TaskCheck = {
	sandbox: { works: true },
	takesServers: true,
	unusable: [],
	asksForUnsandboxed: false,
	unpricedModels: [],
	ownDependencies: { shown: [], unmet: [] },
	dependencies: null,
};
const unsandboxed: TaskCheck = {
	...ready,
	sandbox: { works: false, problem: 'not-installed' },
	asksForUnsandboxed: true,
};

describe('what a task of the local service needs before it is sent', () => {
	let server: TaskServer;
	let repository: TemporaryRepository;
	let isLocal: boolean;
	/** What the service answers, and when. */
	let check: () => Promise<TaskCheck>;
	let asked: TaskCheckRequest[];
	/** What the service was told, and the requests for tasks, in their order. */
	let sent: unknown[];
	let problems: unknown[];
	/** The MCP servers of the user, and the folders for which they were looked up. */
	let servers: OfferedServer[];
	let folders: (string | undefined)[];
	let presses = 0;
	let launcher: TaskLauncher;

	beforeEach(async () => {
		server = await TaskServer.start();
		repository = await TemporaryRepository.create();
		const origin = path.join(repository.folder, 'origin.git');
		await repository.git('clone', '--quiet', '--bare', repository.path, origin);
		await repository.git('remote', 'add', 'origin', origin);
		await repository.git('fetch', '--quiet', 'origin');
		await openRepository(repository.path);
		isLocal = true;
		check = () => Promise.resolve(ready);
		[asked, sent, problems, servers, folders] = [[], [], [], [], []];
		server.beforeCreate = async () => void sent.push('create');
		const client = taskClient(server);
		const globalState = new State();
		launcher = new TaskLauncher({
			workspaceState: new State(),
			// The real one belongs to the extension that runs here.
			promptEditor: { remove: async () => {} } as unknown as PromptEditor,
			composer: { write: async () => {}, made: () => {} },
			next: { place: {}, setPlace: async () => {}, chosenSubject: () => undefined },
			connection: {
				target: async () => ({
					connection: {
						name: 'test',
						label: 'Test',
						isLocal,
						hasLookUps: false,
						agents: [{ id: 'opencode', models: ['large'] }],
					},
					client,
				}),
				ensureKey: () => Promise.resolve(true),
				allow: async (consent: Consent) => void sent.push(consent),
				createWithServers: async ({ task, mcpServers }) => {
					sent.push(mcpServers.map(({ name }) => name));
					return client.tasks.create(task);
				},
			},
			check: subjects => ({
				subjects,
				globalState,
				nameFolder: () => Promise.resolve(),
				checkTask: request => {
					asked.push(request);
					return check();
				},
				serversForTasks: async folder => {
					folders.push(folder);
					return servers;
				},
				isEmptyGitUser: false,
			}),
			store: { all: () => server.tasks.map(readTask), put: () => {} },
			list: { load: () => Promise.resolve() },
			starts: { remember: () => {} },
			active: { is: () => true },
			logs: { show: () => {} },
			view: { reveal: async () => {} },
			explain: error => problems.push(error),
			logger: { log() {} },
		});
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		await closeRepository(repository.path);
		await server.stop();
		await repository.remove();
	});

	/** Presses Enter until the launch is over. */
	async function start(): Promise<void> {
		let isOver = false;
		const launch = launcher.start({ prompt: 'Do it', repository: repository.path }).finally(() => {
			isOver = true;
		});
		await waitFor('the launch', async () => {
			await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
			presses++;
			return isOver;
		});
		await launch;
	}

	it('is asked for the branch and its agents, and the task starts where nothing is needed', async () => {
		await start();
		assert.deepEqual(asked, [
			{
				repoUrl: path.join(repository.folder, 'origin.git'),
				selectedBranch: 'main',
				agents: ['opencode'],
				models: ['large'],
				installDependencies: false,
			},
		]);
		assert.deepEqual(sent, ['create']);
		assert.deepEqual(problems, []);
	});

	it('is allowed by the user, and the service is told before the task is sent, not earlier', async () => {
		check = () => Promise.resolve(unsandboxed);
		await start();
		const repoUrl = path.join(repository.folder, 'origin.git');
		assert.deepEqual(sent, [{ kind: 'unsandboxed', repoUrl, problem: 'not-installed' }, 'create']);
	});

	it('is a yes to the hosts of its dependencies, the first being one without install scripts', async () => {
		const hosts = ['packages.example:443'];
		const commands = [{ lockfile: 'package-lock.json', command: 'npm ci' }];
		const dependencies = { commands, hosts, withLogin: [], allowed: false, allowsScripts: true };
		check = async () => ({ ...ready, dependencies });
		await writeSetting('errand.tasks.installDependencies', true);
		try {
			await start();
		} finally {
			await writeSetting('errand.tasks.installDependencies', false);
		}
		assert.equal(asked[0]?.installDependencies, true);
		const repoUrl = path.join(repository.folder, 'origin.git');
		assert.deepEqual(sent, [{ kind: 'dependencies', repoUrl, hosts, allowsScripts: false }, 'create']);
	});

	it('is confirmed once where it came while the list was open', async () => {
		const { createQuickPick } = vscode.window;
		const pickers: vscode.QuickPick<vscode.QuickPickItem>[] = [];
		const watched = () => {
			const picker = createQuickPick();
			pickers.push(picker);
			return picker;
		};
		const { promise, resolve } = Promise.withResolvers<TaskCheck>();
		const dependencies = {
			commands: [],
			hosts: ['packages.example:443'],
			withLogin: [],
			allowed: true,
			allowsScripts: false,
		};
		check = () => promise;
		await writeSetting('errand.tasks.installDependencies', true);
		Object.assign(vscode.window, { createQuickPick: watched });
		try {
			const launch = launcher.start({ prompt: 'Do it', repository: repository.path });
			await waitFor('the list', () => pickers.length > 0);
			resolve({ ...ready, dependencies });
			await waitFor(
				'the answer',
				() => pickers.at(-1)?.items.some(({ label }) => /Dependencies are/.test(label)) === true,
			);
			await waitFor('the task', async () => {
				await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
				return sent.length > 0;
			});
			await launch;
		} finally {
			Object.assign(vscode.window, { createQuickPick });
			await writeSetting('errand.tasks.installDependencies', false);
		}
		assert.deepEqual(sent, ['create']);
		assert.ok(!pickers.some(({ placeholder }) => /changed in the meantime/.test(placeholder ?? '')));
	});

	it('is looked at before the task is sent, also where the service answers late', async () => {
		const { promise, resolve } = Promise.withResolvers<TaskCheck>();
		check = () => promise;
		const starting = start();
		await waitFor('the question', () => asked.length > 0);
		const enough = presses + 20;
		await waitFor('the yes to have been given long since', () => presses > enough);
		assert.deepEqual(sent, []);
		resolve(unsandboxed);
		await starting;
		const repoUrl = path.join(repository.folder, 'origin.git');
		assert.deepEqual(sent, [{ kind: 'unsandboxed', repoUrl, problem: 'not-installed' }, 'create']);
	});

	it('goes with the task: the MCP servers of the repository that the user has agreed to, with their values', async () => {
		const serverOf = (name: string, isAllowed: boolean): OfferedServer => ({
			...{ name, isAllowed, digest: name, reach: '' },
			ask: () => assert.fail('nobody chose it'),
			handOver: async () => ({ name, declaration: {}, inputs: {}, variables: {}, packages: '' }) as never,
		});
		servers = [serverOf('files', true), serverOf('tickets', false)];
		await start();
		assert.deepEqual(sent, [['files'], 'create']);
		assert.ok(folders.every(folder => folder === repository.path));
		const handOver = () => Promise.reject(new UserFacingError('It has no value.'));
		servers = [{ ...serverOf('files', true), handOver }];
		await start();
		assert.equal(sent.length, 2);
		assert.match(String(problems), /It has no value\. No task was started\. Your prompt is kept\./);
	});

	it('does not hinder the task where the service could not be asked, which decides by itself', async () => {
		check = () => Promise.reject(new Error('not there'));
		await start();
		assert.deepEqual(sent, ['create']);
	});

	it('is not asked of other services', async () => {
		isLocal = false;
		await repository.git('remote', 'set-url', 'origin', 'https://host.example/acme/widgets.git');
		await repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
		await start();
		assert.deepEqual([asked, sent], [[], ['create']]);
	});
});
