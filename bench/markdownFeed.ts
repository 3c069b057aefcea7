// A worker in the page of markdown.bench.ts. It stands for the extension, which sends the page each token.
import { systemClock } from '../src/base/async.ts';
import { PageFeed } from '../src/chat/pageFeed.ts';

export interface FeedRun {
	contender: 'ours' | 'one message a token' | 'the whole text a token';
	tokensPerSecond: number;
	/** The duration in seconds. */
	duration: number;
	/** The text of the reply when the measurement begins. */
	before: string;
}

const TURN = 'turn';
const TOKEN = 'word ';

self.onmessage = async ({ data }: MessageEvent<FeedRun>) => {
	const { contender, tokensPerSecond, duration, before } = data;
	const post = (message: object) =>
		self.postMessage({ ...message, sentAt: performance.timeOrigin + performance.now() });
	const feed = new PageFeed(message => post({ message }), systemClock);
	let whole = before;
	const tell = {
		ours: () => feed.change({ kind: 'text-append', turn: TURN, text: TOKEN }),
		'one message a token': () => post({ text: TOKEN }),
		'the whole text a token': () => {
			whole += TOKEN;
			post({ whole });
		},
	}[contender];
	const begin = performance.now();
	for (let told = 0; told < tokensPerSecond * duration; ) {
		const due = Math.floor(((performance.now() - begin) / 1000) * tokensPerSecond);
		for (; told < due; told++) {
			tell();
		}
		await systemClock.sleep(1);
	}
	await systemClock.sleep(50);
	post({ ended: true });
};
