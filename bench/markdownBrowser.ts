import path from 'node:path';
import * as esbuild from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import { browserOptions, findBrowser } from '../scripts/browser.ts';
import { workerCode } from '../scripts/workerCode.ts';
import type { FeedRun } from './markdownFeed.ts';
import type { ColourRun, Run, Seen } from './markdownPage.ts';

const PEERS = `
	import { marked } from 'marked';
	import * as streamingMarkdown from 'streaming-markdown';
	import highlightJs from 'highlight.js/lib/core';
	import typescript from 'highlight.js/lib/languages/typescript';
	highlightJs.registerLanguage('typescript', typescript);
	globalThis.peers = { marked, streamingMarkdown, highlightJs };
`;

const ROUNDS = 3;

const STYLE = `
	.scroller { width: 400px; height: 600px; overflow: auto; font: 13px/1.5 sans-serif; overflow-wrap: anywhere; }
	pre, table { overflow-x: auto; }
`;

/** The cost in CPU milliseconds of the page's main thread. */
export interface Cost {
	cpu: number;
}

/** A real browser with the contenders' page. */
export class MarkdownBrowser {
	private readonly browser: Browser;
	private readonly scripts: string[];
	private readonly worker: string;

	private constructor(browser: Browser, scripts: string[], worker: string) {
		this.browser = browser;
		this.scripts = scripts;
		this.worker = worker;
	}

	static async start(): Promise<MarkdownBrowser> {
		const executablePath = findBrowser();
		if (executablePath === undefined) {
			throw new Error('no Chromium or Chrome');
		}
		const common = { bundle: true, format: 'iife', target: 'es2022', write: false, minify: true } as const;
		const entry = (name: string) =>
			esbuild.build({
				...common,
				entryPoints: [path.join(import.meta.dirname, name)],
				logLevel: 'silent',
				plugins: [workerCode],
			});
		const built = await Promise.all([
			esbuild.build({ ...common, stdin: { contents: PEERS, resolveDir: import.meta.dirname } }),
			entry('markdownPage.ts'),
			entry('markdownFeed.ts'),
		]);
		const [peers = '', page = '', worker = ''] = built.map(({ outputFiles }) => outputFiles[0]?.text ?? '');
		return new MarkdownBrowser(await chromium.launch(browserOptions(executablePath)), [peers, page], worker);
	}

	stream(run: Run): Promise<Seen & Cost> {
		return this.measured(
			page => page.evaluate(given => window.prepare(given), run),
			page => page.evaluate(given => window.measure(given), run),
		);
	}

	async colour(run: ColourRun): Promise<{ longestTask: number } & Cost> {
		return this.measured(
			async () => {},
			async page => ({ longestTask: await page.evaluate(given => window.colour(given), run) }),
		);
	}

	async receive(run: FeedRun): Promise<{ delays: number[] } & Cost> {
		return this.measured(
			async () => {},
			async page => ({
				delays: await page.evaluate(([worker, given]) => window.receive(worker, given), [this.worker, run] as const),
			}),
		);
	}

	stop(): Promise<void> {
		return this.browser.close();
	}

	/** Runs both functions in a new page, and measures only `work`. */
	private async measured<T>(
		prepare: (page: Page) => Promise<void>,
		work: (page: Page) => Promise<T>,
	): Promise<T & Cost> {
		const context = await this.browser.newContext({ viewport: { width: 400, height: 600 } });
		try {
			const page = await context.newPage();
			const session = await context.newCDPSession(page);
			await session.send('Performance.enable', { timeDomain: 'threadTicks' });
			await page.setContent('<!DOCTYPE html><body></body>');
			await page.addStyleTag({ content: STYLE });
			for (const content of this.scripts) {
				await page.addScriptTag({ content });
			}
			const busy = async () => {
				const { metrics } = await session.send('Performance.getMetrics');
				return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
			};
			await prepare(page);
			const before = await busy();
			const seen = await work(page);
			return { ...seen, cpu: (await busy()) - before };
		} finally {
			await context.close();
		}
	}
}

/** Runs every contender once in each round. */
export async function race<Name extends string, T>(
	names: readonly Name[],
	run: (name: Name) => Promise<T>,
): Promise<Record<Name, T[]>> {
	const found = Object.fromEntries(names.map(name => [name, [] as T[]])) as Record<Name, T[]>;
	for (let round = 0; round < ROUNDS; round++) {
		for (const name of names) {
			found[name].push(await run(name));
		}
	}
	return found;
}

/**
 * Returns the longest task of the quietest round, because tasks are measured in real time and other load on the machine
 * only lengthens them.
 */
export const longestOf = (runs: readonly { longestTask: number }[]) =>
	Math.min(...runs.map(({ longestTask }) => longestTask));
export const milliseconds = (value: number) => `${value.toFixed(0)} ms`;

/** Cuts a text into pieces of this length. */
export function cut(text: string, length: number): string[] {
	return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
}
