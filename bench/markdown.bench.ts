import { RICH } from '../test/ui/scenes.ts';
import { MarkdownBrowser } from './markdownBrowser.ts';
import type { FeedRun } from './markdownFeed.ts';
import type { ColourRun, ContenderName } from './markdownPage.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 3;
const TOKEN_LENGTH = 4;
const TOKENS_PER_SECOND = 200;
const FAST_TOKENS_PER_SECOND = 2_000;
/** The duration of the measurement in seconds. The rest of the reply is already there. */
const DURATION = 4;
const PEERS: ContenderName[] = ['markdown-it', 'marked', 'streaming-markdown'];

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
		return [
			await streaming(browser, 40, 0.75),
			await streaming(browser, 200, 0.6),
			...(await oneBlock(browser)),
			await colours(browser),
			await feed(browser),
		];
	} finally {
		await browser.stop();
	}
}

/** Runs every contender once in each round. */
async function race<Name extends string, T>(
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

const cpuOf = (runs: readonly { cpu: number }[]) => median(runs.map(({ cpu }) => cpu));
/**
 * Returns the longest task of the quietest round, because tasks are measured in real time and other load on the machine
 * only lengthens them.
 */
const longestOf = (runs: readonly { longestTask: number }[]) => Math.min(...runs.map(({ longestTask }) => longestTask));
const milliseconds = (value: number) => `${value.toFixed(0)} ms`;

/** Measures goal 5. */
async function streaming(browser: MarkdownBrowser, kilobytes: number, limit: number): Promise<BenchRow> {
	const length = kilobytes * 1000;
	const text = RICH.repeat(Math.ceil(length / RICH.length)).slice(0, length);
	const streamed = TOKENS_PER_SECOND * DURATION * TOKEN_LENGTH;
	const pieces = cut(text.slice(length - streamed), TOKEN_LENGTH);
	const names: ContenderName[] = ['floor', 'ours', ...PEERS];
	const runs = await race(names, contender =>
		browser.stream({ contender, before: text.slice(0, length - streamed), pieces, interval: 1000 / TOKENS_PER_SECOND }),
	);
	const base = cpuOf(runs.floor);
	const ratio = cpuOf(runs.ours) / base;
	const longest = longestOf(runs.ours);
	const floorLongest = longestOf(runs.floor);
	const frames = median(runs.ours.map(run => run.frames)) / median(runs.floor.map(run => run.frames));
	const nodes = Math.max(...runs.ours.map(({ mostNodes }) => mostNodes));
	// If even plain text has a longer task on this machine, that time is the limit.
	const met = ratio <= limit && longest <= Math.max(50, floorLongest) && frames >= 0.95 && nodes <= 8;
	return {
		goal: '5',
		what: `streaming markdown at ${TOKENS_PER_SECOND} tokens/s, the last ${DURATION} s of ${kilobytes} KB: CPU; longest task; frames; nodes changed a frame`,
		ours: `${milliseconds(cpuOf(runs.ours))}; ${longest === 0 ? 'under 50 ms' : milliseconds(longest)}; ${frames.toFixed(2)} of the floor's; at most ${nodes}`,
		peers: `plain text ${milliseconds(base)}${floorLongest > 0 ? `, ${milliseconds(floorLongest)}` : ''} = 1; ${PEERS.map(name => `${name} ${(cpuOf(runs[name]) / base).toFixed(2)}`).join('; ')}`,
		ratio: ratio.toFixed(2),
		met: met ? 'yes' : 'no',
		...(floorLongest > 50 ? { reason: "plain text's own longest task is over 50 ms here" } : {}),
	};
}

/** Measures goal 6, the end of one large block. */
async function oneBlock(browser: MarkdownBrowser): Promise<BenchRow[]> {
	const found: BenchRow[] = [];
	const names = ['floor', 'ours', 'markdown-it', 'streaming-markdown'] as const;
	for (const [shape, [head, piece]] of Object.entries(SHAPES)) {
		const text = head + piece.repeat(Math.ceil(101_000 / piece.length));
		const pieces = cut(text.slice(100_000, 100_480), 2 * TOKEN_LENGTH);
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
		browser.receive({ contender, tokensPerSecond: FAST_TOKENS_PER_SECOND, duration: DURATION, before }),
	);
	const backlog = (name: FeedRun['contender']) =>
		median(
			runs[name].map(({ delays }) => [...delays].sort((one, other) => one - other)[Math.floor(delays.length / 2)] ?? 0),
		);
	const own = backlog('ours');
	return {
		goal: '9',
		what: `host to page at ${FAST_TOKENS_PER_SECOND} tokens/s: backlog (median)`,
		ours: milliseconds(own),
		peers: names
			.slice(1)
			.map(name => `${name} ${milliseconds(backlog(name))}`)
			.join('; '),
		ratio: (own / backlog('one message a token')).toFixed(2),
		met: own < 20 ? 'yes' : 'no',
	};
}

function cut(text: string, length: number): string[] {
	return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
}
