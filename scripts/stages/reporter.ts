import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { type MochaOptions, type Runnable, Runner, reporters } from 'mocha';
import { root } from '../bootstrap/folders.mjs';
import { failureLines, type Totals } from './totals.ts';

/** Prints mocha's own report, and writes the totals to a file for the stage. A dry run prints nothing: all is skipped. */
class TotalsReporter {
	constructor(runner: Runner, options: MochaOptions) {
		const file = process.env['ERRAND_TEST_TOTALS'];
		const failures: { title: string; error: unknown }[] = [];
		const files: Record<string, number> = {};
		const totals = { passed: 0, failed: 0, skipped: 0, files } satisfies Totals;
		const count = ({ file: testFile, duration = 0 }: Runnable) => {
			if (testFile !== undefined) {
				const name = path.relative(root, testFile);
				files[name] = (files[name] ?? 0) + duration;
			}
		};
		const { dryRun } = options as { dryRun?: boolean };
		if (!dryRun) {
			new reporters.Spec(runner, options);
			runner.on(Runner.constants.EVENT_HOOK_END, count);
			runner.on(Runner.constants.EVENT_TEST_END, count);
		}
		runner.on(Runner.constants.EVENT_TEST_PASS, () => {
			totals[dryRun ? 'skipped' : 'passed'] += 1;
		});
		runner.on(Runner.constants.EVENT_TEST_FAIL, (test, error) => {
			totals.failed += 1;
			failures.push({ title: test.fullTitle(), error });
		});
		// The count is written even if a test ends the process. A hook may have added to an error since it was reported.
		process.once('exit', () => {
			if (file !== undefined) {
				const lines = failures.map(({ title, error }) => failureLines(title, error));
				fs.writeFileSync(file, JSON.stringify({ ...totals, failures: lines } satisfies Totals));
			}
		});
	}
}

// Mocha loads a reporter with `require`.
export { TotalsReporter as 'module.exports' };
