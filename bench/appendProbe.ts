// Runs inside the extension host: writes lines to a real output channel, both one by one and as a followed log does.
import process from 'node:process';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';
import { LogWriter } from '../src/tasks/log/logWriter.ts';
import { watchDelay } from './watchDelay.ts';

const LINES = Number(process.env['ERRAND_BENCH_LINES']);
/** The number of lines that arrive between two turns of the event loop. */
const READ = 200;
const CALM_MS = 500;

export interface Append {
	/** The milliseconds of CPU until the process has nothing more to do. */
	cpu: number;
	/** The longest time that the thread worked without a turn of the event loop, in milliseconds. */
	delay: number;
}
export type Appends = Record<'oneHidden' | 'batchHidden' | 'oneShown' | 'batchShown', Append>;

export async function run(): Promise<void> {
	const results: Partial<Appends> = {};
	for (const [name, isBatched, isShown] of [
		['oneHidden', false, false],
		['batchHidden', true, false],
		['oneShown', false, true],
		['batchShown', true, true],
	] as const) {
		results[name] = await append(name, isBatched, isShown);
	}
	console.log(`bench| ${JSON.stringify(results)}`);
}

async function append(name: string, isBatched: boolean, isShown: boolean): Promise<Append> {
	const channel = vscode.window.createOutputChannel(`Bench ${name}`);
	const writer = new LogWriter(channel);
	if (isShown) {
		channel.show(true);
		await wait(1000);
	} else {
		await vscode.commands.executeCommand('workbench.action.closePanel');
	}
	await calm();
	const looks = watchDelay();
	const before = process.cpuUsage();
	for (let index = 0; index < LINES; index++) {
		const line = `10:42:07  agent executing  Reading src/upload.ts and the ${index} files beside it`;
		if (isBatched) {
			writer.write([line], index, index + 1);
		} else {
			channel.appendLine(line);
		}
		if (index % READ === READ - 1) {
			await turn();
		}
	}
	if (isBatched) {
		writer.finish();
	}
	await calm();
	const { user, system } = process.cpuUsage(before);
	const delay = looks();
	writer.dispose();
	channel.dispose();
	return { cpu: (user + system) / 1000, delay };
}

/** Resolves when the process has been almost idle for a while. */
async function calm(): Promise<void> {
	for (;;) {
		const before = process.cpuUsage();
		await wait(CALM_MS);
		const { user, system } = process.cpuUsage(before);
		if ((user + system) / 1000 < CALM_MS * 0.1) {
			return;
		}
	}
}
