import fs from 'node:fs';
import type { Runnable, Runner } from 'mocha';
import { errorLines, type FileTotals, type Totals } from './totals.ts';

/** The variable with the file to which a test process writes its totals. */
export const totalsVariable = 'ERRAND_TEST_TOTALS';

/** The content of such a file. A process that crashes leaves its counts up to then. */
export interface TotalsFile extends Totals {
	/** True if all of the tests have run. */
	ended: boolean;
}

/**
 * Writes the totals of a mocha run to the file for the stage, after each test, so that a crashed process has recorded
 * the file that it was running.
 * @param nameOf returns the path of a test file from the project's folder
 */
export function recordTotals(runner: Runner, nameOf: (file: string) => string, isDryRun = false): Totals {
	const file = process.env[totalsVariable];
	const failures: { title: string; error: unknown; file: string | undefined }[] = [];
	const files: Record<string, FileTotals> = {};
	const totals = { passed: 0, failed: 0, skipped: 0, files } satisfies Totals;
	let last: string | undefined;
	const fileOf = (runnable: Runnable) => {
		const found = runnable.file ?? runnable.ctx?.currentTest?.file;
		return found === undefined ? last : nameOf(found);
	};
	const entryOf = (runnable: Runnable): FileTotals => {
		last = fileOf(runnable);
		if (last === undefined) {
			return { passed: 0, milliseconds: 0 };
		}
		files[last] ??= { passed: 0, milliseconds: 0 };
		return files[last] as FileTotals;
	};
	const write = (ended: boolean) => {
		if (file !== undefined) {
			// A hook may have added to an error since it was reported.
			const lines = failures.map(({ title, error, file: place }) => ({
				title,
				error: errorLines(error),
				files: place === undefined ? [] : [place],
			}));
			fs.writeFileSync(file, JSON.stringify({ ...totals, failures: lines, ended } satisfies TotalsFile));
		}
	};
	if (!isDryRun) {
		const count = (runnable: Runnable) => {
			entryOf(runnable).milliseconds += runnable.duration ?? 0;
			write(false);
		};
		runner.on('hook', entryOf);
		runner.on('hook end', count);
		runner.on('test', entryOf);
		runner.on('test end', count);
	}
	runner.on('pass', test => {
		totals[isDryRun ? 'skipped' : 'passed'] += 1;
		if (!isDryRun) {
			entryOf(test).passed += 1;
		}
	});
	runner.on('fail', (test, error) => {
		totals.failed += 1;
		failures.push({ title: test.fullTitle(), error, file: fileOf(test) });
	});
	runner.on('end', () => write(true));
	return totals;
}
