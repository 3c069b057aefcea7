import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import type { Frame, Page } from 'playwright-core';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import { runCommand, screenshot, toast, until } from '../support/editorWindow.ts';
import {
	ask,
	conversationFiles,
	isStreaming,
	lastTurnText,
	leavePrompt,
	openChat,
	replyEnds,
	replyText,
	taskLine,
	turns,
	writePrompt,
} from '../support/errandWindow.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { HOSTILE } from '../ui/hostile.ts';
import { fence } from '../ui/hostileCode.ts';

/** Milliseconds between two words of a slow reply. */
const PAUSE = 100;
const NESTED = '> '.repeat(10_000);
const LINE = 5_000_000;

describe('the window of a folder that is not trusted', () => {
	/** Where everything hostile would go, were it to go. */
	let beacon: Server;
	const received: string[] = [];
	let upstream: UpstreamServer;
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;
	let frame: Frame;
	const requests: string[] = [];

	before(async () => {
		beacon = createServer((request, response) => {
			received.push(request.url ?? '');
			response.end();
		}).listen(0, '127.0.0.1');
		upstream = await UpstreamServer.start();
		server = await startEditor({
			settings: {
				'security.workspace.trust.enabled': true,
				'security.workspace.trust.startupPrompt': 'never',
				'errand.chat.model': 'small',
				'errand.local.upstreams': { ollama: false, tested: { url: upstream.url } },
			},
		});
		window = await openWindow(server);
		page = window.page;
		window.context.on('request', request => requests.push(request.url()));
		frame = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await upstream?.stop();
		beacon?.close();
	});

	/** What was asked for and reported because of a hostile reply. */
	const consequences = () => ({
		received,
		requests: requests.filter(
			url => /evil\.example|^(?:javascript|command|vbscript):/.test(url) || url.includes(beaconHost()),
		),
		reports: window.messages.filter(({ text }) => /Content Security Policy|evil\.example/i.test(text)),
	});
	const nothing = { received: [], requests: [], reports: [] };
	const beaconHost = () => `127.0.0.1:${(beacon.address() as AddressInfo).port}`;

	it('does nothing of what a hostile model writes', async () => {
		const texts = [
			...HOSTILE,
			...HOSTILE.map(text => text.replaceAll('https://evil.example', `http://${beaconHost()}`)),
			'The name is \u202egpj.exe\u202c and \u2066isolated\u2069.',
		];
		const text = texts.join('\n\n');
		upstream.behaviour = { pieces: text.match(/[\s\S]{1,700}/g) ?? [] };
		await ask(frame, 'Something hostile');
		await replyEnds(frame);
		await until('all of it is shown', async () => /isolated/.test(await replyText(frame)));
		assert.match(await replyText(frame), /alert\(1\)/);
		// Nothing but what markdown needs is there, in any shadow root.
		const elements = await turns(frame)
			.last()
			.locator('chat-markdown .content')
			.evaluate(
				content =>
					[...content.querySelectorAll('*')].filter(element =>
						/^(?:script|style|iframe|object|embed|form|input|link|meta|base|img|svg|video|math|template)$/.test(
							element.localName,
						),
					).length,
			);
		assert.equal(elements, 0);
		const addresses = await turns(frame)
			.last()
			.locator('chat-markdown a[href]')
			.evaluateAll(links => links.map(link => link.getAttribute('href') ?? ''));
		assert.deepEqual(
			addresses.filter(address => !/^(?:https?:|mailto:)/.test(address)),
			[],
		);
		await screenshot(page, 'window-hostile');
		assert.deepEqual(consequences(), nothing);
	});

	it('colours code, and goes on where some is made to be slow', async () => {
		const hostile = fence({ language: 'markdown', unit: '[a](', size: 11_960 });
		const code = '```ts\nconst answer = 42;\n```';
		upstream.behaviour = { pieces: `${hostile}\n${code}`.match(/[\s\S]{1,700}/g) ?? [] };
		await ask(frame, 'Something slow');
		await replyEnds(frame);
		const pause = await frame.evaluate(async () => {
			let longest = 0;
			for (let count = 0, last = performance.now(); count < 60; count++) {
				await new Promise(resolve => requestAnimationFrame(resolve));
				longest = Math.max(longest, performance.now() - last);
				last = performance.now();
			}
			return longest;
		});
		assert.ok(pause < 3_000, `the page stood still for ${pause} ms`);
		upstream.behaviour = { pieces: [code] };
		await ask(frame, 'Something short');
		await replyEnds(frame);
		await turns(frame).last().locator('.hljs-keyword').waitFor();
		assert.equal(await turns(frame).nth(-2).locator('pre span[class^="hljs"]').count(), 0);
		await screenshot(page, 'window-slow-code');
		assert.deepEqual(consequences(), nothing);
	});

	it('reads nothing of the folder into the chat, and says why', async () => {
		const reason = toast(
			page,
			'Nothing is read into the chat until you trust this workspace, neither files nor web pages.',
		);
		const composer = frame.locator('chat-composer textarea');
		const says = async () => {
			await reason.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
			await runCommand(page, 'Notifications: Clear All Notifications');
			await reason.waitFor({ state: 'detached' });
		};
		await runCommand(page, 'Add Context to Errand Chat…');
		await says();
		await composer.pressSequentially('#prices');
		await frame.getByRole('option').first().waitFor();
		await composer.press('Enter');
		await reason.waitFor();
		await screenshot(page, 'window-untrusted-context');
		await says();
		assert.equal(await frame.locator('chat-composer chat-chips .label').count(), 0);
		// What is pasted is a file of this machine, but it is still taken as text.
		const place = path.join(server.folder, 'package.json');
		await composer.evaluate((field, text) => {
			const clipboardData = new DataTransfer();
			clipboardData.setData('text/plain', text);
			field.dispatchEvent(
				new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }),
			);
		}, place);
		await until('it is text', async () => (await composer.inputValue()) === place);
		await composer.fill('');
	});

	it('applies no code there, and says why', async () => {
		upstream.behaviour = { pieces: ['```ts src/prices.ts\nexport const tax = 0;\n```\n'] };
		await ask(frame, 'Some code');
		await replyEnds(frame);
		await turns(frame).last().getByRole('button', { name: 'Apply…' }).click();
		const reason = toast(page, 'Code is applied to files of trusted workspaces only.');
		await reason.waitFor();
		await reason.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
		await screenshot(page, 'window-untrusted-apply');
		assert.equal(await page.locator('.monaco-diff-editor').count(), 0);
		await page.keyboard.press('Escape');
	});

	it('starts no task on the local connection, whose agents would run here, and keeps its prompt', async () => {
		const reason = toast(page, 'This workspace is not trusted, so its repository is not read.');
		await writePrompt(page, 'Do it');
		const line = taskLine(frame);
		await line.getByText('This workspace is not trusted, so its repository is not read.').waitFor();
		await line.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
		await screenshot(page, 'window-untrusted-task');
		await page.keyboard.press('Enter');
		await reason.first().waitFor();
		assert.equal(await page.locator('.quick-input-widget:visible .monaco-list-row').count(), 0);
		assert.equal(await frame.locator('chat-composer textarea').inputValue(), 'Do it');
		await leavePrompt(frame);
	});

	for (const [name, text, shown] of [
		['10,000 nested quotes', `${NESTED}deep`, /deep/],
		['a line of 5 MB', 'word '.repeat(LINE / 5), /word word/],
	] as const) {
		it(`stays usable with ${name}`, async () => {
			upstream.behaviour = { pieces: text.match(/[\s\S]{1,500000}/g) ?? [] };
			await ask(frame, name);
			await until('it is shown', async () => shown.test(await replyText(frame)));
			await until('it has ended', async () => !(await isStreaming(frame)));
			const composer = frame.locator('chat-composer textarea');
			await composer.fill('Still here');
			assert.equal(await composer.inputValue(), 'Still here');
			await composer.fill('');
			assert.deepEqual(consequences(), nothing);
		});
	}

	it('loses at most one second when the extension host is killed in its middle, and says that it was cut off', async function () {
		if (process.platform !== 'linux') {
			this.skip();
		}
		upstream.behaviour = { pauseMs: PAUSE, pieces: Array.from({ length: 3_000 }, (_, index) => `word${index} `) };
		await ask(frame, 'Something long');
		await until('two seconds of it are there', async () => lastWord(await replyText(frame)) > 2_000 / PAUSE);
		// After a stall many words come at once, and on a busy disk a save takes longer than a second. The promise is for
		// neither, so the kill waits for three seconds in which the words came one by one and were saved all along.
		const storedText = () =>
			conversationFiles(server)
				.map(file => readFileSync(file, 'utf8'))
				.join('');
		let before = 0;
		await until('the words come one after the other', async () => {
			const [from, beginning] = [lastWord(await replyText(frame)), performance.now()];
			let unsaved = 0;
			await until('three seconds are over', async () => {
				before = lastWord(await replyText(frame));
				unsaved = Math.max(unsaved, before - lastWord(storedText()));
				return performance.now() > beginning + 3_000;
			});
			return Math.abs(before - from - 3_000 / PAUSE) <= 5 && unsaved <= 1_000 / PAUSE;
		});
		for (const pid of extensionHosts(server)) {
			process.kill(pid, 'SIGKILL');
		}
		await reloadWindow(page);
		frame = await openChat(page);
		await until('it is back', async () => /cut off/.test(await lastTurnText(frame)));
		const after = lastWord(await replyEnds(frame));
		assert.ok(before - after <= 1_000 / PAUSE, `word ${before} was shown, word ${after} is left`);
		assert.equal(await isStreaming(frame), false);
		await screenshot(page, 'window-host-killed');
	});
});

function lastWord(text: string): number {
	return Number([...text.matchAll(/word(\d+)\b/g)].at(-1)?.[1] ?? -1);
}

/** Returns only the processes of this editor: each has the state folder of its server in its environment. */
function extensionHosts(server: EditorServer): number[] {
	const found = readdirSync('/proc').filter(name => {
		try {
			return (
				/^\d+$/.test(name) &&
				readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--type=extensionHost') &&
				readFileSync(`/proc/${name}/environ`, 'utf8').includes(server.stateFolder)
			);
		} catch {
			// It has ended meanwhile.
			return false;
		}
	});
	assert.ok(found.length > 0, 'the editor has an extension host');
	return found.map(Number);
}
