import assert from 'node:assert/strict';
import { currentPlatform } from '../../../../src/agents/catalogue/platform.ts';

describe('currentPlatform', () => {
	it('is the platform and the architecture of this machine, and says what it lacks on Linux alone', () => {
		const platform = currentPlatform();
		const base = `${process.platform}-${process.arch}`;
		assert.ok(platform === base || (base === 'linux-x64' && /^linux-x64-(?:musl|baseline)$/.test(platform)), platform);
	});
});
