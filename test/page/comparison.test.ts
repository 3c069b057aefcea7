import assert from 'node:assert/strict';
import type { ComparisonView, FileView, PartView } from '../../src/tasks/model/comparisonProtocol.ts';
import { fits, looksRight, REPORT_WIDTHS } from '../ui/pageChecks.ts';
import { ReportTestPage } from '../ui/reportTestPage.ts';
import { usePage } from '../ui/testPage.ts';

const HOSTILE = '<img src="https://evil.example/x" onerror="document.title=1">';

const own = (text: string) => ({ text, isOwn: true });
const other = (text: string) => ({ text, isOwn: false });
const file = (path: string, ...cells: FileView['cells']): FileView => ({
	path,
	label: path,
	canCompare: cells.every(({ isOwn }) => isOwn),
	cells,
});

const RACE: ComparisonView = {
	title: 'Fix the flaky upload test',
	sentence: '2 of 3 files differ.',
	tone: 'open',
	agents: [
		{ name: 'errand', changes: '+12 −3 in 2 files', hasChanges: true },
		{ name: 'opencode', changes: '+48 −9 in 3 files', hasChanges: true },
	],
	facts: [
		{ label: 'Model', texts: ['large-model', 'other-model-of-a-rather-long-name-2026-11'] },
		{ label: 'State', texts: ['completed', 'completed'] },
		{ label: 'Tests', texts: ['tests passed when the service ran them', 'tests failed when the service ran them'] },
		{ label: 'Time', texts: ['42 s', '4 min'] },
		{ label: 'Cost', texts: ['1,200 tokens in, 640 out, $0.02', '48,120 tokens in, 2,310 out, $0.31'] },
		{ label: 'Branch', texts: ['errand/fix-the-flaky-upload-test', 'errand/fix-the-flaky-upload-test-2'] },
	],
	sections: [
		{ heading: 'Changed in different ways (1)', files: [file('src/upload.ts', own('+10 −3'), own('+44 −9'))] },
		{
			heading: 'Changed by only one (1)',
			files: [
				file(
					'test/integration/uploads/a-file-with-a-long-name/resumable.test.ts',
					other('not changed'),
					own('+2 · added'),
				),
			],
		},
		{ heading: 'Changed the same way by all (1)', files: [file('README.md', own('+2'), other('same as errand'))] },
	],
	filesLeft: 0,
	canCompose: true,
};

const part = (id: string, text: string, origins: string, more: Partial<PartView> = {}): PartView => ({
	...{ part: id, text, origins, isChosen: false, excludes: '', removed: [], added: [] },
	...more,
});

const COMPOSING: ComparisonView = {
	...RACE,
	composing: {
		sentence: '2 of 5 changes selected, by errand, opencode.',
		isBad: false,
		canMake: true,
		agents: [
			{ agent: 0, name: 'errand' },
			{ agent: 1, name: 'opencode' },
		],
		files: [
			{
				label: 'README.md',
				parts: [
					part('a', 'After line 12', 'errand, opencode', {
						isChosen: true,
						added: ['', 'Uploads go on where they were cut off.'],
					}),
				],
			},
			{
				label: 'src/upload.ts',
				parts: [
					part('b', 'Lines 3–5', 'errand', {
						isChosen: true,
						excludes: 'Conflicts with opencode (Line 4). Only one can be taken.',
						removed: ['const limit = 3;', 'let tries = 0;', 'while (tries < limit) {'],
						added: ['for (let tries = 0; tries < LIMIT; tries++) {'],
					}),
					part('c', 'Line 4', 'opencode', {
						excludes: 'Conflicts with errand (Lines 3–5). Only one can be taken.',
						removed: ['let tries = 0;'],
						added: ['let tries = 1;', `// ${'a-very-long-word'.repeat(20)}`],
					}),
					part('d', 'Lines 80–82', 'opencode', { removed: ['a', 'b', '… 12 more'] }),
				],
			},
			{
				label: 'test/integration/uploads/a-file-with-a-long-name/resumable.test.ts',
				parts: [part('e', 'Whole file: added', 'opencode')],
			},
		],
		partsLeft: 7,
	},
};

const MANY: ComparisonView = {
	...RACE,
	sentence: '1 of 201 files differ. Still running: agent-8. This page updates automatically.',
	tone: 'pending',
	agents: Array.from({ length: 8 }, (_, at) => {
		const hasChanges = at < 7;
		return { name: `agent-${at + 1}`, changes: hasChanges ? '+12 −3 in 2 files' : 'not known yet', hasChanges };
	}),
	facts: RACE.facts.map(({ label, texts }) => ({
		label,
		texts: Array.from({ length: 8 }, (_, at) => texts[at % 2] ?? ''),
	})),
	sections: [
		{
			heading: 'Changed in different ways (1)',
			files: [file('src/upload.ts', ...Array.from({ length: 8 }, (_, at) => own(`+${at} −3`)))],
		},
	],
	filesLeft: 200,
};

const GONE: ComparisonView = {
	...{
		title: 'Fix the flaky upload test',
		tone: 'bad',
		agents: [],
		facts: [],
		sections: [],
		filesLeft: 0,
		canCompose: false,
	},
	sentence: 'Acme has no such task any more.',
};

describe('the page of a comparison', () => {
	let page: ReportTestPage<ComparisonView>;
	const open = usePage({ name: 'comparison' }, ReportTestPage<ComparisonView>, opened => {
		page = opened;
	});

	it('is accessible in every theme, with nothing wider than the tab, in a stack where that is narrow', async () => {
		await open({ width: 1000, height: 900 });
		const { composing = assert.fail() } = COMPOSING;
		const stuck = { ...composing, sentence: 'Select a change first.', isBad: true, canMake: false };
		const views = {
			...{ reading: { ...GONE, sentence: 'Reading the results…', tone: 'pending' as const }, gone: GONE },
			...{ race: RACE, many: MANY, composing: COMPOSING, stuck: { ...COMPOSING, composing: stuck } },
		};
		const scenes = Object.entries(views).map(
			([name, view]) => [name, (shown: typeof page) => shown.show(view)] as const,
		);
		await looksRight(page, Object.fromEntries(scenes), REPORT_WIDTHS);
	});

	it('has a column for each agent, and in a narrow tab a line with its name', async () => {
		await open({ width: 1000 });
		await page.show(RACE);
		const cells = page.page.getByRole('row').filter({ hasText: 'Cost' }).getByRole('cell');
		const places = async () =>
			Promise.all((await cells.all()).map(async cell => (await cell.boundingBox()) ?? assert.fail()));
		const [left, right] = await places();
		assert.ok(left && right && left.y === right.y && left.x + left.width <= right.x);
		await page.page.setViewportSize({ width: 280, height: 900 });
		const [above, below] = await places();
		assert.ok(above && below && above.x === below.x && above.y + above.height <= below.y);
		assert.match(await cells.last().innerText(), /^opencode\s+48,120 tokens in/);
	});

	it('asks for what each button says, of the agent and the file that it stands by', async () => {
		await open({ width: 1000 });
		await page.show({ ...RACE, filesLeft: 7 });
		assert.deepEqual(
			await page.press(
				'Compare errand with opencode',
				'Which Is Better?',
				'Refresh',
				'Review opencode',
				'Apply… errand',
				'src/upload.ts',
				'+44 −9',
				'Apply… src/upload.ts of errand',
				'README.md',
				'Show More Files (7 left)',
			),
			[
				{ kind: 'show-differences' },
				{ kind: 'judge' },
				{ kind: 'read-again' },
				{ kind: 'review', agent: 1 },
				{ kind: 'apply', agent: 0 },
				{ kind: 'show-file', path: 'src/upload.ts' },
				{ kind: 'show-file', agent: 1, path: 'src/upload.ts' },
				{ kind: 'apply', agent: 0, path: 'src/upload.ts' },
				{ kind: 'show-file', agent: 0, path: 'README.md' },
				{ kind: 'show-more' },
			],
		);
	});

	it('offers an agent without changes nothing, and a choice of two where there are more', async () => {
		await open({ width: 1000 });
		await page.show(MANY);
		assert.equal(await page.button('Review agent-7').count(), 1);
		assert.equal(await page.button('Review agent-8').count(), 0);
		assert.deepEqual(await page.press('Compare Two…'), [{ kind: 'show-differences' }]);
		await page.show(GONE);
		assert.equal(await page.page.getByRole('status').innerText(), GONE.sentence);
		assert.deepEqual(await page.page.getByRole('button').allInnerTexts(), ['Refresh']);
	});

	it('is worked by keyboard in the order in which it is read, and keeps the focus when it is drawn anew', async () => {
		await open({ width: 1000 });
		await page.show(RACE);
		const { keyboard } = page.page;
		const names: (string | null)[] = [];
		const focused = page.page.locator(':focus');
		do {
			await keyboard.press('Tab');
			names.push((await focused.getAttribute('aria-label')) ?? (await focused.innerText()).trim());
		} while (names.at(-1) !== '+44 −9');
		assert.deepEqual(names, [
			...['Compare errand with opencode', 'Which Is Better?', 'Compose…', 'Refresh', 'Results by agent'],
			...['Review errand', 'Apply… errand', 'Review opencode', 'Apply… opencode'],
			...['src/upload.ts', '+10 −3', 'Apply… src/upload.ts of errand', '+44 −9'],
		]);
		await page.show({ ...RACE, sentence: '2 of 2 files differ.', tone: 'pending' });
		assert.equal((await focused.innerText()).trim(), '+44 −9');
		await keyboard.press('Enter');
		assert.deepEqual((await page.posted()).at(-1), { kind: 'show-file', agent: 1, path: 'src/upload.ts' });
	});

	it('has each change with its origin, and sends what is chosen of them by keyboard', async () => {
		await open({ width: 1000 });
		await page.show(COMPOSING);
		const { keyboard } = page.page;
		assert.equal(await page.button('Compose…').getAttribute('aria-expanded'), 'true');
		const upload = page.page.getByRole('group', { name: 'src/upload.ts' });
		const first = upload.getByRole('checkbox', { name: 'Lines 3–5 · errand' });
		assert.equal(await first.isChecked(), true);
		assert.deepEqual(
			await upload
				.getByRole('checkbox')
				.evaluateAll(boxes => boxes.map(box => box.ariaDescribedByElements?.[0]?.textContent ?? '')),
			[
				'Conflicts with opencode (Line 4). Only one can be taken.',
				'Conflicts with errand (Lines 3–5). Only one can be taken.',
				'',
			],
		);
		await first.focus();
		await keyboard.press('Tab');
		await keyboard.press('Space');
		assert.deepEqual((await page.posted()).at(-1), { kind: 'choose', part: 'c', isTaken: true });
		assert.deepEqual(
			await page.press('Take All of opencode', 'Take None', 'Show More Changes (7 left)', 'Compose', 'Compose…'),
			[
				{ kind: 'choose-all', agent: 1 },
				{ kind: 'choose-all' },
				{ kind: 'show-more-parts' },
				{ kind: 'make' },
				{ kind: 'compose' },
			],
		);
		const { composing = assert.fail() } = COMPOSING;
		await page.show({ ...COMPOSING, composing: { ...composing, canMake: false } });
		const before = (await page.posted()).length;
		await page.button('Compose').focus();
		await keyboard.press('Enter');
		assert.equal((await page.posted()).length, before);
		assert.equal(await page.button('Compose').getAttribute('aria-disabled'), 'true');
		await page.show({ ...RACE, canCompose: false });
		assert.equal(await page.button('Compose…').count(), 0);
	});

	it('shows what agents and files are called as text, however it is written', async () => {
		await open({ width: 280 });
		const agents = [HOSTILE, 'x'.repeat(200)].map(name => ({ name, changes: HOSTILE, hasChanges: true }));
		const sections = [{ heading: HOSTILE, files: [file(HOSTILE, own(HOSTILE), own('+1 −1'))] }];
		const facts = [{ label: 'Model', texts: [HOSTILE, 'y'.repeat(300)] }];
		const parts = [part('x', HOSTILE, HOSTILE, { excludes: HOSTILE, removed: [HOSTILE], added: ['z'.repeat(300)] })];
		const composing = {
			...{ sentence: HOSTILE, isBad: true, canMake: false, partsLeft: 0 },
			...{ agents: [{ agent: 0, name: HOSTILE }], files: [{ label: HOSTILE, parts }] },
		};
		await page.show({ ...RACE, title: HOSTILE, sentence: HOSTILE, agents, facts, sections, composing });
		assert.equal(await page.page.locator('img').count(), 0);
		assert.equal(await page.page.locator('h1').innerText(), HOSTILE);
		await fits(page, 'hostile', [280, 1000]);
	});

	it('gives the editor what it needs to show the comparison again', async () => {
		await open();
		const state = { title: 'Race', contenders: [] };
		await page.show(RACE, state);
		assert.deepEqual(await page.page.evaluate(() => window.savedState), state);
	});

	it('draws 200 files of eight agents in little time', async () => {
		await open({ width: 1000 });
		const files = Array.from({ length: 200 }, (_, at) =>
			file(`src/${at}.ts`, ...Array.from({ length: 8 }, () => own('+1 −1'))),
		);
		const view = { ...MANY, sections: [{ heading: 'All', files }] };
		const started = Date.now();
		await page.show(view);
		assert.equal(await page.page.locator('.files tr').count(), 201);
		assert.ok(Date.now() - started < 20_000);
	});
});
