import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { acceptPicks, answerInput, pickThrough, quickRow, runCommand, toast, until } from '../support/editorWindow.ts';
import { chooseInMenu, openChat, startTask, taskShows, unfold, walkTo } from '../support/errandWindow.ts';
import { ReportPage } from '../support/reportPage.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';
import { useWindow } from '../support/useWindow.ts';

const TASK = 'Add up what the widgets cost';
const GO_ON = 'Go on in the right way';
/** Fails as soon as the twelfth step has been taken. */
const BREAKS = 'test ! -f broken.txt';
/** The steps that only note how far the work is. */
const notes = (from: number, to: number): Step[] =>
	Array.from({ length: to - from + 1 }, (_, at) => ({
		...{ do: 'write', path: 'notes.txt', content: `Step ${from + at} is done.\n` },
	}));
/** The name of the repository that the sample was cloned from, which tasks work on. */
const ORIGIN = 'widgets-origin';

const SCRIPTS: Record<string, Step[]> = {
	[TASK]: [
		{ do: 'write', path: 'sums.txt', content: 'one\n' },
		{ do: 'run', command: "printf 'two\\n' >> sums.txt; printf 'x\\n' > extra.txt" },
		{ do: 'run', command: "printf 'Sums are in sums.txt.\\n' >> README.md" },
		...notes(4, 11),
		{ do: 'write', path: 'broken.txt', content: 'broken\n' },
		...notes(13, 20),
		{ do: 'say', text: 'Done.' },
	],
};

describe('the steps of a task, in the window', () => {
	let model: ScriptedModel;
	let page: Page;
	let sample: SampleFolder;
	let broken: number;

	const window = useWindow(async hook => {
		await skipWithoutSandbox(hook);
		model = await ScriptedModel.start({ scripts: SCRIPTS, tree: insidePlaces(ORIGIN).tree, model: 'coder' });
		return {
			settings: {
				'errand.local.upstreams': { workshop: { url: model.url } },
				'errand.tasks.agent': 'errand',
				'errand.tasks.refreshInterval': 5,
			},
		};
	});

	before(async () => {
		({ page, sample } = window());
		await openChat(page);
	});

	after(() => model?.stop());

	const row = (label: string) => page.locator(`.part.sidebar .monaco-list-row[aria-label^="${label}"]`);
	const log = () => page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"]');
	const lens = (title: string) => log().locator('.codelens-decoration a').filter({ hasText: title }).first();
	const branch = () => sample.origin('for-each-ref', '--format=%(refname)', 'refs/heads/errand').trim();
	const showLog = async () => {
		await chooseInMenu(page, new RegExp(`^${TASK}`), 'Open Task Log as Document', () => log().isVisible(), 'Log');
		await until('the beginning of the log is shown', async () => {
			await log().click({ position: { x: 200, y: 60 } });
			await page.keyboard.press('Control+Home');
			return lens('Which Step Broke It?').isVisible();
		});
	};
	/** Answers the search that was just begun, and returns the notice of what it has found. */
	const found = async () => {
		await answerInput(page, BREAKS);
		const notice = toast(page, 'broke it: “test ! -f broken.txt” passes before it');
		await notice.waitFor({ timeout: 90_000 });
		// The twelfth, unless the machine is so slow that several calls became one step.
		broken = Number(/Step (\d+)/.exec(await notice.innerText())?.[1]);
		await notice.hover();
		return notice;
	};

	it('are below its row, and show what each has changed', async () => {
		await startTask(page, TASK);
		await taskShows(page, TASK, 'in 5 files', 180_000);
		await unfold(page, new RegExp(`^${TASK}`));
		await row('Steps, ').locator('.monaco-tl-twistie').click();
		await row('1  Write sums.txt').waitFor();
		// Rows come while the group unfolds, under a pointer that is on its way.
		await walkTo(page, /^2 {2}printf/);
		await page.keyboard.press('Enter');
		await page.locator('.multiDiffEditor').getByText('extra.txt').first().waitFor();
		await runCommand(page, 'View: Close All Editors');
	});

	it('are on one page, which opens from the log and from the menu of the task', async () => {
		const report = new ReportPage(page, 'steps');
		await showLog();
		await lens('All Steps').click();
		await report.says(/^\d+ steps changed 5 files\.$/);
		await report.isSound('the page of steps');
		await report.press('Changes of This Step');
		await page.locator('.multiDiffEditor').waitFor();
		await runCommand(page, 'View: Close All Editors');
		const tab = () => page.locator('.tab').filter({ hasText: 'Steps: ' });
		await chooseInMenu(page, new RegExp(`^${TASK}`), 'Show Steps of Task', () => tab().isVisible(), 'Log');
		await report.says(/^\d+ steps changed 5 files\.$/);
		await runCommand(page, 'View: Close All Editors');
	});

	it('are searched for the one that broke something, in at most six runs', async () => {
		await walkTo(page, /^Which Step Broke It/);
		await page.keyboard.press('Enter');
		await (await found()).getByRole('button', { name: 'Show Changes' }).click();
		await page.locator('.multiDiffEditor').getByText('broken.txt').first().waitFor();
		await runCommand(page, 'View: Close All Editors');
	});

	it('can be taken until the one before into files with edits, and taken back to the byte', async () => {
		const own = `My own words.\n\n${sample.read('README.md')}`;
		sample.write({ 'README.md': own });
		await chooseInMenu(page, new RegExp(`^${broken - 1} {2}`), 'Apply Task Changes…', () =>
			quickRow(page, 'sums.txt').isVisible(),
		);
		await acceptPicks(page, 'sums.txt');
		const done = toast(page, 'Applied');
		await done.hover();
		assert.equal(sample.read('README.md'), `${own}Sums are in sums.txt.\n`);
		assert.match(sample.read('notes.txt'), /^Step \d+ is done\.$/m);
		assert.doesNotMatch(sample.git('status', '--porcelain'), /broken/);
		await done.getByRole('button', { name: 'Undo' }).click();
		await until('the steps are taken back', async () => {
			// The user's file is changed before and after, so git's word alone does not say that it is the old one again.
			return sample.git('status', '--porcelain') === ' M README.md\n' && sample.read('README.md') === own;
		});
		await runCommand(page, 'View: Close All Editors');
	});

	it('are gone on from before it with another agent, without those after it', async () => {
		await showLog();
		await lens('Which Step Broke It?').click();
		await (await found()).getByRole('button', { name: 'Continue from Before…' }).click();
		await pickThrough(page, 'Demo (demo)', `Continue “${TASK}”`);
		await answerInput(page, GO_ON);
		await until(
			'the other agent has gone on',
			async () => /^errand-demo\.md$/m.test(sample.origin('ls-tree', '--name-only', branch())),
			90_000,
		);
		const names = sample.origin('ls-tree', '--name-only', branch());
		assert.match(names, /^sums\.txt$/m);
		assert.doesNotMatch(names, /broken/);
	});
});
