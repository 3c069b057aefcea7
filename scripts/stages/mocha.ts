import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { runFailedAgain } from './flaky.ts';
import { TEST_LIMIT_MS } from './limits.ts';
import { type Part, runParts } from './parts.ts';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface MochaStage {
	/** The files with tests, by their paths from the project's folder. */
	files: readonly string[];
	/** The user's arguments: files and options for mocha. Files that are named run in one process, in place of the others. */
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
	/** Groups of files, each of which one process runs in its order, whatever `filesPerProcess` says. */
	together?: readonly (readonly string[])[];
	/** A module that each process loads before its files, with hooks for mocha or for the modules that they import. */
	hooks?: string;
	/** Whether a file that failed runs once more, because the machine may have been at fault. */
	runsFailedAgain?: boolean;
	folder: string;
	environment?: Record<string, string>;
}

export async function runMocha(stage: MochaStage): Promise<Totals> {
	const { folder, jobs = 1, environment } = stage;
	const part = (files: readonly string[]): Part => ({
		files,
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
	const first = await runParts({ parts: groups.map(part), jobs, folder });
	return stage.runsFailedAgain
		? runFailedAgain(first, groups, files => runTestProcess({ ...part(files), folder }))
		: first;
}

/**
 * Returns the files of each process. The files that take longest begin first, so that none of them is left to run alone at
 * the end, and are in different processes.
 */
export function groupFiles({
	files,
	first,
	filesPerProcess = 1,
	together = [],
}: Pick<MochaStage, 'files' | 'first' | 'filesPerProcess' | 'together'>): string[][] {
	const groups = together.map(group => group.filter(file => files.includes(file))).filter(group => group.length > 0);
	const isFirst = (file: string) => first !== undefined && file.startsWith(first);
	const sorted = files
		.filter(file => !groups.some(group => group.includes(file)))
		.map(file => ({ file, size: isFirst(file) ? Number.POSITIVE_INFINITY : fs.statSync(path.join(root, file)).size }))
		.sort((one, other) => Math.sign(other.size - one.size) || one.file.localeCompare(other.file))
		.map(({ file }) => file);
	const count = Math.ceil(sorted.length / filesPerProcess);
	const others = Array.from({ length: count }, (_, group) => sorted.filter((__, index) => index % count === group));
	return [...groups, ...others];
}
