import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { readSource } from '../../src/chat/context/readSource.ts';
import type { ContextSource } from '../../src/chat/model/contextSource.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import { fileSubject } from '../../src/decisions/fileSubject.ts';
import { chooseDecision } from '../../src/decisions/newDecision.ts';
import type { SubjectMaterial } from '../../src/decisions/subject.ts';
import { CHANGE_SCHEME } from '../../src/platform/ids.ts';
import type { TaskFacts } from '../../src/tasks/api.ts';
import { waitFor } from '../support/waitFor.ts';
import { QuickPicks } from './quickPicks.ts';

const questions = {
	ok: { type: 'noul', instructions: 'All is well.', criteria: { true: 'It is', false: 'It is not' } },
};

describe('decision files in the editor', () => {
	const root = () => vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail('no folder is open');
	const place = (name: string) => vscode.Uri.joinPath(root(), name);
	const written: string[] = [];
	const write = async (name: string, content: unknown) => {
		written.push(name);
		const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
		await writeFile(place(name).fsPath, text);
		return place(name);
	};
	const connection = {
		name: 'acme',
		...connectionSchema.parse({ apiUrl: 'https://api.example', service: 'acme', decisionModel: 'decider' }),
	};
	/** Tasks are told by fields, because there is no service here; everything else is the editor's. */
	const material = {
		active: async () => ({ client: undefined, connection, label: 'Acme', isLocal: false }),
		async readContext(source: ContextSource) {
			const { attachment, findings } = await readSource(source);
			return { label: attachment.label, text: attachment.text, warnings: findings.map(({ kind }) => kind) };
		},
		tasks: {
			choose: async (id: string | undefined) => ({ id: id ?? 'chosen', title: 'A task', prompt: 'Do it' }),
			readLog: async (id: string) => [{ index: 7, text: `failed in ${id}`, isProblem: true }],
			readChanges: async () => ({ name: 'branch', text: 'a diff', isCut: false }),
		},
	};
	const prepare = (uri: vscode.Uri) =>
		fileSubject(uri, material as unknown as SubjectMaterial).prepare(new AbortController().signal);
	const stateOf = async (name: string, content: object) =>
		(await prepare(await write(name, { ...content, questions })))?.requests[0]?.state;

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		await Promise.all(written.splice(0).map(name => rm(place(name).fsPath, { force: true })));
	});

	it('have a code lens, completion, explanations and the findings of their schema', async () => {
		const text = JSON.stringify({ state: {}, questions: { ok: { type: 'noul', instructions: '' } } });
		const uri = await write('lens.decision.json', text);
		const document = await vscode.workspace.openTextDocument(uri);
		await vscode.window.showTextDocument(document);
		const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
		assert.deepEqual(
			lenses.map(({ command }) => [command?.command, String(command?.arguments?.[0])]),
			[['errand.evaluateDecision', uri.toString()]],
		);
		const findings = () => vscode.languages.getDiagnostics(uri).map(({ message }) => message);
		await waitFor('the findings of the schema', () => findings().length > 0);
		assert.match(findings().join(), /Missing property "criteria"/);
		assert.match(findings().join(), /shorter than the minimum length of 1/);
		const at = document.positionAt(text.indexOf('"noul"') + 2);
		const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, at);
		const said = hovers.flatMap(({ contents }) => contents.map(part => (typeof part === 'string' ? part : part.value)));
		assert.match(said.join(), /is this statement true/);
		const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
			'vscode.executeCompletionItemProvider',
			uri,
			document.positionAt(1),
		);
		const labels = items.map(({ label }) => (typeof label === 'string' ? label : label.label));
		assert.ok(labels.includes('sources') && labels.includes('model'), labels.join());
	});

	it('begin with what fits the task, the comparison or the changed file of a menu', async () => {
		const facts = (fits: Partial<TaskFacts>) => ({
			choose: async () => ({
				...{ id: 'it', title: 'It', prompt: 'Do it', status: 'failed', error: undefined },
				...{ hasFailed: false, isRace: false, hasChanges: false },
				...fits,
			}),
		});
		const picks = new QuickPicks();
		try {
			const row = { taskId: 'it' };
			assert.equal(await chooseDecision(row, facts({ hasFailed: true })), 'why-failed');
			await assert.rejects(chooseDecision(row, facts({})), /hasn’t failed, and has no changes/);
			const both = chooseDecision(row, facts({ isRace: true, hasChanges: true }));
			await picks.pick('Is It Ready?');
			assert.equal(await both, 'is-ready');
			assert.equal(picks.rows().length, 2);
			const change = vscode.Uri.from({ scheme: CHANGE_SCHEME, path: '/a' });
			assert.equal(await chooseDecision(change, facts({})), 'is-ready');
			assert.equal(await chooseDecision({ title: 'Two', contenders: [] }, facts({})), 'which-better');
			const all = chooseDecision(undefined, facts({}));
			await picks.pick('Classify a Diff');
			assert.equal(await all, 'new-file');
		} finally {
			await picks.stop();
		}
	});

	it('send what they say, and nothing of where it comes from', async () => {
		const uri = await write('plain.decision.json', { state: { a: 1 }, model: 'mine-1.0.0', questions });
		const prepared = await prepare(uri);
		assert.deepEqual(prepared?.requests, [{ state: { a: 1 }, questions }]);
		assert.equal(prepared?.model, 'mine-1.0.0');
		assert.deepEqual(
			prepared?.parts.map(({ name }) => name),
			['state'],
		);
	});

	it('read a file, the uncommitted changes, a selection and problems', async () => {
		await write('source.txt', 'first\nsecond\n');
		execFileSync('git', ['-C', root().fsPath, 'add', '--intent-to-add', 'source.txt']);
		const problems = vscode.languages.createDiagnosticCollection('test');
		problems.set(place('source.txt'), [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 5), 'It is broken')]);
		const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(place('source.txt')));
		editor.selection = new vscode.Selection(1, 0, 1, 6);
		try {
			const state = await stateOf('all.decision.json', {
				sources: {
					file: { from: 'file', path: 'source.txt' },
					diff: { from: 'diff' },
					chosen: { from: 'selection' },
					problems: { from: 'problems', path: 'source.txt' },
				},
			});
			assert.equal(state?.['file'], 'first\nsecond\n');
			assert.match(String(state?.['diff']), /source\.txt/);
			assert.equal(state?.['chosen'], 'second');
			assert.match(String(state?.['problems']), /source\.txt:1:1 error: It is broken/);
		} finally {
			problems.dispose();
			execFileSync('git', ['-C', root().fsPath, 'reset', '--quiet', 'source.txt']);
		}
	});

	it('read prompt, log and changes of the task that they name, or of one that is asked for once', async () => {
		const sources = { prompt: { from: 'task-prompt' }, log: { from: 'task-log' }, changes: { from: 'task-changes' } };
		assert.deepEqual(await stateOf('task.decision.json', { state: { more: true }, sources }), {
			more: true,
			prompt: 'Do it',
			log: '7: failed in chosen',
			changes: 'a diff',
		});
		const named = { log: { from: 'task-log', task: 't1' } };
		assert.deepEqual(await stateOf('named.decision.json', { sources: named }), { log: '7: failed in t1' });
	});

	it('tell of secrets before anything is sent', async () => {
		await write('secret.txt', 'password = "a1b2c3d4e5f6g7"\n');
		const uri = await write('warn.decision.json', {
			sources: { file: { from: 'file', path: 'secret.txt' } },
			questions,
		});
		assert.deepEqual((await prepare(uri))?.warnings, ['secret.txt: name', 'secret.txt: password']);
	});

	it('name no file outside of their workspace', async () => {
		for (const path of ['../outside.txt', '/etc/hostname', 'a/../../outside.txt', 'C:\\secret.txt', '.']) {
			const uri = await write('outside.decision.json', { sources: { file: { from: 'file', path } }, questions });
			const document = await vscode.workspace.openTextDocument(uri);
			await waitFor('the editor has the new text', () => document.getText().includes(JSON.stringify(path)));
			await assert.rejects(prepare(uri), /isn’t a path in the open folder/, path);
		}
	});

	it('follow no link out of their workspace, and read no device, no pipe and nothing huge', async () => {
		const outside = await mkdtemp(path.join(os.tmpdir(), 'errand-outside-'));
		const made = ['link.txt', 'zero', 'folder-link', 'pipe', 'huge.txt', 'inside.txt'];
		const fails = async (name: string, message: RegExp) => {
			const uri = await write(`${name.replace('/', '-')}.decision.json`, {
				sources: { file: { from: 'file', path: name } },
				questions,
			});
			await assert.rejects(prepare(uri), message, name);
		};
		try {
			await writeFile(path.join(outside, 'secret.txt'), 'secret');
			await symlink(path.join(outside, 'secret.txt'), place('link.txt').fsPath);
			await symlink(outside, place('folder-link').fsPath);
			await symlink('/dev/zero', place('zero').fsPath);
			await symlink('real.txt', place('inside.txt').fsPath);
			execFileSync('mkfifo', [place('pipe').fsPath]);
			await write('real.txt', 'as it should be');
			await writeFile(place('huge.txt').fsPath, '');
			await truncate(place('huge.txt').fsPath, 1024 ** 3);
			await fails('link.txt', /is a link that leads out of the open folder/);
			await fails('folder-link/secret.txt', /is a link that leads out of the open folder/);
			await fails('zero', /is a link that leads out of the open folder/);
			await fails('pipe', /is a device/);
			await fails('huge.txt', /is larger than 1 MB/);
			const sources = { file: { from: 'file', path: 'inside.txt' } };
			assert.deepEqual(await stateOf('inside.decision.json', { sources }), { file: 'as it should be' });
		} finally {
			await Promise.all(made.map(name => rm(place(name).fsPath, { force: true })));
			await rm(outside, { recursive: true });
		}
	});

	it('that are too long or too deep are refused', async () => {
		const deep = `{"state":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}},"questions":{}}`;
		for (const [name, text, message] of [
			['deep.decision.json', deep, /is nested too deeply/],
			['long.decision.json', JSON.stringify({ state: { a: 'x'.repeat(5_000_000) } }), /is longer than 1,000,000/],
		] as const) {
			const uri = await write(name, text);
			await vscode.workspace.openTextDocument(uri);
			await assert.rejects(prepare(uri), message);
		}
	});

	const fails = async (name: string, content: unknown, message: RegExp) =>
		assert.rejects(prepare(await write(name, content)), message);

	it('say what is missing: a selection, a file, valid JSON, a state', async () => {
		await fails(
			'1.decision.json',
			{ sources: { a: { from: 'selection' } }, questions },
			/No other visible editor has a/,
		);
		await fails(
			'2.decision.json',
			{ sources: { a: { from: 'file', path: 'gone.txt' } }, questions },
			/Couldn’t read .*gone\.txt/,
		);
		await fails('3.decision.json', '{', /^UserFacingError: The file isn’t valid JSON\./);
		await fails('4.decision.json', { questions }, /The questions have no subject/);
	});

	it('say in which field something is wrong, before any source is read', async () => {
		const sources = { a: { from: 'file', path: 'gone.txt' } };
		const of = (instructions: string) => ({ sources, questions: { ok: { ...questions.ok, instructions } } });
		await fails('5.decision.json', { sources, questions: { ...questions, x: {} } }, /“questions\.x\.type”/);
		await fails('6.decision.json', { state: { a: 1 }, sources, questions }, /“sources\.a” is also in the state/);
		await fails('7.decision.json', of(' '), /“questions\.ok\.instructions” is empty/);
		await fails('8.decision.json', of('Is state.b so?'), /“questions\.ok\.instructions” refers to “state\.b”/);
		const reserved = JSON.stringify({ state: {}, questions: { reserved: {}, ...questions } });
		await fails('9.decision.json', reserved.replace('reserved', '__proto__'), /“questions\.__proto__” can’t be sent/);
	});
});
