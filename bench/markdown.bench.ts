import { RICH } from '../test/ui/scenes.ts';
import { cut, longestOf, MarkdownBrowser, milliseconds, race } from './markdownBrowser.ts';
import type { ContenderName } from './markdownPage.ts';
import { type BenchRow, cpuOf, median } from './row.ts';

const TOKEN_LENGTH = 4;
const TOKENS_PER_SECOND = 200;
/** The duration of the measurement in seconds. The rest of the reply is already there. */
const DURATION = 4;
const PEERS: ContenderName[] = ['markdown-it', 'marked', 'streaming-markdown'];

export async function rows(): Promise<BenchRow[]> {
	const browser = await MarkdownBrowser.start();
	try {
		return [await streaming(browser, 40, 0.75), await streaming(browser, 200, 0.6)];
	} finally {
		await browser.stop();
	}
}

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
