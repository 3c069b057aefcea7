import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from '../bootstrap/folders.mjs';
import { endFamily, exitCodeOf, newMark } from '../processes.ts';
import { PROCESS_LIMIT_MS } from './limits.ts';
import type { Totals } from './totals.ts';

/** Names the file that a test process writes its totals to. */
export const totalsVariable = 'ERRAND_TEST_TOTALS';

export interface TestProcess {
	args: string[];
	/** The folder of this run. */
	folder: string;
	environment?: Record<string, string>;
	/** Receives what the tests print. By default, it goes to the terminal. */
	onOutput?: (text: string) => void;
}

/** Runs tests in a process of their own and counts them. A process that crashes or hangs adds one failure. */
export async function runTestProcess({ args, folder, environment, onOutput }: TestProcess): Promise<Totals> {
	const totalsFile = path.join(folder, 'totals.json');
	const mark = newMark();
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
		cwd: root,
		stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
		env: { ...process.env, PATH: programFolders(), ...environment, ...mark.environment, [totalsVariable]: totalsFile },
	});
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
	}
	const hung = setTimeout(() => {
		console.log(`  failed  no end after ${PROCESS_LIMIT_MS / 1000} s; stopping it`);
		void endFamily(child.pid, mark.value);
	}, PROCESS_LIMIT_MS);
	const code = await exitCodeOf(child);
	clearTimeout(hung);
	await endFamily(undefined, mark.value);
	const totals = readTotals(totalsFile);
	if (totals === undefined || (code !== 0 && totals.failed === 0)) {
		console.log(`  failed  the tests ended with exit code ${code} and ${totals ? 'no' : 'without a'} failed test`);
		return { passed: totals?.passed ?? 0, failed: 1 };
	}
	return totals;
}

/** Programs that tests start find the Node.js of the project as `node`, whichever one the machine has. */
function programFolders(): string {
	return [path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter);
}

function readTotals(file: string): Totals | undefined {
	try {
		return JSON.parse(fs.readFileSync(file, 'utf8'));
	} catch {
		return undefined;
	}
}
