import { type ChatPage, startChatPages, turnView } from '../test/ui/chatPage.ts';
import { RICH } from '../test/ui/scenes.ts';
import type { PageHost } from '../test/ui/testPage.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 3;
const REPLY_LENGTH = 200_000;
const TOKENS_PER_SECOND = 200;
const TOKEN_LENGTH = 4;
/** The milliseconds between two messages of the host, and between two keys. */
const MESSAGE_MS = 20;
const KEY_MS = 80;
const TYPED = 'what is typed while the reply streams';
/** The limit in milliseconds from a key to the paint that follows. */
const LIMIT = 50;

interface Stream {
	turn: string;
	/** The text that is appended repeatedly, or an empty text if nothing streams. */
	more: string;
	/** The number of UTF-16 code units in a message. */
	letters: number;
	interval: number;
}

declare global {
	interface Window {
		keyTimes: number[];
	}
}

export async function rows(): Promise<BenchRow[]> {
	const host = await startChatPages();
	const idle: number[][] = [];
	const streaming: number[][] = [];
	try {
		for (let round = 0; round < ROUNDS; round++) {
			idle.push(await type(host, false));
			streaming.push(await type(host, true));
		}
	} finally {
		await host.stop();
	}
	// The quietest round counts, because other load on the machine only makes a key slower.
	const slowest = (runs: number[][]) => Math.min(...runs.map(run => Math.max(...run)));
	const usual = (runs: number[][]) => median(runs.map(median));
	const words = (runs: number[][]) => `${usual(runs).toFixed(0)} ms; ${slowest(runs).toFixed(0)} ms`;
	// If typing takes longer than that on this machine while nothing else happens, that time is the limit.
	const limit = Math.max(LIMIT, slowest(idle));
	return [
		{
			goal: '5',
			what: `typing while a reply of ${REPLY_LENGTH / 1000} KB goes on at ${TOKENS_PER_SECOND} tokens/s: key to next paint, usual; slowest`,
			ours: words(streaming),
			peers: `while nothing streams ${words(idle)}`,
			ratio: (usual(streaming) / usual(idle)).toFixed(2),
			met: slowest(streaming) <= limit ? 'yes' : 'no',
			...(limit > LIMIT ? { reason: `typing alone takes over ${LIMIT} ms here` } : {}),
		},
	];
}

/**
 * Resolves with the milliseconds from each key to the next paint, in a page with a long reply that may be streaming.
 */
async function type(host: PageHost<ChatPage>, streams: boolean): Promise<number[]> {
	const chat = await host.open();
	const text = RICH.repeat(Math.ceil(REPLY_LENGTH / RICH.length)).slice(0, REPLY_LENGTH);
	const turn = turnView({ text, state: 'streaming' });
	await chat.snapshot([turn]);
	await settled(chat);
	await chat.page.getByRole('textbox').focus();
	const letters = (MESSAGE_MS / 1000) * TOKENS_PER_SECOND * TOKEN_LENGTH;
	await chat.page.evaluate(watch, { turn: turn.id, more: streams ? RICH : '', letters, interval: MESSAGE_MS });
	for (const key of TYPED) {
		await chat.page.keyboard.press(key);
		await new Promise(resolve => setTimeout(resolve, KEY_MS));
	}
	const times = await chat.page.evaluate(() => window.keyTimes);
	await chat.close();
	return times;
}

/** Runs in the page: continues the reply and records the time of each key. */
function watch({ turn, more, letters, interval }: Stream): void {
	window.keyTimes = [];
	let sequence = 0;
	setInterval(() => {
		const start = (sequence * letters) % Math.max(1, more.length);
		const text = more.slice(start, start + letters);
		if (text !== '') {
			sequence++;
			window.postMessage({ kind: 'turns-change', sequence, changes: [{ kind: 'text-append', turn, text }] }, '*');
		}
	}, interval);
	addEventListener(
		'keydown',
		({ timeStamp }) => {
			requestAnimationFrame(() => {
				const channel = new MessageChannel();
				// In the next task after a frame, its changes are painted.
				channel.port1.onmessage = () => window.keyTimes.push(performance.now() - timeStamp);
				channel.port2.postMessage(undefined);
			});
		},
		true,
	);
}

/** Waits until the page has settled: it shows a long reply in several tasks, and colours code when it is idle. */
async function settled(chat: ChatPage): Promise<void> {
	await chat.page.evaluate(async () => {
		const log = document.querySelector('chat-app')?.shadowRoot?.querySelector('.log');
		for (let quiet = 0, height = -1; quiet < 30; ) {
			await new Promise(resolve => requestAnimationFrame(resolve));
			quiet = log?.scrollHeight === height ? quiet + 1 : 0;
			height = log?.scrollHeight ?? 0;
		}
	});
}
