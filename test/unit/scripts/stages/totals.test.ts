import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { add, failureLines, none, slowestFiles, totalsLine } from '../../../../scripts/stages/totals.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

describe('the totals of tests', () => {
	it('are a line of passed and failed, and name skipped ones only where there are some', () => {
		assert.equal(totalsLine(none), '0 passed, 0 failed');
		assert.equal(totalsLine(add({ passed: 3, failed: 1 }, { passed: 4, failed: 0, skipped: 0 })), '7 passed, 1 failed');
		const skipped = add(add(none, { passed: 1, failed: 0, skipped: 2 }), { passed: 0, failed: 0, skipped: 3 });
		assert.equal(totalsLine(skipped), '1 passed, 0 failed, 5 skipped');
	});

	it('keep what failed, a few lines for each test, for the end of the run', () => {
		const one = add({ passed: 0, failed: 1, failures: ['one'] }, none);
		assert.deepEqual(add(one, { passed: 0, failed: 1, failures: ['two'] }).failures, ['one', 'two']);
		const error = new Error(`first\n${'line\n'.repeat(100)}`);
		assert.match(failureLines('a test', error), /^a test\nError: first\nline\n/);
		assert.equal(failureLines('a test', error).split('\n').length, 13);
		error.stack = `${error.stack}\n  window 1: {"title":"sample"}`;
		assert.match(failureLines('a test', error), /line\n {2}window 1: \{"title":"sample"\}$/);
		const long = new Error(
			`in vain\n  window 1: ${'x'.repeat(2_000)}\n  window 2: {"title":"other"}\n      at a place`,
		);
		assert.match(
			failureLines('a test', long),
			/Error: in vain\n {6}at a place\n[\s\S]*\n {2}window 1: x+\n {2}window 2: \{"title":"other"\}$/,
		);
		assert.equal(failureLines('a test', 'not an error'), 'a test\nnot an error');
		assert.equal(failureLines('a test', undefined), 'a test\nundefined');
		assert.equal(failureLines('a test', { message: 'of another process' }), 'a test\nof another process');
	});

	it('name the files that took longest', () => {
		const both = add({ ...none, files: { 'a.ts': 1_000, 'b.ts': 70_400 } }, { ...none, files: { 'c.ts': 2_000 } });
		assert.deepEqual(slowestFiles(both, 2), ['   70 s  b.ts', '    2 s  c.ts']);
	});

	it('count the tests of a dry run as skipped and print none of them, so that none looks as if it had passed', () => {
		const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-totals-'));
		try {
			const test = path.join(folder, 'sample.test.cjs');
			writeFileSync(test, 'it("one", () => {}); it("two", () => { throw new Error("failed"); });');
			const run = (...options: string[]) => {
				const file = path.join(folder, 'totals.json');
				const { stdout } = spawnSync(
					process.execPath,
					[
						path.join(ROOT, 'node_modules/mocha/bin/mocha.js'),
						...['--reporter', path.join(ROOT, 'scripts/stages/reporter.ts'), '--no-config', ...options, test],
					],
					{ env: { ...process.env, ERRAND_TEST_TOTALS: file }, encoding: 'utf8' },
				);
				return { printed: stdout.trim(), totals: JSON.parse(readFileSync(file, 'utf8')) };
			};
			assert.deepEqual(run('--dry-run'), {
				printed: '',
				totals: { passed: 0, failed: 0, skipped: 2, failures: [], files: {} },
			});
			const real = run();
			const { failures, files, ...counts } = real.totals;
			assert.deepEqual(Object.keys(files), [path.relative(ROOT, test)]);
			assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
			assert.match(failures[0], /^two\nError: failed\n/);
			assert.match(real.printed, /1 passing/);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
