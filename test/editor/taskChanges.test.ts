import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import { resultsOf } from '../../src/contract/taskResults.ts';
import type { Task } from '../../src/contract/tasks.ts';
import { getGitApi } from '../../src/platform/git.ts';
import { AgentTaskList } from '../../src/tasks/list/agentTaskList.ts';
import { TaskListStore } from '../../src/tasks/list/taskListStore.ts';
import { TaskTree, type TreeNode } from '../../src/tasks/list/taskTree.ts';
import { type ChangeUriParts, changeUri, readChangeUri } from '../../src/tasks/results/changeUri.ts';
import { decorationOf } from '../../src/tasks/results/fileRows.ts';
import { ResultRows } from '../../src/tasks/results/resultRows.ts';
import { TaskChanges } from '../../src/tasks/results/taskChanges.ts';
import { ChangeFiles } from '../../src/tasks/review/changeFiles.ts';
import { showReview } from '../../src/tasks/review/showReview.ts';
import { readTask } from '../support/readTask.ts';
import { waitFor } from '../support/waitFor.ts';
import { noSteps } from './taskRows.ts';

const run = promisify(execFile);

describe('the changes of a task in the editor', () => {
	let folder: string;
	let scratch: string;
	let start: string;
	let store: TaskListStore;
	let changes: TaskChanges;
	let rows: ResultRows;
	let explained: unknown[];
	let isLocal: boolean;

	const git = async (...args: string[]) =>
		(await run('git', ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid', ...args], { cwd: folder }))
			.stdout;

	/** Makes a commit on the branch, without the work tree, and returns it. */
	async function commit(branch: string, parent: string, files: Record<string, string | Uint8Array>): Promise<string> {
		const index = path.join(scratch, 'index');
		const env = { ...process.env, GIT_INDEX_FILE: index };
		await run('git', ['read-tree', parent], { cwd: folder, env });
		const names = Object.keys(files);
		const kept = names.map((_, index) => path.join(scratch, `content-${index}`));
		await Promise.all(kept.map((file, index) => writeFile(file, files[names[index] ?? ''] ?? '')));
		const gitWith = (input: readonly string[], ...args: string[]) =>
			execFileSync('git', args, { cwd: folder, env, input: `${input.join('\n')}\n`, encoding: 'utf8' });
		const objects = gitWith(kept, 'hash-object', '-w', '--no-filters', '--stdin-paths').trim().split('\n');
		gitWith(
			names.map((name, index) => `100644 ${objects[index]}\t${name}`),
			...['update-index', '--add', '--index-info'],
		);
		const { stdout: tree } = await run('git', ['write-tree'], { cwd: folder, env });
		const made = (await git('commit-tree', '-p', parent, '-m', 'Work', tree.trim())).trim();
		await git('branch', '-f', branch, made);
		return made;
	}

	beforeEach(async () => {
		const [repository] = (await getGitApi()).repositories;
		folder = repository?.rootUri.fsPath ?? assert.fail();
		scratch = await mkdtemp(path.join(os.tmpdir(), 'errand-changes-'));
		start = (await git('rev-parse', 'HEAD')).trim();
		store = new TaskListStore(() => Promise.reject(new Error('not asked')), systemClock);
		const references = { remember: () => {}, remove: () => Promise.resolve() };
		changes = new TaskChanges({ isLocal: () => isLocal, startCommit: () => start, references });
		explained = [];
		isLocal = false;
		rows = new ResultRows({
			task: id => store.get(id),
			changes,
			steps: noSteps(),
			onUnfold: id => explained.push(id),
		});
	});
	afterEach(async () => {
		changes.dispose();
		store.dispose();
		for (const branch of ['errand/work', 'errand/other']) {
			await git('branch', '-D', branch).catch(() => {});
		}
		await rm(scratch, { recursive: true, force: true });
	});

	function put(fields: object = {}): Task {
		const task = readTask({
			id: 'task-1',
			prompt: 'Rename config keys',
			status: 'completed',
			repoUrl: folder,
			branchName: 'errand/work',
			...fields,
		});
		store.put(task);
		return task;
	}
	const node = { taskId: 'task-1' };
	const items = (below: { taskId: string; resultKey?: string } = node) =>
		rows.rowsBelow(below).map(row => rows.itemOf(row, {}));
	const shown = (below = node) => items(below).map(({ label, description }) => `${label}|${description ?? ''}`);
	const resultOf = (task: Task) => resultsOf(task)[0] ?? assert.fail();

	it('are read in a folder that this window does not show for the service of this machine alone', async () => {
		const elsewhere = path.join(scratch, 'elsewhere');
		await run('git', ['clone', '-q', '--bare', folder, elsewhere]);
		await run('git', ['branch', 'errand/work', start], { cwd: elsewhere });
		const task = put({ repoUrl: elsewhere });
		await assert.rejects(changes.read(task, resultOf(task)), /isn’t open in this window/);
		isLocal = true;
		await changes.read(task, resultOf(task), true);
	});

	it('are rows below it, with their status in the address, their lines in words, and a diff behind each', async () => {
		await commit('errand/work', start, { 'src/new name.ts': 'one\ntwo\n', 'logo.bin': Uint8Array.of(0, 1, 2) });
		const task = put();
		await rows.unfold(node);
		await changes.read(task, resultOf(task));
		assert.deepEqual(shown(), ['logo.bin|binary', 'new name.ts|src · +2']);
		const [image, item] = items();
		assert.deepEqual([image?.command?.command, item?.command?.command], ['vscode.open', 'vscode.diff']);
		assert.equal(item?.contextValue, 'errand.file');
		assert.equal(item.accessibilityInformation?.label, 'new name.ts, src, added, 2 lines added, 0 removed');
		const uri = item.resourceUri ?? assert.fail();
		assert.deepEqual([uri.scheme, uri.path], ['errand-change', '/src/new name.ts']);
		assert.equal(decorationOf(uri)?.badge, 'A');
		const [before, after, title] = item.command?.arguments ?? [];
		assert.equal(title, 'new name.ts (Task: Rename config keys)');
		assert.deepEqual([readChangeUri(before)?.object, readChangeUri(after)?.path], [undefined, 'src/new name.ts']);
		assert.equal(decorationOf(after), undefined);
		assert.deepEqual(explained, ['task-1']);
	});

	it('come in pages', async () => {
		await commit(
			'errand/work',
			start,
			Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`many/${i}`, `${i}\n`])),
		);
		put();
		await rows.unfold(node);
		await waitFor('the files', () => items().length > 1);
		assert.equal(items().at(-1)?.label, 'Show 30 more of 230');
		const first = rows.showMore(rows.rowsBelow(node).at(-1) as never);
		assert.deepEqual(first, rows.rowsBelow(node)[200]);
		assert.equal(items().length, 230);
	});

	it('say why they cannot be read, and are there when that has been mended', async () => {
		put();
		await rows.unfold(node);
		await waitFor('the reason', () => /because it doesn’t exist/.test(String(items()[0]?.label)));
		assert.match(String(items()[0]?.tooltip), /Select this row to try again\.$/);
		await commit('errand/work', start, { 'late.txt': 'late\n' });
		rows.readAgain({ taskId: 'task-1', resultKey: 'task-1' });
		await waitFor('the file', () => items()[0]?.label === 'late.txt');
	});

	it('stay while newer ones are read', async () => {
		const first = await commit('errand/work', start, { 'same.txt': 'same\n', 'more.txt': 'one\n' });
		let task = put();
		await rows.unfold(node);
		await changes.read(task, resultOf(task));
		await commit('errand/work', first, { 'more.txt': 'one\ntwo\n', 'added.txt': 'new\n' });
		task = put({ updatedAt: '2026-11-22T10:00:00Z' });
		const reading = changes.read(task, resultOf(task));
		assert.deepEqual(shown(), ['more.txt|+1', 'same.txt|+1']);
		await reading;
		assert.deepEqual(shown(), ['added.txt|+1', 'more.txt|+2', 'same.txt|+1']);
	});

	it('of several agents are below a row for each', async () => {
		await commit('errand/work', start, { 'one.txt': 'one\n' });
		await commit('errand/other', start, { 'one.txt': 'other\n', 'two.txt': 'two\n' });
		const task = put({
			agentExecutions: [
				{ agent: 'agent-a', status: 'completed', branchName: 'errand/work' },
				{ agent: 'agent-b', status: 'completed', branchName: 'errand/other', errand: { cost: 0.0412 } },
				{ agent: 'agent-c', status: 'error' },
			],
		});
		await rows.unfold(node);
		await Promise.all(resultsOf(task).map(result => changes.read(task, result)));
		assert.deepEqual(shown(), ['agent-a|+1 in 1 file', 'agent-b|+2 in 2 files · $0.041', 'agent-c|failed']);
		const [, second, third] = rows.rowsBelow(node);
		assert.equal(items()[1]?.contextValue, 'errand.result branch race');
		assert.equal(items()[2]?.contextValue, 'errand.result race');
		assert.deepEqual(shown(second), ['one.txt|+1', 'two.txt|+1']);
		assert.deepEqual(shown(third), []);
		const [file] = rows.rowsBelow(second ?? assert.fail());
		assert.equal(file && rows.parentOf(file), second);
	});

	it('have only those rows drawn again that say something else, or the task’s where rows came or went', async () => {
		const first = await commit('errand/work', start, { 'a.txt': 'one\n', 'b.txt': 'one\n' });
		put();
		const tree = new TaskTree({
			lists: {
				store,
				agentTasks: new AgentTaskList(() => Promise.reject(new Error('not asked'))),
				load: () => Promise.resolve(),
			},
			marks: { followState: () => undefined, isArchived: () => false, hasComments: () => false },
			active: { current: undefined, isStopped: false, explain: String },
			own: { matcher: () => () => false },
			below: rows,
		});
		const row = tree.taskNode('task-1');
		const draw = async (node?: TreeNode): Promise<void> => {
			for (const child of await tree.getChildren(node)) {
				tree.getTreeItem(child);
				await (child.kind === 'group' && draw(child));
			}
		};
		const unfold = () => draw(row);
		await store.refresh();
		await draw();
		tree.changedRows();
		assert.equal(tree.getTreeItem(row).collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
		await unfold();
		// The editor folds a row that comes into another group as it is given.
		tree.setClosed(row, false);
		assert.equal(tree.getTreeItem(row).collapsibleState, vscode.TreeItemCollapsibleState.Expanded);
		const task = store.get('task-1') ?? assert.fail();
		await changes.read(task, resultOf(task));
		await unfold();
		assert.deepEqual(tree.changedRows(), []);
		const [file = assert.fail()] = await tree.getChildren(row);
		assert.equal(tree.getParent(file), row);
		await commit('errand/work', first, { 'b.txt': 'one\ntwo\n' });
		await changes.read(task, resultOf(task), true);
		assert.deepEqual(
			tree.changedRows()?.map(changed => tree.getTreeItem(changed).description),
			['+2'],
		);
		await commit('errand/work', first, { 'c.txt': 'one\n' });
		await changes.read(task, resultOf(task), true);
		assert.deepEqual(tree.changedRows(), [row]);
	});

	describe('as files', () => {
		const parts = (fields: Partial<ChangeUriParts>): ChangeUriParts => ({
			resultKey: 'task-1',
			taskId: 'task-1',
			side: 'after',
			directory: folder,
			path: 'src/a.ts',
			object: undefined,
			...fields,
		});
		const files = async () => {
			const {
				git: { path: gitPath },
			} = await getGitApi();
			return new ChangeFiles(({ directory }) => Promise.resolve({ gitPath, directory, credentials: {} }));
		};

		it('are what git has stored, nothing, or words in their place', async () => {
			await commit('errand/work', start, { 'a.ts': 'text\n' });
			const object = (await git('rev-parse', 'errand/work:a.ts')).trim();
			const read = async (fields: Partial<ChangeUriParts>) =>
				Buffer.from(await (await files()).read(changeUri(parts(fields)))).toString();
			assert.equal(await read({ object }), 'text\n');
			assert.equal(await read({}), '');
			assert.equal(await read({ object: start, inWords: 'submodule' }), `Submodule at commit ${start}\n`);
			assert.match(await read({ object, inWords: 'binary' }), /^Not text: 5 bytes, [\da-f]{10}\./);
			await assert.rejects(read({ object: '0'.repeat(40) }), /src\/a\.ts isn’t in the repository\./);
			const stat = await (await files()).stat(changeUri(parts({ object })));
			assert.deepEqual([stat.size, stat.permissions], [5, vscode.FilePermission.Readonly]);
		});

		it('have an address that survives a reload, and no other is taken for one', () => {
			const hostile = parts({ path: '../a\u202eb\n.ts', object: 'a'.repeat(40) });
			const uri = vscode.Uri.parse(changeUri(hostile).toString());
			assert.deepEqual(readChangeUri(uri), hostile);
			assert.doesNotMatch(uri.path, /[\p{Cc}\p{Cf}]/u);
			for (const query of ['', '{}', 'null', JSON.stringify({ ...hostile, object: '--help' })]) {
				assert.equal(readChangeUri(uri.with({ query })), undefined);
			}
			assert.equal(readChangeUri(uri.with({ scheme: 'file' })), undefined);
		});

		it('open in the editor from this window’s repository, and from no other', async () => {
			await commit('errand/work', start, { 'a.ts': 'const text = 1;\n' });
			const object = (await git('rev-parse', 'errand/work:a.ts')).trim();
			const document = await vscode.workspace.openTextDocument(changeUri(parts({ object })));
			assert.deepEqual([document.getText(), document.languageId], ['const text = 1;\n', 'typescript']);
			const elsewhere = changeUri(parts({ object, directory: scratch, taskId: 'no-such-task' }));
			await assert.rejects(Promise.resolve(vscode.workspace.fs.readFile(elsewhere)));
			await assert.rejects(Promise.resolve(vscode.workspace.fs.writeFile(document.uri, new Uint8Array())));
		});
	});

	it('are reviewed in one diff, which says where the start has moved on', async () => {
		await commit('errand/work', start, { 'a.ts': 'text\n', 'logo.bin': Uint8Array.of(0, 1) });
		await commit('errand/other', start, { 'elsewhere.txt': 'more\n' });
		const task = put({ selectedBranch: 'errand/other' });
		await showReview(task, await changes.read(task, resultOf(task)), error => ({ message: String(error) }));
		const labels = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
		const title = 'Task: Rename config keys · errand/other has 1 commit since (2 files)';
		await waitFor('the tab', () => labels().includes(title)).catch(() => assert.deepEqual(labels(), [title]));
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});
});
