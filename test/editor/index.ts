import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { format } from 'node:util';
import Mocha from 'mocha';
import { TEST_LIMIT_MS } from '../../scripts/stages/limits.ts';
import { recordTotals } from '../../scripts/stages/record.ts';
import type { Totals } from '../../scripts/stages/totals.ts';

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
	// A desktop editor runs all that there are.
	const chosen: readonly string[] | undefined = JSON.parse(process.env['ERRAND_TEST_FILES'] ?? 'null') ?? undefined;
	const nameOf = (file: string) =>
		`test/editor/${path
			.relative(__dirname, file)
			.replaceAll(path.sep, '/')
			.replace(/\.cjs$/, '.ts')}`;
	const files = fs.globSync('**/*.test.cjs', { cwd: __dirname }).map(file => path.join(__dirname, file));
	for (const file of files.sort().filter(one => chosen?.includes(nameOf(one)) ?? true)) {
		mocha.addFile(file);
	}
	const { passed, failed } = await new Promise<Totals>(resolve => {
		const runner = mocha.run(() => resolve(totals));
		const totals = recordTotals(runner, nameOf);
	});
	if (failed > 0 || passed === 0) {
		throw new Error(`${failed} of ${passed + failed} tests failed.`);
	}
}
