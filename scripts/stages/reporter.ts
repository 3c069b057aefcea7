import fs from 'node:fs';
import process from 'node:process';
import { type MochaOptions, Runner, reporters } from 'mocha';

/** Mocha's own words for the reader, and the totals in a file for the stage. */
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
		// A test that ends the process still leaves its count.
		process.once('exit', () => {
			if (file !== undefined) {
				fs.writeFileSync(file, JSON.stringify(totals));
			}
		});
	}
}

// Mocha loads a reporter with `require`.
export { TotalsReporter as 'module.exports' };
