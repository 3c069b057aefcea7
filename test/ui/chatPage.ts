// The chat page in a real Chromium, with a substitute for the editor around it.
import assert from 'node:assert/strict';
import type { Browser, Disposable, Page } from 'playwright-core';
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
import { launchBrowser } from '../support/browser.ts';
import { screenshot } from '../support/editorWindow.ts';
import { waitFor } from '../support/waitFor.ts';
import { PageServer } from './pageServer.ts';
import { type ThemeName, themes } from './themes.ts';

declare global {
	interface Window {
		posted: FromPage[];
		savedState: SavedState | undefined;
		/** Sets the editor's variables, as the editor does in every view when its theme changes. */
		setVariables(variables: Record<string, string>): void;
		violations: string[];
	}
}

export interface PageOptions {
	theme?: ThemeName;
	width?: number;
	height?: number;
	state?: SavedState;
	reducedMotion?: boolean;
	forcedColors?: boolean;
	/** Device pixels per CSS pixel; 2 corresponds to 200 % zoom. */
	scale?: number;
	/** Translations by their English texts. */
	bundle?: Record<string, string>;
}

/** One Chromium and one server for a whole test file. */
export class ChatPageHost {
	private readonly browser: Browser;
	private readonly server: PageServer;

	private constructor(browser: Browser, server: PageServer) {
		this.browser = browser;
		this.server = server;
	}

	static async start(): Promise<ChatPageHost> {
		return new ChatPageHost(await launchBrowser(), await PageServer.start());
	}

	/** Opens a new page, with a profile of its own. */
	async open(options: PageOptions = {}): Promise<ChatPage> {
		const page = await this.browser.newPage({ deviceScaleFactor: options.scale ?? 1 });
		const chat = new ChatPage(page, this.server);
		await chat.load(options);
		return chat;
	}

	async stop(): Promise<void> {
		await this.browser.close();
		await this.server.stop();
	}
}

/**
 * Gives what opens the page in the tests of a `describe`. `opened` is told of each page, which must not leave a fault
 * behind. It is the same page, loaded anew, wherever that is possible: this takes half the processor time of a new one.
 */
export function useChatPage(opened: (page: ChatPage) => void): (options?: PageOptions) => Promise<ChatPage> {
	let host: ChatPageHost;
	let last: ChatPage | undefined;
	let spare: ChatPage | undefined;

	before(async () => {
		host = await ChatPageHost.start();
	});

	after(() => host?.stop());

	/** Ends the use of the last page. Only one without faults is used again. */
	const leave = async () => {
		const page = last;
		last = undefined;
		if (page?.canBeLoadedAnew) {
			await page.check();
			spare = page;
		} else {
			await page?.close();
		}
	};

	afterEach(leave);

	return async (options = {}) => {
		await leave();
		if (spare && options.scale === undefined) {
			last = spare;
			spare = undefined;
			await last.load(options);
		} else {
			last = await host.open(options);
		}
		opened(last);
		return last;
	};
}

export class ChatPage {
	readonly page: Page;
	/** Every URL that was requested, except the page's own files and its worker's program. */
	readonly requests: string[] = [];
	/** Dialogs, errors and console errors. There must be none. */
	readonly faults: string[] = [];
	private readonly server: PageServer;
	private standIn: Disposable | undefined;
	private sequence = 0;
	private isUnique = false;

	constructor(page: Page, server: PageServer) {
		this.page = page;
		this.server = server;
		page.on('request', request => {
			if (!OWN_ADDRESS.test(request.url())) {
				this.requests.push(request.url());
			}
		});
		page.on('dialog', dialog => {
			this.faults.push(`dialog: ${dialog.message()}`);
			void dialog.dismiss();
		});
		page.on('pageerror', error => this.faults.push(`error: ${error.message}`));
		page.on('console', message => {
			if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) {
				this.faults.push(`console: ${message.text()}`);
			}
		});
		page.on('popup', () => this.faults.push('a window was opened'));
	}

	/** Loads the page again. Nothing is left of its earlier state. */
	async load(options: PageOptions = {}): Promise<void> {
		const { theme = 'dark', width = 400, height = 700 } = options;
		this.sequence = 0;
		this.isUnique = options.scale !== undefined;
		await this.standIn?.dispose();
		this.standIn = await this.page.addInitScript(standIn, { variables: themes[theme], state: options.state });
		await this.page.setViewportSize({ width, height });
		await this.page.emulateMedia({
			colorScheme: theme === 'light' ? 'light' : 'dark',
			reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
			forcedColors: options.forcedColors ? 'active' : 'none',
		});
		this.server.bundle = options.bundle;
		this.requests.length = 0;
		this.faults.length = 0;
		await this.page.goto(this.server.origin);
		await this.waitForPosted('page-ready');
	}

	/** Changes the theme of the editor. */
	async setTheme(theme: ThemeName): Promise<void> {
		await this.page.evaluate(variables => window.setVariables(variables), themes[theme]);
	}

	/** Says whether another test can have the page. */
	get canBeLoadedAnew(): boolean {
		return !this.isUnique && !this.page.isClosed();
	}

	/** Gives the page a clock that the test moves, which it keeps even when it is loaded anew. */
	async installClock(): Promise<void> {
		this.isUnique = true;
		await this.page.clock.install();
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
						highlighter: { running: boolean } | undefined;
					};
					if (!('settled' in text) || (text.highlighter && !('running' in text.highlighter))) {
						throw new Error('What colours the code of a text is called something else.');
					}
					return text.settled !== undefined && text.highlighter?.running !== true;
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

	posted(): Promise<FromPage[]> {
		// The page posts its state and its focus at any time, whatever else happens.
		return this.page.evaluate(() => window.posted.filter(({ kind }) => kind !== 'state-keep' && kind !== 'focus-set'));
	}

	async waitForPosted<K extends FromPage['kind']>(kind: K): Promise<Extract<FromPage, { kind: K }>> {
		const find = (wanted: string) => window.posted.find(message => message.kind === wanted);
		// Playwright waits with a large script, which is not needed where the message is there already.
		const found = await this.page.evaluate(find, kind);
		return (found ?? (await (await this.page.waitForFunction(find, kind)).jsonValue())) as Extract<
			FromPage,
			{ kind: K }
		>;
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

	violations(): Promise<string[]> {
		return this.page.evaluate(() => window.violations);
	}

	/** Returns the saved state without its time. */
	savedState(): Promise<SavedState | undefined> {
		return this.page.evaluate(() => {
			const { savedAt: _, ...others } = window.savedState ?? { draft: '' };
			return window.savedState && others;
		});
	}

	async screenshot(name: string): Promise<void> {
		await screenshot(this.page, `chat-${name}`);
	}

	/** Checks that the page had no faults, requests or violations of its content security policy. */
	async check(): Promise<void> {
		const violations = await this.violations();
		assert.deepEqual({ faults: this.faults, requests: this.requests, violations }, none);
	}

	/** Closes the page and checks it. */
	async close(): Promise<void> {
		if (this.page.isClosed()) {
			return;
		}
		try {
			await this.check();
		} finally {
			await this.page.close();
		}
	}
}

const OWN_ADDRESS =
	/^(?:http:\/\/127\.0\.0\.1:\d+\/(?:dist\/webview\/[\w.]+|favicon\.ico)?|blob:http:\/\/127\.0\.0\.1:\d+\/[\da-f-]{36})$/;

const none = { faults: [], requests: [], violations: [] };

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

/** Runs in the page before everything else, like the editor's own script. */
function standIn({ variables, state }: { variables: Record<string, string>; state: SavedState | undefined }): void {
	window.posted = [];
	window.violations = [];
	window.savedState = state;
	// A new page has none, and this one may have been another test's before.
	sessionStorage.clear();
	document.addEventListener('securitypolicyviolation', event => {
		window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
	});
	const host = {
		postMessage: (message: FromPage) => window.posted.push(message),
		getState: () => window.savedState,
		setState: (saved: SavedState) => {
			window.savedState = saved;
		},
	};
	Object.assign(window, { acquireVsCodeApi: () => host });
	window.setVariables = wanted => {
		const { style } = document.documentElement;
		style.cssText = '';
		for (const [name, value] of Object.entries(wanted)) {
			style.setProperty(name, value);
		}
		style.setProperty('background', wanted['--vscode-sideBar-background'] ?? '');
	};
	new MutationObserver((_, observer) => {
		if (document.documentElement) {
			observer.disconnect();
			window.setVariables(variables);
		}
	}).observe(document, { childList: true });
}
