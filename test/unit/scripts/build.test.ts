import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

describe('a build that fails', () => {
	it('names each error of the code, and ends without a stack trace of its own', () => {
		const folder = mkdtempSync(path.join(os.tmpdir(), 'errand-build-'));
		try {
			const { status, stdout, stderr } = spawnSync(process.execPath, [path.resolve('esbuild.mjs')], {
				cwd: folder,
				encoding: 'utf8',
			});
			assert.equal(status, 1);
			assert.equal(stdout, '');
			assert.match(stderr, /\[ERROR\] .*src\/extension\.ts/);
			assert.doesNotMatch(stderr, /^\s+at /m);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
