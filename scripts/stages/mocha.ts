import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface MochaStage {
	/** The folder of the tests, inside test/. */
	tests: string;
	/** The user's arguments: files and options for mocha. */
	args: string[];
	testLimitMs: number;
	limitMs: number;
	/** The number of files that run in parallel, for tests that share nothing. */
	jobs?: number;
	/** The beginning of the paths of files that begin before all others, because they take longest. */
	first?: string;
	/** A module with mocha hooks for every file. */
	hooks?: string;
	folder: string;
	environment?: Record<string, string>;
}

export async function runMocha(stage: MochaStage): Promise<Totals> {
	const chosen = stage.args.some(argument => /\.ts$/.test(argument));
	// The files that take longest begin first, so that in a parallel run none of them is left to run alone at the end.
	const isFirst = (file: string) => stage.first !== undefined && file.startsWith(stage.first);
	const found = fs
		.globSync(`test/${stage.tests}/**/*.test.ts`, { cwd: root })
		.map(file => ({ file, size: isFirst(file) ? Number.POSITIVE_INFINITY : fs.statSync(path.join(root, file)).size }))
		.sort((one, other) => Math.sign(other.size - one.size) || one.file.localeCompare(other.file))
		.map(({ file }) => file);
	if (!chosen && found.length === 0) {
		console.log(`  failed  there are no tests in test/${stage.tests}`);
		return { passed: 0, failed: 1 };
	}
	return runTestProcess({
		args: [
			path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
			...['--extension', 'ts', '--timeout', String(stage.testLimitMs)],
			...['--reporter', path.join(root, 'scripts', 'stages', 'reporter.ts')],
			...(stage.hooks === undefined ? [] : ['--require', path.join(root, stage.hooks)]),
			...(stage.jobs === undefined ? [] : ['--parallel', '--jobs', String(stage.jobs)]),
			...stage.args,
			...(chosen ? [] : found),
		],
		folder: stage.folder,
		limitMs: stage.limitMs,
		...(stage.environment && { environment: stage.environment }),
	});
}
