import process from 'node:process';
import { ensureBrowser } from './browser.ts';
import { ensurePostgres } from './postgres.ts';
import { endChildrenOnSignal } from './processes.ts';
import { prepareSandbox } from './stages/agents.ts';
import { filesOf, MOST_FLAKY_FILES } from './stages/flaky.ts';
import { describeFlaky, readFlaky, saveFlaky } from './stages/flakyList.ts';
import { stagesOutsideGate } from './stages/gate.ts';
import { describeFullRun, readFullRun, saveFullRun } from './stages/lastFullRun.ts';
import { type StageName, stageNames, TestRun } from './stages/stages.ts';
import { add, none, slowestFiles, type Totals, totalsLine } from './stages/totals.ts';

const SLOWEST_SHOWN = 10;

/** The stages that need a browser. */
const withBrowser: readonly StageName[] = ['page', 'editor', 'e2e'];

/** The last line shows the totals; nothing may be printed after it. */
async function main(all: boolean): Promise<void> {
	// Nobody looks at hundreds of images, which cost minutes. Windows with a failure are saved all the same.
	const run = new TestRun({ screenshots: false, gate: !all });
	endChildrenOnSignal(() => run.close());
	const summary: string[] = [];
	let totals: Totals = none;
	try {
		// If it has to ask, it asks first, before the user leaves the terminal.
		const browser = await ensureBrowser().then(
			() => undefined,
			(error: Error) => error,
		);
		await prepareSandbox();
		await (all ? ensurePostgres().catch(() => {}) : undefined);
		if (browser === undefined) {
			void run.prepare();
		}
		for (const name of stageNames.filter(stage => all || !stagesOutsideGate.includes(stage))) {
			console.log(`\n== ${name}`);
			const started = Date.now();
			const result = await (browser && withBrowser.includes(name) ? Promise.reject(browser) : run.run(name)).catch(
				(error: unknown) => {
					const message = error instanceof Error ? error.message : String(error);
					console.log(`  failed  ${message}`);
					return { passed: 0, failed: 1, failures: [{ title: `the stage ${name}`, error: message, files: [] }] };
				},
			);
			totals = add(totals, result);
			const seconds = ((Date.now() - started) / 1000).toFixed(0);
			summary.push(`${name}: ${totalsLine(result)} (${seconds} s)`);
		}
	} finally {
		run.close();
	}
	const flakyFiles = filesOf(totals.flaky ?? []);
	if (flakyFiles.length > MOST_FLAKY_FILES) {
		const title = `${flakyFiles.length} files were flaky, and more than ${MOST_FLAKY_FILES} are too many`;
		totals = add(totals, { passed: 0, failed: 1, failures: [{ title, error: flakyFiles.join('\n'), files: [] }] });
	}
	const now = new Date();
	if (all) {
		saveFullRun(totals, now);
	}
	saveFlaky(totals, now);
	for (const { title, error } of totals.failures ?? []) {
		console.log(`\nfailed: ${title}\n${error}`);
	}
	console.log(`\nThe slowest files:\n${slowestFiles(totals, SLOWEST_SHOWN).join('\n')}`);
	console.log(`\n${summary.join('\n')}`);
	console.log(`\n${describeFullRun(readFullRun(), now)}`);
	for (const lines of describeFlaky(totals.flaky ?? [], readFlaky())) {
		console.log(lines);
	}
	console.log(totalsLine(totals));
	process.exitCode = totals.failed > 0 ? 1 : 0;
}

await main(process.argv.includes('--all'));
