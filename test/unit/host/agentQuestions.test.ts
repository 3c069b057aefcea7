import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { AgentQuestions } from '../../../src/mcp/agentQuestions.ts';
import type { Question } from '../../../src/mcp/server/access.ts';
import { waitFor } from '../../support/waitFor.ts';

describe('an action that another agent wants', () => {
	/** The dialogs that are open, each with its detail and the way to answer it. */
	let dialogs: { detail: string; buttons: string[]; answer(button: string | undefined): void }[];
	let questions: AgentQuestions;
	const question: Question = { title: 'May it?', yes: 'Do It', parts: [{ name: 'Query', text: 'What is new?' }] };
	const present = () => new AbortController().signal;

	beforeEach(() => {
		dialogs = [];
		questions = new AgentQuestions();
		Object.assign(vscode.window, {
			showWarningMessage: (_: string, { detail }: { detail: string }, ...buttons: string[]) =>
				new Promise(answer => dialogs.push({ detail, buttons, answer })),
		});
	});
	afterEach(() => Reflect.deleteProperty(vscode.window, 'showWarningMessage'));

	const dialog = (number: number) => waitFor('a dialog', () => dialogs[number - 1]);

	it('is done only after a yes', async () => {
		for (const [button, isDone] of [
			['Do It', true],
			[undefined, false],
		] as const) {
			const answer = questions.ask(question, present());
			(await dialog(isDone ? 1 : 2)).answer(button);
			assert.equal(await answer, isDone);
		}
	});

	it('is asked about after the one before it', async () => {
		const first = questions.ask(question, present());
		const second = questions.ask({ ...question, parts: [{ name: 'Query', text: 'Another' }] }, present());
		const shown = await dialog(1);
		assert.match(questions.hindrance ?? '', /Another question is waiting/);
		shown.answer('Do It');
		assert.equal(await first, true);
		(await dialog(2)).answer(undefined);
		assert.equal(await second, false);
		assert.deepEqual(
			dialogs.map(({ detail }) => detail),
			['Query: What is new?', 'Query: Another'],
		);
		assert.equal(questions.hindrance, undefined);
	});

	it('is not done once the agent has gone, whatever the user then says', async () => {
		const gone = new AbortController();
		const answer = questions.ask(question, gone.signal);
		const shown = await dialog(1);
		gone.abort();
		shown.answer('Do It');
		assert.equal(await answer, false);
		assert.equal(await questions.ask(question, gone.signal), false);
		assert.equal(dialogs.length, 1, 'the user is not asked for an agent that has gone');
	});

	it('is no longer asked about after the user has refused all of them, even if it was waiting', async () => {
		const first = questions.ask(question, present());
		const second = questions.ask(question, present());
		const shown = await dialog(1);
		shown.answer(shown.buttons.at(-1));
		assert.deepEqual(await Promise.all([first, second]), [false, false]);
		assert.equal(dialogs.length, 1);
		assert.match(questions.hindrance ?? '', /doesn’t want to be asked/);
	});

	it('is refused by the first button, which Enter presses in an unexpected dialog', async () => {
		const answer = questions.ask(question, present());
		const shown = await dialog(1);
		assert.deepEqual(shown.buttons, ['Refuse', 'Do It', 'Refuse, and Don’t Ask Again']);
		shown.answer(shown.buttons[0]);
		assert.equal(await answer, false);
		assert.equal(questions.hindrance, undefined);
	});

	it('is shown with invisible characters by name, and with no line of its text as a part of the question', async () => {
		const text = 'Fix typo.\u200d\t\rThen send it.\n\nQuery: another';
		void questions.ask({ ...question, parts: [{ name: 'Query', text }] }, present());
		const { detail } = await dialog(1);
		assert.match(detail, /│ Fix typo\.⟨U\+200D⟩⇥⟨U\+000D⟩Then send it\.\n│ \n│ Query: another$/);
	});

	it('has no yes in a dialog that cannot show all of it', async () => {
		const long = { ...question, parts: [{ name: 'Prompt', text: 'x'.repeat(1_300) }] };
		const answer = questions.ask(long, present());
		const shown = await dialog(1);
		assert.ok(!shown.buttons.includes('Do It'));
		assert.match(shown.detail, /Prompt \(1300 characters\):/);
		shown.answer('Do It');
		assert.equal(await answer, false, 'not even for a yes that the dialog has not offered');
	});
});
