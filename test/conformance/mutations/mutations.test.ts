import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { mutations } from './mutations.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const AREAS = ['client', 'contract', 'crypto', 'service'];

describe('the list of mutations', () => {
	it('has enough of each area', () => {
		for (const area of AREAS) {
			const count = mutations.filter(({ file }) => file.startsWith(`src/${area}/`)).length;
			assert.ok(count >= 15, `${area}: ${count}`);
		}
	});

	it('makes no change twice', () => {
		const changes = mutations.map(({ file, from, to }) => JSON.stringify([file, from, to]));
		assert.equal(new Set(changes).size, changes.length);
	});

	for (const { what, file, from, to, likely } of mutations) {
		it(`can still make this change of ${file}: ${what}`, () => {
			const source = readFileSync(path.join(ROOT, file), 'utf8');
			assert.equal(source.split(from).length - 1, 1, `${JSON.stringify(from)} must stand there once`);
			assert.notEqual(to, from);
			for (const name of likely) {
				assert.ok(existsSync(path.join(ROOT, 'test/conformance', `${name}.test.ts`)), name);
			}
		});
	}
});
