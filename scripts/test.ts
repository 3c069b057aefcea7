import process from 'node:process';
import { ensureBrowser } from './browser.ts';
import { endChildrenOnSignal } from './processes.ts';
import { prepareSandbox } from './stages/agents.ts';
import { stageNames, TestRun } from './stages/stages.ts';
import { add, none, slowestFiles, type Totals, totalsLine } from './stages/totals.ts';

const SLOWEST_SHOWN = 10;

/** The last line is the totals; nothing may be printed after it. */
async function main(): Promise<void> {
	// Nobody looks at hundreds of images, which cost minutes. Windows in which something fails are saved all the same.
	const run = new TestRun({ screenshots: false });
	endChildrenOnSignal(() => run.close());
	const summary: string[] = [];
	let totals: Totals = none;
	try {
		// It asks first, if it has to ask, before the user leaves the terminal.
		const browser = await ensureBrowser().then(
			() => undefined,
			(error: Error) => error,
		);
		await prepareSandbox();
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
			summary.push(`${name}: ${totalsLine(result)} (${seconds} s)`);
		}
	} finally {
		run.close();
	}
	for (const failure of totals.failures ?? []) {
		console.log(`\nfailed: ${failure}`);
	}
	console.log(`\nThe slowest files:\n${slowestFiles(totals, SLOWEST_SHOWN).join('\n')}`);
	console.log(`\n${summary.join('\n')}`);
	console.log(totalsLine(totals));
	process.exitCode = totals.failed > 0 ? 1 : 0;
}

await main();
