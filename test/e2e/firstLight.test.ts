import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import { screenshot, toast, until } from '../support/editorWindow.ts';
import {
	ask,
	isStreaming,
	lastTurnText,
	localService,
	logText,
	openChat,
	replyEnds,
	replyText,
	sendMessage,
	startTask,
	taskShows,
	turns,
} from '../support/errandWindow.ts';
import { isAlive } from '../support/waitFor.ts';

describe('Errand in the window', function () {
	this.timeout(120_000);
	let server: EditorServer;
	let window: EditorWindow;

	before(async () => {
		server = await startEditor();
		window = await openWindow(server);
	});

	after(() => server?.stop());

	const git = (folder: string, ...args: string[]) =>
		execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
	const origin = () => git(server.folder, 'remote', 'get-url', 'origin');

	it('shows a reply in the chat view', async () => {
		const frame = await openChat(window.page);
		await screenshot(window.page, 'window-chat-empty');
		await ask(frame, 'hello');
		assert.match(await replyEnds(frame), /demo/i);
		await screenshot(window.page, 'window-chat-reply');
	});

	it('streams a reply, keeps it and marks it when a reload cuts it off', async () => {
		let frame = await openChat(window.page);
		await ask(frame, '/demo slow');
		await until('some of the reply is there', async () => (await replyText(frame)).length > 150);
		assert.ok(await isStreaming(frame), 'it is shown while it comes');
		const some = (await replyText(frame)).length;
		await until('more of it is there', async () => (await replyText(frame)).length > some);
		const before = await replyText(frame);
		assert.ok(await isStreaming(frame), 'it grows while it comes');
		await reloadWindow(window.page);
		frame = await openChat(window.page);
		await until('both turns are back', async () => (await turns(frame).count()) === 2);
		// All that was shown, also what came after the last save of the second.
		assert.ok((await replyText(frame)).startsWith(before));
		assert.match(await lastTurnText(frame), /cut off/);
		assert.equal(await isStreaming(frame), false);
		await screenshot(window.page, 'window-chat-cut-off');
	});

	it('stops a reply and keeps its text', async () => {
		const frame = await openChat(window.page);
		await ask(frame, '/demo slow');
		await until('some of the reply is there', async () => (await replyText(frame)).length > 20);
		await frame.getByRole('button', { name: 'Stop' }).click();
		await until('the reply has ended', async () => !(await isStreaming(frame)));
		assert.match(await lastTurnText(frame), /Stopped/);
		assert.ok((await replyText(frame)).length > 20);
	});

	it('says why an empty message is not sent', async () => {
		const frame = await openChat(window.page);
		const count = await turns(frame).count();
		await sendMessage(frame, '   ');
		await frame.getByText('Write a message first.').waitFor();
		assert.equal(await turns(frame).count(), count);
		await frame.locator('chat-composer textarea').fill('');
	});

	it('runs a task on the open repository: tree, log, branch with one commit more', async () => {
		const prompt = 'Describe the widgets';
		const head = git(origin(), 'rev-parse', 'main');
		await startTask(window.page, prompt);
		await taskShows(window.page, prompt, 'in 1 file');
		await until('the log says that it is complete', async () => /git committed/.test(logText(server, prompt)));
		await screenshot(window.page, 'task-completed');
		const text = logText(server, prompt);
		assert.match(text, /^\d\d:\d\d:\d\d {2}git cloning/m);
		assert.match(text, /^\d\d:\d\d:\d\d {2}git cloned/m);
		assert.equal(text.includes('\u001b'), false, 'no ANSI codes');
		const branches = git(origin(), 'branch', '--list', 'errand/*', '--format=%(refname:short)').split('\n');
		assert.equal(branches.length, 1);
		assert.equal(git(origin(), 'rev-list', '--count', `${head}..${branches[0]}`), '1');
		assert.equal(git(server.folder, 'status', '--porcelain'), '', 'the working tree is as it was');
	});

	it('goes on following a task after a reload, with every entry once', async () => {
		const prompt = '/demo slow through a reload';
		await startTask(window.page, prompt);
		await until('the log has begun', async () => /line 8 of/.test(logText(server, prompt)));
		await reloadWindow(window.page);
		await openChat(window.page);
		await taskShows(window.page, prompt, 'in 1 file', 90_000);
		await until('the log is whole', async () => /git committed/.test(logText(server, prompt)));
		assertOnceInOrder(logText(server, prompt));
	});

	it('says that it reconnects when the service is killed, and that the task was interrupted', async () => {
		const prompt = '/demo slow through a crash';
		await startTask(window.page, prompt);
		await until('the log has begun', async () => /line 8 of/.test(logText(server, prompt)));
		const service = localService(server);
		assert.ok(service);
		process.kill(service.pid, 'SIGKILL');
		await until('the log says so', async () => /reconnecting/.test(logText(server, prompt)));
		await taskShows(window.page, prompt, 'nterrupted', 60_000);
		await until('the log ends', async () => /nterrupted/.test(logText(server, prompt)));
		assertOnceInOrder(logText(server, prompt));
		assert.notEqual(localService(server)?.pid, service.pid);
		await screenshot(window.page, 'task-interrupted');
		assert.equal(await toast(window.page, 'stopped twice').count(), 0);
	});

	it('loads nothing from elsewhere and breaks no content security policy', () => {
		const reports = window.messages.filter(({ text }) => /Content Security Policy/i.test(text) && /chat/.test(text));
		assert.deepEqual(reports, []);
	});

	it('leaves no process behind half a minute after the window has closed', async () => {
		const service = localService(server);
		assert.ok(service && (await isAlive(service.pid)));
		// Leaving the page is what closing the window does. A browser that is closed outright may send no event of it, and the
		// editor's server then keeps the window's processes for a long time, in case it comes back.
		await window.page.goto('about:blank');
		await window.page.context().close();
		await until('the service has ended', async () => !(await isAlive(service.pid)), 60_000);
		assert.equal(localService(server), undefined);
		await until('nothing of the extension runs', async () => {
			const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
			return !all.some(line => line.includes(path.join(server.dataFolder, 'extensions', 'errand')));
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
