import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { runCommand, toast, until } from '../support/editorWindow.ts';
import {
	ask,
	leavePrompt,
	openChat,
	replyEnds,
	replyText,
	taskLine,
	turns,
	writePrompt,
} from '../support/errandWindow.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';
import { useWindow } from '../support/useWindow.ts';
import { HOSTILE } from '../ui/hostile.ts';

describe('the window of a folder that is not trusted', () => {
	/** Where everything hostile would go, were it to go. */
	let beacon: Server;
	const received: string[] = [];
	let upstream: UpstreamServer;
	let page: Page;
	let frame: Frame;
	const requests: string[] = [];

	const window = useWindow(async () => {
		beacon = createServer((request, response) => {
			received.push(request.url ?? '');
			response.end();
		}).listen(0, '127.0.0.1');
		upstream = await UpstreamServer.start();
		return {
			alone: 'The editor is told at its start whether it asks for trust.',
			settings: {
				'security.workspace.trust.enabled': true,
				'security.workspace.trust.startupPrompt': 'never',
				'errand.chat.model': 'small',
				'errand.local.upstreams': { ollama: false, tested: { url: upstream.url } },
			},
		};
	});

	before(async () => {
		({ page } = window());
		page.context().on('request', request => requests.push(request.url()));
		frame = await openChat(page);
	});

	after(async () => {
		await upstream?.stop();
		beacon?.close();
	});

	/** What was asked for and reported because of a hostile reply. */
	const consequences = () => ({
		received,
		requests: requests.filter(
			url => /evil\.example|^(?:javascript|command|vbscript):/.test(url) || url.includes(beaconHost()),
		),
		reports: window().messages.filter(({ text }) => /Content Security Policy|evil\.example/i.test(text)),
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
		assert.deepEqual(consequences(), nothing);
	});

	it('reads nothing of the folder into the chat, applies no code there, and says why', async () => {
		const reason = toast(page, 'Files and web pages can’t be added to the chat until you trust this workspace.');
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
		await says();
		assert.equal(await frame.locator('chat-composer chat-chips .label').count(), 0);
		// What is pasted is a file of this machine, but it is still taken as text.
		const place = window().sample.file('package.json');
		await composer.evaluate((field, text) => {
			const clipboardData = new DataTransfer();
			clipboardData.setData('text/plain', text);
			field.dispatchEvent(
				new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }),
			);
		}, place);
		await until('it is text', async () => (await composer.inputValue()) === place);
		await composer.fill('');

		upstream.behaviour = { pieces: ['```ts src/prices.ts\nexport const tax = 0;\n```\n'] };
		await ask(frame, 'Some code');
		await replyEnds(frame);
		await turns(frame).last().getByRole('button', { name: 'Apply…' }).click();
		const refusal = toast(page, 'Code can only be applied to files in a trusted workspace.');
		await refusal.waitFor();
		await refusal.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
		assert.equal(await page.locator('.monaco-diff-editor').count(), 0);
		await page.keyboard.press('Escape');
		// The key reaches the editor by way of the page, and would close whatever notice comes before it.
		await refusal.waitFor({ state: 'hidden' });
	});

	it('starts no task on the local connection, whose agents would run here, and keeps its prompt', async () => {
		const reason = toast(page, 'This requires a trusted workspace.');
		await writePrompt(page, 'Do it');
		const line = taskLine(frame);
		await line.getByText('This requires a trusted workspace.').waitFor();
		await line.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
		await page.keyboard.press('Enter');
		await reason.first().waitFor();
		assert.equal(await page.locator('.quick-input-widget:visible .monaco-list-row').count(), 0);
		assert.equal(await frame.locator('chat-composer textarea').inputValue(), 'Do it');
		await leavePrompt(frame);
	});
});
