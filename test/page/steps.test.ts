import assert from 'node:assert/strict';
import type { FileRow, StepColumn, StepsView } from '../../src/tasks/model/stepsProtocol.ts';
import { fits, looksRight, REPORT_WIDTHS } from '../ui/pageChecks.ts';
import { ReportTestPage } from '../ui/reportTestPage.ts';
import { usePage } from '../ui/testPage.ts';

const HOSTILE = '<img src="https://evil.example/x" onerror="document.title=1">';

const column = (index: number, fields: Partial<StepColumn> = {}): StepColumn => ({
	...{ index, number: String(index + 1), title: `Edit src/part-${index}.ts`, facts: 'Edit · +3 −1 in 1 file' },
	...{ notes: [], tests: undefined, ...fields },
});
const row = (id: number, path: string, cells: FileRow['cells']): FileRow => {
	const cut = path.lastIndexOf('/');
	return { id, path, name: path.slice(cut + 1), folder: path.slice(0, Math.max(0, cut)), cells };
};
const added = (at: number) => ({ at, status: 'added', text: 'added' }) as const;
const modified = (at: number) => ({ at, status: 'modified', text: 'modified' }) as const;
const deleted = (at: number) => ({ at, status: 'deleted', text: 'deleted' }) as const;
const renamed = (at: number) => ({ at, status: 'renamed', text: 'renamed from src/old.ts' }) as const;
const typed = (at: number) => ({ at, status: 'type', text: 'type changed' }) as const;
const failed = { outcome: 'failed', text: 'The agent’s tests failed' } as const;

const FEW: StepsView = {
	...{ title: 'Fix the flaky upload test', sentence: '3 steps changed 4 files.', tone: 'open', agents: [], agent: 0 },
	...{ selected: 1, request: 0, filesLeft: '' },
	actions: [
		{ action: 'changes', label: 'Changes of This Step' },
		{ action: 'files', label: 'Files as of Here' },
		{ action: 'continue', label: 'Continue from Here…' },
		{ action: 'take', label: 'Take Until Here' },
	],
	columns: [
		column(0, { title: 'Write src/upload.ts' }),
		column(1, {
			title: 'npm run generate -- --out src/a/folder/with/a/long/name/generated.ts && npx prettier --write src',
			facts: 'Command · +120 −8 in 3 files · approximate',
			notes: [
				'The agent’s tests failed: npm test',
				'Something else changed files during this step, so these may be the files of a moment later.',
				'Not kept because it’s too large: film.mp4, dump.sql.',
			],
			tests: failed,
		}),
		column(2, {
			title: 'rm old.json',
			facts: 'Command · −4 in 1 file',
			notes: ['Tests passed when the service ran them.'],
			tests: { outcome: 'passed', text: 'tests passed when the service ran them' },
		}),
	],
	rows: [
		row(0, 'src/upload.ts', [added(0), modified(1)]),
		row(1, 'test/integration/uploads/a-file-with-a-long-name/resumable.test.ts', [added(1)]),
		row(2, 'src/new.ts', [renamed(1)]),
		row(3, 'old.json', [deleted(2)]),
	],
};

/** Steps that come and go between files as an agent does: most of its work is in a few of them. */
function many(steps: number, files: number): StepsView {
	const cells = Array.from({ length: files }, (): FileRow['cells'] => []);
	for (let at = 0; at < steps; at++) {
		for (let part = 0; part <= at % 3; part++) {
			const file = cells[Math.floor(((at * 7 + part * 5) % files) / (1 + ((at + part) % 4)))];
			if (file && file.at(-1)?.at !== at) {
				file.push(file.length === 0 ? added(at) : at % 11 === 10 ? typed(at) : modified(at));
			}
		}
	}
	const outcomes = ['failed', 'unknown', 'passed'] as const;
	return {
		...FEW,
		sentence: `${steps} steps changed ${files} files. This page updates automatically.`,
		tone: 'pending',
		selected: undefined,
		columns: Array.from({ length: steps }, (_, at) => {
			const outcome = outcomes[Math.floor(at / 5) % 3] ?? 'passed';
			return column(at, at % 5 === 4 ? { tests: { outcome, text: `The agent’s tests: ${outcome}` } } : {});
		}),
		rows: cells
			.map((own, id) => row(id, `src/module-${id % 7}/part-${id}.ts`, own))
			.filter(({ cells: own }) => own.length > 0)
			.sort((a, b) => b.cells.length - a.cells.length)
			.slice(0, 100),
		filesLeft: files > 100 ? `And ${files - 100} more files, which are in the changes of their steps.` : '',
	};
}

const RACE: StepsView = { ...many(20, 12), agents: ['errand', 'opencode (large-model)'], agent: 1 };
const NONE: StepsView = {
	...{ ...FEW, columns: [], rows: [], tone: 'bad' },
	sentence: 'These steps belong to another connection. Switch to it, then try again.',
};

describe('the page of the steps of a task', () => {
	let page: ReportTestPage<StepsView>;
	const open = usePage({ name: 'steps' }, ReportTestPage<StepsView>, opened => {
		page = opened;
	});
	const focused = () => page.page.locator(':focus');
	const focusedName = async () => (await focused().getAttribute('aria-label')) ?? (await focused().innerText()).trim();
	const press = async (...keys: string[]) => {
		const names: string[] = [];
		for (const key of keys) {
			await page.page.keyboard.press(key);
			names.push(await focusedName());
		}
		return names;
	};
	const details = () => page.page.locator('section').innerText();

	it('is accessible in every theme, with nothing wider than the tab, where the grid scrolls inside itself', async () => {
		await open({ width: 1000, height: 700 });
		const scenes = Object.entries({ few: FEW, some: many(20, 12), many: many(200, 140), race: RACE, none: NONE }).map(
			([name, view], request) => [name, (shown: typeof page) => shown.show({ ...view, request })] as const,
		);
		await looksRight(page, Object.fromEntries(scenes), REPORT_WIDTHS);
	});

	it('is worked by keys that go from one change to the next, and says of each what it is', async () => {
		await open({ width: 700 });
		await page.show(FEW);
		const { keyboard } = page.page;
		const second =
			'step 2: npm run generate -- --out src/a/folder/with/a/long/name/generated.ts && npx prettier --write src';
		const spoken = `${second}, Command · +120 −8 in 3 files · approximate`;
		assert.equal(await focusedName(), spoken);
		assert.deepEqual(await press('ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'End', 'ArrowDown', 'ArrowDown'), [
			`The agent’s tests failed, ${spoken}`,
			`src/upload.ts, modified, ${spoken}`,
			'src/upload.ts, added, step 1: Write src/upload.ts, Edit · +3 −1 in 1 file',
			'src/upload.ts, added, step 1: Write src/upload.ts, Edit · +3 −1 in 1 file',
			`src/upload.ts, modified, ${spoken}`,
			`test/integration/uploads/a-file-with-a-long-name/resumable.test.ts, added, ${spoken}`,
			`src/new.ts, renamed from src/old.ts, ${spoken}`,
		]);
		assert.match(await details(), /^2 npm run generate[\s\S]*src\/new\.ts: renamed from src\/old\.ts[\s\S]*film\.mp4/);
		await keyboard.press('Enter');
		assert.deepEqual((await page.posted()).at(-1), { kind: 'run-action', action: 'changes', index: 1 });
		assert.deepEqual(await press('Control+Home', 'Home', 'End', 'Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab'), [
			'step 1: Write src/upload.ts, Edit · +3 −1 in 1 file',
			'step 1: Write src/upload.ts, Edit · +3 −1 in 1 file',
			'step 3: rm old.json, Command · −4 in 1 file',
			...['Changes of This Step', 'Files as of Here', 'Continue from Here…', 'Take Until Here', 'Continue from Here…'],
		]);
		await keyboard.press('Enter');
		assert.deepEqual(
			(await page.posted()).filter(({ kind }) => kind !== 'page-ready'),
			[
				{ kind: 'select-step', index: 0 },
				{ kind: 'select-step', index: 1 },
				{ kind: 'run-action', action: 'changes', index: 1 },
				{ kind: 'select-step', index: 0 },
				{ kind: 'select-step', index: 2 },
				{ kind: 'run-action', action: 'continue', index: 2 },
			],
		);
	});

	it('does with a step what its four buttons say, and shows its changes after a double click', async () => {
		await open({ width: 700 });
		await page.show(FEW);
		await page.page.getByRole('gridcell', { name: /^old\.json,/ }).dblclick();
		const posted = await page.press(...FEW.actions.map(({ label }) => label));
		const actions = ['changes', 'files', 'continue', 'take'];
		assert.deepEqual(
			posted,
			actions.map(action => ({ kind: 'run-action', action, index: 2 })),
		);
		assert.deepEqual((await page.posted()).slice(1, 3), [
			{ kind: 'select-step', index: 2 },
			{ kind: 'run-action', action: 'changes', index: 2 },
		]);
	});

	it('tells screen readers where each cell is', async () => {
		await open({ width: 700 });
		await page.show(FEW);
		const grid = page.page.getByRole('grid', { name: 'Files by step' });
		assert.deepEqual([await grid.getAttribute('aria-rowcount'), await grid.getAttribute('aria-colcount')], ['6', '4']);
		const cell = grid.getByRole('gridcell', { name: /^old\.json,/ });
		assert.equal(await cell.getAttribute('aria-colindex'), '4');
		assert.equal(await cell.locator('xpath=..').getAttribute('aria-rowindex'), '6');
		assert.deepEqual(await grid.getByRole('rowheader').allInnerTexts(), [
			'Tests',
			...[
				'upload.ts src',
				'resumable.test.ts test/integration/uploads/a-file-with-a-long-name',
				'new.ts src',
				'old.json',
			],
		]);
	});

	it('grows while the task works, and moves nothing that is looked at', async () => {
		await open({ width: 400 });
		const before = many(60, 30);
		await page.show({ ...before, selected: 20 });
		await press('ArrowDown');
		const cell = focused();
		const name = await focusedName();
		const places = async () => [
			await cell.boundingBox(),
			await page.button('Take Until Here').boundingBox(),
			await page.page.locator('.frame').evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]),
		];
		const place = await places();
		const rows = [...before.rows, row(999, 'new.ts', [added(60)])];
		await page.show({ ...before, selected: 20, sentence: 'More.', columns: [...before.columns, column(60)], rows });
		assert.equal(await focusedName(), name);
		assert.deepEqual(await places(), place);
		// A request for a step, as from a lens in the log, is another matter.
		await page.show({ ...before, selected: 55, request: 1 });
		assert.match(await focusedName(), /^step 56:/);
	});

	it('runs from right to left where the editor does', async () => {
		await open({ width: 500 });
		await page.page.evaluate(() => {
			document.documentElement.dir = 'rtl';
		});
		await page.show({ ...many(120, 30), selected: 60 });
		const box = async (name: RegExp) =>
			(await page.page.getByRole('columnheader', { name }).boundingBox()) ?? assert.fail();
		const [file, first, second] = [await box(/^File$/), await box(/^step 61:/), await box(/^step 62:/)];
		assert.ok(file.x > first.x && first.x > second.x);
		assert.match((await press('ArrowLeft')).join(), /^step 62:/);
		await press('Home');
		await fits(page, 'right-to-left', [280, 500]);
	});

	it('draws of 500 steps that have changed 2,000 files only what is in sight', async () => {
		await open({ width: 1000 });
		await page.show(many(500, 2000));
		assert.ok((await page.page.locator('.cell').count()) < 2_500);
		assert.match(await page.page.locator('.left').innerText(), /^And 1900 more files/);
		assert.match((await press('Home')).join(), /^step 1:/);
		await page.page.locator('.frame').hover();
		for (let turn = 0; turn < 20; turn++) {
			await page.page.mouse.wheel(400, 0);
		}
		const inSight = page.page.locator('.steps .cell', { hasText: '300' });
		await inSight.waitFor();
		assert.ok((await page.page.locator('.cell').count()) < 2_500);
	});

	it('shows the agents of a race one at a time, and asks for the steps of another', async () => {
		await open({ width: 500 });
		await page.show(RACE);
		const select = page.page.getByLabel('Agent', { exact: true });
		assert.equal(await select.inputValue(), '1');
		await select.selectOption('errand');
		assert.deepEqual((await page.posted()).at(-1), { kind: 'select-agent', agent: 0 });
		await page.show(NONE);
		assert.equal(await page.page.getByRole('status').innerText(), NONE.sentence);
		assert.deepEqual(await page.press('Try Again'), [{ kind: 'read-again' }]);
	});

	it('shows what files and steps are called as text, however it is written', async () => {
		await open({ width: 280 });
		const columns = [column(0, { title: HOSTILE, facts: HOSTILE, notes: [HOSTILE, 'x'.repeat(300)] })];
		const rows = [row(0, HOSTILE, [{ ...renamed(0), text: HOSTILE }]), row(1, 'y'.repeat(300), [added(0)])];
		await page.show({ ...FEW, title: HOSTILE, sentence: HOSTILE, columns, rows });
		assert.equal(await page.page.locator('img').count(), 0);
		assert.equal(await page.page.locator('h1').innerText(), HOSTILE);
		await fits(page, 'hostile', [280, 1000]);
	});

	it('gives the editor what it needs to show the steps again', async () => {
		await open();
		const state = { connection: 'local', taskId: 'task', title: 'Mend it' };
		await page.show(FEW, state);
		assert.deepEqual(await page.page.evaluate(() => window.savedState), state);
	});
});
