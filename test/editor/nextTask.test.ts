import assert from 'node:assert/strict';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../src/base/disposable.ts';
import type { Client } from '../../src/client/types.ts';
import { writeSetting } from '../../src/platform/settings.ts';
import type { NextTaskView } from '../../src/tasks/api.ts';
import { NextTask } from '../../src/tasks/launch/nextTask.ts';
import { PromptFile } from '../../src/tasks/launch/promptFile.ts';
import { DRAFT_KEY, DRAFT_PLACE_KEY } from '../../src/tasks/model/storageKeys.ts';
import { State } from '../support/state.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { closeRepository, openRepository } from './gitExtension.ts';
import { QuickPicks } from './quickPicks.ts';

const agents = [
	{ id: 'mason', label: 'Mason', models: ['mason-large'] },
	{ id: 'weaver', label: 'Weaver', models: ['weaver-3'] },
];

describe('what the next task uses', () => {
	let repository: TemporaryRepository;
	let state: State;
	let globalState: State;
	let promptFile: PromptFile;
	let next: NextTask;
	let following: Disposable | undefined;
	let views: NextTaskView[];
	let isLocal: boolean;
	let isStopped: boolean;
	let looks: number;
	let count = 0;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		const { state: opened } = await openRepository(repository.path);
		await waitFor('its branch', () => opened.HEAD?.name === 'main');
		[isLocal, isStopped, looks, views] = [true, false, 0, []];
		state = new State();
		globalState = new State();
		open();
		await next.setPlace({ repository: repository.path });
	});

	afterEach(async () => {
		close();
		await writeSetting('errand.tasks.maxCost', undefined as never);
		await closeRepository(repository.path);
		await repository.remove();
	});

	function open(): void {
		promptFile = new PromptFile(`errand-prompt-next-${count++}`, state, () => {});
		const connection = () => ({ name: 'test', label: 'Test', isLocal, hasLookUps: false, agents });
		next = new NextTask({
			promptFile,
			promptEditor: { takeToChat: async () => {} },
			globalState,
			connection: {
				target: async () => {
					looks++;
					return {
						connection: connection(),
						client: { sources: { organisations: async () => [] } } as unknown as Client,
					};
				},
				label: () => 'Test',
				isStopped: async () => isStopped,
				changes: [],
			},
			readSandbox: async () => ({ works: false, problem: 'not-installed' }),
			check: subjects => ({
				subjects,
				globalState,
				nameFolder: async () => {},
				checkTask: () => assert.fail('the service is not asked what a task needs'),
				serversForTasks: async () => [],
				isEmptyGitUser: false,
			}),
		});
	}

	function close(): void {
		following?.dispose();
		following = undefined;
		next.dispose();
		promptFile.dispose();
	}

	const follow = () => {
		following = next.follow(view => views.push(view));
	};
	const shown = () => Object.fromEntries((views.at(-1)?.choices ?? []).map(({ choice, name }) => [choice, name]));
	const shows = (choice: string, name: string) => waitFor(`${choice}: ${name}`, () => shown()[choice] === name);

	/** Lets the user choose a branch from the list of that title. */
	async function chooseBranch(title: string | RegExp, branch: string): Promise<void> {
		const picks = new QuickPicks();
		try {
			const choosing = next.choose('branch');
			await waitFor('the branches', () =>
				typeof title === 'string' ? picks.last?.title === title : title.test(picks.last?.title ?? ''),
			);
			await picks.pick(branch);
			assert.equal(await choosing, undefined);
		} finally {
			await picks.stop();
		}
	}

	/** Answers the question for a repository with that of the folder, and resolves with the rows among which it stood. */
	async function takingRepository(folder: string, run: () => Promise<unknown>): Promise<vscode.QuickPickItem[]> {
		const picks = new QuickPicks();
		try {
			const running = run();
			await waitFor('the repositories', () => picks.last?.title === 'Start Task: Repository');
			const rows = [...(picks.last?.items ?? [])];
			await picks.pick(path.basename(folder), folder);
			await running;
			return rows;
		} finally {
			await picks.stop();
		}
	}

	it('is told with its limits, and again when a branch or a setting has changed, without any look in between', async () => {
		follow();
		await shows('branch', 'main');
		assert.deepEqual(shown(), {
			repository: repository.path.split('/').at(-1),
			branch: 'main',
			agent: 'Mason',
			model: 'mason-large',
			cost: 'No cost limit',
			sandbox: 'No sandbox',
		});
		assert.match(views.at(-1)?.choices.at(-1)?.hint ?? '', /Bubblewrap isn’t installed/);
		const before = looks;
		await repository.write('new.txt', 'new\n');
		await writeSetting('errand.tasks.maxCost', 2.5);
		await shows('cost', 'Up to $2.50');
		await repository.git('checkout', '--quiet', '-b', 'other');
		await shows('branch', 'other');
		assert.ok(looks - before <= 4, `${looks - before} looks`);
	});

	it('says nothing of limits that another service has', async () => {
		isLocal = false;
		follow();
		await shows('model', 'mason-large');
		assert.deepEqual(Object.keys(shown()), ['repository', 'branch', 'agent', 'model']);
	});

	it('keeps a branch that was chosen, also over a reload, and the agents for the next list before a task', async () => {
		await repository.git('branch', 'release');
		follow();
		await shows('branch', 'main');
		await chooseBranch('Start Task: Branch', 'release');
		await shows('branch', 'release');
		assert.equal(next.chosenSubject('test')?.branch, 'release');
		assert.equal(next.chosenSubject('another'), undefined);
		close();
		open();
		follow();
		await shows('branch', 'release');
		const { showQuickPick } = vscode.window;
		try {
			const take = async (rows: { label: string }[]) => rows.filter(({ label }) => label === 'Weaver');
			Object.assign(vscode.window, { showQuickPick: take });
			await next.choose('agent');
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
		await shows('agent', 'Weaver');
		assert.match(JSON.stringify(globalState.get('errand.tasks.launchChoices')), /"agent":"weaver"/);
		await writeSetting('errand.tasks.maxCost', 2.5);
		await shows('cost', 'Up to $2.50');
		try {
			Object.assign(vscode.window, { showQuickPick: async (rows: object[]) => rows });
			await next.choose('agent');
		} finally {
			Object.assign(vscode.window, { showQuickPick });
		}
		await shows('cost', 'Up to $2.50 per agent');
	});

	it('says that HEAD is on no branch where one has to be chosen', async () => {
		await repository.git('checkout', '--quiet', '--detach', 'HEAD');
		follow();
		await shows('branch', 'Select Branch');
		await takingRepository(repository.path, () =>
			chooseBranch(/^Start Task: HEAD is detached at [0-9a-f]+, select a branch$/, 'main'),
		);
		await shows('branch', 'main');
	});

	it('says of a chosen branch that it has gone meanwhile, and uses what is open again', async () => {
		await repository.git('branch', 'release');
		await chooseBranch('Start Task: Branch', 'release');
		await repository.git('branch', '-D', 'release');
		await assert.rejects(
			next.choose('branch'),
			/Branch “release” no longer exists\. Start the task again with a different branch/,
		);
		assert.deepEqual(next.place, {});
	});

	it('asks which repository is meant where two are open, each with its branch and its folder', async () => {
		const second = await TemporaryRepository.create();
		const { state: opened } = await openRepository(second.path);
		try {
			await waitFor('its branch', () => opened.HEAD?.name === 'main');
			const rows = await takingRepository(second.path, () => next.choose('repository'));
			const described = (folder: string) => rows.find(({ detail }) => detail === folder)?.description;
			assert.deepEqual([repository.path, second.path].map(described), ['main', 'main']);
			assert.equal(next.place.repository, second.path);
			assert.equal(next.chosenSubject('test'), undefined, 'whatever branch it is on later is meant');
		} finally {
			await closeRepository(second.path);
			await second.remove();
		}
	});

	it('says what hinders a task and offers what helps, when a repository or a branch is not there', async () => {
		await next.setPlace({ repository: repository.path, branch: 'gone' });
		follow();
		await waitFor('the problem', () => views.at(-1)?.problem !== undefined);
		assert.match(views.at(-1)?.problem?.message ?? '', /has no branch “gone”/);
		assert.deepEqual([views.at(-1)?.choices, views.at(-1)?.problem?.action], [[], 'Use What Is Open']);
		await next.choose('problem');
		assert.deepEqual(next.place, {});
		assert.equal(state.get(DRAFT_PLACE_KEY), undefined);
	});

	it('starts no service that the user has stopped, unless they say so', async () => {
		isStopped = true;
		follow();
		await waitFor('the problem', () => views.at(-1)?.problem !== undefined);
		assert.deepEqual(views.at(-1)?.problem, { message: 'The local service is stopped.', action: 'Start It' });
		assert.equal(looks, 0);
		await next.choose('problem');
		assert.equal(looks, 1);
	});

	it('comes with a prompt that an earlier version has kept', async () => {
		await state.update(DRAFT_KEY, 'Fix the flaky upload test\n');
		follow();
		await shows('prompt', 'In its editor: Fix the flaky upload test');
	});
});
