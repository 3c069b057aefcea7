// Runs inside the extension host and measures the cost of an idle editor.
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';

const SETTLE_MS = 20_000;

export interface Idle {
	/** The share of one core. */
	share: number;
	requests: number;
}

export async function run(): Promise<void> {
	let requests = 0;
	const { fetch } = globalThis;
	globalThis.fetch = (...call) => {
		requests++;
		return fetch(...call);
	};
	if (process.env['ERRAND_BENCH_VARIANT'] === 'ours') {
		await vscode.commands.executeCommand('errand.tasks.focus');
		while (requests === 0) {
			await wait(50);
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
