import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { nullLogger } from '../../src/base/logger.ts';
import { ContextChips } from '../../src/chat/context/contextChips.ts';
import { fitContext, warningText } from '../../src/chat/context/fitContext.ts';
import { State } from '../support/state.ts';
import { waitFor } from '../support/waitFor.ts';
import { NOTHING } from './contextFolder.ts';
import { QuickPicks } from './quickPicks.ts';

const SMALL = { ...NOTHING, model: 'small', contextLength: 4_000 };

describe('context that is too much for the model', () => {
	const { showWarningMessage } = vscode.window;
	let picks: QuickPicks;
	let chips: ContextChips;
	let questions: string[];

	/** Answers the question with a button, or leaves it. */
	const answer = (button: string | undefined) =>
		Object.assign(vscode.window, {
			showWarningMessage: async (question: string) => {
				questions.push(question);
				return button;
			},
		});

	beforeEach(async () => {
		picks = new QuickPicks();
		questions = [];
		chips = new ContextChips(new State(), () => true, nullLogger);
		await chips.add([
			{ kind: 'text', label: 'short', text: 'a line\n' },
			{ kind: 'text', label: 'long', text: 'a line of a text that is long\n'.repeat(1_000) },
		]);
	});
	afterEach(async () => {
		Object.assign(vscode.window, { showWarningMessage });
		chips.dispose();
		await picks.stop();
	});

	it('is shortened until it fits, where the user chooses what, the longest being ticked', async () => {
		answer('Select What to Shorten');
		const fitted = fitContext(chips, SMALL, () => {});
		await waitFor('the list', () => picks.last);
		await picks.editorHasCaughtUp();
		assert.deepEqual(
			picks.last?.selectedItems.map(({ label }) => label),
			['long'],
		);
		await waitFor('the list to be accepted', async () => {
			await picks.accept();
			return warningText(chips.chips, SMALL) === undefined;
		});
		assert.equal(await fitted, undefined);
		assert.deepEqual(questions.length, 1);
		assert.match(questions[0] ?? '', /^About [\d,]+ tokens too many for small\.$/);
		const [short, long] = chips.chips;
		assert.equal(short?.limit, undefined);
		assert.ok((long?.limit ?? Number.POSITIVE_INFINITY) < 11_000);
	});

	it('is sent as it is, or not at all, as the user says', async () => {
		answer('Send Anyway');
		assert.equal(await fitContext(chips, SMALL, () => {}), undefined);
		answer(undefined);
		const problem = await fitContext(chips, SMALL, () => {});
		assert.equal(problem?.message, 'Not sent: the message is too long for small.');
		assert.deepEqual(
			chips.chips.map(({ limit }) => limit),
			[undefined, undefined],
		);
	});

	it('is not asked about where it fits', async () => {
		answer(undefined);
		assert.equal(await fitContext(chips, { ...SMALL, contextLength: 100_000 }, () => assert.fail()), undefined);
		assert.deepEqual(questions, []);
	});
});
