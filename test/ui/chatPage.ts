// The chat page in a real Chromium, with a substitute for the editor around it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Uri } from 'vscode';
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
import { webviewShell } from '../../src/platform/webview.ts';
import { launchBrowser } from '../support/browser.ts';
import { builtByTheRunner } from '../support/builtByTheRunner.ts';
import { screenshot } from '../support/editorWindow.ts';
import { waitFor } from '../support/waitFor.ts';
import { type ThemeName, themes } from './themes.ts';

const PAGE_TYPE = 'text/html; charset=utf-8';

/** Content types by file extension; the page itself has none. */
const types: Record<string, string> = {
	'': PAGE_TYPE,
	'.js': 'text/javascript',
	'.css': 'text/css',
	'.ttf': 'font/ttf',
};

declare global {
	interface Window {
		posted: FromPage[];
		savedState: SavedState | undefined;
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
	private readonly server: Server;
	private readonly origin: string;

	private constructor(browser: Browser, server: Server) {
		this.browser = browser;
		this.server = server;
		this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	}

	static async start(): Promise<ChatPageHost> {
		const folder = path.join(builtByTheRunner('ERRAND_TEST_EXTENSION'), 'dist', 'webview');
		const files = new Map(
			readdirSync(folder).map(name => [`/dist/webview/${name}`, readFileSync(path.join(folder, name))]),
		);
		const server = createServer((request, response) => {
			const origin = `http://${request.headers.host}`;
			const { pathname } = new URL(request.url ?? '/', origin);
			const body = pathname === '/' ? shell(origin) : files.get(pathname);
			const type = types[path.extname(pathname)] ?? '';
			response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
		});
		await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
		return new ChatPageHost(await launchBrowser(), server);
	}

	async open(options: PageOptions = {}): Promise<ChatPage> {
		const { theme = 'dark', width = 400, height = 700, scale = 1 } = options;
		const context = await this.browser.newContext({
			viewport: { width, height },
			deviceScaleFactor: scale,
			colorScheme: theme === 'light' ? 'light' : 'dark',
			reducedMotion: options.reducedMotion ? 'reduce' : 'no-preference',
			forcedColors: options.forcedColors ? 'active' : 'none',
		});
		await context.addInitScript(standIn, { variables: themes[theme], state: options.state });
		const page = await context.newPage();
		const chat = new ChatPage(context, page);
		if (options.bundle) {
			const body = shell(this.origin, options.bundle);
			await context.route(`${this.origin}/`, route => route.fulfill({ contentType: PAGE_TYPE, body }));
		}
		await page.goto(this.origin);
		await chat.waitForPosted('page-ready');
		return chat;
	}

	async stop(): Promise<void> {
		await this.browser.close();
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}
}

/**
 * Sets up the page for the tests of a `describe`, and gives what opens it. `opened` is told of each page, which is closed
 * after its test and must not leave a fault behind.
 */
export function useChatPage(opened: (page: ChatPage) => void): (options?: PageOptions) => Promise<ChatPage> {
	let host: ChatPageHost;
	const pages: ChatPage[] = [];

	before(async () => {
		host = await ChatPageHost.start();
	});

	after(() => host?.stop());

	afterEach(async () => {
		for (const page of pages.splice(0)) {
			await page.close();
		}
	});

	return async options => {
		const page = await host.open(options);
		pages.push(page);
		opened(page);
		return page;
	};
}

export class ChatPage {
	readonly page: Page;
	/** Every URL that was requested, except the page's own files and its worker's program. */
	readonly requests: string[] = [];
	/** Dialogs, errors and console errors. There must be none. */
	readonly faults: string[] = [];
	private readonly context: BrowserContext;
	private sequence = 0;

	constructor(context: BrowserContext, page: Page) {
		this.context = context;
		this.page = page;
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
		const handle = await this.page.waitForFunction(
			wanted => window.posted.find(message => message.kind === wanted),
			kind,
		);
		return (await handle.jsonValue()) as Extract<FromPage, { kind: K }>;
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

	/** Closes the page and checks that it had no faults, requests or violations of its content security policy. */
	async close(): Promise<void> {
		if (this.page.isClosed()) {
			return;
		}
		const violations = await this.violations();
		await this.context.close();
		assert.deepEqual({ faults: this.faults, requests: this.requests, violations }, none);
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
	new MutationObserver((_, observer) => {
		if (!document.documentElement) {
			return;
		}
		observer.disconnect();
		const { style } = document.documentElement;
		for (const [name, value] of Object.entries(variables)) {
			style.setProperty(name, value);
		}
		style.setProperty('background', variables['--vscode-sideBar-background'] ?? '');
	}).observe(document, { childList: true });
}

/** Returns the HTML as the extension makes it, with addresses of this server. */
function shell(origin: string, bundle: Record<string, string> = {}): string {
	const uri = (pathname: string): Uri =>
		({
			path: pathname,
			with: (change: { path: string }) => uri(change.path),
			toString: () => origin + pathname,
		}) as Uri;
	return webviewShell(
		{ cspSource: origin, asWebviewUri: resource => resource },
		{
			extensionUri: uri('/'),
			name: 'chat',
			title: 'Chat',
			language: 'en',
			data: { bundle, language: 'en', place: 'test' },
			dataImages: true,
			workers: true,
		},
	);
}
