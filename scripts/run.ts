import path from 'node:path';
import process from 'node:process';
import { ensureDependencies } from './bootstrap/dependencies.mjs';
import { cache, root } from './bootstrap/folders.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { build, runNode } from './build.ts';
import { makePackage } from './package.ts';
import { endChildrenOnSignal } from './processes.ts';
import { type StageName, stageNames, TestRun } from './stages/stages.ts';

const tasks: Record<string, (args: string[]) => Promise<number>> = {
	build: async args => ((await locked(() => build(...args))) ? 0 : 1),
	watch: () => runNode(['esbuild.mjs', '--watch']),
	check: args => (args.includes('--write') ? write() : stage('check', [])),
	...Object.fromEntries(
		stageNames.filter(name => name !== 'check').map(name => [`test:${name}`, (args: string[]) => stage(name, args)]),
	),
	'test:interoperability': args => stage('interoperability', args),
	'test:desktop': testDesktop,
	bench,
	package: makePackage,
};

/** Another run's build empties dist first. */
function locked<T>(work: () => Promise<T>): Promise<T> {
	return withLock(path.join(cache, 'build.lock'), 'building', work);
}

async function stage(name: StageName, args: string[]): Promise<number> {
	const { passed, failed } = await withRun([], run => run.run(name, args));
	console.log(`${passed} passed, ${failed} failed`);
	return failed > 0 ? 1 : 0;
}

async function withRun<T>(buildFlags: string[], work: (run: TestRun) => Promise<T>): Promise<T> {
	const run = new TestRun(buildFlags);
	endChildrenOnSignal(() => run.close());
	try {
		return await work(run);
	} finally {
		run.close();
	}
}

/** Fixes what biome can fix by itself. */
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
	return withRun(['--production'], async run =>
		runNode([path.join(root, 'scripts', 'bench.ts'), ...args], await run.prepareEditor()),
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
