import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runParts } from '../../../../scripts/stages/parts.ts';
import type { Totals } from '../../../../scripts/stages/totals.ts';

describe('the parts of a stage', () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-parts-'));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	/** A process that prints lines and ends with these totals. */
	const part = (name: string, totals: Totals) => ({
		args: [
			'--eval',
			`for (let line = 0; line < 100; line++) console.log(${JSON.stringify(name)}, line);
			require('node:fs').writeFileSync(process.env.ERRAND_TEST_TOTALS, ${JSON.stringify(JSON.stringify({ ...totals, ended: true }))});`,
		],
	});

	it('are added up, and what each prints stays together and whole', async () => {
		const printed: string[] = [];
		const parts = ['a', 'b', 'c', 'd'].map((name, index) => part(name, { passed: index + 1, failed: 0 }));
		const totals = await runParts({ parts, jobs: 2, folder }, text => printed.push(text));
		assert.deepEqual(totals, { passed: 10, failed: 0 });
		const whole = (name: string) => Array.from({ length: 100 }, (_, line) => `${name} ${line}\n`).join('');
		assert.deepEqual(printed.sort(), ['a', 'b', 'c', 'd'].map(whole));
	});

	it('print nothing where they had no test to run', async () => {
		const printed: string[] = [];
		const parts = [part('a', { passed: 0, failed: 0 }), part('b', { passed: 0, failed: 0, skipped: 3 })];
		const totals = await runParts({ parts, jobs: 2, folder }, text => printed.push(text));
		assert.deepEqual(totals, { passed: 0, failed: 0, skipped: 3 });
		assert.deepEqual(printed, []);
	});

	it('count as failed where a process ends without totals, in each of its files', async () => {
		const files = ['a.test.ts', 'b.test.ts'];
		const parts = [{ files, args: ['--eval', 'process.exit(0)'] }, part('b', { passed: 1, failed: 0 })];
		const { passed, failed, failures } = await runParts({ parts, jobs: 1, folder }, () => {});
		assert.deepEqual({ passed, failed }, { passed: 1, failed: 1 });
		assert.deepEqual(failures?.[0]?.files, files);
	});

	it('count as failed where a process crashes, in the file that it was at and in those behind it', async () => {
		const totals = { passed: 3, failed: 1, files: { 'a.test.ts': {}, 'b.test.ts': {} }, ended: false };
		const script = `require('node:fs').writeFileSync(process.env.ERRAND_TEST_TOTALS, ${JSON.stringify(JSON.stringify(totals))})`;
		const crashes = { files: ['a.test.ts', 'b.test.ts', 'c.test.ts'], args: ['--eval', script] };
		const { passed, failed, failures } = await runParts({ parts: [crashes], jobs: 1, folder }, () => {});
		assert.deepEqual({ passed, failed }, { passed: 3, failed: 2 });
		assert.deepEqual(failures?.[0]?.files, ['b.test.ts', 'c.test.ts']);
	});

	it('count as failed in no file where a process fails after all of its tests', async () => {
		const { args } = part('a', { passed: 3, failed: 0 });
		const fails = { files: ['a.test.ts', 'b.test.ts'], args: [args[0] ?? '', `${args[1]}; process.exitCode = 1;`] };
		const { failed, failures } = await runParts({ parts: [fails], jobs: 1, folder }, () => {});
		assert.equal(failed, 1);
		assert.deepEqual(failures?.[0]?.files, []);
	});
});
