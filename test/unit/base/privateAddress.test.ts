import assert from 'node:assert/strict';
import { isPrivateAddress } from '../../../src/base/privateAddress.ts';

describe('private addresses', () => {
	it('are told from public ones', () => {
		for (const address of [
			'10.1.2.3',
			'172.31.0.1',
			'192.168.1.1',
			'169.254.169.254',
			'100.64.0.1',
			'fe80::1%eth0',
			'fd00::1',
			'::',
			'::ffff:10.0.0.1',
			'64:ff9b::a00:1',
			'64:ff9b:1::a00:1',
			'::ffff:0:10.0.0.1',
			'2002:a00:1::',
			'x',
		]) {
			assert.equal(isPrivateAddress(address), true, address);
		}
		for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']) {
			assert.equal(isPrivateAddress(address), false, address);
		}
	});
});
