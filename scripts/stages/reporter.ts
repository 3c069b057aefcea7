import fs from 'node:fs';
import process from 'node:process';
import { type MochaOptions, Runner, reporters } from 'mocha';

/** Prints mocha's own report, and writes the totals to a file for the stage. */
class TotalsReporter extends reporters.Spec {
	constructor(runner: Runner, options: MochaOptions) {
		super(runner, options);
		const file = process.env['ERRAND_TEST_TOTALS'];
		const totals = { passed: 0, failed: 0 };
		runner.on(Runner.constants.EVENT_TEST_PASS, () => {
			totals.passed += 1;
		});
		runner.on(Runner.constants.EVENT_TEST_FAIL, () => {
			totals.failed += 1;
		});
		// The count is written even if a test ends the process.
		process.once('exit', () => {
			if (file !== undefined) {
				fs.writeFileSync(file, JSON.stringify(totals));
			}
		});
	}
}

// Mocha loads a reporter with `require`.
export { TotalsReporter as 'module.exports' };
