import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { unproven } from './harness.ts';

// Loaded here too, so that the check also holds when this file is run alone.
for (const file of globSync('*.test.ts', { cwd: import.meta.dirname })) {
	if (file !== path.basename(import.meta.filename)) {
		await import(`./${file}`);
	}
}

describe('the requirements of the contract', () => {
	it('are each verified by a test', () => {
		assert.deepEqual(unproven(), []);
	});
});
