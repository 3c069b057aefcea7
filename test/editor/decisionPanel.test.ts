import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { DecisionPanel, type DecisionPanelDependencies } from '../../src/decisions/decisionPanel.ts';
import type { DecisionView } from '../../src/decisions/model/protocol.ts';
import { RequestDocuments } from '../../src/decisions/requestDocuments.ts';
import { RunStore } from '../../src/decisions/runStore.ts';
import { type Prepared, type Subject, singleRequest } from '../../src/decisions/subject.ts';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { connectionFields, keys } from '../support/contractServer/fixtures.ts';
import { State } from '../support/state.ts';
import { waitFor } from '../support/waitFor.ts';

const questions = {
	ok: { type: 'noul' as const, instructions: 'All is well.', criteria: { true: 'It is', false: 'It is not' } },
};

describe('the tab of a decision', () => {
	let server: ContractServer;
	let documents: RequestDocuments;
	let logged: string[];
	let runs: RunStore;
	let panel: DecisionPanel;

	beforeEach(async () => {
		server = await ContractServer.start();
		documents = new RequestDocuments();
		logged = [];
		runs = new RunStore(new State());
	});

	afterEach(async () => {
		panel?.panel.dispose();
		documents.dispose();
		await server.stop();
	});

	function prepared(): Prepared {
		const { models: _, ...fields } = connectionFields(server);
		const connection = { name: 'quillon', ...connectionSchema.parse(fields) };
		const client = createClient({
			connection,
			keys: () => Promise.resolve(keys.inference),
			transport: createFetchTransport((input, init) => globalThis.fetch(input, init)),
		});
		return {
			target: { client, connection, label: 'Quillon', isLocal: false },
			...singleRequest({ state: { secret: 'a text of the state' }, questions }),
			parts: [],
			warnings: [],
		};
	}

	function open(subject: Subject, ensureKey: DecisionPanelDependencies['ensureKey'] = async () => true): Promise<void> {
		const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'errand');
		assert.ok(extension);
		const dependencies: DecisionPanelDependencies = {
			extensionUri: extension.extensionUri,
			runs,
			documents,
			ensureKey,
			logger: { log: (_, message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`) },
		};
		panel = new DecisionPanel(subject, dependencies);
		return panel.open(subject);
	}

	/** The handlers of messages of the page, which a test of the window sends by its buttons. */
	const handle = (kind: 'send' | 'stop' | 'show-request' | 'choose-model') =>
		(panel as unknown as { handlers: Record<string, () => Promise<void>> }).handlers[kind]?.();
	/** What the page shows. */
	const view = () => (panel as unknown as { view(): DecisionView }).view();

	const asked = () => server.received.filter(({ path }) => path === '/typesafe/v1/systemone');

	it('keeps a run when it was sent, without the state, and sends nothing before that', async () => {
		await open({ key: 'k', title: 'Title', prepare: async () => prepared() });
		assert.equal(asked().length, 0);
		await handle('send');
		assert.equal(asked().length, 1);
		const [run] = runs.of('k');
		assert.deepEqual([run?.asked, run?.model], ['arbiter-latest', 'arbiter-2.7.1']);
		assert.deepEqual(run?.answers, { ok: { type: 'noul', noul: 0.94 } });
		assert.doesNotMatch(JSON.stringify(run), /a text of the state/);
		await handle('send');
		assert.equal(asked().length, 1);
	});

	it('sends nothing without a key', async () => {
		await open({ key: 'k', title: 'Title', prepare: async () => prepared() }, async () => false);
		await handle('send');
		assert.equal(asked().length, 0);
		assert.deepEqual(runs.of('k'), []);
	});

	it('asks for the key of the connection that was shown, and sends once however often the button is pressed', async () => {
		const connections: string[] = [];
		await open({ key: 'k', title: 'Title', prepare: async () => prepared() }, async ({ name }) => {
			connections.push(name);
			return true;
		});
		await Promise.all([handle('send'), handle('send'), handle('send')]);
		assert.deepEqual([connections, asked().length], [['quillon'], 1]);
	});

	it('sends nothing if it was closed, or shows something else, while the key was asked for', async () => {
		const subject: Subject = { key: 'k', title: 'Title', prepare: async () => prepared() };
		const close = () => {
			const closed = new Promise<void>(resolve => panel.panel.onDidDispose(resolve));
			panel.panel.dispose();
			return closed;
		};
		for (const meanwhile of [() => panel.open(subject), close]) {
			await open(subject, async () => {
				await meanwhile();
				return true;
			});
			await handle('send');
			assert.equal(asked().length, 0);
			panel.panel.dispose();
		}
	});

	it('sends word by word what it has shown, whatever becomes of its source', async () => {
		const sources = { text: 'as it was' };
		const prepare = async () => ({
			...prepared(),
			requests: [{ state: { ...sources, '2': 'b', '1': 'a' }, questions }],
		});
		await open({ key: 'k', title: 'same.decision.json', prepare });
		await handle('show-request');
		const shown = vscode.workspace.textDocuments.find(({ uri }) => uri.path === '/Request: same.json')?.getText();
		sources.text = 'as it is';
		await handle('send');
		const [request] = asked();
		assert.match(JSON.stringify(request?.json), /as it was/);
		assert.equal(shown, JSON.stringify(request?.json, undefined, 2));
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('stops what is under way when it is closed, keeps nothing of it, and reports nothing', async () => {
		const stopped: boolean[] = [];
		const preparing = open({
			key: 'k',
			title: 'Title',
			prepare: signal =>
				new Promise(resolve => {
					signal.addEventListener('abort', () => {
						stopped.push(true);
						resolve(undefined);
					});
				}),
		});
		const closed = new Promise<void>(resolve => panel.panel.onDidDispose(resolve));
		panel.panel.dispose();
		await closed;
		await preparing;
		assert.deepEqual([stopped, logged], [[true], []]);
	});

	it('logs that an evaluation failed, and nothing of what it was about', async () => {
		await open({ key: 'k', title: 'Title', prepare: async () => ({ ...prepared(), model: 'oracle-1.0.0' }) });
		await handle('send');
		await waitFor('the entry of the log', () => logged.length > 0);
		assert.match(logged.join(), /A decision was not evaluated/);
		assert.doesNotMatch(logged.join(), /a text of the state|All is well/);
		assert.deepEqual(runs.of('k'), []);
	});

	it('shows the request as it will be sent, in a document that only reads', async () => {
		await open({ key: 'k', title: 'all.decision.json', prepare: async () => prepared() });
		await handle('show-request');
		const document = vscode.workspace.textDocuments.find(({ uri }) => uri.path === '/Request: all.json');
		const { requests } = prepared();
		assert.deepEqual(JSON.parse(document?.getText() ?? ''), { ...requests[0], model: 'arbiter-latest' });
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('tells what will be sent where, with which model, and that its price is not known', async () => {
		await open({ key: 'k', title: 'Title', prepare: async () => prepared() });
		const { stage, sentence, opinion, sending } = view();
		assert.equal(stage, 'ready');
		assert.match(sentence, /^Nothing has been sent yet/);
		assert.match(opinion, /a model’s opinion/);
		const facts = Object.fromEntries((sending?.facts ?? []).map(({ label, text }) => [label, text]));
		assert.match(facts['To'] ?? '', /^Quillon: http:\/\/127\.0\.0\.1:\d+$/);
		assert.deepEqual([facts['Model'], facts['Questions']], ['arbiter-latest', '1 question']);
		assert.match(facts['Cost'] ?? '', /^not known: the connection lists no price/);
	});

	it('keeps what was refused so that it can be sent again with another model, and says what is wrong until then', async () => {
		const { showInputBox } = vscode.window;
		await open({ key: 'k', title: 'Title', prepare: async () => ({ ...prepared(), model: 'oracle-9.9.9' }) });
		await handle('send');
		assert.deepEqual([view().stage, view().tone], ['ready', 'bad']);
		assert.match(view().sentence, /^Quillon has no decision model “oracle-9\.9\.9”.*there is no decision model/);
		Object.assign(vscode.window, { showInputBox: async () => 'arbiter-2.6.0' });
		try {
			await handle('choose-model');
		} finally {
			Object.assign(vscode.window, { showInputBox });
		}
		await handle('send');
		assert.equal(view().stage, 'idle');
		assert.match(view().sentence, /^The answers of /);
		assert.equal(runs.of('k')[0]?.asked, 'arbiter-2.6.0');
	});

	it('sends nothing while no model is known, and takes one that the user names', async () => {
		const { showInputBox } = vscode.window;
		const without = prepared();
		const { decisionModel: _, ...connection } = without.target.connection;
		const target = { ...without.target, connection };
		await open({ key: 'k', title: 'Title', prepare: async () => ({ ...without, target }) });
		assert.match(view().sentence, /^Quillon has no decision model, so nothing can be sent yet\. Select one here/);
		assert.equal(view().sending, undefined);
		await handle('send');
		assert.equal(asked().length, 0);
		Object.assign(vscode.window, { showInputBox: async () => 'arbiter-latest' });
		try {
			await handle('choose-model');
		} finally {
			Object.assign(vscode.window, { showInputBox });
		}
		assert.match(view().sentence, /^Nothing has been sent yet/);
	});

	it('shows what is no answer as none, cut and with nothing hidden, and leaves out what was not asked', async () => {
		const noul = { type: 'noul', noul: 5, 'hidden\u202e': 'x'.repeat(1_000_000) };
		server.answer(({ path }) => path === '/typesafe/v1/systemone', {
			status: 200,
			headers: {},
			json: { model: '<b>$(flame)</b>\u202e', answers: { ok: noul, unasked: { type: 'noul', noul: 1 } } },
		});
		await open({ key: 'k', title: 'Title', prepare: async () => prepared() });
		await handle('send');
		const { result } = view();
		const [question, ...others] = result?.questions ?? [];
		assert.deepEqual([question?.answer, others], ['No answer', []]);
		assert.match(question?.notes.join() ?? '', /didn’t answer this question in the expected form/);
		const shown = JSON.stringify(result);
		assert.match(shown, /<b>\$\(flame\)<\/b>/);
		assert.doesNotMatch(shown, /500%|unasked|\p{Cf}/u);
		assert.ok(shown.length < 20_000, String(shown.length));
	});

	it('stops at the user’s word, and can be sent again', async () => {
		let answer = () => {};
		server.answer(
			({ path }) => path === '/typesafe/v1/systemone',
			() =>
				new Promise(resolve => {
					answer = () => resolve({ status: 500, headers: {} });
				}),
		);
		await open({ key: 'k', title: 'Title', prepare: async () => prepared() });
		const sending = handle('send');
		await waitFor('the request', () => asked().length === 1);
		assert.equal(view().stage, 'asking');
		await handle('stop');
		await sending;
		assert.deepEqual([view().stage, view().sentence, logged], ['ready', 'Stopped.', []]);
		answer();
	});
});
