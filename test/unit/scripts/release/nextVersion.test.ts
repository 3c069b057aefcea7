import assert from 'node:assert/strict';
import { nextVersion } from '../../../../scripts/release/nextVersion.ts';

describe('the next version', () => {
	it('counts one number up and begins those behind it anew', () => {
		assert.equal(nextVersion('1.2.3', 'patch'), '1.2.4');
		assert.equal(nextVersion('1.2.3', 'minor'), '1.3.0');
		assert.equal(nextVersion('1.2.3', 'major'), '2.0.0');
	});

	it('can be named, as long as it is later', () => {
		assert.equal(nextVersion('1.2.3', '1.10.0'), '1.10.0');
		assert.equal(nextVersion('1.9.9', '2.0.0'), '2.0.0');
		for (const step of ['1.2.3', '1.2.2', '1.1.9', '0.9.9']) {
			assert.throws(() => nextVersion('1.2.3', step), /not later/, step);
		}
	});

	it('has three numbers and nothing else, because the marketplaces take no other', () => {
		for (const step of ['', 'v1.3.0', '1.3', '1.3.0-rc.1', '01.3.0', 'Minor']) {
			assert.throws(() => nextVersion('1.2.3', step), /major, minor, patch or a version/, step);
		}
	});
});
