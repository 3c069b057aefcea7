/** A failure of a test or of a test process. */
export interface Failure {
	title: string;
	/** The first lines of the error. */
	error: string;
	/** The files that must run again to tell whether the failure was flaky. Empty if it lies outside all files. */
	files: readonly string[];
}

export interface FileTotals {
	passed: number;
	milliseconds: number;
}

export interface Totals {
	passed: number;
	failed: number;
	/** The number of tests that this machine cannot run. */
	skipped?: number;
	/** The known failures. A failure outside all tests may be missing here. */
	failures?: readonly Failure[];
	/** Tests that failed at first and then passed. They do not count as failed. */
	flaky?: readonly Failure[];
	/** The test files, by their paths from the project's folder. */
	files?: Readonly<Record<string, FileTotals>>;
}

export const none: Totals = { passed: 0, failed: 0 };

export function add(one: Totals, other: Totals): Totals {
	const skipped = (one.skipped ?? 0) + (other.skipped ?? 0);
	const failures = [...(one.failures ?? []), ...(other.failures ?? [])];
	const flaky = [...(one.flaky ?? []), ...(other.flaky ?? [])];
	return {
		passed: one.passed + other.passed,
		failed: one.failed + other.failed,
		...(skipped > 0 && { skipped }),
		...(failures.length > 0 && { failures }),
		...(flaky.length > 0 && { flaky }),
		...((one.files ?? other.files) && { files: { ...one.files, ...other.files } }),
	};
}

/** Returns a line for each of the files that took longest, the slowest first. */
export function slowestFiles({ files = {} }: Totals, count: number): string[] {
	return Object.entries(files)
		.sort(([, one], [, other]) => other.milliseconds - one.milliseconds)
		.slice(0, count)
		.map(([file, { milliseconds }]) => `${(milliseconds / 1000).toFixed(0).padStart(5)} s  ${file}`);
}

/** Matches the beginning of a line that says what a window showed when the test failed (`describeWindows`). */
export const WINDOW_LINE = /^ {2}window \d/m;

/**
 * Returns an error in a few lines, to be repeated at the end of a run, when its middle has long left the screen. Lines
 * about windows are included wherever they are in the error.
 */
export function errorLines(error: unknown): string {
	// A test that ran in another process has its error as a plain object.
	const { stack, message = String(error) } = (error ?? {}) as { stack?: string; message?: string };
	const lines = (stack ?? message).split('\n');
	const first = lines.filter(line => !WINDOW_LINE.test(line)).slice(0, 12);
	const windows = lines.filter(line => WINDOW_LINE.test(line)).map(line => line.slice(0, 1500));
	return [first.join('\n').slice(0, 1500).trimEnd(), ...windows].join('\n');
}

/** Returns the totals as a line, which mentions skipped and flaky tests only if there are any. */
export function totalsLine({ passed, failed, skipped = 0, flaky = [] }: Totals): string {
	const rest = [...(skipped > 0 ? [`${skipped} skipped`] : []), ...(flaky.length > 0 ? [`${flaky.length} flaky`] : [])];
	return [`${passed} passed`, `${failed} failed`, ...rest].join(', ');
}
