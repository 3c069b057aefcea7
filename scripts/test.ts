import process from 'node:process';
import { ensureBrowser } from './browser.ts';
import { endChildrenOnSignal } from './processes.ts';
import { prepareSandbox } from './stages/agents.ts';
import { filesOf, MOST_FLAKY_FILES } from './stages/flaky.ts';
import { describeFlaky, readFlaky, saveFlaky } from './stages/flakyList.ts';
import { describeFullRun, readFullRun, saveFullRun } from './stages/lastFullRun.ts';
import { type StageName, stageRows, TestRun } from './stages/stages.ts';
import { add, none, slowestFiles, type Totals, totalsLine } from './stages/totals.ts';

const SLOWEST_SHOWN = 10;

/** The stages that need a browser. */
const withBrowser: readonly StageName[] = ['page', 'editor', 'e2e'];

interface StageResult {
	name: StageName;
	totals: Totals;
	milliseconds: number;
}

/** The last line shows the totals; nothing may be printed after it. */
async function main(all: boolean): Promise<void> {
	// Nobody looks at hundreds of images, which cost minutes. Windows with a failure are saved all the same.
	const run = new TestRun({ screenshots: false, gate: !all });
	endChildrenOnSignal(() => run.close());
	const began = Date.now();
	let stages: StageResult[] = [];
	try {
		// If it has to ask, it asks first, before the user leaves the terminal.
		const browser = await ensureBrowser().then(
			() => undefined,
			(error: Error) => error,
		);
		await prepareSandbox();
		const rows = stageRows.map(async row => {
			const done: StageResult[] = [];
			for (const name of row) {
				const missing = withBrowser.includes(name) ? browser : undefined;
				done.push(await runStage(name, () => (missing ? Promise.reject(missing) : run.run(name))));
			}
			return done;
		});
		stages = (await Promise.all(rows)).flat();
	} finally {
		run.close();
	}
	let totals = stages.map(stage => stage.totals).reduce(add, none);
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
	const summary = stages.map(stage => `${stage.name}: ${totalsLine(stage.totals)} (${seconds(stage.milliseconds)} s)`);
	console.log(`\n${summary.join('\n')}\nall of them: ${seconds(Date.now() - began)} s`);
	console.log(`\n${describeFullRun(readFullRun(), now)}`);
	for (const lines of describeFlaky(totals.flaky ?? [], readFlaky())) {
		console.log(lines);
	}
	console.log(totalsLine(totals));
	process.exitCode = totals.failed > 0 ? 1 : 0;
}

/** Runs a stage. A stage that cannot run counts as one failure. */
async function runStage(name: StageName, run: () => Promise<Totals>): Promise<StageResult> {
	console.log(`\n== ${name}`);
	const began = Date.now();
	const totals = await run().catch((error: unknown) => {
		const message = error instanceof Error ? error.message : String(error);
		console.log(`  failed  ${message}`);
		return { passed: 0, failed: 1, failures: [{ title: `the stage ${name}`, error: message, files: [] }] };
	});
	return { name, totals, milliseconds: Date.now() - began };
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(0);

await main(process.argv.includes('--all'));
