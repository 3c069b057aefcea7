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
			'2001:0:4136:e378:8000:63bf:3fff:fdd2',
			'0.0.0.0',
			'127.8.8.8',
			'172.16.0.1',
			'192.0.0.192',
			'198.18.0.1',
			'224.0.0.1',
			'255.255.255.255',
			'::1',
			'::127.0.0.1',
			'::ffff:7f00:1',
			'::ffff:169.254.169.254',
			'::ffff:100.64.0.1',
			'fe80::1',
			'fec0::1',
			'fd00:ec2::254',
			'ff02::1',
			'x',
		]) {
			assert.equal(isPrivateAddress(address), true, address);
		}
		for (const address of [
			'8.8.8.8',
			'172.32.0.1',
			'100.128.0.1',
			'169.253.0.1',
			'2001:4860:4860::8888',
			'2606:4700::1111',
			'::ffff:8.8.8.8',
		]) {
			assert.equal(isPrivateAddress(address), false, address);
		}
	});
});
