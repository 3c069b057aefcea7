import assert from 'node:assert/strict';
import { isInRange } from '../../../../../src/service/tasks/dependencies/packageManifest.ts';

describe('a range of versions in a package.json', () => {
	const check = (range: string, inside: readonly string[], outside: readonly string[]) => {
		for (const version of inside) {
			assert.equal(isInRange(version, range), true, `${version} in "${range}"`);
		}
		for (const version of outside) {
			assert.equal(isInRange(version, range), false, `${version} not in "${range}"`);
		}
	};

	it('has the versions that are compatible', () => {
		check('^1.2.3', ['1.2.3', '1.9.0', 'v1.2.4', '1.2.3+build'], ['1.2.2', '2.0.0', '0.9.9']);
		check('^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0', '0.2.2']);
		check('^0.0.3', ['0.0.3'], ['0.0.4', '0.1.0']);
		check('^0.0', ['0.0.0', '0.0.9'], ['0.1.0']);
		check('^0', ['0.0.1', '0.9.0'], ['1.0.0']);
		check('^4', ['4.0.0', '4.22.1'], ['5.0.0']);
		check('~1.2.3', ['1.2.3', '1.2.9'], ['1.3.0', '1.2.2']);
		check('~1', ['1.0.0', '1.9.9'], ['2.0.0']);
	});

	it('has one version, all of some numbers, or any', () => {
		check('1.2.3', ['1.2.3'], ['1.2.4']);
		check('=1.2.3', ['1.2.3'], ['1.2.2']);
		check('1.2.x', ['1.2.0', '1.2.9'], ['1.3.0']);
		check('1', ['1.0.0', '1.9.9'], ['2.0.0', '0.9.9']);
		for (const range of ['', '*', 'x', '1 || *']) {
			check(range, ['0.0.1', '77.0.0'], []);
		}
	});

	it('has what lies between two versions, or in one of several ranges', () => {
		check('>=1.2 <2', ['1.2.0', '1.9.9'], ['1.1.9', '2.0.0']);
		check('>= 1.2.3 < 1.3', ['1.2.3'], ['1.3.0']);
		check('>1.2', ['1.3.0'], ['1.2.9']);
		check('>1.2.3', ['1.2.4'], ['1.2.3']);
		check('<=1.2', ['1.2.9', '0.1.0'], ['1.3.0']);
		check('1.2 - 2.3', ['1.2.0', '2.3.9'], ['2.4.0', '1.1.0']);
		check('1.2.3 - 2.3.4', ['2.3.4'], ['2.3.5']);
		check('^1.0.0 || ^3.0.0', ['1.5.0', '3.5.0'], ['2.0.0']);
	});

	it('has a pre-release only where it names one of the same version', () => {
		check('^1.2.3', [], ['1.3.0-beta', '2.0.0-alpha']);
		check('^1.2.3-beta.2', ['1.2.3-beta.2', '1.2.3-beta.10', '1.2.3', '1.4.0'], ['1.2.3-beta.1', '1.2.4-beta.3']);
		check('>=1.0.0-rc.1', ['1.0.0-rc.1', '1.0.0-rc.1.1', '1.0.0-rc.x'], ['1.0.0-beta']);
		check('5.0.0-beta.1', ['5.0.0-beta.1'], ['5.0.0-beta.3', '5.0.0']);
	});

	it('is not known where one of the two is no version', () => {
		for (const range of ['latest', 'github:team/thing', 'https://example.com/a.tgz', '^1 || next', 'workspace:*']) {
			assert.equal(isInRange('1.0.0', range), undefined, range);
		}
		for (const version of ['', '1', '1.2', '^1.2.3', 'one']) {
			assert.equal(isInRange(version, '^1.0.0'), undefined, version);
		}
	});
});
