import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import { runFailedAgain } from './flaky.ts';
import { TEST_LIMIT_MS } from './limits.ts';
import { type Part, runParts } from './parts.ts';
import { runTestProcess } from './process.ts';
import type { Totals } from './totals.ts';

export interface MochaStage {
	/** The test files, by their paths from the project's folder. */
	files: readonly string[];
	/** The user's arguments: files and options for mocha. Named files run in one process, instead of the others. */
	args: string[];
	/** The number of processes that run at the same time; 1 by default. */
	jobs?: number;
	/**
	 * The number of files that one process runs; 1 by default. It is small if tests start many programs, because that
	 * takes longer the more memory the process has.
	 */
	filesPerProcess?: number;
	/** The path prefix of the files that start before all others because they take longest. */
	first?: string;
	/** Groups of files, each of which one process runs in order, whatever `filesPerProcess` says. */
	together?: readonly (readonly string[])[];
	/** A module with hooks for mocha or for imported modules, which each process loads before its files. */
	hooks?: string;
	/** True if a failed file runs once more, because the machine may have been at fault. */
	runsFailedAgain?: boolean;
	folder: string;
	environment?: Record<string, string>;
}

export async function runMocha(stage: MochaStage): Promise<Totals> {
	const { folder, jobs = 1, environment } = stage;
	const part = (files: readonly string[]): Part => ({
		files,
		args: [
			// Node copies the page tables of its memory for each program that it starts, which costs as much as a start of git.
			// A small nursery keeps that memory small.
			'--max-semi-space-size=4',
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
 * Returns the files of each process. The files that take longest start first and in different processes, so that none
 * of them runs alone at the end.
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
