import assert from 'node:assert/strict';
import type { DecisionView, ResultView, SendingView } from '../../src/decisions/model/protocol.ts';
import { fits, looksRight, REPORT_WIDTHS } from '../ui/pageChecks.ts';
import { ReportTestPage } from '../ui/reportTestPage.ts';
import { usePage } from '../ui/testPage.ts';

const HOSTILE = '<img src="https://evil.example/x" onerror="document.title=1"><b>bold</b>';

const SENDING: SendingView = {
	facts: [
		{ label: 'To', text: 'Quillon: https://enterprise.quillon.example' },
		{ label: 'Model', text: 'arbiter-latest' },
		{ label: 'Cost', text: 'not known: the connection lists no price for this model' },
	],
	parts: [
		{ name: 'order', label: 'written in the file', size: '31 characters' },
		{
			name: 'a-part-with-a-name-of-many-words',
			label: 'test/fixtures/a/file/with/a/long/name.json',
			size: '900,031 characters',
		},
	],
	warnings: [],
};

const RESULT: ResultView = {
	notes: ['Both results are about the same state.'],
	facts: [
		{ label: 'Model', text: 'arbiter-latest → arbiter-2.7.1' },
		{ label: 'Usage', text: '1,204 tokens in, 18 out' },
	],
	questions: [
		{
			id: 'topic',
			type: 'Which one applies?',
			instructions: 'What is state.order about?',
			answer: 'other · 75%',
			isUncertain: false,
			notes: [],
			rows: [
				{
					name: 'other',
					meaning: 'Anything else',
					share: 0.75,
					probability: '75%',
					isChosen: true,
					mark: 'chosen',
				},
				{
					name: 'delivery',
					meaning: 'When it comes',
					share: 0.25,
					probability: '25%',
					isChosen: false,
					mark: '',
				},
			],
		},
		{
			id: 'line',
			type: 'Which one applies?',
			instructions: 'Which entry of the log is to blame?',
			answer: 'No answer',
			isUncertain: true,
			notes: ['The service didn’t answer this question in the expected form. Its response is below.'],
			rows: [
				{
					name: 'Entry 12',
					meaning: 'npm test failed',
					probability: 'not provided',
					isChosen: false,
					mark: '',
					entry: 12,
				},
			],
			received: `{\n  "noul": ${'5'.repeat(300)}\n}`,
		},
	],
	legend: ['The bars are probabilities as the service gave them.'],
	run: 'second',
};

const IDLE: DecisionView = {
	title: 'all.decision.json',
	stage: 'idle',
	sentence: 'The answers of Nov 27, 2026, 9:00 PM.',
	tone: 'open',
	opinion: 'The answers are a model’s opinion.',
	result: RESULT,
	runs: [
		{ id: 'second', label: '9:00 PM · arbiter-2.7.1' },
		{ id: 'first', label: '8:00 PM · arbiter-2.6.0' },
	],
	kept: 'The last 20 results are saved on this machine.',
};

const { result: _, ...WITHOUT_RESULT } = IDLE;
const READY: DecisionView = {
	...WITHOUT_RESULT,
	stage: 'ready',
	sentence: 'Nothing has been sent yet. Review what will be sent, then send it.',
	sending: SENDING,
	runs: [],
};
const WARNED: DecisionView = {
	...READY,
	sending: { ...SENDING, warnings: ['Line 1 looks like an API key: token = "sk-…"'] },
};
const UNSET: DecisionView = {
	...WITHOUT_RESULT,
	stage: 'ready',
	sentence: 'Quillon names no decision model.',
	runs: [],
};
const PREPARING: DecisionView = { ...UNSET, stage: 'preparing', tone: 'pending', sentence: 'Reading the file.' };
const ASKING: DecisionView = { ...READY, stage: 'asking', tone: 'pending', sentence: 'Waiting for the model.' };
const REFUSED: DecisionView = {
	...READY,
	tone: 'bad',
	sentence: 'Quillon rejected the key: Unauthorized.',
	help: 'Change Key…',
};

describe('the page of a decision', () => {
	let page: ReportTestPage<DecisionView>;
	const open = usePage({ name: 'decision' }, ReportTestPage<DecisionView>, opened => {
		page = opened;
	});

	it('is accessible in every theme, wide and narrow, in each of its steps', async () => {
		await open({ width: 1000, height: 900 });
		const views = {
			preparing: PREPARING,
			unset: UNSET,
			warned: WARNED,
			asking: ASKING,
			refused: REFUSED,
			answered: IDLE,
		};
		const scenes = Object.entries(views).map(
			([name, view]) => [name, (shown: typeof page) => shown.show(view)] as const,
		);
		await looksRight(page, Object.fromEntries(scenes), REPORT_WIDTHS);
	});

	it('is worked by keyboard alone: the next step has the focus, and keeps it from one step to the other', async () => {
		await open({ width: 1000 });
		const focused = page.page.locator(':focus');
		const steps: [DecisionView, string][] = [
			[READY, 'Send and Evaluate'],
			[ASKING, 'Stop'],
			[IDLE, 'Evaluate Again'],
		];
		for (const [view, label] of steps) {
			await page.show(view);
			assert.equal((await focused.innerText()).trim(), label);
			await page.page.keyboard.press('Enter');
		}
		assert.deepEqual(await page.posted(), [
			{ kind: 'page-ready' },
			{ kind: 'send' },
			{ kind: 'stop' },
			{ kind: 'prepare' },
		]);
	});

	it('takes the focus from nothing that the reader is at', async () => {
		await open({ width: 1000 });
		await page.show(READY);
		await page.button('Show Full Request').focus();
		await page.show(WARNED);
		assert.equal((await page.page.locator(':focus').innerText()).trim(), 'Show Full Request');
	});

	it('shows what will be sent, warns of secrets on the button that sends them, and lets the model be changed', async () => {
		await open({ width: 1000 });
		await page.show(WARNED);
		assert.match(await page.page.locator('.warnings').innerText(), /Line 1 looks like an API key/);
		assert.match(await page.page.locator('table.parts').innerText(), /order\s+written in the file\s+31 characters/);
		assert.deepEqual(await page.press('Show Full Request', 'Select Another Model…', 'Send Anyway'), [
			{ kind: 'show-request' },
			{ kind: 'choose-model' },
			{ kind: 'send' },
		]);
		await page.show(ASKING);
		assert.equal(await page.button('Select Another Model…').count(), 0);
	});

	it('leads to a model where none is chosen, and offers what helps where the service refuses', async () => {
		await open({ width: 1000 });
		await page.show(UNSET);
		assert.deepEqual(await page.press('Select Decision Model…'), [{ kind: 'choose-model' }]);
		await page.show(REFUSED);
		assert.equal(await page.page.getByRole('status').innerText(), REFUSED.sentence);
		assert.deepEqual(await page.press('Change Key…', 'Send and Evaluate'), [{ kind: 'help' }, { kind: 'send' }]);
	});

	it('shows each probability as a number beside its bar, marks what was chosen, and opens an entry of a log', async () => {
		await open({ width: 1000 });
		await page.show(IDLE);
		const rows = await page.page.locator('article').first().getByRole('row').allInnerTexts();
		assert.match(rows[1] ?? '', /other\s+chosen\s+Anything else\s+75%/);
		assert.match(rows[2] ?? '', /delivery\s+When it comes\s+25%/);
		const share = page.page.locator('article').first().locator('rect.share').first();
		assert.equal(await share.getAttribute('width'), '75');
		assert.deepEqual(await page.press('Entry 12'), [{ kind: 'show-entry', entry: 12 }]);
	});

	it('shows an earlier result, and exports the one that is shown', async () => {
		await open({ width: 1000 });
		await page.show(IDLE);
		const before = (await page.posted()).length;
		await page.page.getByLabel('Result', { exact: true }).selectOption('first');
		await page.press('Export as JSON…');
		assert.deepEqual((await page.posted()).slice(before), [{ kind: 'show-run', run: 'first' }, { kind: 'export' }]);
	});

	it('shows what files and services say as text, however it is written', async () => {
		await open({ width: 280 });
		const [question = assert.fail()] = RESULT.questions;
		const [row = assert.fail()] = question.rows;
		const hostile = {
			...question,
			id: HOSTILE,
			instructions: HOSTILE,
			answer: HOSTILE,
			notes: [HOSTILE],
			received: HOSTILE.repeat(10),
			rows: [{ ...row, name: 'x'.repeat(300), meaning: HOSTILE }],
		};
		await page.show({
			...IDLE,
			title: HOSTILE,
			sentence: HOSTILE,
			sending: { facts: [], parts: [{ name: HOSTILE, label: 'y'.repeat(300), size: HOSTILE }], warnings: [HOSTILE] },
			result: { ...RESULT, notes: [HOSTILE], questions: [hostile], legend: [HOSTILE] },
		});
		assert.equal(await page.page.locator('main img, main b').count(), 0);
		assert.equal(await page.page.locator('h1').innerText(), HOSTILE);
		await fits(page, 'hostile', [280, 1000]);
	});
});
