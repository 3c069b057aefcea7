import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { CDPSession } from 'playwright-core';
import { waitFor } from '../support/waitFor.ts';
import { agentTurn, waitingView } from '../ui/agentScenes.ts';
import { type ChatPage, turnView, useChatPage } from '../ui/chatPage.ts';
import { chip, FACTS, KEY_ERROR } from '../ui/scenes.ts';

/** The text that a person has read and found to be right. The present one is written beside the screenshots. */
const EXPECTED = new URL('ordinaryDay.txt', import.meta.url);
const ACTUAL = 'test-output/ordinaryDay.txt';

const FIRST = 'The guard compares seconds. It ';
const ANSWER = `${FIRST}takes \`exp\` for milliseconds:

\`\`\`ts
if (claims.exp < Date.now()) {
	throw new ExpiredTokenError();
}
\`\`\`

See [RFC 7519](https://www.rfc-editor.org/rfc/rfc7519).`;

/** Says what a screen reader would: where the focus is, and what the page announces. */
class ScreenReader {
	readonly said: string[] = [];
	private readonly chat: ChatPage;
	private readonly session: CDPSession;

	constructor(chat: ChatPage, session: CDPSession) {
		this.chat = chat;
		this.session = session;
	}

	chapter(name: string): void {
		this.said.push(`# ${name}`);
	}

	/** Presses keys, one after the other. */
	async press(...keys: string[]): Promise<void> {
		for (const key of keys) {
			await this.chat.page.keyboard.press(key);
			await this.listen(key);
		}
	}

	/** Presses a key until the focus is on what the words name. */
	async go(key: string, words: string): Promise<void> {
		for (let count = 0; count < 30; count++) {
			await this.press(key);
			if (this.said.at(-1)?.includes(`“${words}`)) {
				return;
			}
		}
		assert.fail(`${words} was not reached: ${this.said.join('\n')}`);
	}

	async listen(when: string): Promise<void> {
		const heard = await this.chat.page.evaluate(async () => {
			await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
			const page = window as { known?: WeakMap<Element, string> };
			page.known ??= new WeakMap();
			const { known } = page;
			const fresh: string[] = [];
			const visit = (root: Document | ShadowRoot) => {
				for (const region of root.querySelectorAll('[aria-live], [role="status"], [role="alert"]')) {
					for (const part of region.role === null ? region.children : [region]) {
						const copy = part.cloneNode(true) as Element;
						for (const hidden of copy.querySelectorAll('[aria-hidden="true"]')) {
							hidden.remove();
						}
						const words = copy.textContent?.replace(/\s+/g, ' ').trim() ?? '';
						if (region.ariaLive !== 'off' && known.get(part) !== words) {
							known.set(part, words);
							fresh.push(...(words === '' ? [] : [words]));
						}
					}
				}
				for (const { shadowRoot } of root.querySelectorAll('*')) {
					if (shadowRoot) {
						visit(shadowRoot);
					}
				}
			};
			visit(document);
			return fresh;
		});
		this.said.push(`${when}: ${await this.focused()}`, ...heard.map(words => `  hears: ${words}`));
	}

	/** Says what has the focus, as the browser tells screen readers. */
	private async focused(): Promise<string> {
		const { result } = await this.session.send('Runtime.evaluate', {
			expression: `(() => {
				let element = document.activeElement;
				while (element?.shadowRoot?.activeElement) {
					element = element.shadowRoot.activeElement;
				}
				const option = element?.getRootNode().getElementById?.(element.getAttribute('aria-activedescendant'));
				return [element, ...(option ? [option] : [])];
			})()`,
		});
		const { result: properties } = await this.session.send('Runtime.getProperties', {
			objectId: result.objectId ?? assert.fail(),
			ownProperties: true,
		});
		const words: string[] = [];
		for (const { name, value } of properties) {
			if (/^\d$/.test(name) && value?.objectId !== undefined) {
				words.push(await this.describe(value.objectId));
			}
		}
		return words.join(' → ');
	}

	private async describe(objectId: string): Promise<string> {
		const { nodes } = await this.session.send('Accessibility.getPartialAXTree', { objectId, fetchRelatives: false });
		const { role, name, description, value, properties = [] } = nodes[0] ?? assert.fail();
		const states = properties.flatMap(({ name: state, value: { value: is } }) =>
			['expanded', 'checked', 'selected', 'disabled', 'readonly', 'required', 'invalid'].includes(state) &&
			is !== false &&
			is !== 'false'
				? [is === true || is === 'true' ? state : `${state}: ${is}`]
				: state === 'expanded'
					? ['collapsed']
					: [],
		);
		return [
			`${role?.value} “${name?.value}”`,
			...(value?.value ? [`= ${value.value}`] : []),
			...states,
			...(description?.value ? [`(${description.value})`] : []),
		]
			.join(' ')
			.replace(/\s+/g, ' ');
	}
}

describe('an ordinary day in the chat', () => {
	let chat: ChatPage;
	const open = useChatPage(page => {
		chat = page;
	});

	it('needs no eyes and no mouse: the keyboard reaches all of it, and each stop says what it is', async () => {
		await open({ width: 300 });
		const reader = new ScreenReader(chat, await chat.page.context().newCDPSession(chat.page));
		const { keyboard } = chat.page;
		const sentTurn = async () => {
			const sent = (await chat.posted()).findLast(({ kind }) => kind === 'message-send');
			return sent?.kind === 'message-send' ? sent.turn : assert.fail();
		};

		reader.chapter('The first start');
		await chat.snapshot([], { connection: { label: 'Local', model: 'demo', isDemo: true } });
		await chat.send({ kind: 'composer-focus', request: 'r1', takesIt: true });
		await reader.listen('opened');
		await reader.press('Enter');
		await reader.go('Tab', 'Send');
		await reader.go('Shift+Tab', 'Conversation');

		reader.chapter('A model is set up');
		await chat.send({ kind: 'connection-set', connection: { label: 'Acme', model: 'large' } });
		await chat.send({ kind: 'composer-focus', request: 'r2', takesIt: true });
		await reader.listen('back');

		reader.chapter('A question, stopped');
		await keyboard.type('Why does login fail?');
		await reader.press('Enter');
		const id = await sentTurn();
		const turn = turnView({ state: 'streaming', text: '', model: 'large' }, { id, question: 'Why does login fail?' });
		await chat.change(turn);
		await chat.send({ kind: 'message-accept', turn: id });
		await reader.listen('sent');
		await chat.append(id, FIRST);
		await waitFor('the first sentence', async () =>
			(await chat.page.locator('.announcements').innerText()).includes('The guard compares'),
		);
		await reader.listen('while it comes');
		await reader.go('Tab', 'Stop');
		await reader.press('Enter');
		const stopped = { ...turn.reply, state: 'stopped' as const, text: FIRST, canRetry: true };
		await chat.change({ ...turn, reply: { ...stopped, canContinue: true } });
		await reader.listen('stopped');
		await reader.go('Shift+Tab', 'Continue');
		await reader.press('Enter');
		await chat.change({ ...turn, reply: { ...stopped, state: 'streaming' } });
		await reader.listen('goes on');
		await chat.change({ ...turn, reply: { ...stopped, ...FACTS, model: 'large', state: 'done', text: ANSWER } });
		await reader.listen('done');

		reader.chapter('The answer');
		const read = await chat.page.locator('.log').ariaSnapshot();
		reader.said.push(read.replaceAll(/\n.*time: .*|(?<=You) Nov 20.*(?=")/g, ''));
		await reader.go('Shift+Tab', 'Apply…');
		await reader.press('Enter');
		await reader.go('Shift+Tab', 'Copy');
		await reader.press('Enter');
		await reader.go('Shift+Tab', 'Conversation');
		await chat.send({ kind: 'composer-focus', request: 'r3', takesIt: true });

		reader.chapter('A file goes along');
		await keyboard.type('Fix @auth');
		const file = chip(1, { label: 'auth.ts', path: 'src/auth.ts' });
		await chat.answer('completion-request', [
			{ id: file.id, kind: 'file', label: 'auth.ts', description: 'src' },
			{ id: chip(2).id, kind: 'folder', label: 'auth/', description: 'test' },
		]);
		await reader.listen('typed @auth');
		await reader.press('ArrowDown', 'ArrowUp', 'Enter');
		await chat.send({ kind: 'context-set', context: { chips: [file] } });
		await reader.listen('added');
		await reader.press('Shift+Tab', 'Delete');
		await chat.send({ kind: 'context-set', context: { chips: [] } });
		await reader.listen('removed');

		reader.chapter('Another model');
		await reader.go('Tab', 'Select Model');
		const models = [
			{ id: 'large', name: 'Large', detail: '200K context', isCurrent: true },
			{ id: 'small', name: 'Small', isCurrent: false },
		];
		await reader.press('Enter');
		await chat.answer('models-request', models);
		await reader.listen('listed');
		await reader.press('Escape', 'Enter');
		await chat.answer('models-request', models);
		await reader.press('ArrowDown', 'Enter');
		await chat.send({ kind: 'connection-set', connection: { label: 'Acme', model: 'small' } });
		await reader.listen('chosen');

		reader.chapter('An agent asks');
		await chat.page.locator('chat-composer textarea').fill('');
		const work = agentTurn({}, { state: 'streaming' });
		const agent = { mode: 'agent', agent: { label: 'Errand', approvals: 'ask' } } as const;
		await chat.snapshot([work], agent);
		await chat.changes({ kind: 'step-set', turn: work.id, step: waitingView() });
		await reader.listen('asked');
		await chat.page.getByRole('button', { name: 'Allow Once' }).and(chat.page.locator(':enabled')).waitFor();
		await reader.go('Tab', 'No');
		await reader.go('Shift+Tab', 'Allow Once');
		await reader.press('Enter');

		reader.chapter('An error');
		await chat.snapshot([turn]);
		await reader.listen('another conversation');
		await chat.change({
			...turn,
			reply: { ...turn.reply, state: 'failed', text: '', explanation: KEY_ERROR, canRetry: true },
		});
		await reader.listen('failed');
		await reader.go('Shift+Tab', 'Change Key…');
		await reader.press('Enter');

		const text = `${reader.said.join('\n')}\n`;
		mkdirSync('test-output', { recursive: true });
		writeFileSync(ACTUAL, text);
		assert.equal(text, readFileSync(EXPECTED, 'utf8'), `read ${ACTUAL} as who hears it`);
	});
});
