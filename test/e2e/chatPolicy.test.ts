import assert from 'node:assert/strict';
import type { Frame, Locator, Page } from 'playwright-core';
import { type EditorServer, type EditorWindow, openWindow, reloadWindow, startEditor } from '../support/editor.ts';
import { dismissInput, quickRow, resizeChat, screenshot, until } from '../support/editorWindow.ts';
import { ask, isStreaming, lastTurnText, openChat, openModels, turns } from '../support/errandWindow.ts';
import { allowOnly, askAndRead, choosePreset, policyButton as policyButtonIn } from '../support/routingPolicy.ts';
import { UpstreamServer } from '../support/upstreamServer.ts';

const PIECES = Array.from({ length: 12 }, (_, index) => `word${index} `);

describe('the policy of a conversation in the window', () => {
	const upstreams: Record<string, UpstreamServer> = {};
	let server: EditorServer;
	let window: EditorWindow;
	let page: Page;
	let frame: Frame;

	before(async () => {
		const models = [{ id: 'small', object: 'model' }];
		for (const slug of ['cheap', 'soon', 'rapid']) {
			upstreams[slug] = await UpstreamServer.start({ models, pieces: PIECES });
		}
		const urlOf = (slug: string) => upstreams[slug]?.url;
		server = await startEditor({
			settings: {
				'errand.chat.model': 'small',
				'errand.local.upstreams': {
					ollama: false,
					cheap: {
						url: urlOf('cheap'),
						prices: { input: 1, output: 2 },
						contextLength: 32_768,
						dataPolicy: { storesData: true },
						quantization: 'int4',
					},
					soon: { url: urlOf('soon'), prices: { input: 5, output: 10 }, contextLength: 32_768 },
					rapid: {
						url: urlOf('rapid'),
						prices: { input: 20, output: 40 },
						contextLength: 32_768,
						dataPolicy: { zeroDataRetention: true, storesData: false },
						quantization: 'fp8',
					},
				},
			},
		});
		window = await openWindow(server);
		page = window.page;
		frame = await openChat(page);
	});

	after(async () => {
		await server?.stop();
		await Promise.all(Object.values(upstreams).map(upstream => upstream.stop()));
	});

	const row = (text: string | RegExp) => quickRow(page, text);
	const policyButton = () => policyButtonIn(frame);
	const chats = (slug: string): number => upstreams[slug]?.chats.length ?? 0;

	it('sends to no provider but the one that it allows', async () => {
		for (const slug of ['cheap', 'soon', 'rapid']) {
			await allowOnly(page, frame, slug);
			const before = chats(slug);
			assert.match(await askAndRead(frame, `Only ${slug}?`), new RegExp(`via ${slug}`));
			assert.equal(chats(slug), before + 1);
		}
	});

	it('sends to the cheapest and to the private one', async () => {
		const wanted = { Cheapest: 'cheap', Private: 'rapid' };
		const went: Record<string, string | undefined> = {};
		for (const preset of Object.keys(wanted)) {
			await choosePreset(page, frame, preset);
			await frame.getByRole('button', { name: `Select Routing Policy: ${preset}` }).waitFor();
			went[preset] = /via (\w+)/.exec(await askAndRead(frame, `${preset}?`))?.[1];
		}
		assert.deepEqual(went, wanted);
	});

	it('opens at each reply what it was asked with, what it cost, and what all came to', async () => {
		const last = turns(frame).last();
		await last.getByRole('button', { name: /^Details of the reply/ }).click();
		const details = last.locator('.details');
		for (const part of [
			/rapid/,
			/Private/,
			/data_collection: deny/,
			/zdr: true/,
			/In force: the routing policy requires it/,
			/first token after/,
			/\$0\.00054/,
			/\d+ replies/,
		]) {
			await until(`the details say ${part}`, async () => part.test(await details.innerText()));
		}
		await screenshot(page, 'policy-details');
	});

	it('shows for each provider why it remains or is left out, as a reading and no promise', async () => {
		await policyButton().click();
		await row('Preview Providers…').waitFor();
		await screenshot(page, 'policy-picker');
		await row('Preview Providers…').click();
		await row('rapid').filter({ hasText: 'balanced by price and uptime' }).waitFor();
		await row('cheap').filter({ hasText: 'its policy is “stores data”' }).waitFor();
		await row('soon').filter({ hasText: 'its policy is not known' }).waitFor();
		await row(/^\s*demo/)
			.filter({ hasText: 'does not host this model' })
			.first()
			.waitFor();
		assert.match(
			(await page.locator('.quick-input-widget:visible input').getAttribute('placeholder')) ?? '',
			/not the service’s promise/,
		);
		await screenshot(page, 'policy-preview');
		await dismissInput(page);
	});

	it('is refused before anything is sent if it leaves no provider, with the way to change it', async () => {
		await allowOnly(page, frame, 'cheap');
		await policyButton().click();
		await row('Zero Data Retention…').click();
		await row(/^On/).click();
		await frame.getByRole('button', { name: /Select Routing Policy: Only these, private/ }).waitFor();
		const before = chats('cheap');
		await ask(frame, 'Nobody?');
		await until('the reply is refused', async () => /leaves no provider/.test(await lastTurnText(frame)));
		assert.match(await lastTurnText(frame), /cheap: zdr: true, but its policy is “stores data”\./);
		assert.equal(chats('cheap'), before);
		await screenshot(page, 'policy-refused');
		await frame.getByRole('button', { name: 'Change Routing Policy' }).last().click();
		await row('As in the Settings').click();
		await frame.getByRole('button', { name: 'Select Routing Policy: Balanced' }).waitFor();
	});

	it('says of a provider that fails that no other was allowed', async () => {
		const { cheap } = upstreams;
		assert.ok(cheap);
		const behaviour = cheap.behaviour;
		cheap.behaviour = { ...behaviour, status: 500, body: { error: { message: 'out of order' } } };
		await allowOnly(page, frame, 'cheap');
		await ask(frame, 'Anybody?');
		await until('the reply has failed', async () => /allows only cheap/.test(await lastTurnText(frame)));
		assert.equal(await isStreaming(frame), false);
		assert.match(await lastTurnText(frame), /out of order/);
		await frame.getByRole('button', { name: 'Change Routing Policy' }).last().waitFor();
		cheap.behaviour = behaviour;
	});

	it('takes a field and a parameter in their range alone, and says what that is', async () => {
		const box = page.locator('.quick-input-widget:visible .quick-input-box input');
		const said = (text: string) => page.locator('.quick-input-widget:visible').getByText(text).first().waitFor();
		/** What is typed before the box of the field is there goes into the list, and Enter then accepts an empty box. */
		const boxOf = (field: string) => said(`: ${field}`);
		/** The extension judges a refused message again, and Enter does nothing until then. */
		const enter = (taken: Locator) =>
			until('what was typed is taken', async () => {
				await page.keyboard.press('Enter');
				return taken.waitFor({ timeout: 2_000 }).then(
					() => true,
					() => false,
				);
			});
		await policyButton().click();
		await row('Edit All Fields…').click();
		await row('sort').first().waitFor();
		// The list draws what is in view alone.
		await box.fill('preferred_max');
		await row('preferred_max_latency').click();
		await boxOf('preferred_max_latency');
		await box.fill('soon');
		await page.keyboard.press('Enter');
		await said('A number, or a JSON object');
		await box.fill('{"p50": 2}');
		// The list is back at the field that was changed.
		await enter(row('preferred_max_latency').filter({ hasText: '{"p50":2}' }));
		await screenshot(page, 'policy-fields');
		await dismissInput(page);
		await frame.getByRole('button', { name: 'Select Routing Policy: Custom' }).waitFor();
		await openModels(frame);
		await row('Parameters…').click();
		await row('temperature').click();
		await boxOf('temperature');
		await box.fill('3');
		await page.keyboard.press('Enter');
		await said('Allowed: a number from 0 to 2.');
		await box.fill('0.5');
		await enter(row('temperature').filter({ hasText: '0.5' }));
		await screenshot(page, 'policy-parameters');
		await dismissInput(page);
		assert.match(await askAndRead(frame, 'How warm?'), /via cheap/);
		assert.equal(upstreams['cheap']?.chats.at(-1)?.body['temperature'], 0.5);
	});

	it('has the models with what is known of them, and the choice stays with the conversation', async () => {
		await openModels(frame);
		await row(/^\s*small/)
			.filter({ hasText: '33K context' })
			.first()
			.waitFor();
		await screenshot(page, 'policy-models');
		await row('Demo').filter({ hasText: 'open weights' }).first().click();
		await frame.getByRole('button', { name: 'Select Model: demo on Local' }).waitFor();
		await reloadWindow(page);
		frame = await openChat(page);
		await frame.getByRole('button', { name: 'Select Model: demo on Local' }).waitFor();
		await frame.getByRole('button', { name: 'Select Routing Policy: Custom' }).waitFor();
	});

	it('says with icons what it has no room for words for', async () => {
		frame = await openChat(page);
		await resizeChat(page, frame, 600);
		await frame.getByText('Custom', { exact: true }).waitFor();
		await screenshot(page, 'policy-600');
		await resizeChat(page, frame, 200);
		await frame.getByText('Custom', { exact: true }).waitFor({ state: 'hidden' });
		await policyButton().waitFor();
		await screenshot(page, 'policy-200');
	});
});
