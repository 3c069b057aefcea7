import assert from 'node:assert/strict';
import process from 'node:process';
import * as vscode from 'vscode';
import { commands, internalCommands } from '../../src/platform/ids.ts';
import { readChangeUri } from '../../src/tasks/changes/changeUri.ts';
import type { TaskChanges } from '../../src/tasks/changes/taskChanges.ts';
import { AgentComparison } from '../../src/tasks/review/compareAgents.ts';
import { ComparisonDocuments, type ResultComparison } from '../../src/tasks/review/comparisonDocuments.ts';
import { readTask } from '../support/readTask.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { changesAlone, startTasks } from './taskClient.ts';

describe('a comparison of agents', () => {
	let repository: TemporaryRepository;
	let server: TaskServer;
	let comparison: AgentComparison;
	let changes: TaskChanges;
	let problems: unknown[];
	/** What the editor was told to show, in place of showing it. */
	let ran: { command: string; values: unknown[] }[];
	const original = vscode.commands.executeCommand;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
		await repository.write('both.txt', 'one\ntwo\nthree\nfour\n');
		await repository.commitAll('Base');
		for (const [at, first] of ['ONE', 'ONE'].entries()) {
			await repository.git('checkout', '--quiet', '-b', `errand/race-${at + 1}`, 'main');
			await repository.write('both.txt', `${first}\ntwo\nthree\nfour${at === 1 ? '!' : ''}\n`);
			await repository.write('same.txt', 'same\n');
			await repository.write(`only-${at + 1}.txt`, 'mine\n');
			await repository.commitAll('Done');
		}
		await repository.git('checkout', '--quiet', 'main');
		const parts = await startTasks();
		server = parts.server;
		const log = (message: string, agent: string, second: number) => ({
			message,
			agent,
			step: 'agent_tool',
			type: 'info',
			timestamp: new Date(Date.UTC(2026, 10, 22, 10, 0, second)).toISOString(),
		});
		server.add({
			id: 'race',
			status: 'completed',
			prompt: 'Make it loud',
			repoUrl: repository.path,
			selectedBranch: 'main',
			multiLaunch: true,
			agentExecutions: [
				{ agent: 'loud', status: 'completed', branchName: 'errand/race-1', errand: { cost: 0.25, inputTokens: 1200 } },
				{ agent: 'louder', status: 'completed', branchName: 'errand/race-2' },
			],
		} as never);
		server.log('race', log('[1] npm test', 'loud', 0), log('[1] 3 tests passed', 'loud', 42));
		problems = [];
		ran = [];
		changes = changesAlone();
		comparison = new AgentComparison({
			changes,
			tasks: {
				all: () => server.tasks.map(readTask),
				get: async id => readTask(server.tasks.find(task => task.id === id) ?? assert.fail()),
			},
			connection: { client: async () => parts.client },
			explain: error => problems.push(error),
		});
	});

	afterEach(async () => {
		(vscode.commands as { executeCommand: typeof original }).executeCommand = original;
		comparison.dispose();
		changes.dispose();
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await server.stop();
		await repository.remove();
	});

	const editor = () => vscode.window.activeTextEditor ?? assert.fail();
	const textOf = () => editor().document.getText();

	const shownBy = <T>(at: number) => (ran[at] ?? assert.fail()).values as T;

	function watchCommands(): void {
		(vscode.commands as { executeCommand: unknown }).executeCommand = async (command: string, ...values: unknown[]) => {
			ran.push({ command, values });
		};
	}

	it('shows side by side what each has changed, what the log says of tests, time and cost', async () => {
		await comparison.compare('race');
		assert.deepEqual(problems, []);
		const text = textOf();
		assert.match(text, /^Agent +loud +louder$/m);
		assert.match(text, /^Changes +\+3 −1 in 3 files +\+4 −2 in 3 files$/m);
		assert.match(text, /^Tests +passed: npm test +the log says nothing of tests$/m);
		assert.match(text, /^Time +42 s +not known$/m);
		assert.match(text, /^Cost +1,200 tokens in, \$0\.25 +not known$/m);
		assert.match(
			text,
			/^Changed in different ways \(1\)\n {2}both\.txt .*1 hunk in common\n {4}line 1, .*loud, louder {2}ONE\n/m,
		);
		assert.match(text, /^Changed by loud only \(1\)\n {2}only-1\.txt/m);
		assert.match(text, /^The same from all \(1\)\n {2}same\.txt .*same as loud$/m);
	});

	it('opens the difference of two versions, and takes a file of one', async () => {
		await comparison.compare('race');
		watchCommands();
		await comparison.documents.follow({ kind: 'compare', path: 'both.txt', first: 0, second: 1 });
		const [left, right, title] = shownBy<[vscode.Uri, vscode.Uri, string]>(0);
		const objects = [left, right].map(uri => readChangeUri(uri));
		assert.deepEqual([ran[0]?.command, title], ['vscode.diff', 'both.txt (loud ↔ louder)']);
		assert.deepEqual(
			objects.map(parts => parts?.object),
			await Promise.all(
				[1, 2].map(async at => (await repository.git('rev-parse', `errand/race-${at}:both.txt`)).trim()),
			),
		);
		await comparison.documents.follow({ kind: 'open', path: 'only-1.txt', result: 0, line: 1 });
		assert.equal(readChangeUri((ran[1]?.values ?? [])[0] as vscode.Uri)?.object, undefined);
		await comparison.documents.follow({ kind: 'take', path: 'both.txt', result: 1 });
		assert.deepEqual(ran[2], {
			command: commands.applyTaskChanges,
			values: [{ taskId: 'race', resultKey: 'race:1', path: 'both.txt' }],
		});
		await comparison.documents.follow({ kind: 'differences', first: 0, second: 1 });
		const [names, resources] = shownBy<[string, [vscode.Uri, vscode.Uri, vscode.Uri][]]>(3);
		assert.equal(names, 'loud ↔ louder');
		assert.deepEqual(
			resources.map(([, one, other]) => [one, other].map(uri => readChangeUri(uri)?.object !== undefined)),
			[
				[true, true],
				[true, false],
				[false, true],
			],
		);
		for (const nonsense of [
			undefined,
			null,
			{},
			{ kind: 'take', path: 'gone', result: 0 },
			{ kind: 'open', path: 7 },
		]) {
			await comparison.documents.follow(nonsense);
		}
		assert.deepEqual([ran.length, problems], [4, []]);
	});

	it('has links and folds that the editor knows', async () => {
		await comparison.compare('race');
		const { uri } = editor().document;
		const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', uri, 100);
		const words = links.map(({ range }) => editor().document.getText(range));
		assert.ok(words.includes('both.txt') && words.filter(word => word === 'take').length === 5, words.join());
		assert.ok(links.every(({ target }) => target?.path === internalCommands.followComparison));
		const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
		assert.deepEqual(
			lenses.map(({ command }) => command?.title),
			['Compare loud with louder', 'Which Is Better?', 'Review loud', 'Apply loud…', 'Review louder', 'Apply louder…'],
		);
	});

	it('hands out the prompt and the patch of each, from its document and without one', async () => {
		const read = async (argument: unknown, id?: string) =>
			(await comparison.readPatches(argument, id, 'Judge')) ?? assert.fail('nothing was found');
		const found = await read({ taskId: 'race' }, 'race');
		assert.equal(found.prompt, 'Make it loud');
		assert.deepEqual(
			found.patches.map(({ name, isCut }) => [name, isCut]),
			[
				['loud', false],
				['louder', false],
			],
		);
		assert.match(found.patches[0]?.text ?? '', /^M both\.txt\nA only-1\.txt\nA same\.txt\n\ndiff --git /);
		assert.match(found.patches[1]?.text ?? '', /^-four\n\+four!$/m);
		await comparison.compare('race');
		assert.deepEqual(await read(editor().document.uri), found);
		assert.deepEqual(await read(undefined), found);
	});

	it('says what is missing where there is one branch only', async () => {
		Object.assign(server.tasks[0] ?? {}, { agentExecutions: [{ agent: 'loud', branchName: 'errand/race-1' }, {}] });
		await comparison.compare('race');
		assert.match(String(problems[0]), /Two branches are needed/);
	});

	it('of 2,000 files is shown with little work', async () => {
		const documents = new ComparisonDocuments(error => problems.push(error));
		const files = Array.from({ length: 2000 }, (_, at) => {
			const version = (object: string) => ({ path: `src/${at}.ts`, object, kind: 'file' as const });
			const changed = (object: string) => ({
				...{ status: 'M' as const, before: version('base'), after: version(object) },
				...{ lines: { added: 1, removed: 1 }, hasUnreadableName: false },
			});
			const both = [changed('1'), changed('2')];
			return { path: `src/${at}.ts`, state: 'different' as const, files: both, versions: [0, 1] };
		});
		const shown = {
			title: 'Many',
			results: [],
			columns: [
				{ name: 'loud', facts: [] },
				{ name: 'louder', facts: [] },
			],
			files,
			hunks: new Map(),
		} satisfies ResultComparison;
		comparison.dispose();
		const before = process.cpuUsage();
		await documents.show(shown);
		const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
			'vscode.executeLinkProvider',
			editor().document.uri,
		);
		assert.equal(links.length, 10_000);
		await waitFor('the document', () => editor().document.lineCount > 2000);
		const { user, system } = process.cpuUsage(before);
		assert.ok(user + system < 20_000_000, `${user + system} µs`);
		documents.dispose();
	});
});
