import process from 'node:process';
import type { Failure, Totals } from './totals.ts';

/** If more files than this fail at first, the run is red, whatever their later outcome. */
export const MOST_FLAKY_FILES = 2;

/** Runs test files one after another in a process of their own, and thus in a window of their own. */
export type RunFiles = (files: readonly string[]) => Promise<Totals>;

/**
 * Runs each failed file of a stage once more, alone. Failures of files that then pass are flaky and no longer count.
 * A file that passes alone and fails again behind its predecessor depends on the order of the tests, which counts as a
 * failure.
 * @param groups the files of each process of the stage, in order
 */
export async function runFailedAgain(
	first: Totals,
	groups: readonly (readonly string[])[],
	run: RunFiles,
	print: (text: string) => void = text => process.stdout.write(text),
): Promise<Totals> {
	const { failures = [], files = {} } = first;
	const failed = filesOf(failures);
	if (failed.length === 0 || failed.length > MOST_FLAKY_FILES) {
		return first;
	}
	const passed = new Map<string, Totals>();
	const dependent = new Map<string, string>();
	for (const file of failed) {
		print(`\n${file} failed. It runs once more, alone:\n`);
		const alone = await run([file]);
		// A test that is skipped now has not passed.
		if (alone.failed > 0 || alone.passed <= (files[file]?.passed ?? 0)) {
			continue;
		}
		const before = fileBefore(file, groups);
		if (before !== undefined) {
			print(`\n${file} passed alone. It runs behind ${before}:\n`);
			const both = await run([before, file]);
			if (both.failed > 0) {
				dependent.set(file, before);
				continue;
			}
		}
		passed.set(file, alone);
	}
	const isFlaky = (failure: Failure) => failure.files.length > 0 && failure.files.every(file => passed.has(file));
	const flaky = failures.filter(isFlaky);
	const gained = filesOf(flaky).map(file => (passed.get(file)?.passed ?? 0) - (files[file]?.passed ?? 0));
	const remaining = failures
		.filter(failure => !isFlaky(failure))
		.map(failure => {
			const before = failure.files.map(file => dependent.get(file)).find(file => file !== undefined);
			const error = `It passes alone, and fails again behind ${before}.\n${failure.error}`;
			return before === undefined ? failure : { ...failure, error };
		});
	return {
		...first,
		passed: gained.reduce((sum, count) => sum + count, first.passed),
		failed: first.failed - flaky.length,
		failures: remaining,
		...(flaky.length > 0 && { flaky }),
	};
}

/** Returns the files of these failures, without duplicates. */
export function filesOf(failures: readonly Failure[]): string[] {
	return [...new Set(failures.flatMap(failure => failure.files))];
}

function fileBefore(file: string, groups: readonly (readonly string[])[]): string | undefined {
	const group = groups.find(files => files.includes(file)) ?? [];
	return group[group.indexOf(file) - 1];
}
