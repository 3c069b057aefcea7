import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { QuestionDiffs } from '../../src/chat/agent/questionDiffs.ts';
import type { AgentStep, AgentWork, Approval } from '../../src/chat/model/agentWork.ts';
import type { Conversation } from '../../src/chat/model/conversation.ts';
import { internalCommands, QUESTION_SCHEME, STEP_SCHEME } from '../../src/platform/ids.ts';
import { waitFor } from '../support/waitFor.ts';

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const AFTER = '1\ntwo\nthree\n4\nfive\n';
const WITHOUT_FIRST = 'one\ntwo\nthree\n4\nfive\n';

describe('a change that an agent asks about, in the diff editor', () => {
	let diffs: QuestionDiffs;
	let told: unknown[][];

	beforeEach(() => {
		told = [];
		diffs = new QuestionDiffs(async () => ({
			answer: (...answered) => void told.push(answered),
			refuseHunk: (...refused) => void told.push(refused),
		}));
	});
	afterEach(async () => {
		diffs.dispose();
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	const stepOf = (approval: Approval | undefined, after = AFTER): AgentStep => ({
		id: 'step',
		offset: 0,
		kind: 'edit',
		state: 'running',
		title: 'Edit notes.txt',
		diffs: [{ path: 'notes.txt', before: BEFORE, after }],
		startedAt: 0,
		...(approval ? { approval } : {}),
	});
	const waiting = (question = 'first'): Approval => ({ state: 'waiting', question, isWritten: true });
	const conversationOf = (step: AgentStep, turn = 'turn') => {
		const work = { steps: [step], checkpoints: [] } as unknown as AgentWork;
		const reply = { state: 'streaming', startedAt: 0, text: '', work };
		return { turns: [{ id: turn, askedAt: 0, question: '', replies: [reply] }] } as unknown as Conversation;
	};
	const rightSides = () =>
		vscode.window.tabGroups.all
			.flatMap(group => group.tabs)
			.flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input.modified] : []));
	const asked = () =>
		waitFor('the comparison', () => rightSides().find(({ scheme, path }) => scheme === QUESTION_SCHEME && path));
	const textOf = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();
	const lensesOf = async (uri: vscode.Uri) =>
		(await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri)).map(
			({ range, command }) => ({ line: range.start.line, title: command?.title, command }),
		);
	const wordsOf = async (uri: vscode.Uri) => (await lensesOf(uri)).map(({ line, title }) => `${line} ${title}`);

	it('has its answers at each hunk, and a hunk that is refused goes from it', async () => {
		await diffs.open('turn', stepOf(waiting()), 0);
		const uri = await asked();
		assert.equal(await textOf(uri), AFTER);
		assert.deepEqual(await wordsOf(uri), [
			'0 Allow Whole Change Once',
			'0 Reject This Hunk',
			'0 No',
			'3 Allow Whole Change Once',
			'3 Reject This Hunk',
			'3 No',
		]);
		const [, refuse] = await lensesOf(uri);
		assert.equal(refuse?.command?.command, internalCommands.refuseHunk);
		await diffs.refuseHunk(refuse?.command?.arguments ?? []);
		assert.deepEqual(told, [['turn', 'first', 0, 0]]);
		await diffs.changed(conversationOf(stepOf(waiting('second'), WITHOUT_FIRST)));
		await waitFor('the rest is shown', async () => (await textOf(uri)) === WITHOUT_FIRST);
		assert.deepEqual(await wordsOf(uri), ['3 Allow Once', '3 No']);
		await diffs.refuseHunk(refuse?.command?.arguments ?? []);
		await diffs.refuseHunk(['other', 'second', 0]);
		assert.equal(told.length, 1, 'a press for what was shown before refuses nothing');
	});

	it('has no hunk that can be refused where the user’s files do not get exactly what is shown', async () => {
		await diffs.open('turn', stepOf({ state: 'waiting', question: 'first' }), 0);
		assert.deepEqual(await wordsOf(await asked()), ['0 Allow Once', '0 No', '3 Allow Once', '3 No']);
	});

	it('is answered from the title, and from nowhere else', async () => {
		await diffs.open('turn', stepOf(waiting()), 0);
		const uri = await asked();
		assert.equal(await diffs.answer(uri, 'once'), true);
		assert.equal(await diffs.answer(undefined, 'no'), true);
		assert.equal(await diffs.answer(uri.with({ query: 'other' }), 'once'), true);
		assert.deepEqual(told, [
			['turn', 'first', 'once'],
			['turn', 'first', 'no'],
		]);
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		assert.equal(await diffs.answer(undefined, 'once'), false);
		assert.equal(told.length, 2);
	});

	it('is closed once it is answered, wherever that was, and by nothing in another conversation', async () => {
		for (const approval of [{ state: 'once' }, { state: 'no' }, { state: 'unanswered' }] as const) {
			await diffs.open('turn', stepOf(waiting()), 0);
			await asked();
			await diffs.changed(conversationOf(stepOf(approval), 'other'));
			await diffs.changed(conversationOf(stepOf(waiting())));
			assert.equal(rightSides().length, 1);
			await diffs.changed(conversationOf(stepOf(approval)));
			await waitFor('no comparison', () => rightSides().length === 0);
			assert.deepEqual(told, []);
		}
	});

	it('is opened once, however often it is asked for', async () => {
		await diffs.open('turn', stepOf(waiting()), 0);
		const uri = await asked();
		await diffs.open('turn', stepOf(waiting()), 0);
		assert.deepEqual(rightSides().map(String), [String(uri)]);
	});

	it('has nothing to answer after the answer', async () => {
		await diffs.open('turn', stepOf({ state: 'once' }), 0);
		const uri = await waitFor('the comparison', () => rightSides()[0]);
		assert.equal(uri.scheme, STEP_SCHEME);
		assert.deepEqual(await lensesOf(uri), []);
		assert.equal(await diffs.answer(undefined, 'once'), false);
	});
});
