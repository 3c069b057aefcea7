import assert from 'node:assert/strict';
import type { ComparisonView, FileView } from '../../src/tasks/model/comparisonProtocol.ts';
import { fits, looksRight } from '../ui/pageChecks.ts';
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
	...{ title: 'Fix the flaky upload test', tone: 'bad', agents: [], facts: [], sections: [], filesLeft: 0 },
	sentence: 'Acme has no such task any more.',
};

describe('the page of a comparison', () => {
	let page: ReportTestPage<ComparisonView>;
	const open = usePage({ name: 'comparison' }, ReportTestPage<ComparisonView>, opened => {
		page = opened;
	});

	it('is accessible in every theme, with nothing wider than the tab, in a stack where that is narrow', async () => {
		await open({ width: 1000, height: 900 });
		const scenes = Object.entries({ race: RACE, many: MANY, gone: GONE }).map(
			([name, view]) => [name, (shown: typeof page) => shown.show(view)] as const,
		);
		await looksRight(page, Object.fromEntries(scenes), [280, 1000]);
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
			...['Compare errand with opencode', 'Which Is Better?', 'Refresh', 'Results by agent'],
			...['Review errand', 'Apply… errand', 'Review opencode', 'Apply… opencode'],
			...['src/upload.ts', '+10 −3', 'Apply… src/upload.ts of errand', '+44 −9'],
		]);
		await page.show({ ...RACE, sentence: '2 of 2 files differ.', tone: 'pending' });
		assert.equal((await focused.innerText()).trim(), '+44 −9');
		await keyboard.press('Enter');
		assert.deepEqual((await page.posted()).at(-1), { kind: 'show-file', agent: 1, path: 'src/upload.ts' });
	});

	it('shows what agents and files are called as text, however it is written', async () => {
		await open({ width: 280 });
		const agents = [HOSTILE, 'x'.repeat(200)].map(name => ({ name, changes: HOSTILE, hasChanges: true }));
		const sections = [{ heading: HOSTILE, files: [file(HOSTILE, own(HOSTILE), own('+1 −1'))] }];
		const facts = [{ label: 'Model', texts: [HOSTILE, 'y'.repeat(300)] }];
		await page.show({ ...RACE, title: HOSTILE, sentence: HOSTILE, agents, facts, sections });
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
