import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { Client } from '../../src/client/types.ts';
import type { Result } from '../../src/tasks/apply/applyChanges.ts';
import { ApplyCommands } from '../../src/tasks/apply/applyCommands.ts';
import {
	appliedWords,
	interruptedWords,
	nothingWords,
	unattendedEndText,
	undoneWords,
} from '../../src/tasks/apply/applyMessages.ts';
import { ApplyRecordFile } from '../../src/tasks/apply/applyRecord.ts';
import { subjectOfEditor } from '../../src/tasks/apply/applySubject.ts';
import type { ChangeOutcome } from '../../src/tasks/apply/change.ts';
import type { Planned } from '../../src/tasks/apply/plan.ts';
import { choosePlanned } from '../../src/tasks/apply/previewList.ts';
import type { ChangedFile } from '../../src/tasks/model/changedFile.ts';
import { RUNNING_APPLY_FILE } from '../../src/tasks/model/storageKeys.ts';
import { changeUri, readChangeUri } from '../../src/tasks/results/changeUri.ts';
import type { ResultChanges } from '../../src/tasks/results/taskChanges.ts';
import { readTask } from '../support/readTask.ts';
import { waitFor } from '../support/waitFor.ts';

const run = promisify(execFile);
const LINES = Array.from({ length: 12 }, (_, number) => `line ${number}\n`).join('');
const FOLDER = 'taken from a task';

describe('applying changes in the editor', () => {
	const root = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail('no folder is open');
	const fileOf = (name: string) => path.join(root(), FOLDER, name);
	const uriOf = (name: string) => vscode.Uri.file(fileOf(name));
	const textOf = (name: string) => readFile(fileOf(name), 'utf8');
	const task = readTask({ id: 'task-1', prompt: 'Change it', status: 'completed', branchName: 'errand/done' });
	const result = { key: 'task-1', taskId: 'task-1', branch: 'errand/done', agent: undefined };
	let storage: string;
	let files: ChangedFile[];
	let problems: unknown[];
	let commands: ApplyCommands;
	let provider: vscode.Disposable;

	before(() => {
		// The extension may have a provider of its own by now, which the editor then prefers.
		provider = vscode.workspace.registerTextDocumentContentProvider('errand-change', {
			provideTextDocumentContent: async uri => {
				const object = readChangeUri(uri)?.object;
				return object === undefined ? '' : (await run('git', ['cat-file', 'blob', object], { cwd: root() })).stdout;
			},
		});
	});
	after(() => provider.dispose());

	beforeEach(async () => {
		await mkdir(path.join(root(), FOLDER), { recursive: true });
		storage = await mkdtemp(path.join(os.tmpdir(), 'errand-apply-'));
		files = [];
		problems = [];
		commands = window();
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
			await vscode.window.showTextDocument(document);
			await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		}
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await vscode.commands.executeCommand('notifications.clearAll');
		await rm(path.join(root(), FOLDER), { recursive: true });
		await rm(storage, { recursive: true });
	});

	/** The commands of one window; a later one has the same storage. */
	function window(): ApplyCommands {
		return new ApplyCommands({
			changes: {
				read: async () =>
					({
						result,
						repository: { place: { gitPath: 'git', directory: root(), credentials: {} } },
						tip: 'a'.repeat(40),
						base: 'b'.repeat(40),
						files,
					}) as unknown as ResultChanges,
			},
			store: { get: () => task },
			choose: async () => ({
				id: task.id,
				target: {
					connection: { name: 'test', label: 'Test', isLocal: true, hasLookUps: true, agents: [] },
					client: {} as Client,
				},
			}),
			recordFile: new ApplyRecordFile(storage),
			explain: error => problems.push(error),
		});
	}

	/** Adds a file that the task has changed, and gives the user the first version. */
	async function changed(name: string, before: string | Buffer, after: string | Buffer): Promise<ChangedFile> {
		const store = async (content: string | Buffer) => {
			const running = run('git', ['hash-object', '-w', '--stdin'], { cwd: root() });
			running.child.stdin?.end(content);
			return (await running).stdout.trim();
		};
		const version = async (content: string | Buffer) => ({
			path: `${FOLDER}/${name}`,
			object: await store(content),
			kind: 'file' as const,
		});
		const file: ChangedFile = {
			status: 'M',
			before: await version(before),
			after: await version(after),
			lines: undefined,
			hasUnreadableName: false,
		};
		files.push(file);
		await writeFile(fileOf(name), before);
		return file;
	}

	/** Presses Enter in the list until the command has ended. */
	async function confirmed(command: Promise<void>): Promise<void> {
		let hasEnded = false;
		void command.finally(() => {
			hasEnded = true;
		});
		await waitFor('the command', async () => {
			await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
			return hasEnded;
		});
		assert.deepEqual(problems, []);
	}

	it('changes open documents so that the editor can undo it, other files on disk, and takes both back', async () => {
		await changed('open.txt', LINES, `first\n${LINES}`);
		await changed('typed.txt', LINES, `first\n${LINES}`);
		await changed('closed.txt', LINES, `first\n${LINES}`);
		const open = await vscode.window.showTextDocument(uriOf('open.txt'), { preview: false });
		const typed = await vscode.window.showTextDocument(uriOf('typed.txt'), { preview: false });
		await typed.edit(edit => edit.insert(new vscode.Position(12, 0), 'typed\n'));
		await confirmed(commands.apply(task.id));
		assert.equal(open.document.getText(), `first\n${LINES}`);
		assert.equal(typed.document.getText(), `first\n${LINES}typed\n`);
		assert.deepEqual([open.document.isDirty, typed.document.isDirty], [true, true]);
		assert.deepEqual(await Promise.all(['open.txt', 'typed.txt', 'closed.txt'].map(textOf)), [
			LINES,
			LINES,
			`first\n${LINES}`,
		]);
		await vscode.window.showTextDocument(typed.document);
		await vscode.commands.executeCommand('undo');
		assert.equal(typed.document.getText(), `${LINES}typed\n`);
		await vscode.commands.executeCommand('redo');
		// A window after a reload takes it back too, and keeps what was typed since.
		await writeFile(fileOf('closed.txt'), `first\n${LINES}later\n`);
		await window().undo();
		assert.deepEqual(problems, []);
		assert.equal(open.document.getText(), LINES);
		assert.equal(typed.document.getText(), `${LINES}typed\n`);
		assert.equal(await textOf('closed.txt'), `${LINES}later\n`);
		await commands.undo();
		assert.match(String(problems[0]), /nothing to undo/);
	});

	it('keeps what was applied earlier for undo where an application was interrupted before its first file, and not after', async () => {
		await changed('earlier.txt', LINES, `first\n${LINES}`);
		await confirmed(commands.apply(task.id));
		const interrupted = async (...noted: Parameters<ApplyRecordFile['add']>[0][]) => {
			const record = new ApplyRecordFile(storage);
			await record.begin({ directory: root(), like: 'a'.repeat(40), count: 2, isUndo: false });
			for (const file of noted) {
				await record.add(file);
			}
			const file = path.join(storage, RUNNING_APPLY_FILE);
			// Now the file is as a process of an earlier start has left it.
			await writeFile(file, (await readFile(file, 'utf8')).replace(/"since":[\d.]+/, '"since":1'));
			await window().resume();
			assert.equal(await record.readRunning(), undefined);
			return record.read();
		};
		assert.equal((await interrupted())?.files.length, 1, 'the earlier one, as nothing was begun');
		assert.equal(await interrupted(undefined), undefined);
		await commands.undo();
		assert.match(String(problems[0]), /nothing to undo/);
		assert.equal(await textOf('earlier.txt'), `first\n${LINES}`);
	});

	it('keeps the encoding, byte order mark and line ends of an open document', async () => {
		const bom = Buffer.from([0xef, 0xbb, 0xbf]);
		const lines = 'é one\r\ntwo\r\nthree\r\nfour\r\n';
		const file = async (name: string, text: string, encoding: BufferEncoding, mark: Buffer) => {
			const encode = (content: string) => Buffer.concat([mark, Buffer.from(content, encoding)]);
			await changed(name, encode(text), encode(text.replace('two', '2')));
			return encode(text.replace('two', '2'));
		};
		const marked = await file('marked.txt', lines, 'utf8', bom);
		const latin = await file('latin.txt', lines, 'latin1', Buffer.of());
		await vscode.window.showTextDocument(uriOf('marked.txt'), { preview: false });
		const document = await vscode.workspace.openTextDocument(uriOf('latin.txt'), { encoding: 'windows1252' });
		await vscode.window.showTextDocument(document, { preview: false });
		await confirmed(commands.apply(task.id));
		await vscode.workspace.saveAll();
		assert.deepEqual(await readFile(fileOf('marked.txt')), marked);
		assert.deepEqual(await readFile(fileOf('latin.txt')), latin);
	});

	it('leaves a document alone that is open in an encoding that would lose letters', async () => {
		const content = Buffer.from('é\nline\n', 'latin1');
		await changed('latin.txt', content, Buffer.from('é\nchanged\n', 'latin1'));
		const document = await vscode.workspace.openTextDocument(uriOf('latin.txt'), { encoding: 'utf8' });
		await vscode.window.showTextDocument(document, { preview: false });
		await confirmed(commands.apply(task.id));
		assert.equal(document.isDirty, false);
		assert.deepEqual(await readFile(fileOf('latin.txt')), content);
	});

	it('finds a document that is open under another name of its folder', async () => {
		await changed('typed.txt', LINES, `first\n${LINES}`);
		const alias = path.join(root(), 'alias of it');
		await symlink(path.join(root(), FOLDER), alias);
		try {
			const editor = await vscode.window.showTextDocument(vscode.Uri.file(path.join(alias, 'typed.txt')));
			await editor.edit(edit => edit.insert(new vscode.Position(12, 0), 'typed\n'));
			await confirmed(commands.apply(task.id));
			assert.equal(editor.document.getText(), `first\n${LINES}typed\n`);
			assert.equal(await textOf('typed.txt'), LINES);
		} finally {
			await rm(alias);
		}
	});

	it('opens the first file with a conflict, at its markers', async () => {
		await changed('fought.txt', `${LINES}end\n`, `${LINES}theirs\n`);
		await writeFile(fileOf('fought.txt'), `${LINES}mine\n`);
		await confirmed(commands.apply({ taskId: task.id, resultKey: result.key, path: `${FOLDER}/fought.txt` }));
		const editor = vscode.window.activeTextEditor;
		assert.equal(editor?.document.uri.fsPath, fileOf('fought.txt'));
		assert.equal(editor?.selection.active.line, 12);
		assert.match(editor?.document.getText() ?? '', /<<<<<<< Yours\nmine\n=======\ntheirs\n>>>>>>> Task\n$/);
	});

	it('applies the hunk at the cursor; if there is none, it applies nothing and goes to the next', async () => {
		const after = `first\n${LINES.replace('line 6', 'LINE 6')}`;
		const file = await changed('a.txt', LINES, after);
		const parts = { resultKey: result.key, taskId: task.id, directory: root(), path: `${FOLDER}/a.txt` };
		const uri = changeUri({ ...parts, side: 'after', object: file.after?.object });
		const editor = await vscode.window.showTextDocument(uri, { preview: false });
		let told = 0;
		const listener = vscode.window.onDidChangeTextEditorSelection(({ selections: [selection] }) => {
			told = selection?.active.line ?? 0;
		});
		/** The window tells of each selection a little later, and until then an earlier one may come back. */
		const cursorAt = (line: number) => waitFor(`the cursor at ${line}`, () => told === line);
		const at = (line: number) => {
			editor.selection = new vscode.Selection(line, 0, line, 0);
			return cursorAt(line);
		};
		await at(3);
		await commands.takeHunk(uri);
		assert.equal(await textOf('a.txt'), LINES);
		await cursorAt(7);
		await commands.takeHunk(uri);
		assert.equal(await textOf('a.txt'), LINES.replace('line 6', 'LINE 6'));
		await at(0);
		await commands.takeHunk(uri);
		assert.equal(await textOf('a.txt'), after);
		await commands.undo();
		assert.equal(await textOf('a.txt'), LINES.replace('line 6', 'LINE 6'));
		assert.deepEqual(problems, []);
		files.length = 0;
		await commands.takeHunk(uri);
		assert.match(String(problems.at(0)), /continued since/);
		listener.dispose();
	});

	it('knows from a review of all changes whose they are', async () => {
		const addresses = await Promise.all(
			['a.txt', 'b.txt'].map(async name => {
				const { before, after } = await changed(name, LINES, `first\n${LINES}`);
				const parts = { resultKey: result.key, taskId: task.id, directory: root(), path: `${FOLDER}/${name}` };
				return [before, after].map((version, at) =>
					changeUri({ ...parts, side: at === 0 ? 'before' : 'after', object: version?.object }),
				);
			}),
		);
		const review = vscode.Uri.parse('multi-diff-editor:1');
		assert.equal(subjectOfEditor(review), undefined);
		const resources = addresses.map(([before, after]) => [after, before, after]);
		await vscode.commands.executeCommand('vscode.changes', 'Changes', resources);
		const named = await waitFor('the review', () => subjectOfEditor(review));
		assert.deepEqual(named, { taskId: task.id, resultKey: result.key });
		assert.deepEqual(subjectOfEditor(addresses[1]?.[1]), readChangeUri(addresses[1]?.[1] ?? assert.fail()));
		assert.deepEqual(subjectOfEditor('task-2'), 'task-2');
	});

	it('offers what can be applied, and never takes what cannot', async () => {
		const planned = async (name: string, outcome: ChangeOutcome): Promise<Planned<ChangedFile>> => ({
			change: await changed(name, 'a', 'b'),
			outcome,
			size: 2,
			edit: undefined,
		});
		const all = [
			await planned('applies.txt', { kind: 'applies' }),
			await planned('also.txt', { kind: 'applies' }),
			await planned('fought.txt', { kind: 'conflicts', count: 2 }),
			await planned('there.txt', { kind: 'there' }),
			await planned('ignored.txt', { kind: 'cannot', reason: 'ignored' }),
		];
		const list = { title: 'Apply', checked: undefined, hasChanged: false };
		const enter = async (shown: ReturnType<typeof choosePlanned>) => {
			await confirmed(shown.then(() => {}));
			return (await shown)?.map(({ change }) => path.basename(change.after?.path ?? ''));
		};
		assert.deepEqual(await enter(choosePlanned(all, list)), ['applies.txt', 'also.txt', 'fought.txt']);
		const checked = new Set([`${FOLDER}/also.txt`, `${FOLDER}/ignored.txt`]);
		assert.deepEqual(await enter(choosePlanned(all, { ...list, checked })), ['also.txt']);
		const toggled = choosePlanned(all, list);
		await vscode.commands.executeCommand('workbench.action.quickPickManyToggle');
		assert.deepEqual(await enter(toggled), ['also.txt', 'fought.txt']);
		const dismissed = choosePlanned(all, list);
		await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
		assert.equal(await dismissed, undefined);
	});

	it('says in one message what has become of each file', async () => {
		const change = async (name: string, result: Result) => ({ change: await changed(name, 'a', 'b'), result });
		const results = [
			await change('a.txt', { kind: 'applies' }),
			await change('b.txt', { kind: 'conflicts', count: 1 }),
			await change('c.txt', { kind: 'cannot', reason: 'changedMeanwhile' }),
			await change('d.txt', { kind: 'failed', cause: new Error('no space left') }),
		];
		assert.equal(
			appliedWords({ results, files: [], isRecorded: true }),
			`Applied 2 of 4 files, 1 conflict. ${FOLDER}/c.txt: changed in the meantime, so it wasn’t touched. ${FOLDER}/d.txt: no space left.`,
		);
		assert.equal(
			undoneWords({ results: results.slice(0, 2), files: [], isRecorded: true }),
			`Undid the changes to 1 file. ${FOLDER}/b.txt: undone except for lines that have changed since.`,
		);
		const one = results.slice(0, 1);
		assert.equal(
			appliedWords({ results: one, files: [], isRecorded: false }),
			'Applied 1 file. This is too large to undo here.',
		);
		const planned = [...Array(5).keys()].map(() => ({
			change: one[0]?.change ?? assert.fail(),
			outcome: { kind: 'there' } as const,
		}));
		const name = `${FOLDER}/a.txt`;
		assert.equal(
			nothingWords(planned),
			`There’s nothing to apply. ${name}, ${name}, ${name} and 2 more: already applied.`,
		);
	});

	it('says what became of an application that was interrupted', () => {
		const running = { directory: root(), like: 'a'.repeat(40), count: 5, isUndo: false };
		assert.match(interruptedWords(running, 3), /interrupted when this window closed: 3 of 5 files have them\. Apply/);
		assert.match(interruptedWords(running, undefined), /to 5 files was interrupted .* Check the Source Control view/);
		assert.match(interruptedWords({ ...running, isUndo: true }, undefined), /Select Undo to continue/);
		assert.match(unattendedEndText(running), /were applied while this window was opening/);
		assert.match(unattendedEndText({ ...running, isUndo: true }), /were undone while/);
	});

	it('compares the task’s version with the user’s own file, and says why where that is impossible', async () => {
		const file = await changed('a.txt', LINES, `first\n${LINES}`);
		const row = { taskId: task.id, resultKey: result.key, path: `${FOLDER}/a.txt` };
		await commands.compareWithFile(row);
		const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
		assert.ok(input instanceof vscode.TabInputTextDiff);
		assert.equal(input.modified.fsPath, fileOf('a.txt'));
		assert.equal(readChangeUri(input.original)?.object, file.after?.object);
		await rm(fileOf('a.txt'));
		await commands.compareWithFile(row);
		assert.match(String(problems[0]), /You don’t have a file/);
		await assert.rejects(stat(fileOf('a.txt')));
	});
});
