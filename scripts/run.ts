import path from 'node:path';
import process from 'node:process';
import { ensureDependencies } from './bootstrap/dependencies.mjs';
import { cache, root } from './bootstrap/folders.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { build, runNode } from './build.ts';
import { makePackage } from './package.ts';
import { ensurePostgres } from './postgres.ts';
import { endChildrenOnSignal } from './processes.ts';
import { ensureAgents } from './stages/agents.ts';
import { describeFlaky, readFlaky } from './stages/flakyList.ts';
import { type StageName, stageNames, TestRun, type TestRunOptions } from './stages/stages.ts';
import { totalsLine } from './stages/totals.ts';

const tasks: Record<string, (args: string[]) => Promise<number>> = {
	build: async args => ((await locked(() => build(...args))) ? 0 : 1),
	watch: () => runNode(['esbuild.mjs', '--watch']),
	check: args => (args.includes('--write') ? write() : stage('check', [])),
	...Object.fromEntries(
		stageNames.filter(name => name !== 'check').map(name => [`test:${name}`, (args: string[]) => stage(name, args)]),
	),
	'test:interoperability': args => stage('interoperability', args),
	screenshots: args => stage('screenshots', args),
	'test:desktop': testDesktop,
	fuzz: args => runNode(['--import', './test/support/vscodeStandIn.ts', 'test/fuzz/main.ts', ...args]),
	bench,
	soak,
	icon: async () => (await import('./icon.ts')).makeIcon(),
	package: makePackage,
	profile: async args => (await import('./profile.ts')).tryProfile(args),
	release: async args => print((await import('./release/release.ts')).release(root, args, new Date())),
	'release:notes': async args => print((await import('./release/notes.ts')).releaseNotes(root, args)),
};

function print(text: string): number {
	console.log(text);
	return 0;
}

/** Waits for other runs, because another run's build empties dist first. */
function locked<T>(work: () => Promise<T>): Promise<T> {
	return withLock(path.join(cache, 'build.lock'), 'building', work);
}

async function stage(name: StageName, args: string[]): Promise<number> {
	const totals = await withRun({}, run => run.run(name, args));
	for (const lines of describeFlaky(totals.flaky ?? [], readFlaky())) {
		console.log(lines);
	}
	console.log(totalsLine(totals));
	return totals.failed > 0 ? 1 : 0;
}

async function withRun<T>(options: TestRunOptions, work: (run: TestRun) => Promise<T>): Promise<T> {
	const run = new TestRun(options);
	endChildrenOnSignal(() => run.close());
	try {
		return await work(run);
	} finally {
		run.close();
	}
}

/** Fixes everything that biome can fix by itself. */
function write(): Promise<number> {
	return runNode([path.join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--write', '.']);
}

async function testDesktop(args: string[]): Promise<number> {
	await build();
	await build('--tests');
	const { testDesktop: run } = await import('./stages/desktop.ts');
	return run(args);
}

async function bench(args: string[]): Promise<number> {
	await ensureDependencies(path.join(root, 'bench'));
	await ensureAgents();
	await build('--team', '--production');
	return withRun({ buildFlags: ['--production'] }, async run =>
		runNode([path.join(root, 'scripts', 'bench.ts'), ...args], { environment: await run.prepareEditor() }),
	);
}

/** Steps in windows give up sooner than tests do, because a fault has often ended what they wait for. */
async function soak(args: string[]): Promise<number> {
	await ensurePostgres();
	await build('--team');
	return withRun({ screenshots: false }, async run =>
		runNode([path.join(root, 'test', 'soak', 'soak.ts'), ...args], {
			environment: { ...(await run.prepareEditor()), ERRAND_TEST_WINDOW_MS: '30000' },
		}),
	);
}

const [name = '', ...args] = process.argv.slice(2);
const task = tasks[name];
try {
	if (task === undefined) {
		throw new Error(`There is no "${name}". Names: ${Object.keys(tasks).join(', ')}.`);
	}
	process.exitCode = await task(args);
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
