import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { add, errorLines, none, slowestFiles, totalsLine } from '../../../../scripts/stages/totals.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

const failure = (title: string) => ({ title, error: 'Error: in vain', files: ['a.test.ts'] });

describe('the totals of tests', () => {
	it('are a line of passed and failed, and name skipped and flaky ones only where there are some', () => {
		assert.equal(totalsLine(none), '0 passed, 0 failed');
		assert.equal(totalsLine(add({ passed: 3, failed: 1 }, { passed: 4, failed: 0, skipped: 0 })), '7 passed, 1 failed');
		const skipped = add(add(none, { passed: 1, failed: 0, skipped: 2 }), { passed: 0, failed: 0, skipped: 3 });
		assert.equal(totalsLine(skipped), '1 passed, 0 failed, 5 skipped');
		const flaky = add({ ...none, flaky: [failure('one')] }, { passed: 2, failed: 0, flaky: [failure('two')] });
		assert.equal(totalsLine(flaky), '2 passed, 0 failed, 2 flaky');
	});

	it('keep what failed, a few lines for each test, for the end of the run', () => {
		const one = add({ passed: 0, failed: 1, failures: [failure('one')] }, none);
		const both = add(one, { passed: 0, failed: 1, failures: [failure('two')] });
		assert.deepEqual(both.failures, [failure('one'), failure('two')]);
		const error = new Error(`first\n${'line\n'.repeat(100)}`);
		assert.match(errorLines(error), /^Error: first\nline\n/);
		assert.equal(errorLines(error).split('\n').length, 12);
		error.stack = `${error.stack}\n  window 1: {"title":"sample"}`;
		assert.match(errorLines(error), /line\n {2}window 1: \{"title":"sample"\}$/);
		const long = new Error(
			`in vain\n  window 1: ${'x'.repeat(2_000)}\n  window 2: {"title":"other"}\n      at a place`,
		);
		assert.match(
			errorLines(long),
			/Error: in vain\n {6}at a place\n[\s\S]*\n {2}window 1: x+\n {2}window 2: \{"title":"other"\}$/,
		);
		assert.equal(errorLines('not an error'), 'not an error');
		assert.equal(errorLines(undefined), 'undefined');
		assert.equal(errorLines({ message: 'of another process' }), 'of another process');
	});

	it('name the files that took longest', () => {
		const took = (milliseconds: number) => ({ passed: 1, milliseconds });
		const one = { ...none, files: { 'a.ts': took(1_000), 'b.ts': took(70_400) } };
		const both = add(one, { ...none, files: { 'c.ts': took(2_000) } });
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
				totals: { passed: 0, failed: 0, skipped: 2, failures: [], files: {}, ended: true },
			});
			const real = run();
			const { failures, files, ...counts } = real.totals;
			const name = path.relative(ROOT, test);
			assert.deepEqual(Object.keys(files), [name]);
			assert.equal(files[name].passed, 1);
			assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0, ended: true });
			assert.deepEqual([failures[0].title, failures[0].files], ['two', [name]]);
			assert.match(failures[0].error, /^Error: failed\n/);
			assert.match(real.printed, /1 passing/);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
