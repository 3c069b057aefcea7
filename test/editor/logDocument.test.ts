import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Client } from '../../src/client/types.ts';
import { LogDocuments, type Reopened } from '../../src/tasks/logDocument/logDocuments.ts';
import { readTask } from '../support/readTask.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { waitFor } from '../support/waitFor.ts';
import type { State } from './state.ts';
import { connection, followedLogs, startTasks } from './taskClient.ts';

describe('a log as a document', () => {
	let server: TaskServer;
	let client: Client;
	let state: State;

	beforeEach(async () => {
		({ server, client, state } = await startTasks());
	});

	afterEach(() => server.stop());

	const documentOf = (part: string) =>
		vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'errand-log' && uri.path.includes(part));

	const visibleEditors = () => JSON.stringify(vscode.window.visibleTextEditors.map(({ document }) => document.uri));

	const noneToReopen = () => Promise.reject(new Error('no document was brought back'));

	it('is read again when the editor brings it back, and until then says why it cannot be', async () => {
		const asked: string[][] = [];
		let found: Reopened = { reason: 'Another connection is active.' };
		const documents = new LogDocuments({
			explain: assert.fail,
			reopen: async (...target) => {
				asked.push(target);
				return found;
			},
		});
		const logs = await followedLogs(client, state);
		try {
			server.add({ id: 'back-1', prompt: 'Back' });
			server.log('back-1', 'line 0!', 'line 1!');
			const query = JSON.stringify([connection.name, 'back-1']);
			const uri = vscode.Uri.from({ scheme: 'errand-log', path: '/Back (back-1)', query });
			const document = await vscode.workspace.openTextDocument(uri);
			await vscode.window.showTextDocument(document);
			assert.equal(document.getText(), 'Another connection is active.\n— read the log again —');
			const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', uri);
			assert.deepEqual(
				links.map(({ target }) => target?.toString()),
				['command:errand.loadLaterLog'],
			);
			assert.deepEqual(asked[0], [connection.name, 'back-1']);
			const log = logs.follow(
				'back-1',
				{ client, connection },
				readTask({ id: 'back-1', prompt: 'Back', status: 'processing' }),
			);
			await waitFor('the entries', () => log.nextIndex === 2);
			found = { source: log, client };
			await documents.loadLater(uri);
			await waitFor('the log', () => /line 0!.*line 1!$/s.test(documentOf('back-1')?.getText() ?? ''));
			server.log('back-1', 'line 2!');
			await waitFor('what is new', () => /line 1!.*line 2!$/s.test(documentOf('back-1')?.getText() ?? ''));
			assert.equal(documentOf('back-1')?.languageId, 'errand-log');
		} finally {
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
			documents.dispose();
			logs.dispose();
		}
	});

	it('grows with the log, folds by step, has an outline and links, and goes back to the first entry', async () => {
		const problems: unknown[] = [];
		const documents = new LogDocuments({ explain: error => problems.push(error), reopen: noneToReopen });
		const logs = await followedLogs(client, state);
		try {
			server.add({ id: 'doc-1', prompt: 'Document' });
			server.log('doc-1', ...Array.from({ length: 4_000 }, (_, index) => `line ${index}! see https://host.example/x`));
			const log = logs.follow(
				'doc-1',
				{ client, connection },
				readTask({ id: 'doc-1', prompt: 'Document', status: 'processing' }),
			);
			await waitFor('the entries', () => log.nextIndex === 4_000);
			await documents.show(log, client);
			const document = documentOf('doc-1');
			assert.ok(document);
			assert.match(document.lineAt(0).text, /^— entries before .+ are left out: load earlier —$/);
			server.log('doc-1', 'the newest');
			await waitFor(
				() => `the newest entry, of ${log.nextIndex}, in one of ${visibleEditors()}`,
				() => document.getText().includes('the newest'),
			);
			const execute = vscode.commands.executeCommand;
			const folds = await execute<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
			assert.ok(folds.some(({ start, end }) => start === 1 && end === document.lineCount - 1));
			const [symbol] = await execute<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri);
			assert.equal(symbol?.name, 'agent executing');
			const links = await execute<vscode.DocumentLink[]>('vscode.executeLinkProvider', document.uri);
			const targets = new Set(links.map(({ target }) => target?.toString()));
			assert.deepEqual([...targets].sort(), ['command:errand.loadEarlierLog', 'https://host.example/x']);
			await waitFor('the first entry', async () => {
				await documents.loadEarlier(document.uri);
				return /line 0!/.test(document.getText());
			});
			assert.match(document.lineAt(document.lineCount - 1).text, /later entries are left out/);
			assert.ok(document.getText().length < 100_000);
			await documents.showEnd(document.uri);
			await waitFor('the end', () => document.getText().includes('the newest'));
			assert.deepEqual(problems, []);
		} finally {
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
			documents.dispose();
			logs.dispose();
		}
	});
});
