// A page of the extension in a real Chromium, with a substitute for the editor around it.
import assert from 'node:assert/strict';
import type { Browser, Disposable, Page } from 'playwright-core';
import { launchBrowser, sharedBrowser } from '../support/browser.ts';
import { screenshot } from '../support/editorWindow.ts';
import { PageServer, type ServedPage } from './pageServer.ts';
import { type ThemeName, themes } from './themes.ts';

/** A message of the page to the host. */
interface Posted {
	kind: string;
}

declare global {
	interface Window {
		posted: Posted[];
		savedState: unknown;
		/** Sets the editor's variables, as the editor does in every view when its theme changes. */
		setVariables(variables: Record<string, string>): void;
		violations: string[];
	}
}

export interface PageOptions {
	theme?: ThemeName;
	width?: number;
	height?: number;
	/** What the page has kept before. */
	state?: unknown;
	reducedMotion?: boolean;
	forcedColors?: boolean;
	/** Device pixels per CSS pixel; 2 corresponds to 200 % zoom. */
	scale?: number;
	/** Translations by their English texts. */
	bundle?: Record<string, string>;
}

/** A page as the test knows it, by what a browser opens. */
type PageKind<P> = new (page: Page, server: PageServer) => P;

/** One server for a page, and the Chromium that opens it. */
export class PageHost<P extends TestPage> {
	private readonly browser: Browser;
	private readonly ownsBrowser: boolean;
	private readonly server: PageServer;
	private readonly Kind: PageKind<P>;

	private constructor(browser: Browser, ownsBrowser: boolean, server: PageServer, Kind: PageKind<P>) {
		this.browser = browser;
		this.ownsBrowser = ownsBrowser;
		this.server = server;
		this.Kind = Kind;
	}

	/** Launches a browser, unless it gets one that outlives this host. */
	static async start<P extends TestPage>(
		served: ServedPage,
		Kind: PageKind<P>,
		browser?: Browser,
	): Promise<PageHost<P>> {
		const server = await PageServer.start(served);
		return new PageHost(browser ?? (await launchBrowser()), browser === undefined, server, Kind);
	}

	/** Opens a new page, with a profile of its own. */
	async open(options: PageOptions = {}): Promise<P> {
		const page = await this.browser.newPage({ deviceScaleFactor: options.scale ?? 1 });
		const opened = new this.Kind(page, this.server);
		await opened.load(options);
		return opened;
	}

	async stop(): Promise<void> {
		await (this.ownsBrowser ? this.browser.close() : undefined);
		await this.server.stop();
	}
}

/**
 * Returns a function that opens a page in the tests of a `describe`, which share a host, and a browser with the other
 * files of this process. `opened` is told of each page, which must not leave a fault behind. It is the same page, loaded
 * anew, wherever that is possible: this takes half the processor time of a new one.
 */
export function usePage<P extends TestPage>(
	served: ServedPage,
	Kind: PageKind<P>,
	opened: (page: P) => void,
): (options?: PageOptions) => Promise<P> {
	let host: PageHost<P>;
	let last: P | undefined;
	let spare: P | undefined;

	before(async () => {
		host = await PageHost.start(served, Kind, await sharedBrowser());
	});

	after(async () => {
		await spare?.page.close();
		await host?.stop();
	});

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

/** A page that is open in a browser. */
export class TestPage {
	readonly page: Page;
	/** Every URL that was requested, except the page's own files and its worker's program. */
	readonly requests: string[] = [];
	/** Dialogs, errors and console errors. There must be none. */
	readonly faults: string[] = [];
	private readonly server: PageServer;
	private standIn: Disposable | undefined;
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

	/** Resolves with the messages to the host so far. */
	posted(): Promise<Posted[]> {
		return this.page.evaluate(() => window.posted);
	}

	/** Resolves with the first message of a kind, once the page has posted it. */
	async waitForPosted(kind: string): Promise<Posted> {
		const find = (wanted: string) => window.posted.find(message => message.kind === wanted);
		// Playwright waits with a large script, which is not needed where the message is there already.
		const found = await this.page.evaluate(find, kind);
		return found ?? ((await (await this.page.waitForFunction(find, kind)).jsonValue()) as Posted);
	}

	violations(): Promise<string[]> {
		return this.page.evaluate(() => window.violations);
	}

	/** Saves an image, unless the run keeps none. */
	async screenshot(name: string): Promise<void> {
		await screenshot(this.page, `${this.server.name}-${name}`);
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

/** Runs in the page before everything else, like the editor's own script. */
function standIn({ variables, state }: { variables: Record<string, string>; state: unknown }): void {
	window.posted = [];
	window.violations = [];
	window.savedState = state;
	// A new page has none, and this one may have been another test's before.
	sessionStorage.clear();
	document.addEventListener('securitypolicyviolation', event => {
		window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`);
	});
	const host = {
		postMessage: (message: Posted) => window.posted.push(message),
		getState: () => window.savedState,
		setState: (saved: unknown) => {
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
