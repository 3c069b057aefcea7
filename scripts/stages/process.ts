import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from '../bootstrap/folders.mjs';
import { endFamily, exitCodeOf, newMark, programFolders } from '../processes.ts';
import { PROCESS_LIMIT_MS } from './limits.ts';
import { type TotalsFile, totalsVariable } from './record.ts';
import { add, none, type Totals } from './totals.ts';

export interface TestProcess {
	args: string[];
	/** The test files that it runs, in order, if the stage chose them. */
	files?: readonly string[];
	/** The folder of this run. */
	folder: string;
	environment?: Record<string, string>;
	/** Receives the output of the tests. By default, it goes to the terminal. */
	onOutput?: (text: string) => void;
}

/** Runs tests in a process of their own and counts them. A process that crashes or hangs adds one failure. */
export async function runTestProcess(testProcess: TestProcess): Promise<Totals> {
	const { args, files = [], folder, environment, onOutput } = testProcess;
	const totalsFile = path.join(folder, 'totals.json');
	fs.rmSync(totalsFile, { force: true });
	const mark = newMark();
	const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
		cwd: root,
		stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
		env: { ...process.env, PATH: programFolders(), ...environment, ...mark.environment, [totalsVariable]: totalsFile },
	});
	const outputs = [child.stdout, child.stderr].filter(stream => stream !== null);
	const closed = outputs.map(stream => new Promise(resolve => stream.once('close', resolve)));
	for (const stream of outputs) {
		stream.setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
	}
	const hung = setTimeout(() => {
		console.log(`  failed  no end after ${PROCESS_LIMIT_MS / 1000} s; stopping it`);
		void endFamily(child.pid, mark.value);
	}, PROCESS_LIMIT_MS);
	const code = await exitCodeOf(child);
	clearTimeout(hung);
	await endFamily(undefined, mark.value);
	// A process may exit before all of its output has been read.
	await Promise.all(closed);
	const totals = readTotals(totalsFile);
	if (totals?.ended && (code === 0 || totals.failed > 0)) {
		const { ended: _, ...counted } = totals;
		return counted;
	}
	const problem = `the tests ended with exit code ${code} ${totals?.ended ? 'and no failed test' : 'before they were through'}`;
	console.log(`  failed  ${problem}`);
	const failure = { title: 'a process with tests', error: problem, files: unfinishedFiles(files, totals) };
	return add(totals ?? none, { passed: 0, failed: 1, failures: [failure] });
}

/** Returns the files in which a crashed process may have crashed, and those that it did not reach. */
function unfinishedFiles(files: readonly string[], totals: TotalsFile | undefined): readonly string[] {
	if (totals?.ended) {
		return files.length === 1 ? files : [];
	}
	// It crashed in the last file that had begun.
	const finished = Object.keys(totals?.files ?? {}).slice(0, -1);
	return files.filter(file => !finished.includes(file));
}

function readTotals(file: string): TotalsFile | undefined {
	try {
		return JSON.parse(fs.readFileSync(file, 'utf8'));
	} catch {
		return undefined;
	}
}
