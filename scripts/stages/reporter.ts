import path from 'node:path';
import { type MochaOptions, type Runner, reporters } from 'mocha';
import { root } from '../bootstrap/folders.mjs';
import { recordTotals } from './record.ts';

/** Prints mocha's own report and writes the totals to a file for the stage. A dry run prints nothing. */
class TotalsReporter {
	constructor(runner: Runner, options: MochaOptions) {
		const { dryRun = false } = options as { dryRun?: boolean };
		if (!dryRun) {
			new reporters.Spec(runner, options);
		}
		recordTotals(runner, file => path.relative(root, file), dryRun);
	}
}

// Mocha loads a reporter with `require`.
export { TotalsReporter as 'module.exports' };
