import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { socketPlaceFor } from '../../../src/base/socketPlace.ts';

describe('the place of a socket', () => {
	let folder: string;

	beforeEach(function () {
		if (process.platform === 'win32') {
			this.skip();
		}
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-place-'));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	it('is where it is wanted, without what a crash has left there', () => {
		const file = path.join(folder, 'a.sock');
		writeFileSync(file, '');
		assert.deepEqual(socketPlaceFor(file), { place: file });
		assert.equal(existsSync(file), false);
	});

	it('is a folder that no other user can open, if its path would be too long, in bytes', () => {
		const made = socketPlaceFor(path.join(folder, 'ä'.repeat(50), 'a.sock'));
		assert.ok(made.folder);
		try {
			assert.equal(made.place, path.join(made.folder, 'a.sock'));
			assert.equal(statSync(made.folder).mode & 0o777, 0o700);
		} finally {
			rmSync(made.folder, { recursive: true });
		}
	});
});
