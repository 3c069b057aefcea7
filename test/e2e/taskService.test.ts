import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { DOCUMENTED_TASK } from '../support/contractFields.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	hiddenWidth,
	openView,
	pickItem,
	resizeSideBar,
	runCommand,
	screenshot,
	screenshotInThemes,
	type Theme,
	toast,
	until,
	useTheme,
} from '../support/editorWindow.ts';
import {
	chooseInMenu,
	focusedRow,
	logText,
	openPrompt,
	startTask,
	taskRow,
	taskShows,
	walkTo,
} from '../support/errandWindow.ts';
import { TaskServer } from '../support/taskServer.ts';

const ENTRIES = 6_000;
/** `ERRAND_TEST_BREAKS=100` for a longer look. */
const BREAKS = Number(process.env['ERRAND_TEST_BREAKS'] ?? 40);

describe('a task service, and the worst that it can send', () => {
	let service: TaskServer;
	let server: EditorServer;
	let page: Page;

	before(async () => {
		service = await TaskServer.start();
		const { address } = service;
		server = await startEditor({
			settings: {
				'errand.connections': {
					acme: {
						label: 'Acme',
						apiUrl: address,
						cloudUrl: address,
						service: 'acme',
						dashboardUrl: 'https://acme.example/',
					},
				},
				'errand.connection': 'acme',
				'errand.tasks.refreshInterval': 3600,
			},
		});
		({ page } = await openWindow(server));
		await openView(page, 'Errand');
		await runCommand(page, 'Errand: Open Task Log');
		await answerInput(page, 'token-of-acme');
		await page.getByPlaceholder('Choose a task, or paste the id of one').waitFor();
		await page.keyboard.press('Escape');
	});

	after(async () => {
		await server?.stop();
		await service?.stop();
	});

	const sideBar = () => page.locator('.part.sidebar');
	const state = () => sideBar().locator('.pane-body .message');
	const refresh = () => runCommand(page, 'Errand: Refresh Tasks');
	const lines = () => page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"] .view-lines');

	it('shows what to do in an empty tree, then what is at work', async () => {
		await refresh();
		await sideBar().getByText('Start Task').first().waitFor();
		await screenshot(page, 'task-tree-empty');
		service.add({ id: 'one', prompt: 'Add retry to client', progress: 45, selectedAgent: 'agent-a' });
		service.add({ id: 'two', prompt: 'Update docs', status: 'saving', selectedAgent: 'agent-b' });
		service.add({ id: 'three', prompt: 'Wait for its turn', status: 'pending' });
		await refresh();
		await taskShows(page, 'Add retry to client', '45 %');
		await screenshot(page, 'task-tree-active');
	});

	it('puts what needs attention first, and narrows the list to what is asked for', async () => {
		const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
		const ended = (hours: number) => ({ createdAt: ago(hours + 0.2), completedAt: ago(hours) });
		const diffStats = { totalLinesAdded: 120, totalLinesRemoved: 8, totalFilesChanged: 4 };
		service.add({ id: 'old', prompt: 'Last week’s work', status: 'completed', ...ended(170) });
		service.add({
			id: 'done',
			prompt: 'Rename config keys',
			status: 'completed',
			diffStats,
			prNumber: 42,
			...ended(2),
		});
		service.add({ id: 'stopped', prompt: 'Try new parser', status: 'stopped', ...ended(1) });
		service.add({
			id: 'failed',
			prompt: 'Fix flaky upload test',
			status: 'error',
			error: 'Tests still red',
			...ended(0.05),
		});
		service.add({ id: 'late', prompt: 'Migrate everything', status: 'timeout', ...ended(0.5) });
		await refresh();
		await taskShows(page, 'Rename config keys', '+120 −8 in 4 files · PR 42 · 2 h');
		await taskShows(page, 'Fix flaky upload test', 'failed · 3 min · Tests still red');
		// Rows are found by their index in the list, because the document has them in the order in which they were drawn.
		const row = (index: number) => sideBar().locator(`.pane-body .monaco-list-row[data-index="${index}"]`);
		await row(0).filter({ hasText: 'Needs attention' }).waitFor();
		await row(3).filter({ hasText: 'Active (3)' }).waitFor();
		await screenshot(page, 'task-tree-mixed');
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Failed');
		await page.keyboard.press('Escape');
		await until('only those are shown', async () => (await taskRow(page, 'Add retry to client').count()) === 0);
		await state().getByText('Filter: Failed').waitFor();
		await screenshot(page, 'task-tree-filtered');
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Clear Filter');
		await page.keyboard.press('Escape');
		await taskShows(page, 'Add retry to client', '45 %');
	});

	const isAskedFor = (task: string) => () =>
		page.locator('.quick-input-widget:visible').getByText(`Continue “${task}”`, { exact: true }).isVisible();

	it('leaves the keyboard on a row that was stopped or goes on, or where that row went', async () => {
		for (const [age, id] of ['work-first', 'work-second', 'work-third', 'work-stay'].entries()) {
			service.add({ id, prompt: id.replace('work-', 'Work of '), createdAt: new Date(Date.now() - age).toISOString() });
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
		// What the user has closed stays closed.
		await walkTo(page, /^Today,/);
		await page.keyboard.press('ArrowLeft');
		await stop('second');
		await isAt(/^Today,/);
		await screenshot(page, 'task-tree-stopped-into-closed');
		assert.equal(await taskRow(page, 'Work of second').count(), 0);
		await page.keyboard.press('ArrowRight');
		await taskShows(page, 'Work of second', 'stopped');
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Active');
		await page.keyboard.press('Escape');
		await until('only those are shown', async () => (await taskRow(page, 'Work of second').count()) === 0);
		await stop('third');
		await isAt(/^Work of stay,/);
		assert.equal(await taskRow(page, 'Work of third').count(), 0);
		await runCommand(page, 'Errand: Filter Tasks…');
		await pickItem(page, 'Clear Filter');
		await page.keyboard.press('Escape');
		service.finish('work-first', 'stopped');
		await taskShows(page, 'Work of first', 'stopped');
		service.finish('work-stay', 'stopped');
		await runCommand(page, 'View: Hide Panel');
	});

	it('says what only the dashboard puts right with the way there, in notices and beside a row', async () => {
		service.add({ id: 'unlinked', prompt: 'Work without a link', status: 'stopped', isEmptyGitUser: true });
		await refresh();
		await taskShows(page, 'Work without a link', 'stopped');
		service.continueFault = 'refused';
		await chooseInMenu(page, /^Work without a link,/, 'Continue Task', isAskedFor('Work without a link'));
		await answerInput(page, 'Go on');
		const notice = toast(page, 'The credit or the quota of the account on Acme is used up');
		await notice.getByRole('button', { name: 'Open Dashboard' }).waitFor();
		await runCommand(page, 'Notifications: Clear All Notifications');
		await walkTo(page, /^Work without a link,/);
		const link = page.locator('.monaco-hover a').getByText('Open Dashboard');
		await until('the link has the keyboard', async () => {
			await page.keyboard.press('ControlOrMeta+K');
			await page.keyboard.press('ControlOrMeta+I');
			await link.waitFor({ timeout: 5_000 }).catch(() => {});
			await page.keyboard.press('Tab');
			return (await link.count()) > 0 && link.evaluate(element => element.closest('a') === document.activeElement);
		});
		await screenshot(page, 'task-tree-dashboard');
		await page.keyboard.press('Escape');
		// What comes next stands at the top.
		await walkTo(page, /^Needs attention/);
	});

	for (const { width, what, parts } of [
		{ width: 200, what: 'the names', parts: ['.label-name'] },
		{ width: 600, what: 'all the words', parts: ['.label-name', '.label-description'] },
	]) {
		it(`has a tree that shows ${what} of its rows at ${width} pixels`, async () => {
			await resizeSideBar(page, width);
			await taskShows(page, 'Add retry to client', '45 %');
			for (const part of parts) {
				assert.equal(await hiddenWidth(taskRow(page, 'Add retry to client').locator(part)), 0, part);
			}
			await screenshotInThemes(page, `task-tree-${width}`);
		});
	}

	it('says since when the rows are old, and why', async () => {
		await resizeSideBar(page, 300);
		service.listFailure = { status: 500, body: { error: 'The database operation failed' } };
		await refresh();
		await state()
			.getByText(/Not refreshed since \d.*Acme had an internal error/)
			.waitFor();
		assert.ok((await taskRow(page, 'Add retry to client').count()) > 0);
		await screenshot(page, 'task-tree-stale');
	});

	it('follows a task whose id is pasted and entered at once', async () => {
		await runCommand(page, 'Errand: Open Task Log');
		await page.getByPlaceholder('Choose a task, or paste the id of one').focus();
		await Promise.all([page.keyboard.insertText('three'), page.keyboard.press('Enter')]);
		await until('it is followed', async () => service.requestsOf('GET /api/tasks/three/stream').length === 1);
	});

	it('makes what a terminal would obey visible, and lets a line of ten megabytes pass', async () => {
		service.listFailure = undefined;
		service.add({ id: 'hostile', prompt: 'Read hostile output' });
		service.log(
			'hostile',
			`long ${'wrap this line under its text '.repeat(30)}`,
			'several lines\n        of which this one is indented and long '.repeat(3) + 'x '.repeat(200),
			'\u001b[32mgreen\u001b[0m, \u001b[1;31mbold red\u001b[0m and \u001b[44mon blue\u001b[0m',
			'x'.repeat(10_000_000),
			'cursor \u001b[2J\u001b[1;1H home',
			'title \u001b]0;You are pwned\u0007 bell',
			'link \u001b]8;;command:workbench.action.quit\u001b\\click me\u001b]8;;\u001b\\ end',
			'bidi \u202egnp.exe\u202c end',
			'the last one',
		);
		const title = await page.title();
		await refresh();
		await taskRow(page, 'Read hostile output').first().click();
		const hasAll = async () => /the last one/.test(logText(server, 'Read hostile'));
		await until('the channel has the last entry', hasAll);
		const channel = logText(server, 'Read hostile');
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
		assert.doesNotMatch(channel, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
		assert.match(channel, /cursor ␛\[2J␛\[1;1H home/);
		assert.match(channel, /title ␛\]0;You are pwned␇ bell/);
		assert.match(channel, /bidi ⟨U\+202E⟩gnp\.exe⟨U\+202C⟩ end/);
		assert.match(channel, /entry 3 is missing: the service did not send it, or it is too long/);
		assert.doesNotMatch(channel, /green.*␛/);
		await runCommand(page, 'Errand: Open Task Log as Document');
		await answerInput(page, 'hostile');
		await lines().getByText('the last one').waitFor();
		const text = (await lines().innerText()).replaceAll('\u00a0', ' ');
		assert.match(text, /title ␛\]0;You are pwned␇ bell/);
		assert.doesNotMatch(text, /[\u202a-\u202e]/);
		assert.equal((await page.title()).includes('pwned'), title.includes('pwned'));
		assert.equal(await page.locator('a[href^="command:workbench"]').count(), 0);
	});

	it('tells everything of a task in a document, as it is now', async () => {
		const id = 'detailed';
		service.add({ ...DOCUMENTED_TASK, id, prompt: 'Tell all of it', status: 'processing', completedAt: null });
		await refresh();
		await runCommand(page, 'Errand: Show Task Details');
		await answerInput(page, 'detailed');
		const shown = page.locator('.editor-instance .monaco-editor[data-uri^="errand-task:"] .view-lines');
		const text = async () => (await shown.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
		await until('the details are there', async () => /^id: detailed$/m.test(await text()));
		let seen = await text();
		await shown.click();
		await until('every field has been in sight', async () => {
			await page.keyboard.press('PageDown');
			seen += `\n${await text()}`;
			return Object.keys(DOCUMENTED_TASK).every(
				name => name === 'completedAt' || new RegExp(`^${name}: `, 'm').test(seen),
			);
		});
		await page.keyboard.press('ControlOrMeta+Home');
		await screenshotInThemes(page, 'task-details');
		service.finish('detailed', 'completed');
		await refresh();
		await until('they follow the list', async () => /^status: completed$/m.test(await text()));
		await runCommand(page, 'View: Close Editor');
	});

	for (const theme of ['light', 'high-contrast', 'dark'] satisfies Theme[]) {
		it(`is legible as channel and document in ${theme}`, async () => {
			await useTheme(page, theme);
			await lines().getByText('the last one').waitFor();
			const onBlue = lines().getByText('on blue', { exact: true }).first();
			const isDark = async () =>
				/rgb\((\d{1,2}|1[01]\d), /.test(await onBlue.evaluate(text => getComputedStyle(text).color));
			await until('the text on a blue that is dark in every theme is light', async () => !(await isDark()));
			await screenshot(page, `task-log-both-${theme}`);
		});
	}

	/** Follows a new task and puts its log out of sight. */
	async function startOutOfSight(id: string, prompt: string): Promise<void> {
		service.add({ id, prompt });
		await refresh();
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

	const inPanel = (text: string) => page.locator('.part.panel .view-lines').getByText(text).first();

	it('is told of in the status bar, and in a notice when a task ends out of sight, which leads to the log with the focus', async () => {
		await startOutOfSight('unseen', 'Work out of sight');
		const status = page.locator('.part.statusbar').getByText(/: live/);
		await status.waitFor();
		await screenshot(page, 'task-status-bar');
		service.log('unseen', 'the last word');
		service.finish('unseen', 'completed');
		const notice = toast(page, '“Work out of sight” has finished.');
		await notice.waitFor();
		await screenshot(page, 'task-notice');
		await notice.getByRole('button', { name: 'Log', exact: true }).click();
		await inPanel('the last word').waitFor();
		await page.locator('.part.panel .monaco-editor.focused').waitFor();
		await notice.waitFor({ state: 'detached' });
		await taskShows(page, 'Work out of sight', 'completed');
		service.add({ id: 'after', prompt: 'What the next list has' });
		await refresh();
		await taskShows(page, 'What the next list has', '20 %');
		assert.equal(await notice.count(), 0, 'the list tells of it again');
	});

	it('is quiet about an end that the user sees', async () => {
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
		await startOutOfSight('later', 'Work after it');
		service.finish('later', 'completed');
		await toast(page, '“Work after it” has finished.').waitFor();
		assert.doesNotMatch(await noticesUntilNow('Work after it'), /Work in sight/);
	});

	/** The words of all notices, of those too that have hidden themselves, once this is among them. */
	async function noticesUntilNow(awaited: string): Promise<string> {
		await runCommand(page, 'Notifications: Show Notifications');
		const center = page.locator('.notifications-center.visible');
		await center.getByText(awaited).first().waitFor();
		const words = await center.innerText();
		await runCommand(page, 'Notifications: Hide Notifications');
		return words;
	}

	it('tells of no end once the user has said so', async () => {
		await startOutOfSight('told', 'Work and tell');
		service.finish('told', 'timeout');
		const notice = toast(page, '“Work and tell” needs attention: ran out of time.');
		await notice.getByRole('button', { name: 'Don’t Show Again' }).click();
		await until('the setting is saved', async () => server.settings()['errand.tasks.notify'] === false);
		await startOutOfSight('untold', 'Work and be quiet');
		service.finish('untold', 'completed');
		await taskShows(page, 'Work and be quiet', 'completed');
		const hasEnd = async () => /^— completed —$/m.test(logText(server, 'Work and be quiet'));
		await until('its log has ended as well', hasEnd);
		service.add({ id: 'thereafter', prompt: 'What a later list has' });
		await refresh();
		await taskShows(page, 'What a later list has', '20 %');
		assert.doesNotMatch(await noticesUntilNow('Work after it'), /Work and be quiet/);
	});

	it('makes one task, and shows it, also where the window was reloaded before it answered', async () => {
		const prompt = 'Outlive the window';
		const posts = () => service.requests.filter(request => request === 'POST /api/tasks');
		execFileSync('git', ['remote', 'set-url', 'origin', 'https://host.example/acme/widgets'], { cwd: server.folder });
		const { promise: held, resolve: release } = Promise.withResolvers<void>();
		service.beforeCreate = () => held;
		await startTask(page, prompt, () => posts().length === 1);
		await reloadWindow(page);
		const composer = (await openPrompt(page)).locator('chat-composer textarea');
		await until('the prompt is kept', async () => (await composer.inputValue()) === prompt);
		const isMade = async () => {
			release();
			await until('it is made', async () => service.tasks.some(task => task.prompt === prompt));
			await refresh();
		};
		// Waited for from the start: a message without a button goes by itself.
		await Promise.all([toast(page, `“${prompt}” was started before the connection was lost.`).waitFor(), isMade()]);
		await until('the prompt is used', async () => (await composer.inputValue()) === '');
		await screenshot(page, 'task-after-reload');
		assert.equal(posts().length, 1);
		service.finish(service.tasks[0]?.id ?? '', 'completed');
		await runCommand(page, 'Notifications: Clear All Notifications');
	});

	it(`is followed through ${BREAKS} broken connections and a reload: each entry once, next to nothing twice`, async () => {
		const half = ENTRIES / 2;
		const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `entry ${from + at}!`);
		const hasEntry = (index: number) =>
			until(`entry ${index} is there`, async () => text().includes(`entry ${index}!`), 90_000);
		const text = () => logText(server, 'Break many');
		service.add({ id: 'broken', prompt: 'Break many times' });
		service.breaks.push(...Array.from({ length: BREAKS }, (_, at) => Math.floor(((at + 0.5) * ENTRIES) / BREAKS)));
		await refresh();
		await taskRow(page, 'Break many times').first().click();
		await until('it is followed', async () => service.requestsOf('GET /api/tasks/broken/stream').length === 1);
		service.log('broken', ...numbered(0, half));
		await hasEntry(half - 1);
		await screenshot(page, 'task-log-broken');
		service.listFailure = { status: 500, body: { error: 'The database operation failed' } };
		await reloadWindow(page);
		await sideBar().getByText('Acme had an internal error').first().waitFor();
		await screenshot(page, 'task-tree-error');
		service.listFailure = undefined;
		await refresh();
		// The window before ends when it hears of it; a connection of its own that breaks would not come back.
		await until(
			'the window follows it, and the one before no more',
			async () =>
				service.requestsOf('GET /api/tasks/broken/stream').length === Math.floor(BREAKS / 2) + 2 &&
				service.streamCountOf('broken') === 1,
		);
		service.log('broken', ...numbered(half, ENTRIES));
		await hasEntry(ENTRIES - 1);
		service.finish('broken', 'completed');
		await until('the end is told', async () => /^— completed —$/m.test(text()));
		assert.deepEqual(text().match(/entry \d+!/g), numbered(0, ENTRIES));
		assert.equal(service.breaks.length, 0);
		assert.equal(service.requestsOf('GET /api/tasks/broken/stream').length, BREAKS + 2);
		const twice = service.bytesSentOf('broken') - service.bytesOf('broken');
		assert.ok(twice / service.bytesOf('broken') <= 0.01, `${twice} bytes were sent twice`);
	});
});
