import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { acceptPicks, answerInput, quickRow, runCommand, toast, until } from '../support/editorWindow.ts';
import { chooseInMenu, openChat, startTask, taskShows, walkTo } from '../support/errandWindow.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { skipWithoutSandbox } from '../support/sandbox.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';
import { useWindow } from '../support/useWindow.ts';

const TASK = 'Add up what the widgets cost';
const GO_ON = 'Go on in the right way [[script right]]';
/** The name of the repository that the sample was cloned from, which tasks work on. */
const ORIGIN = 'widgets-origin';

const SCRIPTS: Record<string, Step[]> = {
	[TASK]: [
		{ do: 'write', path: 'sums.txt', content: 'one\n' },
		{ do: 'run', command: "printf 'two\\n' >> sums.txt; printf 'x\\n' > extra.txt" },
		{ do: 'run', command: "printf 'wrong\\n' > README.md" },
		{ do: 'say', text: 'Done.' },
	],
	right: [
		{ do: 'write', path: 'right.txt', content: 'right\n' },
		{ do: 'say', text: 'Done.' },
	],
};

describe('the steps of a task, in the window', () => {
	let model: ScriptedModel;
	let page: Page;
	let sample: SampleFolder;

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
	const unfold = async () => {
		await walkTo(page, new RegExp(`^${TASK}`));
		await page.keyboard.press('ArrowRight');
	};
	const showLog = async () => {
		await chooseInMenu(page, new RegExp(`^${TASK}`), 'Open Task Log as Document', () => log().isVisible(), 'Log');
		await until('the beginning of the log with the first step is shown', async () => {
			await log().click({ position: { x: 200, y: 60 } });
			await page.keyboard.press('Control+Home');
			return lens('Take Until Here').isVisible();
		});
	};

	it('are below its row, and show what each has changed', async () => {
		await startTask(page, TASK);
		await taskShows(page, TASK, 'in 3 files', 90_000);
		await unfold();
		await row('Steps, 3').locator('.monaco-tl-twistie').click();
		await row('1  Write sums.txt').waitFor();
		await row('2  printf').click();
		await page.locator('.multiDiffEditor').getByText('extra.txt').first().waitFor();
		await runCommand(page, 'View: Close All Editors');
	});

	it('can be taken until one of them, and taken back', async () => {
		await showLog();
		await lens('Take Until Here').click();
		await quickRow(page, 'sums.txt').waitFor();
		await acceptPicks(page, 'sums.txt');
		const done = toast(page, 'Applied');
		await done.hover();
		assert.equal(sample.git('status', '--porcelain'), '?? sums.txt\n');
		assert.equal(sample.read('sums.txt'), 'one\n');
		await done.getByRole('button', { name: 'Undo' }).click();
		await until('the step is taken back', async () => sample.git('status', '--porcelain') === '');
		await runCommand(page, 'View: Close All Editors');
	});

	it('are gone on from at one of them, without those after it', async () => {
		await showLog();
		await lens('Continue from Here…').click();
		await quickRow(page, 'until here').click();
		await answerInput(page, GO_ON);
		await taskShows(page, TASK, 'in 2 files', 90_000);
		await unfold();
		await row('right.txt').waitFor();
		await row('sums.txt').waitFor();
		assert.equal(await row('README.md').count(), 0);
		assert.equal(await row('extra.txt').count(), 0);
	});
});
