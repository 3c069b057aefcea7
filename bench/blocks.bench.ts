import { RICH } from '../test/ui/scenes.ts';
import { cut, longestOf, MarkdownBrowser, milliseconds, race } from './markdownBrowser.ts';
import type { FeedRun } from './markdownFeed.ts';
import type { ColourRun } from './markdownPage.ts';
import { type BenchRow, cpuOf, median } from './row.ts';

const PIECE_LENGTH = 8;
const TOKENS_PER_SECOND = 2_000;
/** The duration of the feed in seconds. */
const DURATION = 4;

/** Blocks that grow, each with its beginning and the text that is appended repeatedly. */
const SHAPES: Record<string, [string, string]> = {
	list: ['', '- an item with **some** words\n'],
	fence: ['```ts\n', 'const answer = question * 42;\n'],
	paragraph: ['', 'some *words* and a [link](https://example.com), '],
	table: ['a | b\n--|--\n', '| a cell | and `another` |\n'],
};

const CODE = `export function guard(claims: Claims, now = Date.now()): Claims {
	// Seconds on one side, milliseconds on the other.
	if (claims.exp * 1000 < now) {
		throw new ExpiredTokenError('The token expired, sign in again.', { cause: claims, retry: 3 });
	}
	return { ...claims, checked: true };
}
`;

export async function rows(): Promise<BenchRow[]> {
	const browser = await MarkdownBrowser.start();
	try {
		return [...(await oneBlock(browser)), await colours(browser), await feed(browser)];
	} finally {
		await browser.stop();
	}
}

/** Measures goal 6, the end of one large block. */
async function oneBlock(browser: MarkdownBrowser): Promise<BenchRow[]> {
	const found: BenchRow[] = [];
	const names = ['floor', 'ours', 'markdown-it', 'streaming-markdown'] as const;
	for (const [shape, [head, piece]] of Object.entries(SHAPES)) {
		const text = head + piece.repeat(Math.ceil(101_000 / piece.length));
		const pieces = cut(text.slice(100_000, 100_480), PIECE_LENGTH);
		const runs = await race(names, contender =>
			browser.stream({ contender, before: text.slice(0, 100_000), pieces, interval: 0 }),
		);
		const base = cpuOf(runs.floor);
		const ratio = cpuOf(runs.ours) / base;
		found.push({
			goal: '6',
			what: `an append to one ${shape} of 100 KB: CPU`,
			ours: `${(cpuOf(runs.ours) / pieces.length).toFixed(1)} ms`,
			peers: `plain text ${(base / pieces.length).toFixed(1)} ms = 1; markdown-it ${(cpuOf(runs['markdown-it']) / base).toFixed(1)}; streaming-markdown ${(cpuOf(runs['streaming-markdown']) / base).toFixed(1)}`,
			ratio: ratio.toFixed(1),
			met: ratio <= (shape === 'table' ? 8 : 4) ? 'yes' : 'no',
		});
	}
	return found;
}

/** Measures goal 7 with blocks of about 1.5 KB, the first one cold. */
async function colours(browser: MarkdownBrowser): Promise<BenchRow> {
	const blocks = Array.from({ length: 60 }, (_, index) => `// ${index}\n${CODE.repeat(4)}`);
	const names: ColourRun['contender'][] = ['textContent', 'ours', 'highlight.js'];
	const runs = await race(names, contender => browser.colour({ contender, blocks }));
	const base = cpuOf(runs.textContent);
	const ratio = cpuOf(runs.ours) / base;
	const longest = longestOf(runs.ours);
	return {
		goal: '7',
		what: 'colouring 60 finished code blocks: CPU; longest task',
		ours: `${milliseconds(cpuOf(runs.ours))}; ${longest === 0 ? 'under 50 ms' : milliseconds(longest)}`,
		peers: `textContent ${milliseconds(base)} = 1; highlight.js in one go ${(cpuOf(runs['highlight.js']) / base).toFixed(1)}`,
		ratio: ratio.toFixed(1),
		met: ratio <= 10 && longest <= 50 ? 'yes' : 'no',
	};
}

/** Measures goal 9: the delay of the page. The cost on the host's side is measured in a real host. */
async function feed(browser: MarkdownBrowser): Promise<BenchRow> {
	const names: FeedRun['contender'][] = ['ours', 'one message a token', 'the whole text a token'];
	const before = RICH.repeat(Math.ceil(40_000 / RICH.length));
	const runs = await race(names, contender =>
		browser.receive({ contender, tokensPerSecond: TOKENS_PER_SECOND, duration: DURATION, before }),
	);
	const backlog = (name: FeedRun['contender']) =>
		median(
			runs[name].map(({ delays }) => [...delays].sort((one, other) => one - other)[Math.floor(delays.length / 2)] ?? 0),
		);
	const own = backlog('ours');
	return {
		goal: '9',
		what: `host to page at ${TOKENS_PER_SECOND} tokens/s: backlog (median)`,
		ours: milliseconds(own),
		peers: names
			.slice(1)
			.map(name => `${name} ${milliseconds(backlog(name))}`)
			.join('; '),
		ratio: (own / backlog('one message a token')).toFixed(2),
		met: own < 20 ? 'yes' : 'no',
	};
}
