import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ClientError } from '../../src/base/errors.ts';
import { Emitter } from '../../src/base/event.ts';
import type { Composition } from '../../src/contract/compositions.ts';
import type { Task } from '../../src/contract/tasks.ts';
import { commands } from '../../src/platform/ids.ts';
import type { ComparisonView, FromComparisonPage } from '../../src/tasks/model/comparisonProtocol.ts';
import { readChangeUri } from '../../src/tasks/results/changeUri.ts';
import type { TaskChanges } from '../../src/tasks/results/taskChanges.ts';
import { AgentComparison } from '../../src/tasks/review/compareAgents.ts';
import { readTask } from '../support/readTask.ts';
import { startTasks } from '../support/taskClient.ts';
import type { TaskServer } from '../support/taskServer.ts';
import { TemporaryRepository } from '../support/temporaryRepository.ts';
import { waitFor } from '../support/waitFor.ts';
import { changesAlone } from './taskRows.ts';

describe('a comparison of agents', () => {
	let repository: TemporaryRepository;
	let server: TaskServer;
	let comparison: AgentComparison;
	let changes: TaskChanges;
	let listed: Emitter<void>;
	let problems: unknown[];
	/** Why the list of tasks cannot be read. */
	let unread: unknown;
	/** What the local service is asked, if the connection is its own. */
	let composeWork: ((taskId: string, composition: Composition) => Promise<Task>) | undefined;
	/** What the editor was told to show, in place of showing it. */
	let ran: { command: string; values: unknown[] }[];
	const original = vscode.commands.executeCommand;
	const find = (id: string) => server.tasks.filter(task => task.id === id).map(readTask)[0];

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
			selectedAgents: [
				{ agent: 'loud', model: 'large' },
				{ agent: 'louder', model: 'small' },
			],
			agentExecutions: [
				{
					agent: 'loud',
					status: 'completed',
					branchName: 'errand/race-1',
					errand: { cost: 0.25, inputTokens: 1200, tests: 'passed' },
				},
				{ agent: 'louder', status: 'completed', branchName: 'errand/race-2' },
			],
		} as never);
		server.log('race', log('[1] npm test', 'loud', 0), log('[1] 3 tests passed', 'loud', 42));
		problems = [];
		unread = undefined;
		composeWork = undefined;
		ran = [];
		listed = new Emitter();
		changes = changesAlone();
		comparison = new AgentComparison({
			extensionUri: (vscode.extensions.getExtension('errand.errand') ?? assert.fail()).extensionUri,
			changes,
			tasks: {
				all: () => server.tasks.map(readTask),
				get: async id => find(id) ?? Promise.reject(new ClientError('not-found', 'there is no such task')),
			},
			list: { get: find, load: async () => {}, refresh: async () => unread, onDidChange: listed.event },
			connection: { client: async () => parts.client, label: () => 'Acme', ensureKey: async () => true },
			composeWork: () => composeWork,
			explain: error => problems.push(error),
			logger: { log: () => {} },
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

	/** The open tab, with what its page would be sent and what the page may ask for. */
	interface Tab {
		panel: { isActive: boolean };
		view(): ComparisonView;
		handle(message: FromComparisonPage): Promise<void>;
	}
	const tab = (): Tab =>
		[...(comparison as unknown as { panels: Set<Tab> }).panels][0] ?? assert.fail('no tab is open');

	/** The figures by their labels. */
	const facts = () =>
		Object.fromEntries(
			tab()
				.view()
				.facts.map(({ label, texts }) => [label, texts]),
		);

	const changesTexts = () =>
		tab()
			.view()
			.agents.map(({ changes: text }) => text);

	/** The files below their headings, each with what the agents have done. */
	const files = () =>
		tab()
			.view()
			.sections.map(({ heading, files }) => [
				heading,
				...files.map(({ label, cells }) => `${label}: ${cells.map(({ text }) => text).join(', ')}`),
			]);

	const shownBy = <T>(at: number) => (ran[at] ?? assert.fail()).values as T;

	function watchCommands(): void {
		(vscode.commands as { executeCommand: unknown }).executeCommand = async (command: string, ...values: unknown[]) => {
			ran.push({ command, values });
		};
	}

	it('names what tells two runs of one agent apart', async () => {
		const task = server.tasks[0] as unknown as { selectedAgents: object[]; agentExecutions: { agent: string }[] };
		for (const execution of task.agentExecutions) {
			execution.agent = 'loud';
		}
		await comparison.compare('race');
		assert.deepEqual(problems, []);
		await waitFor('the comparison', () => tab().view().agents.length === 2);
		assert.deepEqual(
			tab()
				.view()
				.agents.map(({ name }) => name),
			['loud (large)', 'loud (small)'],
		);
	});

	/** Changes the record of the task, and lets the list notice that. */
	function change(fields: object): void {
		Object.assign(server.tasks[0] ?? assert.fail(), fields);
		listed.fire();
	}

	it('shows side by side what each has changed, its tests, time and cost', async () => {
		await comparison.compare('race');
		assert.deepEqual(problems, []);
		const { title, sentence, tone, agents } = tab().view();
		assert.deepEqual([title, tone], ['Make it loud', 'open']);
		assert.equal(sentence, '3 of 4 files differ.');
		assert.deepEqual(
			agents.map(({ name }) => name),
			['loud', 'louder'],
		);
		assert.deepEqual(changesTexts(), ['+3 −1 in 3 files', '+4 −2 in 3 files']);
		assert.deepEqual(facts(), {
			Model: ['large', 'small'],
			State: ['completed', 'completed'],
			Tests: ['tests passed when the service ran them', ''],
			Time: ['42 s', 'not known'],
			Cost: ['1,200 tokens in, $0.25', 'not known'],
			Branch: ['errand/race-1', 'errand/race-2'],
		});
		assert.deepEqual(files(), [
			['Changed in different ways (1)', 'both.txt: +1 −1, +2 −2'],
			['Changed by only one (2)', 'only-1.txt: +1 · added, not changed', 'only-2.txt: not changed, +1 · added'],
			['Changed the same way by all (1)', 'same.txt: +1 · added, same as loud'],
		]);
	});

	it('opens the differences of two, what one has changed, and takes all or a file of one', async () => {
		await comparison.compare('race');
		const handle = (message: FromComparisonPage) => tab().handle(message);
		watchCommands();
		await handle({ kind: 'show-file', path: 'both.txt' });
		const [left, right, title] = shownBy<[vscode.Uri, vscode.Uri, string]>(0);
		assert.deepEqual([ran[0]?.command, title], ['vscode.diff', 'both.txt (loud ↔ louder)']);
		assert.deepEqual(
			[left, right].map(uri => readChangeUri(uri)?.object),
			await Promise.all(
				[1, 2].map(async at => (await repository.git('rev-parse', `errand/race-${at}:both.txt`)).trim()),
			),
		);
		await handle({ kind: 'show-file', path: 'only-1.txt', agent: 0 });
		assert.equal(readChangeUri((ran[1]?.values ?? [])[0] as vscode.Uri)?.object, undefined);
		const second = { taskId: 'race', resultKey: 'race:1' };
		await handle({ kind: 'apply', path: 'both.txt', agent: 1 });
		await handle({ kind: 'apply', agent: 1 });
		await handle({ kind: 'review', agent: 1 });
		assert.deepEqual(ran.slice(2), [
			{ command: commands.applyTaskChanges, values: [{ ...second, path: 'both.txt' }] },
			{ command: commands.applyTaskChanges, values: [second] },
			{ command: commands.reviewTaskChanges, values: [second] },
		]);
		await handle({ kind: 'show-differences' });
		const [names, resources] = shownBy<[string, [vscode.Uri, vscode.Uri, vscode.Uri][]]>(5);
		assert.equal(names, 'loud ↔ louder');
		assert.deepEqual(
			resources.map(([, one, other]) => [one, other].map(uri => readChangeUri(uri)?.object !== undefined)),
			[
				[true, true],
				[true, false],
				[false, true],
			],
		);
		await handle({ kind: 'show-file', path: 'gone', agent: 0 });
		assert.equal(ran.length, 6);
	});

	it('follows the agents while they work, and says what one that ended has not made', async () => {
		const [first, second] = (server.tasks[0] as unknown as { agentExecutions: object[] }).agentExecutions;
		const working = { ...second, status: 'processing', branchName: undefined };
		change({ status: 'processing', agentExecutions: [first, working] });
		await comparison.compare('race');
		const { sentence, tone, agents } = tab().view();
		assert.equal(sentence, '3 of 3 files differ. Still running: louder. This page updates automatically.');
		assert.deepEqual([tone, agents.map(({ hasChanges }) => hasChanges)], ['pending', [true, false]]);
		assert.deepEqual(changesTexts(), ['+3 −1 in 3 files', 'not known yet']);
		assert.deepEqual(facts()['State'], ['completed', 'running']);
		change({ status: 'completed', agentExecutions: [first, second] });
		await waitFor('the changes of the second', () => tab().view().agents[1]?.hasChanges === true);
		assert.equal(tab().view().tone, 'open');
		change({ status: 'error', agentExecutions: [first, { ...working, status: 'error' }] });
		await waitFor('the end of the second', () => facts()['State']?.[1] === 'failed');
		assert.deepEqual(changesTexts(), ['+3 −1 in 3 files', 'none: it created no branch']);
	});

	it('says what is wrong, and goes on when it is read again', async () => {
		await repository.git('branch', '--move', 'errand/race-2', 'elsewhere');
		await comparison.compare('race');
		assert.deepEqual([tab().view().tone, tab().view().agents], ['bad', []]);
		assert.match(tab().view().sentence, /^Can’t show the changes of branch “errand\/race-2”/);
		await repository.git('branch', '--move', 'elsewhere', 'errand/race-2');
		await tab().handle({ kind: 'read-again' });
		assert.equal(tab().view().sentence, '3 of 4 files differ.');
		server.tasks.length = 0;
		await tab().handle({ kind: 'read-again' });
		assert.equal(tab().view().tone, 'bad');
		assert.match(tab().view().sentence, /Acme/);
	});

	it('says what is missing where the list has no two branches to choose from', async () => {
		server.tasks.splice(0);
		await comparison.compare(undefined);
		assert.match(String(problems[0]), /no two branches of ended tasks to compare/);
		unread = new ClientError('offline', 'nothing responds');
		await comparison.compare(undefined);
		assert.equal(problems[1], unread);
	});

	it('shows more files on request', async () => {
		await repository.git('checkout', '--quiet', 'errand/race-1');
		for (let at = 0; at < 250; at++) {
			await repository.write(`many/${at}.txt`, 'mine\n');
		}
		await repository.commitAll('Many');
		await repository.git('checkout', '--quiet', 'main');
		await comparison.compare('race');
		const count = () =>
			tab()
				.view()
				.sections.reduce((sum, { files }) => sum + files.length, 0);
		assert.deepEqual([count(), tab().view().filesLeft], [200, 54]);
		assert.equal(tab().view().sections[1]?.heading, 'Changed by only one (252)');
		await tab().handle({ kind: 'show-more' });
		assert.deepEqual([count(), tab().view().filesLeft], [254, 0]);
	});

	it('hands out the prompt and the patch of each, from its tab and without one', async () => {
		const read = async (argument: unknown) =>
			(await comparison.readPatches(argument, 'Judge')) ?? assert.fail('nothing was found');
		const found = await read({ taskId: 'race' });
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
		await waitFor('the tab in front', () => tab().panel.isActive);
		assert.deepEqual(await read(undefined), found);
		watchCommands();
		await tab().handle({ kind: 'judge' });
		assert.deepEqual([ran[0]?.command, await read(shownBy<unknown[]>(0)[0])], [commands.newDecision, found]);
	});

	it('lets the user compose a result of the changes of all, and shows it beside them', async () => {
		await comparison.compare('race');
		assert.equal(tab().view().canCompose, false);
		const asked: [string, Composition][] = [];
		composeWork = async (...request) => {
			asked.push(request);
			const task = server.tasks[0] as unknown as { agentExecutions: object[] };
			const made = { agent: 'composition', status: 'pending', errand: { composedOf: [0, 1] } };
			change({ agentExecutions: [...task.agentExecutions, made] });
			return find('race') ?? assert.fail();
		};
		assert.deepEqual([tab().view().canCompose, tab().view().composing], [true, undefined]);
		const handle = (message: FromComparisonPage) => tab().handle(message);
		const composing = () => tab().view().composing ?? assert.fail('nothing is composed');
		const parts = () => composing().files.flatMap(({ label, parts: of }) => of.map(shown => ({ label, ...shown })));
		const rows = () =>
			parts().map(({ label, text, origins, isChosen }) => `${isChosen ? 'x' : ' '} ${label}: ${text} (${origins})`);
		await handle({ kind: 'compose' });
		assert.deepEqual(rows(), [
			'  both.txt: Line 1 (loud, louder)',
			'  both.txt: Line 4 (louder)',
			'  only-1.txt: Whole file: +1 · added (loud)',
			'  only-2.txt: Whole file: +1 · added (louder)',
			'  same.txt: Whole file: +1 · added (loud, louder)',
		]);
		assert.deepEqual([parts()[1]?.removed, parts()[1]?.added], [['four'], ['four!']]);
		assert.equal(composing().canMake, false);
		await handle({ kind: 'make' });
		await handle({ kind: 'choose-all', agent: 1 });
		await handle({ kind: 'choose', part: parts()[2]?.part ?? '', isTaken: true });
		await handle({ kind: 'choose', part: parts()[3]?.part ?? '', isTaken: false });
		await handle({ kind: 'choose', part: 'nothing', isTaken: true });
		assert.equal(composing().sentence, '4 of 5 changes selected, by loud, louder.');
		await handle({ kind: 'make' });
		const base = (await repository.git('rev-parse', 'main')).trim();
		const commits = await Promise.all([1, 2].map(at => repository.git('rev-parse', `errand/race-${at}`)));
		assert.deepEqual(asked, [
			[
				'race',
				{
					base,
					results: commits.map((commit, agent) => ({ agent, commit: commit.trim() })),
					files: [
						{
							path: 'both.txt',
							hunks: [
								{ start: 0, count: 1, origins: [0, 1].map(agent => ({ agent, start: 0, count: 1 })) },
								{ start: 3, count: 1, origins: [{ agent: 1, start: 3, count: 1 }] },
							],
						},
						{ paths: ['only-1.txt'], agents: [0] },
						{ paths: ['same.txt'], agents: [0, 1] },
					],
				},
			],
		]);
		await waitFor('the composition beside the agents', () => tab().view().agents.length === 3);
		assert.match(composing().sentence, /^The composition is a new column below/);
		assert.deepEqual(facts()['Composed of'], ['', '', 'loud, louder']);
		assert.equal(composing().agents.length, 2);

		// It is the same comparison when it is asked for again, and says what has gone of the choice.
		await comparison.compare('race');
		assert.equal((comparison as unknown as { panels: Set<Tab> }).panels.size, 1);
		await repository.git('checkout', '--quiet', 'errand/race-1');
		await repository.git('rm', '--quiet', 'only-1.txt');
		await repository.commitAll('Less');
		await repository.git('checkout', '--quiet', 'main');
		await handle({ kind: 'choose', part: parts()[3]?.part ?? '', isTaken: true });
		await handle({ kind: 'read-again' });
		assert.equal(
			composing().sentence,
			'A branch has changed. Selected changes that no longer exist: 1. 4 of 4 changes selected, by loud, louder.',
		);
		assert.equal((tab() as unknown as { compared: { chosen: string[] } }).compared.chosen.length, 5);
		await handle({ kind: 'compose' });
		assert.equal(tab().view().composing, undefined);
		assert.deepEqual(problems, []);
	});

	it('keeps the choice where the service refuses it, and composes nothing that began elsewhere', async () => {
		composeWork = () => Promise.reject(new ClientError('invalid-request', 'The branch was moved.'));
		await comparison.compare('race');
		await tab().handle({ kind: 'compose' });
		await tab().handle({ kind: 'choose-all', agent: 0 });
		await assert.rejects(tab().handle({ kind: 'make' }), /was moved/);
		assert.deepEqual(
			[tab().view().composing?.canMake, tab().view().composing?.sentence],
			[true, '3 of 5 changes selected, by loud, louder.'],
		);
		await tab().handle({ kind: 'compose' });
		const { agentExecutions } = server.tasks[0] as unknown as { agentExecutions: { errand?: object }[] };
		await repository.git('checkout', '--quiet', 'main');
		await repository.write('later.txt', 'later\n');
		await repository.commitAll('Later');
		await repository.git('rebase', '--quiet', 'main', 'errand/race-2');
		await repository.git('checkout', '--quiet', 'main');
		Object.assign(agentExecutions[1] ?? assert.fail(), {
			errand: { baseCommit: (await repository.git('rev-parse', 'main')).trim() },
		});
		Object.assign(agentExecutions[0] ?? assert.fail(), {
			errand: { baseCommit: (await repository.git('rev-parse', 'main^')).trim() },
		});
		await tab().handle({ kind: 'read-again' });
		await assert.rejects(tab().handle({ kind: 'compose' }), /started from different commits/);
	});

	it('is opened again after a reload, in the tab that the editor has kept', async () => {
		const kept = (name: string) => {
			const panel = vscode.window.createWebviewPanel(name, name, vscode.ViewColumn.One);
			let isClosed = false;
			panel.onDidDispose(() => {
				isClosed = true;
			});
			return { panel, isClosed: () => isClosed };
		};
		const contenders = [0, 1].map(at => ({ taskId: 'race', resultKey: `race:${at}` }));
		const known = kept('errand.comparison');
		composeWork = () => assert.fail('nothing was asked for');
		await comparison.restore(known.panel, { title: 'Make it loud', contenders, chosen: ['gone'] });
		assert.equal(known.isClosed(), false);
		assert.equal(tab().view().sentence, '3 of 4 files differ.');
		assert.match(tab().view().composing?.sentence ?? '', /^A branch has changed\. .* exist: 1\. Select the changes/);
		const twice = kept('errand.comparison');
		await comparison.restore(twice.panel, { title: 'Make it loud', contenders });
		const unknown = kept('errand.comparison');
		await comparison.restore(unknown.panel, undefined);
		await waitFor('both are closed', () => twice.isClosed() && unknown.isClosed());
		assert.deepEqual(problems, []);
	});
});
