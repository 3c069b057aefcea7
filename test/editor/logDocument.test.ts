import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { UserFacingError } from '../../src/base/errors.ts';
import type { Client } from '../../src/client/types.ts';
import { registerReadOnlyFiles } from '../../src/tasks/common/readOnlyFiles.ts';
import { LogDocuments } from '../../src/tasks/log/logDocuments.ts';
import type { LogFollowers } from '../../src/tasks/log/logFollowers.ts';
import type { FoundLog } from '../../src/tasks/log/openLog.ts';
import { readTask } from '../support/readTask.ts';
import type { State } from '../support/state.ts';
import { connection, startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { logFollowers } from './taskRows.ts';

let count = 0;

describe('a log as a document', () => {
	let server: TaskServer;
	let client: Client;
	let state: State;
	let scheme: string;
	let documents: LogDocuments;
	let logs: LogFollowers;
	let reopen: (connection: string, taskId: string) => Promise<FoundLog>;
	let disposables: { dispose(): void }[];

	beforeEach(async () => {
		({ server, client, state } = await startTasks());
		scheme = `errand-log-test-${count++}`;
		logs = await logFollowers(client, state);
		reopen = () => Promise.reject(new Error('no document was brought back'));
		const explain = (error: unknown) => (error as Error).message;
		documents = new LogDocuments({ reopen: (...asked) => reopen(...asked), explain }, scheme);
		disposables = [registerReadOnlyFiles(scheme, async () => documents), documents, logs];
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		for (const disposable of disposables) {
			disposable.dispose();
		}
		await server.stop();
	});

	/** A log with as many entries, which this window follows from their end. */
	async function follow(id: string, entries: number): Promise<FoundLog> {
		server.add({ id, prompt: id });
		server.log(id, ...Array.from({ length: entries }, (_, index) => `line ${index}! see https://host.example/x`));
		const source = logs.follow(id, { client, connection }, readTask({ id, prompt: id, status: 'processing' }));
		await waitFor('the entries', () => source.nextIndex === entries);
		return { source, client };
	}

	async function show(found: FoundLog): Promise<vscode.TextEditor> {
		await documents.show(found);
		const editor = vscode.window.visibleTextEditors.find(({ document: { uri } }) => uri.scheme === scheme);
		assert.ok(editor);
		return editor;
	}

	/** Opens a document as the editor does after a reload. */
	async function bringBack(id: string): Promise<vscode.TextDocument> {
		const query = JSON.stringify([connection.name, id]);
		const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme, path: `/${id}`, query }));
		await vscode.window.showTextDocument(document);
		return document;
	}

	it('is there when the editor brings it back, says until then why it is not, and goes on', async () => {
		const asked: string[][] = [];
		reopen = (...target) => {
			asked.push(target);
			return Promise.reject(new UserFacingError('Another connection is active.'));
		};
		const document = await bringBack('back-1');
		assert.equal(document.getText(), 'Another connection is active.');
		assert.deepEqual(asked, [[connection.name, 'back-1']]);
		const found = await follow('back-1', 2);
		reopen = () => Promise.resolve(found);
		documents.readAgain();
		await waitFor('the log', () => /^[^A-Z]*line 0!.*\n.*line 1![^\n]*$/.test(document.getText()));
		server.log('back-1', 'line 2!');
		await waitFor('what is new', () => /line 1!.*line 2!$/s.test(document.getText()));
	});

	it('fills itself as soon as its service answers', async () => {
		server.add({ id: 'late-1', prompt: 'Late' });
		server.log('late-1', 'line 0!');
		await server.crash();
		reopen = async () => {
			const task = await client.tasks.get('late-1');
			return { source: logs.follow('late-1', { client, connection }, task), client };
		};
		const document = await bringBack('late-1');
		await waitFor('the reason', () => /\n— retrying every few seconds —$/.test(document.getText()));
		await server.listen();
		await waitFor('the log', () => /^\d\d:\d\d:\d\d.*line 0!$/.test(document.getText()));
	});

	it('is never empty, and is read as UTF-8 whatever the encoding of files is', async () => {
		const files = vscode.workspace.getConfiguration('files');
		await files.update('encoding', 'windows1252', vscode.ConfigurationTarget.Global);
		try {
			const { document } = await show(await follow('empty-1', 0));
			assert.equal(document.getText(), '— no entries received yet —');
			server.log('empty-1', 'gefüllt');
			await waitFor('the entry', () => /^\d\d:\d\d:\d\d.*gefüllt$/.test(document.getText()));
			await waitFor('the language', () =>
				vscode.workspace.textDocuments.some(
					({ uri, languageId }) => uri.scheme === scheme && languageId === 'errand-log',
				),
			);
		} finally {
			await files.update('encoding', undefined, vscode.ConfigurationTarget.Global);
		}
	});

	it('folds by step, has an outline and links, and offers to save what it leaves out', async () => {
		const { document } = await show(await follow('doc-1', 20_500));
		assert.equal(document.lineCount, 20_001);
		assert.equal(document.lineAt(0).text, '— 500 earlier entries aren’t shown: export the log to read them —');
		const execute = vscode.commands.executeCommand;
		const folds = await execute<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
		assert.ok(folds.some(({ start, end }) => start === 1 && end === document.lineCount - 1));
		const [symbol] = await execute<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri);
		assert.equal(symbol?.name, 'agent executing');
		const links = await execute<vscode.DocumentLink[]>('vscode.executeLinkProvider', document.uri);
		const targets = new Set(links.map(({ target }) => target?.toString()));
		assert.deepEqual([...targets].sort(), ['command:errand.saveTaskLog', 'https://host.example/x']);
	});

	it('keeps what the reader looks at: it grows at its end, and drops its beginning in a change of its own', async () => {
		const editor = await show(await follow('long-1', 21_900));
		const { document } = editor;
		const changes: { start: number; removed: number; added: number }[] = [];
		const listener = vscode.workspace.onDidChangeTextDocument(({ document: changed, contentChanges }) => {
			for (const { range, text } of changed === document ? contentChanges : []) {
				const removed = range.end.line - range.start.line;
				changes.push({ start: range.start.line, removed, added: text.split('\n').length - 1 });
			}
		});
		const isInSight = (place: vscode.Position) => editor.visibleRanges.some(range => range.contains(place));
		await waitFor('the end', () => isInSight(new vscode.Position(document.lineCount - 1, 0)));
		const at = new vscode.Position(12_000, 3);
		editor.selection = new vscode.Selection(at, at);
		editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
		const looked = () => document.lineAt(editor.selection.active.line).text;
		const before = looked();
		await waitFor('the place', () => isInSight(at));
		try {
			server.log('long-1', 'one more');
			await waitFor('it', () => document.getText().endsWith('one more'));
			server.log('long-1', ...Array.from({ length: 2_000 }, (_, index) => `and ${index}`));
			await waitFor('all of it', () => document.getText().endsWith('and 1999'));
		} finally {
			listener.dispose();
		}
		assert.match(document.lineAt(0).text, /^— [\d,]+ earlier entries aren’t shown/);
		for (const { start, removed, added } of changes) {
			assert.ok(removed === 0 || (start === 0 && added <= 1), JSON.stringify(changes));
		}
		assert.equal(looked(), before);
		await waitFor('the place, still in sight', () => isInSight(editor.selection.active));
	});

	it('is opened at an entry, also at one that has not arrived, and says where one is left out', async () => {
		const messages: string[] = [];
		const { showInformationMessage } = vscode.window;
		Object.assign(vscode.window, {
			showInformationMessage: (message: string) => {
				messages.push(message);
				return Promise.resolve(undefined);
			},
		});
		try {
			const found = await follow('entry-1', 20_100);
			const cursor = () => {
				const editor = vscode.window.visibleTextEditors.find(({ document: { uri } }) => uri.scheme === scheme);
				return editor?.document.lineAt(editor.selection.active.line).text ?? '';
			};
			await documents.show(found, 9_000);
			await waitFor('the entry', () => cursor().includes('line 9000!'));
			await documents.show(found, 20_100);
			server.log('entry-1', 'line 20100!');
			await waitFor('the next one', () => cursor().includes('line 20100!'));
			await documents.show(found, 99);
			assert.deepEqual(messages, ['The document starts after entry 99. Export the log to read all of it.']);
		} finally {
			Object.assign(vscode.window, { showInformationMessage });
		}
	});
});
