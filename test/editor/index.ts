import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { format } from 'node:util';
import Mocha from 'mocha';
import { TEST_LIMIT_MS } from '../../scripts/stages/limits.ts';
import { failureLines } from '../../scripts/stages/totals.ts';

/** Tells the lines of the tests from what the editor prints itself. */
const prefix = 'test| ';

/** Called by the extension host: runs the bundled tests beside this file and counts them. */
export async function run(): Promise<void> {
	const args: string[] = JSON.parse(process.env['ERRAND_TEST_ARGUMENTS'] ?? '[]');
	const pattern = args[args.indexOf('--grep') + 1];
	const mocha = new Mocha({
		ui: 'bdd',
		timeout: TEST_LIMIT_MS,
		...(args.includes('--grep') && pattern !== undefined && { grep: pattern }),
	});
	// The extension host's console does not fill in formats, and its colours are not shown.
	Mocha.reporters.Base.useColors = false;
	Mocha.reporters.Base.consoleLog = (...values: unknown[]) => {
		console.log(format(...values).replaceAll(/^/gm, prefix));
	};
	const { part, of: parts }: { part: number; of: number } = JSON.parse(
		process.env['ERRAND_TEST_PART'] ?? '{ "part": 0, "of": 1 }',
	);
	const files = fs.globSync('**/*.test.cjs', { cwd: __dirname }).sort();
	for (const file of files.filter((_, index) => index % parts === part)) {
		mocha.addFile(path.join(__dirname, file));
	}
	const failures: string[] = [];
	const totals = { passed: 0, failed: 0, failures };
	await new Promise<void>(resolve => {
		const runner = mocha.run(() => resolve());
		runner.on('pass', () => {
			totals.passed += 1;
		});
		runner.on('fail', (test, error) => {
			totals.failed += 1;
			failures.push(failureLines(test.fullTitle(), error));
		});
	});
	const totalsFile = process.env['ERRAND_TEST_TOTALS'];
	if (totalsFile !== undefined) {
		fs.writeFileSync(totalsFile, JSON.stringify(totals));
	}
	if (totals.failed > 0 || totals.passed === 0) {
		throw new Error(`${totals.failed} of ${totals.passed + totals.failed} tests failed.`);
	}
}
