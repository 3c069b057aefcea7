import process from 'node:process';
import { ensureBrowser } from './browser.ts';
import { endChildrenOnSignal } from './processes.ts';
import { stageNames, TestRun } from './stages/stages.ts';
import { add, none } from './stages/totals.ts';

/** The last line is the totals; nothing may be printed after it. */
async function main(): Promise<void> {
	const run = new TestRun();
	endChildrenOnSignal(() => run.close());
	const summary: string[] = [];
	let totals = none;
	try {
		// Asks, where it has to, before the reader has gone for a coffee.
		const browser = await ensureBrowser().then(
			() => undefined,
			(error: Error) => error,
		);
		for (const name of stageNames) {
			console.log(`\n== ${name}`);
			const started = Date.now();
			const result = await (browser && (name === 'editor' || name === 'e2e')
				? Promise.reject(browser)
				: run.run(name)
			).catch((error: unknown) => {
				console.log(`  failed  ${error instanceof Error ? error.message : error}`);
				return { passed: 0, failed: 1 };
			});
			totals = add(totals, result);
			const seconds = ((Date.now() - started) / 1000).toFixed(0);
			summary.push(`${name}: ${result.passed} passed, ${result.failed} failed (${seconds} s)`);
		}
	} finally {
		run.close();
	}
	console.log(`\n${summary.join('\n')}`);
	console.log(`${totals.passed} passed, ${totals.failed} failed`);
	process.exitCode = totals.failed > 0 ? 1 : 0;
}

await main();
