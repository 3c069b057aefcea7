import path from 'node:path';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { browserOptions, findBrowser } from '../scripts/browser.ts';
import { LANGUAGE_NAMES, type LanguageName } from '../src/chat/ui/markdown/languageNames.ts';
import { type ChatPage, startChatPages, turnView } from '../test/ui/chatPage.ts';
import { fence, HOSTILE_CODE, repeated } from '../test/ui/hostileCode.ts';
import { type LongestTask, longestTask } from '../test/ui/taskTimes.ts';
import type { PageHost } from '../test/ui/testPage.ts';
import type { BenchRow } from './row.ts';

const LIMIT_MS = 50;
/** The rounds for each block. The quietest one counts, because other load on the machine only lengthens a task. */
const ROUNDS = 3;

interface Seen {
	/** The longest task of the page, in milliseconds of wall-clock time. */
	wall: number;
	/** The longest task of the page, in milliseconds of the thread's CPU time. */
	cpu: number;
	coloured: number;
	plain: number;
}

/** Measures goal 16. */
export async function rows(): Promise<BenchRow[]> {
	const host = await startChatPages();
	try {
		const seen = new Map<LanguageName, Seen>();
		for (const language of LANGUAGE_NAMES) {
			seen.set(language, await show(host, language));
		}
		const [slowest, { wall }] = [...seen].reduce((one, other) => (other[1].wall > one[1].wall ? other : one));
		const cpu = Math.max(...[...seen.values()].map(({ cpu }) => cpu));
		const sum = (kind: 'coloured' | 'plain') =>
			[...seen.values()].reduce((total, { [kind]: count }) => total + count, 0);
		const peer = await onThePage();
		return [
			{
				goal: '16',
				what: `hostile code in a reply: ${HOSTILE_CODE.length} blocks of 12 to 119 KB in ${LANGUAGE_NAMES.length} languages: longest task of the page`,
				ours: `${wall.toFixed(0)} ms (${slowest}), ${cpu.toFixed(0)} ms of CPU; ${sum('coloured')} blocks coloured, ${sum('plain')} left plain`,
				peers: `highlight.js on the page: ${(peer / 1000).toFixed(1)} s for 12 KB of markdown`,
				ratio: (wall / peer).toFixed(4),
				met: wall <= LIMIT_MS ? 'yes' : 'no',
			},
		];
	} finally {
		await host.stop();
	}
}

/** Shows each block in a reply of its own, one after another, as a user reads a conversation. */
async function show(host: PageHost<ChatPage>, language: LanguageName): Promise<Seen> {
	const seen: Seen = { wall: 0, cpu: 0, coloured: 0, plain: 0 };
	const chat = await host.open();
	try {
		for (const code of HOSTILE_CODE.filter(made => made.language === language)) {
			const { wall, cpu } = await quietest(chat, fence(code));
			seen.wall = Math.max(seen.wall, wall);
			seen.cpu = Math.max(seen.cpu, cpu);
			const isColoured = (await chat.page.locator('pre .lines span').count()) > 0;
			seen[isColoured ? 'coloured' : 'plain']++;
		}
	} finally {
		await chat.close();
	}
	return seen;
}

async function quietest(chat: ChatPage, text: string): Promise<LongestTask> {
	let best: LongestTask = { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
	for (let round = 0; round < ROUNDS && best.wall > LIMIT_MS; round++) {
		const seen = await longestTask(chat.page, async () => {
			await chat.snapshot([turnView({ text })]);
			await chat.coloured();
		});
		best = seen.wall < best.wall ? seen : best;
	}
	return best;
}

/** Measures the time for the slowest block, in milliseconds, highlighted in one go as on a page without a worker. */
async function onThePage(): Promise<number> {
	const executablePath = findBrowser();
	if (executablePath === undefined) {
		throw new Error('no Chromium or Chrome');
	}
	const { outputFiles } = await esbuild.build({
		stdin: {
			contents: `
				import highlightJs from 'highlight.js/lib/core';
				import markdown from 'highlight.js/lib/languages/markdown';
				highlightJs.registerLanguage('markdown', markdown);
				globalThis.colour = code => highlightJs.highlight(code, { language: 'markdown' }).value;
			`,
			resolveDir: path.join(import.meta.dirname),
		},
		bundle: true,
		write: false,
		format: 'iife',
		minify: true,
	});
	const browser = await chromium.launch(browserOptions(executablePath));
	try {
		const page = await browser.newPage();
		await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
		return await page.evaluate(
			code => {
				const begin = performance.now();
				(globalThis as unknown as { colour(code: string): string }).colour(code);
				return performance.now() - begin;
			},
			repeated('[a](', 11_960),
		);
	} finally {
		await browser.close();
	}
}
