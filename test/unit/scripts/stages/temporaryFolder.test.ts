import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { makeTemporaryFolder } from '../../../../scripts/stages/temporaryFolder.ts';

describe('the folder for what tests write', () => {
	const chosen = process.env['TMPDIR'];
	let folder: string;
	beforeEach(() => (folder = mkdtempSync(path.join(os.tmpdir(), 'errand-chosen-'))));
	afterEach(() => {
		rmSync(folder, { recursive: true });
		delete process.env['TMPDIR'];
		Object.assign(process.env, chosen === undefined ? {} : { TMPDIR: chosen });
	});

	it('is in the TMPDIR of the user, and other users can pass through it', function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		process.env['TMPDIR'] = folder;
		const made = makeTemporaryFolder();
		assert.equal(path.dirname(made), folder);
		assert.equal(statSync(made).mode & 0o777, 0o711);
	});
});
