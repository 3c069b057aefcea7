import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { TEST_LIMIT_MS } from './limits.ts';
import { type Part, runParts } from './parts.ts';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface MochaStage {
	/** The folder of the tests, inside test/. */
	tests: string;
	/** The user's arguments: files and options for mocha. Files that are named run in one process. */
	args: string[];
	/** The number of processes that run at the same time. The default is 1. */
	jobs?: number;
	/**
	 * The number of files that one process runs. It is small where tests start many programs, because that takes longer
	 * the more memory the process has. The default is 1.
	 */
	filesPerProcess?: number;
	/** The beginning of the paths of files that begin before all others, because they take longest. */
	first?: string;
	/** A module with mocha hooks for every file. */
	hooks?: string;
	folder: string;
	environment?: Record<string, string>;
}

export async function runMocha(stage: MochaStage): Promise<Totals> {
	const { folder, jobs = 1, environment } = stage;
	const part = (files: readonly string[]): Part => ({
		args: [
			path.join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
			...['--extension', 'ts', '--timeout', String(TEST_LIMIT_MS)],
			...['--reporter', path.join(root, 'scripts', 'stages', 'reporter.ts')],
			...(stage.hooks === undefined ? [] : ['--require', path.join(root, stage.hooks)]),
			...stage.args,
			...files,
		],
		...(environment && { environment }),
	});
	if (stage.args.some(argument => /\.ts$/.test(argument))) {
		return runTestProcess({ ...part([]), folder });
	}
	const groups = groupFiles(stage);
	if (groups.length === 0) {
		console.log(`  failed  there are no tests in test/${stage.tests}`);
		return { passed: 0, failed: 1 };
	}
	return runParts({ parts: groups.map(part), jobs, folder });
}

/**
 * Returns the files of each process. The files that take longest begin first, so that none of them is left to run alone at
 * the end, and are in different processes.
 */
function groupFiles({ tests, first, filesPerProcess = 1 }: MochaStage): string[][] {
	const isFirst = (file: string) => first !== undefined && file.startsWith(first);
	const found = fs
		.globSync(`test/${tests}/**/*.test.ts`, { cwd: root })
		.map(file => ({ file, size: isFirst(file) ? Number.POSITIVE_INFINITY : fs.statSync(path.join(root, file)).size }))
		.sort((one, other) => Math.sign(other.size - one.size) || one.file.localeCompare(other.file))
		.map(({ file }) => file);
	const count = Math.ceil(found.length / filesPerProcess);
	return Array.from({ length: count }, (_, group) => found.filter((__, index) => index % count === group));
}
