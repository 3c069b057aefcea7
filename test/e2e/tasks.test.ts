import assert from 'node:assert/strict';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { reloadWindow } from '../support/editor.ts';
import {
	answerInput,
	changeSettings,
	hiddenWidth,
	movePointerAway,
	openFile,
	pickInMenu,
	quickRow,
	remembersOpen,
	resizeSideBar,
	runCommand,
	type Theme,
	toast,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import {
	chooseInMenu,
	emptyChat,
	focusedRow,
	localService,
	logText,
	openChat,
	startTask,
	taskRow,
	taskShows,
	unfold,
	walkTo,
} from '../support/errandWindow.ts';
import { goOnWithSecond, startRace } from '../support/raceOfAgents.ts';
import { ReportPage } from '../support/reportPage.ts';
import type { SampleFolder } from '../support/sampleFolder.ts';
import { TaskServer } from '../support/taskServer.ts';
import { useWindow } from '../support/useWindow.ts';

const TASK = 'Describe the widgets';
const RACE = 'Write down what is in here';

describe('tasks in the window', () => {
	let service: TaskServer;
	let page: Page;
	let sample: SampleFolder;
	let chat: Frame;

	const window = useWindow(async () => {
		service = await TaskServer.start();
		const { address } = service;
		return {
			settings: {
				'editor.codeLens': true,
				'errand.local.upstreams': { ollama: false },
				'errand.tasks.agent': 'demo',
				'errand.tasks.refreshInterval': 5,
				'errand.connections': { acme: { label: 'Acme', apiUrl: address, cloudUrl: address, service: 'acme' } },
			},
		};
	});

	before(async () => {
		({ page, sample } = window());
		chat = await openChat(page);
	});

	after(() => service?.stop());

	const composer = () => chat.locator('chat-composer textarea');
	const promptText = () => composer().inputValue();
	const logDocument = () => page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"]');
	const logOf = (prompt: string) => logText(window().server, prompt);
	/** Empty while the document is not shown. */
	const logDocumentText = async () =>
		(await logDocument().locator('.view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
	const openLogDocument = (prompt: string) =>
		chooseInMenu(page, new RegExp(`^${prompt}`), 'Open Task Log as Document', () => logDocument().isVisible(), 'Log');

	describe('of the service on this machine', () => {
		it('are started from the composer, tell what they do in the tree and the log, and end with a branch and nothing else', async () => {
			const head = sample.origin('rev-parse', 'main').trim();
			await startTask(page, TASK);
			await taskShows(page, TASK, 'in 1 file');
			await until('the log says that it is complete', async () => /git committed/.test(logOf(TASK)));
			const text = logOf(TASK);
			assert.match(text, /^\d\d:\d\d:\d\d {2}git cloning/m);
			assert.match(text, /^\d\d:\d\d:\d\d {2}git cloned/m);
			assert.equal(text.includes('\u001b'), false);
			const branches = sample.origin('branch', '--list', 'errand/*', '--format=%(refname:short)').trim().split('\n');
			assert.equal(branches.length, 1);
			assert.equal(sample.origin('rev-list', '--count', `${head}..${branches[0]}`).trim(), '1');
			assert.equal(sample.git('status', '--porcelain'), '');
		});

		it('have a prompt that begins with a comment by a quick fix, and to which a menu adds a selection', async () => {
			sample.write({ 'src/todo.ts': '// TODO: round the prices\nexport const rounded = true;\n' });
			await openFile(page, 'todo.ts');
			const code = page.locator('.monaco-editor[data-uri$="/src/todo.ts"]');
			await code.locator('.view-line').first().click();
			await page.keyboard.press('ControlOrMeta+Home');
			await until('the quick fix is offered', async () => {
				await code.locator('.view-line').first().click();
				await page.keyboard.press('ControlOrMeta+.');
				const action = page.locator('.action-widget').getByText('Start Task for This TODO');
				const isOffered = await action.waitFor({ timeout: 3_000 }).then(
					() => true,
					() => false,
				);
				if (isOffered) {
					await action.click();
				}
				return isOffered;
			});
			await until('the prompt holds the comment', async () =>
				/Do what the comment says at `src\/todo\.ts:1`/.test(await promptText()),
			);
			await openFile(page, 'todo.ts');
			await code.locator('.view-line').nth(1).click({ clickCount: 3 });
			await page.keyboard.press('Shift+F10');
			await pickInMenu(page, 'Start Task…');
			await until('the draft is kept and the selection added', async () =>
				/comment says[\s\S]*`src\/todo\.ts:2`:[\s\S]*export const rounded/.test(await promptText()),
			);
			await emptyChat(page);
			sample.git('clean', '--quiet', '--force');
		});

		it('are followed on after a reload of the window, with every entry once, and the document of another log is there again', async () => {
			const prompt = '/demo slow through a reload';
			await openLogDocument(TASK);
			await until('the editor has written down that the document is open', () => remembersOpen(page, 'errand-log'));
			await startTask(page, prompt);
			await until('the log has begun', async () => /line 8 of/.test(logOf(prompt)));
			await reloadWindow(page);
			await until('the document shows the log again', async () => {
				// The editor may forget that the prompt was closed just before, and shows it in front of the document.
				await page
					.getByRole('tab', { name: TASK })
					.click({ timeout: 2_000 })
					.catch(() => {});
				return /git committed/.test(await logDocumentText());
			});
			chat = await openChat(page);
			await taskShows(page, prompt, 'in 1 file', 90_000);
			await until('the log is whole', async () => /git committed/.test(logOf(prompt)));
			const numbers = [...logOf(prompt).matchAll(/slowly, line (\d+) of/g)].map(([, number]) => Number(number));
			assert.ok(numbers.length > 5);
			assert.deepEqual(
				numbers,
				numbers.map((_, index) => (numbers[0] ?? 0) + index),
			);
		});

		it('are one row where two agents have one prompt, and are compared on a page, from which a file of one is taken', async () => {
			const comparison = new ReportPage(page, 'comparison');
			await startRace(page, RACE);
			await taskShows(page, RACE, '2 agents');
			await taskShows(page, RACE, 'completed');
			assert.equal(await taskRow(page, RACE).count(), 1);
			await unfold(page, new RegExp(`^${RACE}`));
			const below = page.locator('.part.sidebar .pane-body .monaco-list-row[aria-level="3"]');
			await until('each agent says what it has changed', async () => {
				const texts = await below.allInnerTexts();
				return texts.length === 2 && texts.every(text => /\+\d+.* in 1 file/.test(text));
			});
			const isShown = () => page.locator('.tab').filter({ hasText: 'Compare:' }).first().isVisible();
			await chooseInMenu(page, new RegExp(`^${RACE}`), 'Compare Agents', isShown);
			await comparison.says(/^All of them made the same changes\.$/);
			goOnWithSecond(sample.originFolder, path.dirname(sample.folder));
			await comparison.press('Refresh');
			await comparison.says(/^2 of 2 files differ\.$/);
			await comparison.press('Apply… CONTENTS.md of demo-two');
			await quickRow(page, 'CONTENTS.md').waitFor();
			await page.keyboard.press('Enter');
			await until('the file is there', async () => sample.git('status', '--porcelain') === '?? CONTENTS.md\n');
			assert.equal(sample.read('CONTENTS.md'), '# Contents\n\nSee the readme.\n');
			await comparison.press('Compare demo with demo-two');
			await page.locator('.multiDiffEntry').filter({ hasText: 'errand-demo.md' }).first().waitFor();
			await page.locator('.multiDiffEntry').filter({ hasText: 'CONTENTS.md' }).first().waitFor();
			await runCommand(page, 'View: Close All Editors');
		});
	});

	describe('of a service that the user stops', () => {
		it('are gone from their view, which says why and has a row that starts the service again', async () => {
			const { server } = window();
			await runCommand(page, 'Errand: Stop Local Service');
			await toast(page, 'The local service is stopped').waitFor();
			const start = taskRow(page, 'Start Local Service');
			await start.waitFor();
			await page.locator('.part.sidebar .pane-body .message').getByText('The local service is stopped.').waitFor();
			await until('it is gone', async () => localService(server) === undefined);
			await start.click();
			await until('it runs again', async () => localService(server) !== undefined && (await start.count()) === 0);
			await taskShows(page, TASK, 'in 1 file');
		});
	});

	describe('of a service elsewhere', () => {
		before(async () => {
			await changeSettings(page, window().server, {
				'errand.connection': 'acme',
				'errand.tasks.refreshInterval': 3600,
			});
			await runCommand(page, 'Errand: Open Task Log');
			await answerInput(page, 'token-of-acme');
			await page.getByPlaceholder('Select a task, or paste a task ID').waitFor();
			await page.keyboard.press('Escape');
		});

		const refresh = () => runCommand(page, 'Errand: Refresh Tasks');
		const isAskedFor = (task: string) => () =>
			page.locator('.quick-input-widget:visible').getByText(`Continue “${task}”`, { exact: true }).isVisible();
		const inPanel = (text: string) => page.locator('.part.panel .view-lines').getByText(text).first();

		it('leave the keyboard on a row that was stopped or goes on, or where that row went', async () => {
			for (const [age, id] of ['work-first', 'work-second', 'work-stay'].entries()) {
				service.add({
					id,
					prompt: id.replace('work-', 'Work of '),
					createdAt: new Date(Date.now() - age).toISOString(),
				});
			}
			// At any hour there is a task of today. Those of an hour ago may be yesterday's.
			const now = new Date().toISOString();
			service.add({ id: 'just-ended', prompt: 'Tidy up', status: 'stopped', createdAt: now, completedAt: now });
			const isAt = (label: RegExp) =>
				until(`the keyboard is on ${label}`, async () => label.test(await focusedRow(page)));
			const stop = (name: string) =>
				chooseInMenu(page, new RegExp(`^Work of ${name},`), 'Stop Task', async () =>
					service.tasks.some(({ id, status }) => id === `work-${name}` && status === 'stopped'),
				);
			await refresh();
			await taskShows(page, 'Work of first', '20 %');
			await stop('first');
			await isAt(/^Work of first, stopped/);
			await chooseInMenu(page, /^Work of first, stopped/, 'Continue Task', isAskedFor('Work of first'));
			await answerInput(page, 'Go on');
			await isAt(/^Work of first, 20 %/);
			// A row that comes leaves the others where they are.
			service.add({ id: 'work-late', prompt: 'Work of late', createdAt: new Date().toISOString() });
			await refresh();
			await taskShows(page, 'Work of late', '20 %');
			await isAt(/^Work of first, 20 %/);
			// What the user has closed stays closed.
			await walkTo(page, /^Today,/);
			await page.keyboard.press('ArrowLeft');
			service.add({ id: 'ended-late', prompt: 'Tidy late', status: 'stopped', createdAt: now, completedAt: now });
			(service.tasks.find(({ id }) => id === 'work-late') ?? assert.fail())['progress'] = 30;
			await refresh();
			await taskShows(page, 'Work of late', '30 %');
			await isAt(/^Today,/);
			assert.equal(await taskRow(page, 'Tidy late').count(), 0);
			await stop('second');
			await isAt(/^Today,/);
			assert.equal(await taskRow(page, 'Work of second').count(), 0);
			await page.keyboard.press('ArrowRight');
			await taskShows(page, 'Work of second', 'stopped');
			for (const id of ['work-first', 'work-stay', 'work-late']) {
				service.finish(id, 'stopped');
			}
			await taskShows(page, 'Work of first', 'stopped');
			await runCommand(page, 'View: Hide Panel');
		});

		it('have rows whose names are whole at 200 pixels, and all of whose words are at 600', async () => {
			service.add({ id: 'wide', prompt: 'Add retry to client', progress: 45, selectedAgent: 'agent-a' });
			await refresh();
			for (const { width, parts } of [
				{ width: 200, parts: ['.label-name'] },
				{ width: 600, parts: ['.label-name', '.label-description'] },
			]) {
				await resizeSideBar(page, width);
				await taskShows(page, 'Add retry to client', '45 %');
				for (const part of parts) {
					assert.equal(await hiddenWidth(taskRow(page, 'Add retry to client').locator(part)), 0, `${part} at ${width}`);
				}
			}
			await resizeSideBar(page, 300);
		});

		it('have logs that no terminal’s signs can forge, and whose colours can be read in each theme', async () => {
			service.add({ id: 'hostile', prompt: 'Read hostile output' });
			service.log(
				'hostile',
				'\u001b[32mgreen\u001b[0m, \u001b[1;31mbold red\u001b[0m and \u001b[44mon blue\u001b[0m',
				'title \u001b]0;You are pwned\u0007 bell',
				'bidi \u202egnp.exe\u202c end',
				'the last one',
			);
			await refresh();
			await taskRow(page, 'Read hostile output').first().click();
			await until('the channel has the last entry', async () => /the last one/.test(logOf('Read hostile')));
			await openLogDocument('Read hostile output');
			await until('the document has it too', async () => /the last one/.test(await logDocumentText()));
			for (const text of [logOf('Read hostile'), await logDocumentText()]) {
				// The document may wrap its lines, also after a full stop.
				const words = text.replaceAll(/\s+/g, '');
				assert.match(words, /title␛\]0;Youarepwned␇bell/);
				assert.match(words, /bidi⟨U\+202E⟩gnp\.exe⟨U\+202C⟩end/);
			}
			assert.doesNotMatch(await page.title(), /pwned/);
			const onBlue = logDocument().getByText('on blue', { exact: true }).first();
			const isDark = async () =>
				/rgb\((\d{1,2}|1[01]\d), /.test(await onBlue.evaluate(text => getComputedStyle(text).color));
			for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
				await useTheme(page, theme);
				await until(`the text on a blue that is dark is light in ${theme}`, async () => !(await isDark()));
			}
			await runCommand(page, 'View: Close All Editors');
		});

		/** Follows a new task and puts its log out of sight. */
		async function startOutOfSight(id: string, prompt: string): Promise<void> {
			service.add({ id, prompt });
			await refresh();
			// The hover of a row that was clicked before would cover the new one.
			await movePointerAway(page);
			await taskRow(page, prompt).first().click();
			service.log(id, `the first word of ${id}`);
			// A channel that is about to be shown would bring the panel back.
			await inPanel(`the first word of ${id}`).waitFor();
			await runCommand(page, 'View: Hide Panel');
			await page.locator('.part.panel').waitFor({ state: 'hidden' });
			// The extension host hears of it before it hears of the command that comes after.
			const lists = () => service.requestsOf('GET /api/tasks?').length;
			const before = lists();
			await refresh();
			await until('the extension knows that the log is out of sight', async () => lists() > before);
		}

		it('are told of when they end out of sight, in a notice that leads to the log with the focus and with a badge, and not where the user sees it', async () => {
			service.add({ id: 'seen', prompt: 'Work in sight' });
			await refresh();
			await taskRow(page, 'Work in sight').first().click();
			service.log('seen', 'the first word');
			// Until then the user sees nothing of it.
			await inPanel('the first word').waitFor();
			// Nor does the extension know that it is seen before it has heard from the window once more.
			service.log('seen', 'the second word');
			await inPanel('the second word').waitFor();
			service.finish('seen', 'error', 'Tests still red');
			await inPanel('failed: Tests still red').waitFor();
			await taskShows(page, 'Work in sight', 'failed');

			await startOutOfSight('unseen', 'Work out of sight');
			await page
				.locator('.part.statusbar')
				.getByText(/: live/)
				.waitFor();
			service.log('unseen', 'the last word');
			service.finish('unseen', 'completed');
			await toast(page, '“Work out of sight” finished.').waitFor();
			const badge = page.locator('.activitybar .badge-content');
			await badge.getByText('1', { exact: true }).first().waitFor();
			// This list has those that have hidden themselves too.
			await runCommand(page, 'Notifications: Show Notifications');
			const center = page.locator('.notifications-center.visible');
			const notice = center.locator('.monaco-list-row').filter({ hasText: '“Work out of sight” finished.' });
			await notice.waitFor();
			assert.doesNotMatch(await center.innerText(), /Work in sight/);
			await notice.getByRole('button', { name: 'Log', exact: true }).click();
			await inPanel('the last word').waitFor();
			await page.locator('.part.panel .monaco-editor.focused').waitFor();
			await notice.waitFor({ state: 'detached' });
			await until('nothing is left to look at', async () => !(await badge.first().isVisible()));
		});
	});
});
