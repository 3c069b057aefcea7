import assert from 'node:assert/strict';
import { isTestFile } from '../../../src/base/testFile.ts';

describe('the files of tests', () => {
	it('are known by the usual names', () => {
		for (const name of [
			'test/a.ts',
			'src/tests/a.py',
			'src/__tests__/a.js',
			'src/a.test.ts',
			'src/a.spec.tsx',
			'pkg/a_test.go',
			'test_shop.py',
			'src/ShopTest.java',
			'src/__snapshots__/a.snap',
			'src/conftest.py',
			'jest.config.ts',
		]) {
			assert.ok(isTestFile(name), name);
		}
		for (const name of ['src/latest.ts', 'src/contest/a.ts', 'testing.md', 'src/attestation.ts', 'protest_march.py']) {
			assert.ok(!isTestFile(name), name);
		}
	});
});
