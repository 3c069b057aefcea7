// The chat page in a real Chromium, with a substitute for the editor around it.
import assert from 'node:assert/strict';
import type { Answer } from '../../src/base/rpc.ts';
import type {
	AnswerTo,
	FromPage,
	PageAnswers,
	ReplyView,
	Snapshot,
	ToPage,
	TurnChange,
	TurnView,
} from '../../src/chat/protocol/protocol.ts';
import type { SavedState } from '../../src/chat/ui/page.ts';
import { waitFor } from '../support/waitFor.ts';
import type { ServedPage } from './pageServer.ts';
import { PageHost, type PageOptions, TestPage, usePage } from './testPage.ts';

const SERVED: ServedPage = { name: 'chat', data: { language: 'en', place: 'test' }, dataImages: true, workers: true };

/** Starts what opens chat pages outside of tests. */
export const startChatPages = () => PageHost.start(SERVED, ChatPage);

/** Gives what opens the chat page in the tests of a `describe`, as `usePage` does. */
export const useChatPage = (opened: (page: ChatPage) => void) => usePage(SERVED, ChatPage, opened);

export class ChatPage extends TestPage {
	private sequence = 0;

	override async load(options: PageOptions = {}): Promise<void> {
		this.sequence = 0;
		await super.load(options);
	}

	/** Resolves when the page has rendered the message. */
	async send(message: ToPage): Promise<void> {
		await this.page.evaluate(async data => {
			const frames = () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			/** A text is laid out in steps, which take longer on a slow machine. */
			const isLaidOut = () => {
				const root = document.querySelector('chat-app')?.shadowRoot;
				const turns = [...(root?.querySelectorAll('chat-turn') ?? [])].map(turn => turn.shadowRoot);
				const works = turns.flatMap(turn => [...(turn?.querySelectorAll('chat-work') ?? [])]);
				const texts = [...turns, ...works.map(work => work.shadowRoot)].flatMap(
					within => [...(within?.querySelectorAll('chat-markdown') ?? [])] as { view?: { timer: unknown } }[],
				);
				const timed = [...texts.flatMap(({ view }) => (view ? [view] : [])), ...(works as object[])];
				return timed.every(laidOut => {
					if (!('timer' in laidOut)) {
						throw new Error('What a reply is laid out by has no timer any more.');
					}
					return laidOut.timer === undefined;
				});
			};
			window.postMessage(data, '*');
			await new Promise(resolve => setTimeout(resolve));
			// The page needs one frame to apply the message and one to paint.
			await frames();
			while (!isLaidOut()) {
				await frames();
			}
		}, message);
	}

	/** Resolves when the code of all replies is highlighted or stays plain. */
	async coloured(): Promise<void> {
		await this.page.waitForFunction(
			() => {
				const root = document.querySelector('chat-app')?.shadowRoot;
				const turns = [...(root?.querySelectorAll('chat-turn') ?? [])].map(turn => turn.shadowRoot);
				const works = turns.map(turn => turn?.querySelector('chat-work')?.shadowRoot);
				const texts = [...turns, ...works].flatMap(within => [...(within?.querySelectorAll('chat-markdown') ?? [])]);
				return texts.every(element => {
					const text = element as unknown as {
						settled: unknown;
						replyHighlighter: { running: boolean } | undefined;
					};
					if (!('settled' in text) || (text.replyHighlighter && !('running' in text.replyHighlighter))) {
						throw new Error('What highlights the code of a text is called something else.');
					}
					return text.settled !== undefined && text.replyHighlighter?.running !== true;
				});
			},
			undefined,
			{ timeout: 90_000 },
		);
	}

	snapshot(turns: TurnView[], others: Partial<Snapshot> = {}): Promise<void> {
		const connection = { label: 'Local', model: 'demo-small' };
		return this.send({
			kind: 'snapshot-set',
			sequence: this.sequence,
			snapshot: { conversation: CONVERSATION_ID, turns, earlier: 0, connection, ...others },
		});
	}

	append(turn: string, text: string): Promise<void> {
		return this.changes({ kind: 'text-append', turn, text });
	}

	change(turn: TurnView): Promise<void> {
		return this.changes({ kind: 'turn-set', turn });
	}

	changes(...changes: TurnChange[]): Promise<void> {
		this.sequence++;
		return this.send({ kind: 'turns-change', sequence: this.sequence, changes });
	}

	/** Turns the mouse wheel over the conversation and waits until scrolling has stopped. */
	async wheel(pixels: number): Promise<void> {
		const log = this.page.locator('.log');
		const place = () =>
			log.evaluate(async element => {
				await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
				return element.scrollTop;
			});
		await log.hover();
		const before = await place();
		await this.page.mouse.wheel(0, pixels);
		let last = before;
		await waitFor('the wheel to come to rest', async () => {
			const now = await place();
			const rests = now !== before && now === last;
			last = now;
			return rests;
		});
	}

	override posted(): Promise<FromPage[]> {
		// The page posts its state and its focus at any time, whatever else happens.
		return this.page.evaluate(() =>
			(window.posted as FromPage[]).filter(({ kind }) => kind !== 'state-keep' && kind !== 'focus-set'),
		);
	}

	override async waitForPosted<K extends FromPage['kind']>(kind: K): Promise<Extract<FromPage, { kind: K }>> {
		return (await super.waitForPosted(kind)) as Extract<FromPage, { kind: K }>;
	}

	/** Answers the last request of a kind, as the host does. */
	async answer<K extends keyof PageAnswers>(kind: K, value: AnswerTo<K>): Promise<void> {
		await this.end(kind, { value });
	}

	/** Fails the last request of a kind with a problem, as the host does. */
	async fail(kind: keyof PageAnswers, problem: string): Promise<void> {
		await this.end(kind, { problem });
	}

	private async end(kind: keyof PageAnswers, answer: Answer): Promise<void> {
		await this.waitForPosted(kind);
		const asked = (await this.posted()).findLast(message => message.kind === kind);
		assert.ok(asked && 'request' in asked);
		await this.send({ kind: 'answer', request: asked.request, answer });
	}

	/** Returns the saved state without its time. */
	savedState(): Promise<SavedState | undefined> {
		return this.page.evaluate(() => {
			const saved = window.savedState as SavedState | undefined;
			const { savedAt: _, ...others } = saved ?? { draft: '' };
			return saved && others;
		});
	}
}

/** The id of the conversation in a snapshot, unless the test gives another. */
export const CONVERSATION_ID = 'c0000000-0000-4000-8000-000000000001';

let turnCount = 0;

/** Returns a turn with the fields of a test. Ids are UUIDs, as the page's own are. */
export function turnView(reply: Partial<ReplyView> = {}, others: Partial<TurnView> = {}): TurnView {
	turnCount++;
	return {
		id: `00000000-0000-4000-8000-${String(turnCount).padStart(12, '0')}`,
		askedAt: Date.UTC(2026, 10, 20, 9, 30),
		question: 'Why does login fail on expired tokens?',
		reply: {
			state: 'done',
			text: 'Because the guard compares seconds with milliseconds.',
			earlier: false,
			model: 'demo-small',
			waiting: false,
			canRetry: false,
			canContinue: false,
			continued: 0,
			...reply,
		},
		...others,
	};
}
