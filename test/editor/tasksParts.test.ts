import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { UserFacingError } from '../../src/base/errors.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { type GitRepository, getGitApi } from '../../src/platform/git.ts';
import { StateEntries } from '../../src/platform/sharedState.ts';
import { findRepositories, readBranchesOf } from '../../src/tasks/launch/openRepositories.ts';
import { taskIdOf } from '../../src/tasks/list/pickTask.ts';
import { resultTooltip, taskTooltip } from '../../src/tasks/list/taskTooltip.ts';
import type { TreeNode } from '../../src/tasks/list/taskTree.ts';
import { LogFiles } from '../../src/tasks/log/logFile.ts';
import type { LogFollowers } from '../../src/tasks/log/logFollowers.ts';
import { FOLLOWED_ENTRIES } from '../../src/tasks/model/storageKeys.ts';
import { readTask } from '../support/readTask.ts';
import type { State } from '../support/state.ts';
import { connection, startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { logFollowers, taskRows } from './taskRows.ts';

const run = promisify(execFile);

const outputs = (part: string) =>
	vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'output' && uri.path.includes(part));
const outputText = (part: string) => outputs(part).at(-1)?.getText().replaceAll('\r\n', '\n') ?? '';

describe('the parts of the tasks feature in the editor', () => {
	let server: TaskServer;
	let client: Client;
	let state: State;

	beforeEach(async () => {
		({ server, client, state } = await startTasks());
	});

	afterEach(() => server.stop());

	describe('followed logs', () => {
		const make = (logFiles?: LogFiles) => logFollowers(client, state, logFiles);
		const target = () => ({ client, connection });
		const show = (logs: LogFollowers, id: string, prompt: string) =>
			logs.show(id, target(), { task: readTask({ id, prompt, status: 'processing' }) });
		const numbered = (from: number, to: number) =>
			Array.from({ length: to - from }, (_, index) => `entry ${from + index}!`);
		const entries = (text: string) => text.match(/entry \d+!/g) ?? [];

		const followed = () =>
			new StateEntries(state, FOLLOWED_ENTRIES, (value): value is unknown => value !== undefined).values();

		it('go on after a reload of the window, and each entry is there once', async () => {
			server.add({ id: 'reload-1', prompt: 'Go on' });
			server.log('reload-1', ...numbered(0, 4));
			const before = await make();
			show(before, 'reload-1', 'Go on');
			await waitFor('the entries', () => entries(outputText('(reload-1)')).length === 4);
			before.dispose();
			assert.deepEqual(followed(), [{ connection: 'test', taskId: 'reload-1', title: 'Go on' }]);

			server.log('reload-1', ...numbered(4, 6));
			const after = await make();
			after.resume({ client, connection: { name: 'other', label: 'Other' } });
			assert.equal(after.state('reload-1'), undefined);
			after.resume(target());
			show(after, 'reload-1', 'Go on');
			server.log('reload-1', ...numbered(6, 8));
			server.finish('reload-1', 'completed');
			await waitFor('the end', () => /^— completed —$/m.test(outputText('(reload-1)')));
			assert.deepEqual(entries(outputText('(reload-1)')), numbered(0, 8));
			assert.deepEqual(followed(), [], 'a task that is over is followed again');
			after.dispose();
		});

		it('read nothing twice after a reload that they were kept over', async () => {
			const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-editor-'));
			const streams = () => server.requestsOf('GET /api/tasks/kept-1/stream');
			try {
				server.add({ id: 'kept-1', prompt: 'Keep' });
				server.log('kept-1', ...numbered(0, 4));
				const before = await make(new LogFiles(folder));
				show(before, 'kept-1', 'Keep');
				await waitFor('the entries', () => entries(outputText('(kept-1)')).length === 4);
				await waitFor('all of them in the file', async () => {
					const [name] = (await readdir(folder)).filter(found => found.endsWith('.jsonl'));
					const rows = name === undefined ? [] : (await readFile(path.join(folder, name), 'utf8')).split('\n');
					// A row is a batch, and names the entry that comes after it.
					return rows.some(row => row.startsWith('[') && JSON.parse(row)[1] === 4);
				});
				before.dispose();
				const after = await make(new LogFiles(folder));
				after.resume(target());
				show(after, 'kept-1', 'Keep');
				await waitFor('the second stream', () => streams().length === 2);
				assert.match(streams()[1] ?? '', /fromIndex=4/);
				server.log('kept-1', ...numbered(4, 6));
				server.finish('kept-1', 'completed');
				await waitFor('the end', () => /^— completed —$/m.test(outputText('(kept-1)')));
				assert.deepEqual(entries(outputText('(kept-1)')), numbered(0, 6));
				await waitFor('the file to be gone', async () => (await readdir(folder)).length === 0);
				after.dispose();
			} finally {
				await rm(folder, { recursive: true, force: true });
			}
		});

		it('are gone on with after a reload also where the task was opened by its id', async () => {
			server.add({ id: 'pasted-1' });
			const follows = await make();
			follows.follow('pasted-1', target());
			await waitFor('the place', () => followed().length > 0);
			assert.deepEqual(followed(), [{ connection: 'test', taskId: 'pasted-1', title: '' }]);
			follows.dispose();
		});

		it('say why they end before the task, and go on in the same channel when asked again', async () => {
			const follows = await make();
			follows.show('late-1', target());
			await waitFor('the reason', () =>
				/no longer followed: Test has no task “late-1”/.test(outputText('Errand: late-1')),
			);
			assert.equal(follows.state('late-1')?.kind, 'failed');
			// Not every service has accounts.
			assert.doesNotMatch(outputText('Errand: late-1'), /account/);
			server.add({ id: 'late-1' });
			server.log('late-1', ...numbered(0, 2));
			server.finish('late-1', 'completed');
			follows.show('late-1', target());
			await waitFor('the end', () => /^— completed —$/m.test(outputText('Errand: late-1')));
			assert.deepEqual(entries(outputText('Errand: late-1')), numbered(0, 2));
			follows.dispose();
		});
	});

	describe('an id of a task', () => {
		it('is a word of any row or argument, but nothing that leads to another address', () => {
			assert.equal(taskIdOf(' task-1 '), 'task-1');
			assert.equal(taskIdOf({ kind: 'task', taskId: 'task-1' }), 'task-1');
			for (const argument of [undefined, null, 7, '', 'two words', '.', '..', { taskId: '..' }, 'x'.repeat(201)]) {
				assert.equal(taskIdOf(argument), undefined);
			}
		});
	});

	describe('the tree', () => {
		it('shows groups, rows and the way to more, and loads tooltips as text', async () => {
			const hostile = '[x](command:workbench.action.quit) <img src=x onerror=alert(1)> **b** \u202e';
			for (let index = 0; index < 60; index++) {
				server.add({
					id: `old-${index}`,
					status: 'completed',
					createdAt: `2026-01-01T00:${String(index).padStart(2, '0')}:00Z`,
				});
			}
			server.add({ id: 'now', prompt: hostile, selectedAgent: 'agent-a', branchName: 'errand/x', progress: 45 });
			const { store, tree } = taskRows(client, { followState: () => ({ kind: 'live' }) });
			const nodes = await tree.getChildren();
			assert.deepEqual(
				nodes.map(node => tree.getTreeItem(node).label).map((label, index) => (index === 1 ? 'a day' : label)),
				['Active (1)', 'a day', 'Load more…'],
			);
			const [group] = nodes;
			assert.ok(group);
			const [row] = await tree.getChildren(group);
			assert.ok(row);
			assert.equal(tree.getParent(row), group);
			assert.deepEqual([tree.shownIds()[0], tree.shownIds().length], ['now', 50]);
			const item = tree.getTreeItem(row);
			assert.equal(item.description, '45 % · agent-a · errand/x · live');
			assert.equal(item.contextValue, 'errand.task active');
			assert.equal(item.tooltip, undefined);
			const { tooltip } = tree.resolveTreeItem(item, row);
			assert.ok(tooltip instanceof vscode.MarkdownString);
			assert.ok(!tooltip.isTrusted && !tooltip.supportHtml);
			assert.doesNotMatch(tooltip.value, /(?<!\\)[[\](*]|\u202e/);
			store.dispose();
		});

		it('has a row drawn again that says something else, its group where a row came, and all only where one moved', async () => {
			const now = new Date().toISOString();
			server.add({ id: 'one', prompt: 'One', status: 'processing', progress: 10, createdAt: now });
			server.add({ id: 'two', prompt: 'Two', status: 'processing', progress: 10, createdAt: now });
			const { store, tree } = taskRows(client);
			/** Draws every row, as the editor does when it is told that everything has changed. */
			const draw = async (node?: TreeNode): Promise<void> => {
				for (const child of await tree.getChildren(node)) {
					tree.getTreeItem(child);
					await draw(child);
				}
			};
			await draw();
			assert.equal(tree.changedRows(), undefined, 'it has never been told');
			assert.deepEqual(tree.changedRows(), []);
			const one = server.tasks.find(({ id }) => id === 'one') ?? assert.fail();
			one['progress'] = 20;
			await store.refresh();
			const row = tree.taskNode('one');
			assert.deepEqual(tree.changedRows(), [row]);
			assert.equal(tree.getTreeItem(row).description, '20 % · now');
			assert.deepEqual(tree.changedRows(), []);
			one['selectedModel'] = 'in the tooltip alone';
			await store.refresh();
			assert.deepEqual(tree.changedRows(), [row]);
			tree.getTreeItem(row);
			server.add({ id: 'three', prompt: 'Three', status: 'processing', createdAt: now });
			await store.refresh();
			const group = tree.getParent(row) ?? assert.fail();
			assert.deepEqual(tree.changedRows(), [group]);
			tree.getTreeItem(group);
			await draw(group);
			assert.deepEqual(tree.changedRows(), []);
			one['status'] = 'completed';
			await store.refresh();
			assert.equal(tree.changedRows(), undefined, 'its row is in another group');
			store.reset();
			tree.changedRows();
			assert.equal(tree.changedRows(), undefined, 'asked for rows, it reads the list, which nothing else does');
			store.dispose();
		});
	});

	describe('the tooltip', () => {
		const textOf = (fields: object) =>
			taskTooltip(readTask(fields), undefined, undefined)
				.value.replaceAll('&nbsp;', ' ')
				.replace(/\\(?=[^\w\s])|\u2060/g, '');

		it('has what matters in six lines, as text, and no address', () => {
			const shown = textOf({
				id: 'task-id',
				prompt: 'Do it\nwell',
				repoUrl: 'https://host.example/acme/widgets',
				selectedAgent: 'agent-a',
				selectedModel: 'model-b',
				status: 'error',
				error: 'odd',
				selectedBranch: 'main',
				branchName: 'errand/x',
				sandboxUrl: 'https://sandbox.example/1',
				prUrl: 'https://host.example/pr/7',
				diffStats: { totalLinesAdded: 1201, totalLinesRemoved: 8, totalFilesChanged: 4 },
				prNumber: 7,
				merged: true,
				errand: {
					sandboxed: true,
					inputTokens: 12_300,
					outputTokens: 1900,
					cost: 0.0412,
					budget: { limit: 1, spent: 0.0412 },
					models: [
						{ model: 'large', provider: 'provider-a', inputTokens: 10_000, outputTokens: 1800, cost: 0.04 },
						{ model: 'large', provider: 'provider-b', inputTokens: 2_000, outputTokens: 50, cost: 0.001 },
						{ model: 'small', inputTokens: 300, outputTokens: 50, cost: 0.0002 },
					],
				},
				createdAt: '2026-11-21T10:00:00Z',
				completedAt: '2026-11-21T12:00:00Z',
			});
			const lines = shown.split('\n\n');
			assert.deepEqual(lines.slice(0, 5), [
				'Do it well',
				'failed: odd',
				'agent-a · large by provider-a + provider-b, small · Ran in a sandbox',
				'+1,201 −8 in 4 files · 12,300 tokens in, 1,900 out, $0.041, 4 % of the limit of $1.00',
				'acme/widgets · errand/x, from main · PR 7 · merged',
			]);
			assert.match(lines[5] ?? '', /^Started .* · ended .* · ID task-id$/);
			assert.equal(lines.length, 6);
		});

		it('leaves out what is not known, and names each of several agents', () => {
			assert.deepEqual(textOf({ id: 't', status: 'pending' }).split('\n\n'), ['Untitled task', 'pending', 'ID t']);
			assert.match(
				textOf({
					id: 't',
					status: 'processing',
					progress: 45,
					errand: { sandboxed: false, cost: 3.5 },
					agentExecutions: [
						{ agent: 'agent-a', status: 'completed' },
						{ agent: 'agent-b', status: 'processing' },
					],
				}),
				/^processing · 45 %\n\nagent-a completed · agent-b processing · Runs without a sandbox\n\n\$3\.50$/m,
			);
		});

		it('says in words what is not known of a cost, and never zero', () => {
			const used = { inputTokens: 100, outputTokens: 10 };
			const model = { model: 'small', provider: 'up', ...used };
			const usageOf = (errand: object | undefined) =>
				textOf({ id: 't', status: 'completed', completedAt: '2026-11-21T12:00:00Z', errand }).split('\n\n').at(-2);
			assert.equal(usageOf(undefined), 'cost not known');
			assert.equal(usageOf({ ...used, models: [model] }), '100 tokens in, 10 out, cost not known');
			assert.equal(
				usageOf({ ...used, models: [model, { ...model, cost: 0.5 }], budget: { limit: 2, spent: 0.5, atLeast: true } }),
				'100 tokens in, 10 out, at least $0.50, at least 25 % of the limit of $2.00',
			);
			assert.equal(
				usageOf({ ...used, models: [model], budget: { limit: 2, spent: 0, atLeast: true } }),
				'100 tokens in, 10 out, cost not known, not counted toward the limit of $2.00',
			);
			assert.equal(usageOf({ ...used, cost: 0, models: [{ ...model, cost: 0 }] }), '100 tokens in, 10 out, $0.00');
			const estimated = [{ ...model, cost: 0.5, estimatedCalls: 1 }];
			assert.equal(usageOf({ ...used, cost: 0.5, models: estimated }), '100 tokens in, 10 out, about $0.50');
		});

		it('names no more than three models, and shows names of services as text', () => {
			const models = ['one', 'two\nlines', '[three](command:x)', 'four', 'five'].map(model => ({
				model,
				inputTokens: 1,
			}));
			const shown = textOf({ id: 't', status: 'completed', errand: { inputTokens: 5, models } });
			assert.match(shown, /^one, two lines, \[three\]\(command:x\), 2 more$/m);
		});

		it('of one of several agents has its state, its models, its tests and what it has used', () => {
			const fields: object = {
				id: 't',
				status: 'completed',
				selectedAgents: [
					{ agent: 'agent-a', model: 'fast' },
					{ agent: 'agent-b', model: 'slow' },
				],
				agentExecutions: [
					{
						agent: 'agent-a',
						status: 'completed',
						errand: {
							sandboxed: true,
							tests: 'passed',
							inputTokens: 100,
							outputTokens: 10,
							cost: 0.25,
							models: [{ model: 'small', provider: 'up', inputTokens: 100, outputTokens: 10, cost: 0.25 }],
							budget: { limit: 1, spent: 0.25 },
						},
					},
					{ agent: 'agent-b', status: 'error' },
				],
			};
			const task = readTask(fields);
			const linesOf = (position: number) =>
				resultTooltip(task, position)
					.value.replaceAll('&nbsp;', ' ')
					.replace(/\\(?=[^\w\s])|\u2060/g, '')
					.split('\n\n');
			assert.deepEqual(linesOf(0), [
				'agent-a',
				'completed',
				'small by up · Ran in a sandbox',
				'tests passed · 100 tokens in, 10 out, $0.25, 25 % of the limit of $1.00',
			]);
			assert.deepEqual(linesOf(1), ['agent-b', 'error', 'slow']);
		});

		it('makes no address of what a service says', () => {
			const { value } = taskTooltip(
				readTask({ id: 't', prompt: 'http://a.example www.b.example c@d.example' }),
				undefined,
				'https://dashboard.example/',
			);
			assert.doesNotMatch(value, /:\/\/|www\.|\w@/);
		});

		it('leads to the dashboard where the source hosting is to be linked there, and only to the connection’s', () => {
			const of = (isEmptyGitUser: boolean, dashboardUrl: string | undefined) =>
				taskTooltip(readTask({ id: 't', isEmptyGitUser }), undefined, dashboardUrl).value;
			const address = 'https://dashboard.example/a)(b><c';
			assert.ok(of(true, address).includes('[Open Dashboard](<https://dashboard.example/a)(b%3E%3Cc>)'));
			assert.doesNotMatch(of(true, undefined), /Open Dashboard/);
			assert.doesNotMatch(of(false, address), /Open Dashboard/);
		});
	});

	describe('agent tasks', () => {
		it('are a group of their own, with the error in its row', async () => {
			const withAgents = createClient({
				connection: { ...server.connection, agentUrl: server.address },
				keys: () => Promise.resolve('test'),
				transport: createFetchTransport((input, init) => fetch(input, init)),
			});
			const { store, agentTasks, tree } = taskRows(withAgents, { explain: () => 'Not in the plan.' });
			const group = async () => (await tree.getChildren()).find(({ kind }) => kind === 'agentGroup');
			assert.equal(await group(), undefined);
			server.agentReply = {
				status: 200,
				body: { tasks: [{ taskId: 'run-1', status: 'running', model: 'm' }], hasMore: true },
			};
			await agentTasks.refresh();
			const node = await group();
			assert.ok(node);
			const [row, more] = await tree.getChildren(node);
			assert.ok(row && more);
			const item = tree.getTreeItem(row);
			assert.deepEqual([item.label, item.description], ['run-1', 'running · m']);
			assert.equal(item.contextValue, undefined);
			assert.equal(tree.getParent(row), node);
			server.agentReply = { status: 403, body: { error: 'Pro' } };
			await agentTasks.refresh();
			assert.equal(tree.getTreeItem(node).description, 'Not in the plan.');
			for (const each of [node, row, more]) {
				assert.ok(tree.getTreeItem(each).accessibilityInformation?.label);
			}
			store.dispose();
			agentTasks.dispose();
		});
	});

	describe('repositories', () => {
		const fake = (folder: string): GitRepository => ({
			rootUri: vscode.Uri.file(folder),
			state: { HEAD: undefined, remotes: [], onDidChange: () => ({ dispose() {} }) },
			status: () => Promise.resolve(),
			push: () => Promise.reject(new Error('not meant to be pushed')),
		});

		it('are those of the git extension', async () => {
			const { repositories } = await findRepositories();
			assert.deepEqual(
				repositories.map(({ rootUri }) => rootUri.fsPath),
				vscode.workspace.workspaceFolders?.map(({ uri }) => uri.fsPath),
			);
		});

		it('without a commit, or that git cannot read, each get a sentence that names them', async () => {
			const folder = await mkdtemp(path.join(os.tmpdir(), 'errand-editor-'));
			const git = await getGitApi();
			const refused = (directory: string, words: RegExp) =>
				assert.rejects(readBranchesOf(git, fake(directory)), (error: Error) => {
					assert.ok(error instanceof UserFacingError);
					assert.match(error.message, words);
					return true;
				});
			await refused(path.join(folder, 'none'), /^The folder .*none no longer exists\.$/);
			await refused(folder, /couldn’t read the branches of “errand-editor-[^”]+”\. See/);
			await run('git', ['init', '--quiet'], { cwd: folder });
			await refused(folder, /has no commits yet.*Make a first commit/);
			await rm(folder, { recursive: true, force: true });
		});
	});
});
