import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	appears,
	pickItem,
	resizeChat,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
	webviewFrame,
} from '../support/editorWindow.ts';
import {
	ask,
	chooseInComposer,
	isStreaming,
	lastTurnText,
	localService,
	logText,
	openChat,
	replyEnds,
	replyText,
	sendMessage,
	startTask,
	taskRow,
	taskShows,
	turns,
} from '../support/errandWindow.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { isAlive } from '../support/waitFor.ts';

/** A part of the extension that loads when it is first needed, such as an update or a virus scanner takes away. */
const PART = /^replyTools-\w+\.js$/;
const FAULT = 'Errand ran into a fault of its own';

const TASK = 'Describe the widgets';

/** More words than come in the time that a test looks at them. */
const SLOW = { pauseMs: 100, pieces: Array.from({ length: 200 }, (_, index) => `word ${index} `) };
const CODE = `Python, with a line that is longer than a narrow view:

\`\`\`python
def greet(name: str, greeting: str = "Hello", punctuation: str = "!", repetitions: int = 1) -> str:
    return " ".join(f"{greeting}, {name}{punctuation}" for _ in range(repetitions))
\`\`\`
`;
const IMAGE_AND_CODE = `![A remote image](https://example.com/image.png)

\`\`\`html
<b>only text</b>
\`\`\`
`;

describe('Errand in the window', () => {
	let upstream: UpstreamServer;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;

	before(async () => {
		upstream = await UpstreamServer.start();
		server = await startEditor({
			settings: {
				'errand.local.upstreams': { ollama: false, scripted: { url: upstream.url, models: ['small'] } },
				'errand.chat.model': 'demo',
				'errand.tasks.agent': 'demo',
			},
		});
		// The editor leaves the images of a walkthrough out of a narrower window.
		window = await openWindow(server, { viewport: { width: 1600, height: 900 } });
		page = window.page;
	});

	after(async () => {
		await server?.stop();
		await upstream?.stop();
	});

	const git = (folder: string, ...args: string[]) =>
		execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
	const origin = () => git(server.folder, 'remote', 'get-url', 'origin');

	describe('has a way to get started that', () => {
		const walkthrough = () => page.locator('.gettingStartedContainer .gettingStartedSlideDetails');
		const steps = ['Add a model', 'Ask about your code', 'Start a task', 'Review and apply'];

		it('opens when it is asked for, and not before', async () => {
			await page.locator('.activitybar').getByRole('tab', { name: 'Errand' }).first().waitFor();
			assert.equal(await walkthrough().count(), 0);
			await runCommand(page, 'Errand: Get Started');
			await walkthrough().getByText('Get Started with Errand').first().waitFor();
			for (const step of steps) {
				await walkthrough().getByText(step, { exact: true }).waitFor();
			}
		});

		it('has an image for each step', async () => {
			for (const [index, step] of steps.entries()) {
				await walkthrough().getByText(step, { exact: true }).click();
				await webviewFrame(page, 'svg rect');
				await screenshotInThemes(page, `get-started-${index + 1}`);
			}
		});

		it('leads to the chat and to the tasks', async () => {
			await walkthrough().getByText('Ask about your code', { exact: true }).click();
			await walkthrough().getByRole('button', { name: 'Open Chat' }).click();
			await page.locator('.part.auxiliarybar').getByRole('tab', { name: 'Errand' }).waitFor();
			await walkthrough().getByText('Review and apply', { exact: true }).click();
			await walkthrough().getByRole('button', { name: 'Show Tasks' }).click();
			await page.locator('.part.sidebar .composite.title h2').filter({ hasText: 'Tasks' }).first().waitFor();
			await runCommand(page, 'View: Close All Editors');
		});
	});

	describe('has a chat that', () => {
		it('shows a reply of the demo, which says what it is and has code in colours', async () => {
			const frame = await openChat(page);
			await screenshot(page, 'window-chat-empty');
			await ask(frame, 'hello');
			assert.match(await replyEnds(frame), /built-in demo, not a language model/);
			await turns(frame).last().locator('.hljs-keyword').first().waitFor();
			await screenshot(page, 'window-chat-reply');
		});

		it('streams a reply, which grows while it comes, and stops it with its text kept', async () => {
			upstream.behaviour = SLOW;
			const frame = await openChat(page);
			await chooseInComposer(frame, /^Select Model/, 'small');
			await frame.getByRole('button', { name: /^Select Model: small/ }).waitFor();
			await ask(frame, 'Take your time');
			await until('some of the reply is there', async () => (await replyText(frame)).length > 150);
			assert.ok(await isStreaming(frame), 'it is shown while it comes');
			const some = (await replyText(frame)).length;
			await until('more of it is there', async () => (await replyText(frame)).length > some);
			assert.ok(await isStreaming(frame), 'it grows while it comes');
			await frame.getByRole('button', { name: 'Stop' }).click();
			await until('the reply has ended', async () => !(await isStreaming(frame)));
			assert.match(await lastTurnText(frame), /Stopped/);
			assert.ok((await replyText(frame)).length > some);
		});

		it('has its name beside its buttons, also while a reply comes', async () => {
			const frame = await openChat(page);
			const bar = page.locator('.part.auxiliarybar');
			const parts = [
				bar.getByRole('tab', { name: 'Errand' }),
				...['Open Conversation…', 'New Conversation'].map(name => bar.getByRole('button', { name })),
			];
			for (const part of parts) {
				await part.waitFor();
			}
			await ask(frame, 'Take your time');
			// By now the editor knows of the reply, and would show what it has for it.
			await until('some of the reply is there', async () => (await replyText(frame)).length > 150);
			assert.ok(await isStreaming(frame));
			for (const part of parts) {
				assert.ok(await part.isVisible(), `${part}`);
			}
			await frame.getByRole('button', { name: 'Stop' }).click();
			await until('the reply has ended', async () => !(await isStreaming(frame)));
		});

		it('says why an empty message is not sent', async () => {
			const frame = await openChat(page);
			const count = await turns(frame).count();
			await sendMessage(frame, '   ');
			await frame.getByText('Write a message first.').waitFor();
			assert.equal(await turns(frame).count(), count);
			await frame.locator('chat-composer textarea').fill('');
		});
	});

	describe('with a repository', () => {
		it('runs a task on the open repository: tree, log, branch with one commit more', async () => {
			const head = git(origin(), 'rev-parse', 'main');
			await startTask(page, TASK);
			await taskShows(page, TASK, 'in 1 file');
			await until('the log says that it is complete', async () => /git committed/.test(logText(server, TASK)));
			await screenshot(page, 'task-completed');
			const text = logText(server, TASK);
			assert.match(text, /^\d\d:\d\d:\d\d {2}git cloning/m);
			assert.match(text, /^\d\d:\d\d:\d\d {2}git cloned/m);
			assert.equal(text.includes('\u001b'), false, 'no ANSI codes');
			const branches = git(origin(), 'branch', '--list', 'errand/*', '--format=%(refname:short)').split('\n');
			assert.equal(branches.length, 1);
			assert.equal(git(origin(), 'rev-list', '--count', `${head}..${branches[0]}`), '1');
			assert.equal(git(server.folder, 'status', '--porcelain'), '', 'the working tree is as it was');
		});
	});

	describe('with a conversation and a task', () => {
		let frame: Frame;

		before(async () => {
			frame = await openChat(page);
			upstream.behaviour = { pieces: [CODE] };
			await ask(frame, 'How is it written?');
			await replyEnds(frame);
			await turns(frame).last().locator('.hljs-keyword').first().waitFor();
		});

		it('shows both side by side', async () => {
			assert.equal(await turns(frame).count(), 4);
			await taskShows(page, TASK, 'in 1 file');
			await screenshotInThemes(page, 'window');
		});

		it('has no sideways scrolling in a side bar of 200 pixels', async () => {
			await resizeChat(page, frame, 200);
			const { shown, needed } = await frame.evaluate(() => ({
				shown: document.documentElement.clientWidth,
				needed: document.documentElement.scrollWidth,
			}));
			await screenshot(page, 'window-narrow');
			assert.ok(shown < 260, `the view is ${shown} pixels wide`);
			assert.ok(needed <= shown, `it needs ${needed} of ${shown} pixels`);
			await resizeChat(page, frame, 400);
		});
	});

	describe('has the log of a task as a document, which', () => {
		before(() => {
			// The log names it: the agent has made one on its branch.
			writeFileSync(path.join(server.folder, 'errand-demo.md'), 'The same file, here.\n');
		});

		const log = () => page.locator('.editor-instance .monaco-editor[data-uri^="errand-log:"]');
		/** Empty while the document is not shown. */
		const logDocumentText = async () =>
			(await log().locator('.view-lines').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');

		async function openDocument(): Promise<void> {
			await until('the document is open', async () => {
				await taskRow(page, TASK).first().click({ button: 'right' });
				const entryOf = (title: string) => page.locator('.monaco-menu').getByText(title, { exact: true });
				try {
					await entryOf('Log').hover({ timeout: 3_000 });
					await page.keyboard.press('ArrowRight');
					// A menu that has just opened takes no click.
					await entryOf('Open Task Log as Document').hover({ timeout: 3_000 });
					await page.keyboard.press('Enter');
					await log().locator('.view-line').first().waitFor({ timeout: 10_000 });
					return true;
				} catch {
					// A row that is drawn again takes its menu with it.
					await page.keyboard.press('Escape');
					return false;
				}
			});
			await until('the document shows the log', async () => /git committed/.test(await logDocumentText()));
		}

		it('shows the whole log with folds by step, an outline and links', async () => {
			await openDocument();
			await until('the document ends with the task', async () => /— completed —/.test(await logDocumentText()));
			await log().click();
			await until('its first line is shown', async () => {
				await page.keyboard.press('ControlOrMeta+Home');
				return /^\d\d:\d\d:\d\d {2}git cloning/m.test(await logDocumentText());
			});
			await log().hover();
			await until('the steps fold', async () => (await log().locator('.codicon-folding-expanded').count()) > 0);
			await runCommand(page, 'Go to Symbol in Editor...');
			const symbols = page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
			await until('the outline names the steps', async () =>
				/git cloning[\s\S]*git committed/.test((await symbols.allInnerTexts()).join('\n')),
			);
			await screenshot(page, 'task-log-outline');
			await page.keyboard.press('Escape');
			// The last lines name a file, and only what is in sight is drawn.
			await until('files of the workspace are links', async () => {
				// The list of symbols puts the editor back to where it was, and may do so late.
				await page.keyboard.press('ControlOrMeta+End');
				return appears(log().locator('.detected-link').first(), 2_000);
			});
			await screenshotInThemes(page, 'task-log-document');
		});

		it('writes the whole log to the file that the user chose', async () => {
			await log().click();
			await runCommand(page, 'Errand: Export Task or Log…');
			const input = page.locator('.quick-input-widget:visible input[type="text"]').first();
			// The proposed name is in the folder that is open.
			await until('the dialog has a name', async () => (await input.inputValue()).endsWith('.log'));
			await input.press('Enter');
			await toast(page, 'The log is saved').waitFor();
			const [file = ''] = globSync('*.log', { cwd: server.folder });
			const text = readFileSync(path.join(server.folder, file), 'utf8');
			assert.match(text, /git cloning[\s\S]*git committed/);
			assert.equal(text.includes('\u001b'), false);
			await runCommand(page, 'Notifications: Clear All Notifications');
		});

		it('is there again after a reload of the window, which goes on following another task, with every entry once', async () => {
			const prompt = '/demo slow through a reload';
			await openDocument();
			// Otherwise the user would first be asked about the files that the tests above have left in the folder.
			git(server.folder, 'clean', '--quiet', '--force');
			await startTask(page, prompt);
			await until('the log has begun', async () => /line 8 of/.test(logText(server, prompt)));
			await reloadWindow(page);
			await until('the document shows the log again', async () => {
				// The editor may forget that the prompt was closed just before, and shows it in front of the document.
				await page
					.getByRole('tab', { name: TASK })
					.click({ timeout: 2_000 })
					.catch(() => {});
				return /git committed/.test(await logDocumentText());
			});
			await screenshot(page, 'task-log-reloaded');
			await openChat(page);
			await taskShows(page, prompt, 'in 1 file', 90_000);
			await until('the log is whole', async () => /git committed/.test(logText(server, prompt)));
			assertOnceInOrder(logText(server, prompt));
		});
	});

	describe('has a list of tasks that', () => {
		it('tells what has no room in the row in a tooltip, and makes no link of it', async () => {
			const hover = page.locator('.workbench-hover').filter({ hasText: 'Started ' });
			// A row that is drawn again takes its tooltip with it, also while that is looked at: one look takes all of it.
			let shown: { text: string; links: number } | undefined;
			await until('the tooltip is there', async () => {
				await page.mouse.move(900, 300);
				await taskRow(page, TASK).first().hover();
				// It is made when the pointer rests, by an extension host that may have much else to do.
				await hover.waitFor({ timeout: 10_000 }).catch(() => {});
				[shown] = await hover.evaluateAll(hovers =>
					hovers.map(element => ({
						text: (element as HTMLElement).innerText,
						links: element.querySelectorAll('a, img').length,
					})),
				);
				return shown !== undefined;
			});
			assert.match(shown?.text.replaceAll('\u00a0', ' ') ?? '', /errand\/\S+, from main[\s\S]*Id [\da-f-]{36}/);
			assert.equal(shown?.links, 0);
			await screenshot(page, 'task-tooltip');
			await page.mouse.move(900, 300);
		});

		it('narrows the list to what is asked for, says so, and shows all again', async () => {
			const state = page.locator('.part.sidebar .pane-body .message');
			await runCommand(page, 'Errand: Filter Tasks…');
			await pickItem(page, 'Failed');
			await state.getByText('Filter: Failed').waitFor();
			await screenshot(page, 'task-filter');
			await page.keyboard.press('Escape');
			await until('no task is shown', async () => (await taskRow(page, TASK).count()) === 0);
			await runCommand(page, 'Errand: Filter Tasks…');
			await pickItem(page, 'Clear Filter');
			await page.keyboard.press('Escape');
			await taskShows(page, TASK, 'in 1 file');
			await runCommand(page, 'Errand: Filter Tasks…');
			await page.locator('.quick-input-widget').getByPlaceholder('Choose what is shown, or type text').focus();
			// The text and Enter come at once, as from a user who types without looking.
			await Promise.all([page.keyboard.insertText('nothing of this kind'), page.keyboard.press('Enter')]);
			await until('no task holds it', async () => (await taskRow(page, TASK).count()) === 0);
			await state.getByText('nothing of this kind').waitFor();
			await runCommand(page, 'Errand: Filter Tasks…');
			await pickItem(page, 'Clear Filter');
			await page.keyboard.press('Escape');
			await taskShows(page, TASK, 'in 1 file');
		});
	});

	describe('has a service of its own, and', () => {
		it('says that it reconnects when the service is killed, and that the task was interrupted', async () => {
			const prompt = '/demo slow through a crash';
			await startTask(page, prompt);
			await until('the log has begun', async () => /line 8 of/.test(logText(server, prompt)));
			const service = localService(server);
			assert.ok(service);
			process.kill(service.pid, 'SIGKILL');
			await until('the log says so', async () => /reconnecting/.test(logText(server, prompt)));
			await taskShows(page, prompt, 'nterrupted');
			await until('the log ends', async () => /nterrupted/.test(logText(server, prompt)));
			assertOnceInOrder(logText(server, prompt));
			assert.notEqual(localService(server)?.pid, service.pid);
			await screenshot(page, 'task-interrupted');
			assert.equal(await toast(page, 'stopped twice').count(), 0);
		});

		it('leaves a service stopped that the user has stopped, says so, and starts it when asked to', async () => {
			await runCommand(page, 'Errand: Stop Local Service');
			await toast(page, 'The local service has stopped').waitFor();
			const start = taskRow(page, 'Start Local Service');
			await start.waitFor();
			await page.locator('.part.sidebar .pane-body .message').getByText('The local service is stopped.').waitFor();
			await until('it is gone', async () => localService(server) === undefined);
			await screenshot(page, 'task-tree-stopped');
			await start.click();
			await until('it runs again', async () => localService(server) !== undefined && (await start.count()) === 0);
			await taskShows(page, TASK, 'in 1 file');
		});
	});

	describe('without a part of the extension', () => {
		let chat: Frame;

		before(async () => {
			const extensions = path.join(server.dataFolder, 'extensions');
			const parts = globSync('*/dist/chunks/*.js', { cwd: extensions }).filter(file => PART.test(path.basename(file)));
			assert.ok(parts.length > 0);
			for (const file of parts) {
				rmSync(path.join(extensions, file));
			}
			chat = await openChat(page);
			upstream.behaviour = { pieces: [IMAGE_AND_CODE] };
			await ask(chat, 'Show me');
			await turns(chat).last().getByRole('button', { name: 'Copy Reply' }).waitFor({ state: 'attached' });
		});

		it('says at the image that is to be loaded why it is not, and lets it be asked for again', async () => {
			const image = turns(chat)
				.last()
				.getByRole('link', { name: /^Image: / });
			const told = chat.locator(`a.image[data-state^="${FAULT}"]:not([aria-busy])`);
			await image.click();
			await told.waitFor();
			await screenshot(page, 'fault-image');
			await image.click();
			await told.waitFor();
		});

		it('says in a notification why code was not opened', async () => {
			const block = turns(chat).last().locator('.code').first();
			await block.hover();
			await block.getByRole('button', { name: 'New File' }).click();
			await toast(page, FAULT).getByRole('button', { name: 'Show Log' }).waitFor();
			await screenshot(page, 'fault-code');
		});
	});

	describe('after all of this,', () => {
		it('has loaded nothing from elsewhere and broken no content security policy', () => {
			const reports = window.messages.filter(({ text }) => /Content Security Policy/i.test(text) && /chat/.test(text));
			assert.deepEqual(reports, []);
		});

		it('leaves no process behind half a minute after the window has closed', async () => {
			const service = localService(server);
			assert.ok(service && (await isAlive(service.pid)));
			// Leaving the page is what closing the window does. A browser that is closed outright may send no event of it, and the
			// editor's server then keeps the window's processes for a long time, in case it comes back.
			await page.goto('about:blank');
			await page.context().close();
			await until('the service has ended', async () => !(await isAlive(service.pid)));
			assert.equal(localService(server), undefined);
			await until('nothing of the extension runs', async () => {
				const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
				return !all.some(line => line.includes(path.join(server.dataFolder, 'extensions', 'errand')));
			});
		});
	});
});

/** The demo agent numbers its slow lines: each must be there once, in order. */
function assertOnceInOrder(text: string): void {
	const numbers = [...text.matchAll(/slowly, line (\d+) of/g)].map(([, number]) => Number(number));
	assert.ok(numbers.length > 5, text);
	assert.deepEqual(
		numbers,
		numbers.map((_, index) => (numbers[0] ?? 0) + index),
	);
}
