import assert from 'node:assert/strict';
import { runFailedAgain } from '../../../../scripts/stages/flaky.ts';
import { describeFlaky, MOST_LISTED, readFlaky } from '../../../../scripts/stages/flakyList.ts';
import { none, type Totals } from '../../../../scripts/stages/totals.ts';

const failure = (...files: string[]) => ({ title: `a test of ${files.join()}`, error: 'Error: in vain', files });

/** The totals of files of which each has three tests, one of which fails in those that are named. */
function totalsOf(files: readonly string[], failed: readonly string[]): Totals {
	const entries = files.map(file => [file, { passed: failed.includes(file) ? 2 : 3, milliseconds: 1 }] as const);
	return {
		passed: 3 * files.length - failed.length,
		failed: failed.length,
		failures: failed.map(file => failure(file)),
		files: Object.fromEntries(entries),
	};
}

describe('a stage whose failed files run again', () => {
	const groups = [['a', 'b', 'c'], ['d']];
	const first = (...failed: string[]) => totalsOf(groups.flat(), failed);

	/** Runs what failed again, and returns the runs that were made of it. */
	async function again(totals: Totals, run: (files: readonly string[]) => Totals) {
		const runs: (readonly string[])[] = [];
		const result = await runFailedAgain(
			totals,
			groups,
			async files => {
				runs.push(files);
				return run(files);
			},
			() => {},
		);
		return { runs, result };
	}

	it('runs nothing again where nothing failed', async () => {
		const { runs, result } = await again(first(), () => assert.fail());
		assert.deepEqual({ runs, result }, { runs: [], result: first() });
	});

	it('calls a test flaky that passes alone and behind the file before it, and counts it as passed', async () => {
		const { runs, result } = await again(first('b'), files => totalsOf(files, []));
		assert.deepEqual(runs, [['b'], ['a', 'b']]);
		assert.deepEqual([result.passed, result.failed, result.failures], [12, 0, []]);
		assert.deepEqual(result.flaky, [failure('b')]);
	});

	it('runs the first file of a process only alone', async () => {
		const { runs, result } = await again(first('d'), files => totalsOf(files, []));
		assert.deepEqual(runs, [['d']]);
		assert.equal(result.failed, 0);
	});

	it('stays red where a file fails twice', async () => {
		const { runs, result } = await again(first('b'), files => totalsOf(files, ['b']));
		assert.deepEqual(runs, [['b']]);
		assert.deepEqual(result, first('b'));
	});

	it('stays red where a file passes alone and fails behind the one before it, and says so', async () => {
		const { result } = await again(first('b'), files => totalsOf(files, files.length > 1 ? ['b'] : []));
		assert.deepEqual([result.passed, result.failed, result.flaky], [11, 1, undefined]);
		assert.match(result.failures?.[0]?.error ?? '', /^It passes alone, and fails again behind a\.\nError: in vain$/);
	});

	it('stays red where the failed test does not run again', async () => {
		const { result } = await again(first('b'), () => ({ passed: 2, failed: 0, skipped: 1 }));
		assert.deepEqual(result, first('b'));
	});

	it('stays red, and runs nothing again, where more than two files failed', async () => {
		const { runs, result } = await again(first('a', 'b', 'd'), () => assert.fail());
		assert.deepEqual({ runs, result }, { runs: [], result: first('a', 'b', 'd') });
	});

	it('tells a flaky file from one that fails twice', async () => {
		const { result } = await again(first('a', 'd'), files => totalsOf(files, files.includes('d') ? ['d'] : []));
		assert.deepEqual([result.passed, result.failed], [11, 1]);
		assert.deepEqual([result.failures, result.flaky], [[failure('d')], [failure('a')]]);
	});

	it('stays red where something failed outside of the files', async () => {
		const outside = { ...none, failed: 1, failures: [failure()] };
		assert.deepEqual((await again(outside, () => assert.fail())).result, outside);
		const unknown = { ...first('d'), failed: 2 };
		assert.equal((await again(unknown, files => totalsOf(files, []))).result.failed, 1);
	});

	it('runs all files again that a process which crashed did not finish', async () => {
		const crash = { ...totalsOf(['a'], []), failed: 1, failures: [failure('b', 'c')] };
		const all = await again(crash, files => totalsOf(files, []));
		assert.deepEqual(all.runs, [['b'], ['a', 'b'], ['c'], ['b', 'c']]);
		assert.deepEqual([all.result.passed, all.result.failed], [9, 0]);
		const some = await again(crash, files => totalsOf(files, files.includes('c') ? ['c'] : []));
		assert.deepEqual([some.result.passed, some.result.failed], [3, 1]);
	});
});

describe('the list of flaky tests', () => {
	const listed = readFlaky();

	it('stays short, and has each test once: what comes a second time is mended or leaves the gate', () => {
		assert.ok(listed.length <= MOST_LISTED, `${listed.length} entries`);
		assert.equal(new Set(listed.map(({ test }) => test)).size, listed.length);
	});

	it('says of each when it failed, how, and why', () => {
		for (const { test, file, day, error, cause } of listed) {
			assert.ok(test && file && error && cause, test);
			assert.match(day, /^\d{4}-\d\d-\d\d$/);
		}
	});

	it('is told where a test in it was flaky again', () => {
		const entry = { test: 'a test of a', file: 'a', day: '2026-01-31', error: 'Error: in vain', cause: 'not found' };
		assert.match(describeFlaky([failure('a')], []).join(), /^\nflaky: a test of a\nError: in vain\n.*belongs in/);
		assert.match(
			describeFlaky([failure('a')], [entry]).join(),
			/has been in test\/flaky\.json since 2026-01-31: mend it/,
		);
	});
});
