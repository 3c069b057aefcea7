import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import { ClientError } from '../../src/base/errors.ts';
import { Emitter } from '../../src/base/event.ts';
import { type TaskStep, taskStepSchema } from '../../src/contract/taskSteps.ts';
import type { Task } from '../../src/contract/tasks.ts';
import { type GitRepository, getGitApi } from '../../src/platform/git.ts';
import type { Choice } from '../../src/platform/pick.ts';
import { findSubject, subjectOfEditor } from '../../src/tasks/apply/applySubject.ts';
import { describeRange } from '../../src/tasks/apply/commitRanges.ts';
import { editorDialogs } from '../../src/tasks/branches/dialogs.ts';
import { StepCommands } from '../../src/tasks/branches/stepCommands.ts';
import type { ActiveConnection } from '../../src/tasks/common/activeConnection.ts';
import { TaskListStore } from '../../src/tasks/list/taskListStore.ts';
import { StepLenses } from '../../src/tasks/log/stepLenses.ts';
import { pathOf } from '../../src/tasks/model/changedFile.ts';
import { stepNode } from '../../src/tasks/model/stepNode.ts';
import type { FromStepsPage, StepsView } from '../../src/tasks/model/stepsProtocol.ts';
import { readChangeUri } from '../../src/tasks/results/changeUri.ts';
import type { ResultRows } from '../../src/tasks/results/resultRows.ts';
import { forgetResult } from '../../src/tasks/results/taskBranch.ts';
import { TaskSteps } from '../../src/tasks/results/taskSteps.ts';
import { StepsPages } from '../../src/tasks/review/stepsPages.ts';
import { readTask } from '../support/readTask.ts';
import { connection } from '../support/taskClient.ts';
import { waitFor } from '../support/waitFor.ts';
import { resultRows } from './taskRows.ts';

const run = promisify(execFile);

const step = (index: number, fields: Partial<TaskStep> = {}): TaskStep =>
	taskStepSchema.parse({
		...{ index, step: 10 + index, tool: 'edit', title: `Edited ${index}.txt`, tree: 'a'.repeat(40), files: [] },
		...{ fileCount: 1, linesAdded: 3, linesRemoved: 1, approximate: false, ...fields },
	});

describe('the steps of a task', () => {
	let store: TaskListStore;
	let isLocal: boolean;
	/** What the service has, and why it does not answer. */
	let served: TaskStep[];
	let failure: Error | undefined;
	let readings: number;
	let steps: TaskSteps;
	let rows: ResultRows;

	beforeEach(() => {
		store = new TaskListStore(() => Promise.reject(new Error('not asked')), systemClock);
		isLocal = true;
		served = [];
		failure = undefined;
		readings = 0;
		steps = new TaskSteps({
			isLocal: () => isLocal,
			task: id => store.get(id),
			read: async (_, from) => {
				readings++;
				if (failure) {
					throw failure;
				}
				const end = Math.min(served.length, from + 70);
				return { steps: served.slice(from, end), nextIndex: end < served.length ? end : null };
			},
			explain: error => (error as Error).message,
		});
		rows = resultRows(store, steps);
	});

	afterEach(() => {
		steps.dispose();
		store.dispose();
	});

	function put(count: number | undefined, fields: object = {}): void {
		const errand = { steps: count } as Task['errand'];
		store.put(readTask({ id: 'task-1', prompt: 'Mend it', status: 'processing', errand, ...fields }));
	}
	const group = () => rows.rowsBelow({ taskId: 'task-1' })[0];
	const below = () => rows.rowsBelow({ kind: 'steps', taskId: 'task-1' }).map(row => rows.itemOf(row, {}));
	const unfold = () => rows.unfold({ kind: 'steps', taskId: 'task-1' });

	it('are a group below its row as soon as there are some, in pages, with what is to be known of each', async () => {
		put(undefined);
		assert.equal(group(), undefined);
		served = Array.from({ length: 120 }, (_, index) => step(index));
		served[1] = step(1, {
			...{ tool: 'execute', title: 'npm run generate', fileCount: 2, approximate: true },
			notKept: [{ reason: 'too-large', names: ['film.mp4', 'dump.sql'] }],
		});
		put(120);
		const node = group() ?? assert.fail();
		const item = rows.itemOf(node, {});
		assert.deepEqual([item.label, item.description], ['Steps', '120']);
		await unfold();
		await waitFor('the steps', () => below().length === 101);
		const [first, second] = below();
		assert.deepEqual([first?.label, first?.description], ['1  Edited 0.txt', '+3 −1 in 1 file']);
		assert.deepEqual(
			[second?.label, second?.description],
			['2  npm run generate', '+3 −1 in 2 files · approximate · incomplete'],
		);
		assert.match(String(second?.tooltip), /\nSomething else changed files.*\nNot kept because it’s too large: film/);
		assert.deepEqual([second?.contextValue, second?.command?.command], ['errand.step', 'errand.runStepAction']);
		assert.equal(below().at(-1)?.label, 'Show 20 more of 120');
		const more = rows.rowsBelow({ kind: 'steps', taskId: 'task-1' }).at(-1) ?? assert.fail();
		const shown = rows.showMore(more) ?? assert.fail();
		assert.equal(below().length, 120);
		assert.equal(rows.parentOf(shown), node);
		// The one that broke something is searched for when the task is over.
		put(120, { status: 'completed' });
		const [search] = below();
		assert.deepEqual([search?.label, search?.command?.command], ['Which Step Broke It?', 'errand.searchSteps']);
		assert.deepEqual([search?.command?.arguments, below().length], [['task-1'], 121]);
	});

	it('are read further when there are more, and again when some are gone or tests have run, but no more often', async () => {
		served = [step(0)];
		put(1);
		await steps.update('task-1');
		await steps.update('task-1');
		assert.equal(readings, 1);
		served.push(step(1));
		put(2);
		steps.listChanged();
		await waitFor('the second', () => steps.known('task-1').length === 2);
		served[1] = step(1, { testRuns: [{ command: 'npm test', outcome: 'failed' }] });
		await steps.update('task-1', true);
		assert.deepEqual(steps.known('task-1'), served);
		served = [];
		put(0);
		await steps.update('task-1');
		assert.deepEqual(steps.known('task-1'), []);
		assert.equal(group(), undefined);
	});

	it('are not asked of other services, and say why they cannot be read', async () => {
		put(2);
		isLocal = false;
		await steps.update('task-1');
		assert.deepEqual([readings, group()], [0, undefined]);
		isLocal = true;
		failure = new Error('It does not answer.');
		await unfold();
		await waitFor('the reason', () => below()[0]?.label === 'It does not answer.');
		failure = undefined;
		served = [step(0), step(1)];
		await unfold();
		await waitFor('the steps', () => below().length === 2);
	});

	it('have lenses at their entries in the log, with what they have changed, on the active connection alone', async () => {
		served = [step(0), step(1, { step: 12, approximate: true })];
		put(2);
		let isActive = true;
		let isOver = false;
		const ends = new Emitter<void>();
		const scheme = 'errand-steps-test';
		const lines = [10, 11, 11, 12].map((index, at, all) => ({
			...{ text: `entry ${index}`, index, isFirst: all[at - 1] !== index },
			...{ step: undefined, turn: undefined, level: undefined, colours: [] },
		}));
		const disposables = [
			vscode.workspace.registerTextDocumentContentProvider(scheme, {
				provideTextDocumentContent: () => lines.map(({ text }) => text).join('\n'),
			}),
			new StepLenses(
				{
					...{ steps, isOver: () => isOver, onDidEnd: ends.event, linesOf: () => lines },
					isActive: name => isActive && name === connection.name,
				},
				scheme,
			),
		];
		try {
			const query = JSON.stringify([connection.name, 'task-1']);
			const uri = vscode.Uri.from({ scheme, path: '/log', query });
			await vscode.workspace.openTextDocument(uri);
			const lenses = () => vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
			await waitFor('the lenses', async () => (await lenses()).length === 9);
			isOver = true;
			const shown = (await lenses()).map(({ range, command }) => `${range.start.line} ${command?.title}`).sort();
			assert.deepEqual(shown, [
				'0 All Steps',
				'0 Changes of This Step',
				'0 Continue from Here…',
				'0 Files as of Here',
				'0 Take Until Here',
				'0 Which Step Broke It?',
				'3 Changes of This Step (approximate)',
				'3 Continue from Here…',
				'3 Files as of Here',
				'3 Take Until Here',
			]);
			isActive = false;
			assert.deepEqual(await lenses(), []);
		} finally {
			for (const disposable of disposables) {
				disposable.dispose();
			}
		}
	});

	describe('on their page', () => {
		/** What the page would be sent, and what it may ask for. */
		interface Page {
			view(): StepsView;
			handle(message: FromStepsPage): Promise<void>;
		}
		const original = vscode.commands.executeCommand;
		let isLocalService: boolean;
		let isActive: boolean;
		let problems: string[];
		let pages: StepsPages;
		const page = () =>
			[...(pages as unknown as { pages: Map<string, Page> }).pages.values()][0] ?? assert.fail('no page is open');
		const tabs = () =>
			vscode.window.tabGroups.all.flatMap(group => group.tabs).filter(({ label }) => label.startsWith('Steps: '));

		beforeEach(() => {
			[isLocalService, isActive, problems] = [true, true, []];
			const target = () => ({
				connection: { ...connection, isLocal: isLocalService } as never,
				client: {
					tasks: { get: () => Promise.reject(new ClientError('not-found', 'there is no such task')) },
				} as never,
			});
			pages = new StepsPages({
				extensionUri: (vscode.extensions.getExtension('errand.errand') ?? assert.fail()).extensionUri,
				active: {
					...{ label: 'Acme', isStopped: false, is: () => isActive, explain: (error: Error) => error.message },
					targetOf: async () => target(),
				} as unknown as ActiveConnection,
				...{ store, steps, load: async () => {}, choose: async id => ({ id: String(id), target: target() }) },
				explain: error => problems.push((error as Error).message),
				logger: { log: () => {} },
			});
		});

		afterEach(async () => {
			(vscode.commands as { executeCommand: typeof original }).executeCommand = original;
			pages.dispose();
			await waitFor('the end of the tab', () => tabs().length === 0);
		});

		it('are followed while the task works, and open once, at the step that is asked for', async () => {
			served = [step(0), step(1)];
			put(2);
			await pages.open('task-1');
			await waitFor('the tab', () => tabs().length === 1);
			assert.deepEqual([page().view().title, page().view().columns.length], ['Mend it', 2]);
			const { request } = page().view();
			await pages.open('task-1', 1);
			assert.equal(tabs().length, 1);
			assert.deepEqual([page().view().selected, page().view().request], [1, request + 1]);
			served.push(step(2, { testRuns: [{ command: 'npm test', outcome: 'passed' }] }));
			put(3);
			await waitFor('the third step', () => page().view().columns.length === 3);
			assert.equal(page().view().columns[2]?.tests?.outcome, 'passed');
			isActive = false;
			put(3, { status: 'completed' });
			assert.match(page().view().sentence, /^These steps belong to another connection/);
		});

		it('are asked for what the lenses ask for', async () => {
			served = [step(0)];
			put(1);
			await pages.open('task-1');
			const ran: unknown[][] = [];
			(vscode.commands as { executeCommand: unknown }).executeCommand = async (...asked: unknown[]) => ran.push(asked);
			await page().handle({ kind: 'run-action', action: 'take', index: 0 });
			assert.deepEqual(ran, [['errand.runStepAction', 'take', stepNode('task-1', 0)]]);
		});

		it('are refused for tasks of other services, and a tab of nothing known is closed', async () => {
			put(1);
			isLocalService = false;
			await pages.open('task-1');
			assert.deepEqual(problems, ['Acme doesn’t keep the steps of its tasks. Only the service on this machine does.']);
			const tab = vscode.window.createWebviewPanel('errand.steps', 'Steps: old', vscode.ViewColumn.Active);
			await pages.restore(tab, { taskId: 7 });
			await waitFor('the end of the tab', () => tabs().length === 0);
		});
	});

	describe('in the repository', () => {
		let repository: GitRepository;
		let folder: string;
		let scratch: string;
		let commands: StepCommands;
		/** The user's answers, in turn. */
		let answers: string[];
		let seen: string[];
		let problems: string[];
		let bundle: string;

		const git = async (...args: string[]) => (await run('git', args, { cwd: folder })).stdout.trim();
		const node = (index: number) => stepNode('task-1', index);

		/** Makes the state after a step, with one more file, on top of another. */
		async function commitOn(parent: string, name: string, text: string): Promise<string> {
			const index = path.join(scratch, 'index');
			const env = { ...process.env, GIT_INDEX_FILE: index };
			const inIndex = async (...args: string[]) => (await run('git', args, { cwd: folder, env })).stdout.trim();
			await inIndex('read-tree', parent);
			const hashing = run('git', ['hash-object', '-w', '--stdin'], { cwd: folder });
			hashing.child.stdin?.end(text);
			const object = (await hashing).stdout.trim();
			await inIndex('update-index', '--add', '--cacheinfo', `100644,${object},${name}`);
			const identity = ['-c', 'user.name=Robin', '-c', 'user.email=robin@acme.example'];
			return git(...identity, 'commit-tree', await inIndex('write-tree'), '-p', parent, '-m', name);
		}

		beforeEach(async () => {
			repository = (await getGitApi()).repositories[0] ?? assert.fail();
			folder = repository.rootUri.fsPath;
			scratch = await mkdtemp(path.join(os.tmpdir(), 'errand-steps-'));
			[answers, seen, problems] = [[], [], []];
			const start = await git('rev-parse', 'HEAD');
			const states = [await commitOn(start, 'first.txt', 'one\n')];
			states.push(await commitOn(states[0] ?? '', 'second.txt', 'two\n'));
			served = states.map((tree, index) => step(index, { tree }));
			bundle = path.join(scratch, 'made.bundle');
			await git('update-ref', 'refs/errand/steps/task-1/1', states[1] ?? '');
			await git('bundle', 'create', '-q', bundle, 'refs/errand/steps/task-1/1', `^${start}`);
			await git('update-ref', '-d', 'refs/errand/steps/task-1/1');
			put(2, { repoUrl: folder, status: 'completed' });
			await steps.update('task-1');
			commands = new StepCommands({
				active: { target: () => Promise.resolve({ connection: { ...connection } as never, client: {} as never }) },
				store,
				steps,
				references: { remember: ({ key }) => seen.push(`remember ${key}`) },
				apply: {
					take: async (range, title) => {
						seen.push(`${title}: ${(await describeRange(range)).map(file => file.path)}`);
						return [];
					},
				},
				dialogs: {
					...editorDialogs,
					choose: async <T>(_title: string, items: readonly Choice<T>[]) => {
						const label = answers.shift();
						return items.find(item => item.label === label)?.value;
					},
					input: async () => path.join(scratch, 'worktree'),
					openFolder: async opened => void seen.push(`open ${path.basename(opened)}`),
				},
				saveBundle: (_, file) => (failure ? Promise.reject(failure) : copyFile(bundle, file)),
				showEntry: async (id, index) => void seen.push(`log of ${id} at ${index}`),
				showSteps: async (id, index) => void seen.push(`steps of ${id} at ${index}`),
				continueFrom: async (id, { index }) => void seen.push(`continue ${id} from ${index}`),
				explain: error => problems.push((error as Error).message),
			});
		});

		afterEach(async () => {
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
			await git('worktree', 'remove', '--force', path.join(scratch, 'worktree')).catch(() => {});
			await forgetResult({ gitPath: 'git', directory: folder, credentials: {} }, 'task-1');
			assert.equal(await git('for-each-ref', 'refs/errand/steps'), '');
			await rm(scratch, { recursive: true, force: true });
		});

		const tabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));

		it('show the changes of one, and all until it, without a change to files or branches', async () => {
			const before = await git('for-each-ref', 'refs/heads');
			await commands.run('changes', node(1));
			await waitFor('the changes', () => tabs().some(label => label.startsWith('2  Edited 1.txt (1 file')));
			answers = ['Compare with Start'];
			await commands.run('files', node(1));
			await waitFor('all of them', () => tabs().some(label => label.startsWith('Until Step 2  Edited 1.txt (2 files')));
			assert.deepEqual([problems, seen], [[], ['remember task-1', 'remember task-1']]);
			assert.deepEqual([await git('for-each-ref', 'refs/heads'), await git('status', '--porcelain')], [before, '']);
		});

		it('know from the review of one what it would bring', async () => {
			const deps = { changes: {} as never, store, choose: () => assert.fail('asked for a task') };
			const shown = async (what: unknown) => {
				const { task, changes, file } = (await findSubject(what, 'Apply', deps)) ?? assert.fail();
				return [task, changes.tip, changes.files.map(pathOf), file && pathOf(file)];
			};
			await commands.run('changes', node(1));
			const review = vscode.Uri.parse('multi-diff-editor:review');
			await waitFor('the review', () => subjectOfEditor(review) !== undefined);
			const { tree } = served[1] ?? assert.fail();
			assert.deepEqual(await shown(subjectOfEditor(review)), [undefined, tree, ['second.txt'], undefined]);
			const [{ document } = assert.fail()] = vscode.window.visibleTextEditors.filter(
				({ document: { uri } }) => readChangeUri(uri)?.side === 'after',
			);
			assert.deepEqual(await shown(readChangeUri(document.uri)), [undefined, tree, ['second.txt'], 'second.txt']);
			const elsewhere = { ...readChangeUri(document.uri), directory: scratch };
			await assert.rejects(shown(elsewhere), /isn’t open in this window/);
		});

		it('are taken until one from the start of the task, continued from, and found in the log', async () => {
			await commands.run('take', node(1));
			await commands.run('continue', node(1));
			await commands.run('log', node(1));
			await commands.run('steps', node(1));
			assert.deepEqual(problems, []);
			assert.deepEqual(seen, [
				'remember task-1',
				'Take Until Step 2  Edited 1.txt: first.txt,second.txt',
				'continue task-1 from 1',
				'log of task-1 at 11',
				'steps of task-1 at 1',
			]);
		});

		it('open in a worktree of no branch', async () => {
			answers = ['Open in Worktree…'];
			await commands.run('files', node(1));
			assert.deepEqual(problems, []);
			assert.ok(seen.includes('open worktree'));
			assert.equal(await readFile(path.join(scratch, 'worktree', 'second.txt'), 'utf8'), 'two\n');
			const { stdout } = await run('git', ['branch', '--show-current'], { cwd: path.join(scratch, 'worktree') });
			assert.equal(stdout.trim(), '');
		});

		it('say why one cannot be had: it is gone, or the task began elsewhere', async () => {
			await commands.run('changes', node(7));
			failure = new ClientError('not-found', 'the service answered with 404');
			await commands.run('take', node(1));
			failure = undefined;
			const foreign = path.join(scratch, 'foreign');
			await run('git', ['init', '-q', foreign]);
			put(2, { repoUrl: foreign, status: 'completed' });
			await commands.run('take', node(1));
			assert.match(problems[0] ?? '', /^The files of this step are gone\./);
			assert.match(problems[1] ?? '', /^The files of this step are gone\./);
			assert.match(problems[2] ?? '', /^This repository doesn’t have the commit at which the task began\./);
			assert.deepEqual(seen, []);
		});
	});
});
