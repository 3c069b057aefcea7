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
			require('node:fs').writeFileSync(process.env.ERRAND_TEST_TOTALS, ${JSON.stringify(JSON.stringify(totals))});`,
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

	it('count as failed where a process ends without totals', async () => {
		const parts = [{ args: ['--eval', 'process.exit(0)'] }, part('b', { passed: 1, failed: 0 })];
		const totals = await runParts({ parts, jobs: 1, folder }, () => {});
		assert.deepEqual(totals, { passed: 1, failed: 1 });
	});
});
