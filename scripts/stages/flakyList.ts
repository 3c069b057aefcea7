import fs from 'node:fs';
import path from 'node:path';
import { root } from '../bootstrap/folders.mjs';
import type { Failure, Totals } from './totals.ts';

/** A test that failed and then passed without a change. */
export interface FlakyTest {
	test: string;
	/** The path of its file from the project's folder. */
	file: string;
	/** The date in the form 2026-01-31. */
	day: string;
	error: string;
	/** The cause of the failure, or "not found". */
	cause: string;
}

/** The maximum number of tests in the list. */
export const MOST_LISTED = 5;

/** Reads the tests that are known to be flaky. */
export function readFlaky(): FlakyTest[] {
	return JSON.parse(fs.readFileSync(path.join(root, 'test', 'flaky.json'), 'utf8'));
}

/** Writes the flaky tests of a run in the form of the list. */
export function saveFlaky({ flaky = [] }: Totals, now: Date): void {
	const day = now.toISOString().slice(0, 10);
	const tests = flaky.map(
		({ title, error, files: [file = ''] }): FlakyTest => ({ test: title, file, day, error, cause: 'not found' }),
	);
	const folder = path.join(root, 'test-output');
	fs.mkdirSync(folder, { recursive: true });
	fs.writeFileSync(path.join(folder, 'flaky.json'), `${JSON.stringify(tests, undefined, '\t')}\n`);
}

/** Describes the flaky tests, and what has to be done about them. */
export function describeFlaky(flaky: readonly Failure[], listed: readonly FlakyTest[]): string[] {
	return flaky.map(({ title, error }) => {
		const known = listed.find(({ test }) => test === title);
		const next = known
			? `has been in test/flaky.json since ${known.day}: mend it, or take it out of the gate`
			: 'belongs in test/flaky.json, as test-output/flaky.json has it';
		return `\nflaky: ${title}\n${error}\n  It ${next}.`;
	});
}
