/// <reference path="../modules.d.ts" />
import { SerialQueue } from '../../../base/async.ts';
import type { CodeSpans, HighlightAnswer, HighlightRequest } from './highlight.ts';

/** A block that takes longer stays plain, in milliseconds. */
const DEADLINE_MS = 3_000;

/** A worker that has not started by then never will, and no code is highlighted in this page. In milliseconds. */
const START_MS = 20_000;

/** The highlighting of a block; `late` if the deadline was missed. */
export type BlockHighlighting = CodeSpans[] | 'plain' | 'late';

/**
 * Highlights code in a worker, block by block, for all replies of a page. A worker that misses the deadline is
 * terminated, and the next block gets a new one, so that the page itself never waits.
 */
export class CodeHighlighter {
	private readonly queue = new SerialQueue();
	private worker: Promise<Worker> | undefined;
	/** True if no worker can be started in this page. */
	private isBroken = false;

	/** `isWanted` is called before the block is sent to the worker. Never rejects. */
	highlight(request: HighlightRequest, isWanted: () => boolean): Promise<BlockHighlighting> {
		return this.queue.run(async () => {
			if (this.isBroken || !isWanted()) {
				return 'plain';
			}
			let worker: Worker;
			try {
				this.worker ??= start();
				worker = await this.worker;
			} catch {
				this.isBroken = true;
				return 'plain';
			}
			try {
				return ((await ask(worker, request, DEADLINE_MS)) as HighlightAnswer) ?? 'plain';
			} catch {
				worker.terminate();
				this.worker = undefined;
				return 'late';
			}
		});
	}
}

async function start(): Promise<Worker> {
	const { code } = await import('./highlight.worker.ts?code');
	const address = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
	try {
		const worker = new Worker(address);
		await ask(worker, 'start', START_MS);
		return worker;
	} finally {
		URL.revokeObjectURL(address);
	}
}

/** Resolves to the worker's answer; rejects if it fails or does not answer in time. Only one request may be pending. */
function ask(worker: Worker, message: HighlightRequest | 'start', withinMs: number): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error('The worker is late.')), withinMs);
		worker.onmessage = ({ data }) => {
			clearTimeout(timer);
			resolve(data);
		};
		worker.onerror = event => {
			event.preventDefault();
			clearTimeout(timer);
			reject(new Error('The worker has failed.'));
		};
		worker.postMessage(message);
	});
}
