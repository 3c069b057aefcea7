import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { ContractServer } from '../support/contractServer/contractServer.ts';
import { eventReply, jsonReply } from '../support/contractServer/exchange.ts';
import { connectionFields, imageModel, imageUrl, keys, searchModel } from '../support/contractServer/fixtures.ts';
import { type EditorServer, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	dialog,
	openUntitledFile,
	pickItem,
	quickRow,
	runCommand,
	screenshot,
	screenshotInThemes,
	toast,
	until,
} from '../support/editorWindow.ts';
import {
	ask,
	chooseInComposer,
	composerHasCursor,
	openChat,
	openModels,
	replyEnds,
	runInChat,
	sendMessage,
	turns,
} from '../support/errandWindow.ts';

describe('the chat in the window', () => {
	let service: ContractServer;
	let server: EditorServer;
	let page: Page;
	let frame: Frame;

	before(async () => {
		service = await ContractServer.start();
		const { models, ...fields } = connectionFields(service);
		// The service lists one more than the settings.
		const known = models.filter(({ id }) => id !== 'petit-8b');
		server = await startEditor({
			settings: { 'errand.connections': { quillon: { label: 'Quillon', ...fields, models: known } } },
		});
		({ page } = await openWindow(server));
		frame = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await service?.stop();
	});

	const mark = (number: number) => turns(frame).last().locator(`.citation[data-source="${number}"]`).first();
	const image = () => turns(frame).last().locator('chat-image img');
	const isShown = () => image().evaluate(image => (image as HTMLImageElement).naturalWidth === 256);
	const choice = () => frame.getByRole('button', { name: /^Choose Chat, Agent, Search, Image or Task/ });

	/** Types only after the editor's dialog proposes a name, because the proposal would replace what was typed before. */
	const saveAs = async (file: string) => {
		const input = page.locator('.quick-input-widget:visible .quick-input-box input');
		await until('a name is proposed', async () => (await input.inputValue()).endsWith('a-fox-in-the-snow.png'));
		await answerInput(page, file);
	};

	it('answers /search with marks, a card for each, and the list of the sources', async () => {
		await ask(frame, '/search who wrote it?');
		assert.match(await replyEnds(frame), /who wrote it\?/);
		await mark(2).hover();
		await frame.getByText('An excerpt that was made up as well.').waitFor();
		await screenshot(page, 'window-search-card');
		assert.equal(await turns(frame).last().locator('.sources li').count(), 2);
		// The card stays while the pointer is on it, and may lie over the list.
		await frame.locator('chat-composer textarea').hover();
		await frame.locator('.citation-card').waitFor({ state: 'hidden' });
		await turns(frame).last().locator('.sources a').first().click();
		// The editor itself asks before it opens anything.
		const question = dialog(page, 'https://example.com/source-1');
		await question.waitFor();
		await page.keyboard.press('Escape');
		await question.waitFor({ state: 'hidden' });
	});

	it('makes an image with the mode of the conversation, and keeps it over a reload', async () => {
		await chooseInComposer(frame, /^Choose Chat, Agent/, 'Image');
		await until('the mode is shown', async () => (await choice().innerText()).includes('Image'));
		await ask(frame, 'a fox in the snow');
		await image().waitFor();
		await until('the image is shown', isShown);
		assert.equal(await image().getAttribute('alt'), 'a fox in the snow');
		await screenshot(page, 'window-image');
		await reloadWindow(page);
		frame = await openChat(page);
		await until('the image is shown again', async () => (await image().count()) === 1 && (await isShown()));
		await until('the mode is as it was', async () => (await choice().innerText()).includes('Image'));
	});

	it('saves an image into the workspace, and inserts it at the cursor of a file', async () => {
		const file = path.join(server.folder, 'fox.png');
		await turns(frame).last().hover();
		await turns(frame).last().getByRole('button', { name: 'Save Image…' }).click();
		await saveAs(file);
		await toast(page, 'The image was saved').waitFor();
		assert.equal(fs.readFileSync(file).subarray(1, 4).toString(), 'PNG');
		const untitled = await openUntitledFile(page);
		await frame.locator('chat-composer textarea').focus();
		await turns(frame).last().hover();
		await turns(frame).last().getByRole('button', { name: 'Insert as Markdown…' }).click();
		await saveAs(path.join(server.folder, 'second.png'));
		await untitled.locator('.view-lines').getByText('![a fox in the snow](second.png)').waitFor();
		assert.ok(fs.existsSync(path.join(server.folder, 'second.png')));
		await screenshotInThemes(page, 'window-image', () => turns(frame).last().hover());
		await runCommand(page, 'View: Revert and Close Editor');
		await untitled.waitFor({ state: 'detached' });
	});

	describe('with a remote service', () => {
		const asked = () => service.received.at(-1)?.json as Record<string, unknown>;
		const openHarvest = async () => {
			await openModels(frame);
			await quickRow(page, 'Harvest 70B').first().waitFor();
		};
		const beginConversation = async () => {
			await runInChat(page, frame, 'Errand: New Conversation');
			await turns(frame).first().waitFor({ state: 'detached' });
		};
		/** What the page itself asked the service for, past the extension. */
		const fromPage: string[] = [];

		before(async () => {
			page.context().on('request', request => {
				if (Object.values(service.hosts).some(origin => request.url().startsWith(origin))) {
					fromPage.push(request.url());
				}
			});
			await runCommand(page, 'Errand: Switch or Add Connection…');
			await quickRow(page, 'Quillon').click();
			await beginConversation();
			await frame.getByRole('button', { name: 'Select Model: harvest-70b on Quillon' }).waitFor();
		});

		it('takes its models from it, an alternate, and for a prefix that it does not understand the order', async () => {
			const widget = page.locator('.quick-input-widget:visible');
			const refresh = () => widget.getByRole('button', { name: 'Ask the Service for Its Models' }).click();
			await openHarvest();
			await refresh();
			await toast(page, 'Quillon needs a key.').waitFor();
			await page.keyboard.press('Escape');
			await sendMessage(frame, 'text');
			await widget.getByText('Inference key of Quillon').waitFor();
			await answerInput(page, keys.inference);
			await until('the message is a turn', async () => (await turns(frame).count()) === 1);
			await replyEnds(frame);
			await runCommand(page, 'Notifications: Clear All Notifications');
			await openHarvest();
			// The list draws what is in view alone.
			await widget.locator('.quick-input-box input').fill('petit');
			await until('nothing else is listed', async () => (await quickRow(page, 'Harvest').count()) === 0);
			assert.equal(await quickRow(page, 'petit-8b').count(), 0);
			await refresh();
			await quickRow(page, 'petit-8b').first().waitFor();
			await screenshot(page, 'window-models-found');
			await page.keyboard.press('Escape');
			// The composer gets the cursor once the extension knows that the list is gone, and would close one opened before.
			await composerHasCursor(frame);
			await openHarvest();
			await widget.locator('.quick-input-box input').fill('alternates');
			await quickRow(page, 'Alternates…').click();
			await widget.getByPlaceholder('Models that may serve in place of').waitFor();
			await quickRow(page, 'sonata-large').click();
			await widget.getByText('1 Selected').waitFor();
			await page.keyboard.press('Enter');
			await composerHasCursor(frame);
			await openHarvest();
			await widget.locator('.quick-input-box input').fill('alternates');
			await quickRow(page, 'Alternates…').filter({ hasText: 'sonata-large' }).waitFor();
			await widget.locator('.quick-input-box input').fill('provider');
			await quickRow(page, 'Through a Provider…').filter({ hasText: 'enterprise host only' }).click();
			await quickRow(page, 'swiftcore/harvest-70b').click();
			await toast(page, 'Only the enterprise host understands a provider prefix')
				.getByRole('button', { name: 'Put It First in the Routing Policy' })
				.click();
			await frame.getByRole('button', { name: 'Select Routing Policy: Custom' }).waitFor();
			await ask(frame, 'text');
			await replyEnds(frame);
			assert.deepEqual(asked()['models'], ['sonata-large']);
			assert.deepEqual(asked()['provider'], { order: ['swiftcore'] });
			assert.match(await turns(frame).last().locator('h3').innerText(), /via swiftcore/);
		});

		it('leaves the cursor in the settings where a list has led there', async () => {
			await frame.getByRole('button', { name: /^Select Routing Policy/ }).click();
			await pickItem(page, 'Open in Settings');
			const search = page.locator('.settings-editor .settings-header .monaco-editor.focused');
			await search.getByText('errand.chat.routing').waitFor();
			await screenshot(page, 'window-policy-settings');
			assert.equal(await search.count(), 1, 'the search has the cursor');
			assert.equal(await frame.evaluate(() => document.hasFocus()), false);
			await runCommand(page, 'View: Close All Editors');
		});

		it('says of each image that is none, or none to be loaded, why, in one sentence', async () => {
			const { public: origin } = service.hosts;
			const script = '<script>document.title = "run"</script>';
			const images: Record<string, Parameters<ContractServer['answer']>[1]> = {
				page: { status: 200, headers: { 'content-type': 'image/png' }, text: `<html>${script}</html>` },
				vector: { status: 200, headers: { 'content-type': 'image/svg+xml' }, text: `<svg>${script}</svg>` },
				large: { status: 200, headers: { 'content-type': 'image/png' }, text: 'x'.repeat(50_000_000) },
				away: { status: 302, headers: { location: 'http://10.0.0.7/secret.png' } },
			};
			const addresses: Record<string, string> = { inside: 'http://10.0.0.7/secret.png', nowhere: imageUrl };
			for (const [name, reply] of Object.entries(images)) {
				service.answer(({ path: place }) => place === `/files/${name}`, reply);
				addresses[name] = `${origin}/files/${name}`;
			}
			service.answer(
				({ json }) => (json as { model?: string } | undefined)?.model === imageModel.id,
				({ json }) => {
					const [message] = (json as { messages: { content: string }[] }).messages;
					const content = addresses[message?.content ?? ''];
					return jsonReply({
						object: 'chat.completion',
						model: imageModel.id,
						choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
					});
				},
			);
			await beginConversation();
			for (const [name, sentence] of [
				['page', 'it is not a PNG'],
				['vector', 'it is not a PNG'],
				['large', 'it is larger than 10 MB'],
				['away', 'its server redirected to another address'],
				['inside', 'its address is on this machine or its network'],
				['nowhere', 'its server refused or did not answer'],
			] as const) {
				await ask(frame, `/image ${name}`);
				await turns(frame).last().getByText(sentence).waitFor();
				assert.equal(await image().count(), 0, name);
			}
			await screenshot(page, 'window-images-refused');
			assert.deepEqual(fromPage, []);
			const loads = service.received.filter(({ path: place }) => place.startsWith('/files/'));
			assert.deepEqual(
				loads.map(({ path: place }) => place),
				['page', 'vector', 'large', 'away'].map(name => `/files/${name}`),
			);
			assert.ok(loads.every(({ headers }) => !headers.authorization && !headers.cookie && !headers.referer));
			await turns(frame).last().hover();
			await turns(frame).last().getByRole('button', { name: 'Open in Browser' }).click();
			await dialog(page, 'images.quillon.invalid').waitFor();
			await page.keyboard.press('Escape');
			await dialog(page, 'images.quillon.invalid').waitFor({ state: 'hidden' });
		});

		it('puts marks where positions make sense, lists the other sources, and says that there were more', async () => {
			const text = 'Tea grows 👩‍🌾 on hills, and rain helps.';
			const source = (name: string, start_index?: number, end_index?: number) => ({
				type: 'url_citation',
				url_citation: {
					url: `https://${name}.example/`,
					title: `About ${name}`,
					content: `What ${name} says.`,
					start_index,
					end_index,
				},
			});
			const annotations = [
				source('reversed', 24, 16),
				source('hills', 16, 21),
				source('farmers', 4, 12),
				source('growth', 0, 9),
				source('outside', 500, 900),
				...Array.from({ length: 300 }, (_, index) => source(`more-${index}`)),
			];
			const chunk = (delta: object, finish_reason: string | null = null) => ({
				data: {
					object: 'chat.completion.chunk',
					model: searchModel.id,
					choices: [{ index: 0, delta, finish_reason }],
				},
			});
			service.answer(
				({ json }) => (json as { model?: string } | undefined)?.model === searchModel.id,
				eventReply([chunk({ content: text }), chunk({ annotations }), chunk({}, 'stop'), { data: '[DONE]' }]),
			);
			await ask(frame, '/search tea');
			await replyEnds(frame);
			await mark(1).waitFor();
			const content = turns(frame).last().locator('chat-markdown .content');
			const read = () =>
				content.evaluate(element => {
					const copy = element.cloneNode(true) as Element;
					for (const citation of copy.querySelectorAll('.citation')) {
						citation.replaceWith(`[${citation.textContent?.trim()}]`);
					}
					return copy.textContent?.trim();
				});
			assert.equal(await read(), 'Tea grows[1] 👩‍🌾[2] on hills[3], and rain helps.');
			const sources = turns(frame).last().locator('.sources');
			await sources.locator('summary').click();
			assert.equal(await sources.locator('li').count(), 200);
			await sources.getByText('The service gave more citations; the first 200 are kept.').waitFor();
			await sources.locator('summary').click();
			await mark(2).hover();
			await frame.locator('.citation-card').getByText('What farmers says.').waitFor();
			await screenshot(page, 'window-search-remote');
			await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
			await turns(frame).last().hover();
			await turns(frame).last().getByRole('button', { name: 'Copy Reply' }).click();
			const copied = () => page.evaluate(() => navigator.clipboard.readText());
			await until('the reply is copied', async () => (await copied()).startsWith('Tea grows[1]'));
			assert.match(await copied(), /\n\nSources\n\[1\] About growth https:\/\/growth\.example\/\n\[2\] About farmers /);
			assert.match(await copied(), /the first 200 are kept\.$/);
		});
	});
});
