// Runs inside the extension host and measures the cost of an idle editor.
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';

const SETTLE_MS = 20_000;
const FIRST_REQUEST_MS = 60_000;
/** The editor's own and the platform's, which requests to this machine use. */
const FETCHES = ['fetch', '__vscodeOriginalFetch'];

export interface Idle {
	/** The share of one core. */
	share: number;
	requests: number;
}

export async function run(): Promise<void> {
	let requests = 0;
	const place = globalThis as Record<string, unknown>;
	for (const name of FETCHES) {
		const fetch = place[name] as typeof globalThis.fetch;
		place[name] = (...call: Parameters<typeof fetch>) => {
			requests++;
			return fetch(...call);
		};
	}
	if (process.env['ERRAND_BENCH_VARIANT'] === 'ours') {
		await vscode.commands.executeCommand('errand.tasks.focus');
		for (const started = performance.now(); requests === 0; await wait(50)) {
			if (performance.now() - started > FIRST_REQUEST_MS) {
				throw new Error('The task tree has asked for nothing.');
			}
		}
	}
	await wait(SETTLE_MS);
	requests = 0;
	const started = performance.now();
	const before = process.cpuUsage();
	await wait(Number(process.env['ERRAND_BENCH_SECONDS']) * 1000);
	const { user, system } = process.cpuUsage(before);
	const idle: Idle = { share: (user + system) / 1000 / (performance.now() - started), requests };
	console.log(`bench| ${JSON.stringify(idle)}`);
}
