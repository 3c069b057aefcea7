// Runs inside the extension host: sends a reply to a real webview, both as the chat posts it and token by token.
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';
import { systemClock } from '../src/base/async.ts';
import { PageFeed } from '../src/chat/pageFeed.ts';

const TOKENS_PER_SECOND = Number(process.env['ERRAND_BENCH_TOKENS']);
const DURATION_MS = 4000;
const WARM_MS = 1000;
const CALM_MS = 1500;

/** The CPU milliseconds of the extension host, for each kind of posting. */
export interface HostFeeds {
	/** The tokens arrive, but nothing is posted. */
	nothing: number;
	batches: number;
	tokens: number;
}

export async function run(): Promise<void> {
	const panel = vscode.window.createWebviewPanel('bench', 'Bench', vscode.ViewColumn.One, { enableScripts: true });
	const ready = new Promise<void>(resolve => panel.webview.onDidReceiveMessage(() => resolve()));
	panel.webview.html = `<!DOCTYPE html><pre></pre><script>
		const text = document.querySelector('pre');
		addEventListener('message', ({ data }) => { text.textContent = String(data.sequence); });
		acquireVsCodeApi().postMessage('ready');
	</script>`;
	await ready;
	const results: HostFeeds = { nothing: 0, batches: 0, tokens: 0 };
	for (const duration of [WARM_MS, DURATION_MS]) {
		for (const posts of ['nothing', 'batches', 'tokens'] as const) {
			await wait(CALM_MS);
			results[posts] = await cpuOf(posts, panel.webview, duration);
		}
	}
	panel.dispose();
	console.log(`bench| ${JSON.stringify(results)}`);
}

async function cpuOf(posts: keyof HostFeeds, webview: vscode.Webview, duration: number): Promise<number> {
	const pageFeed = new PageFeed(message => void webview.postMessage(message), systemClock);
	const before = process.cpuUsage();
	const begin = performance.now();
	for (let told = 0; told < (TOKENS_PER_SECOND * duration) / 1000; ) {
		const due = Math.floor(((performance.now() - begin) / 1000) * TOKENS_PER_SECOND);
		for (; told < due; told++) {
			const change = { kind: 'text-append', turn: 'turn', text: 'word ' } as const;
			if (posts === 'batches') {
				pageFeed.change(change);
			} else if (posts === 'tokens') {
				void webview.postMessage({ kind: 'turns-change', sequence: told, changes: [change] });
			}
		}
		await wait(1);
	}
	// The last messages are still being delivered.
	await wait(CALM_MS);
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
