import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { TurnMode } from '../../src/chat/model/mode.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { USE } from '../ui/scenes.ts';
import { themeNames } from '../ui/themes.ts';

const MODEL = 'acme/large-model-2026-preview';
const SHOWN_CHARACTERS = 8;

describe('the composer’s bottom row', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	const show = async (mode: TurnMode, agent = 'Errand') => {
		await chat.snapshot([turnView()], {
			mode,
			agent: { label: agent, approvals: 'ask' },
			settings: { model: MODEL, routing: { preset: 'balanced', isPrivate: false, isLimited: false }, retention: 'off' },
		});
		await chat.send({ kind: 'context-set', context: { chips: [], use: USE } });
	};
	const row = () => chat.page.locator('chat-composer .row');
	const boxOf = async (locator: Locator) => (await locator.boundingBox()) ?? assert.fail('it is not shown');

	/** How many characters of the model's name have room. */
	const shownCharacters = () =>
		row()
			.getByRole('button', { name: /^Select Model/ })
			.locator('.word')
			.evaluate(word => {
				const whole = document.createRange();
				whole.selectNodeContents(word);
				const perCharacter = whole.getBoundingClientRect().width / (word.textContent ?? '').length;
				return word.getBoundingClientRect().width / perCharacter;
			});

	/** Returns the buttons that overlap another one or leave the box. */
	const misplaced = () =>
		row().evaluate(element => {
			const meter = element.querySelector('context-meter')?.shadowRoot;
			const buttons = [...element.querySelectorAll('button'), ...(meter?.querySelectorAll('button') ?? [])];
			const boxes = buttons.map(button => ({ name: button.title, box: button.getBoundingClientRect() }));
			const outer = element.parentElement?.getBoundingClientRect() as DOMRect;
			const overlaps = (one: DOMRect, other: DOMRect) =>
				one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
			return boxes.flatMap(({ name, box }) => {
				const isOut = box.left < outer.left || box.right > outer.right || box.bottom > outer.bottom;
				return isOut || boxes.some(other => other.box !== box && overlaps(box, other.box)) ? [name] : [];
			});
		});

	for (const width of [280, 320, 400, 480]) {
		it(`has the beginning of the model's name at ${width} pixels, and each button in its own place`, async () => {
			await open({ width });
			for (const [mode, agent] of [
				['chat', 'Errand'],
				['agent', 'Errand'],
				['agent', 'Another Agent · Opus 4.5'],
			] as const) {
				await show(mode, agent);
				await chat.screenshot(`composer-row-${mode}-${agent.length}-${width}`);
				assert.deepEqual(await misplaced(), [], `${mode} with ${agent}`);
				const shown = await shownCharacters();
				assert.ok(shown >= SHOWN_CHARACTERS, `${shown} characters in mode ${mode} with ${agent}`);
			}
			for (const mode of ['search', 'image'] as const) {
				await show(mode);
				assert.deepEqual(await misplaced(), [], mode);
			}
		});
	}

	it('is one row in a chat at 280 pixels, and grows by one row alone for an agent', async () => {
		await open({ width: 280 });
		const composer = chat.page.locator('chat-composer');
		await show('chat');
		const one = await boxOf(composer);
		const button = await boxOf(row().getByRole('button', { name: 'Send', exact: true }));
		for (const mode of ['search', 'image'] as const) {
			await show(mode);
			assert.deepEqual(await boxOf(composer), one, mode);
		}
		await show('agent');
		const two = await boxOf(composer);
		assert.equal(two.height - one.height, button.height + 4);
		assert.deepEqual(
			await boxOf(row().getByRole('button', { name: 'Send', exact: true })),
			button,
			'Send stays where it is',
		);
	});

	for (const theme of themeNames) {
		it(`looks right in ${theme} at 280 pixels`, async () => {
			await open({ width: 280, theme });
			await show('agent');
			await chat.screenshot(`composer-row-agent-${theme}-280`);
		});
	}
});
