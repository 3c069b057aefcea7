import assert from 'node:assert/strict';
import { isLoopbackHost, proxyExceptions } from '../../../src/base/loopback.ts';

const hostOf = (address: string) => new URL(address).hostname;

describe('isLoopbackHost', () => {
	for (const host of [
		'localhost',
		'LOCALHOST',
		'127.0.0.1',
		'127.0.0.2',
		'127.255.255.254',
		'2130706433',
		'0x7f.1',
		'[::1]',
		'[0:0:0:0:0:0:0:1]',
		'[::ffff:127.0.0.1]',
		'[::ffff:127.1.2.3]',
	]) {
		it(`holds for ${host}`, () => {
			assert.ok(isLoopbackHost(hostOf(`http://${host}:1/`)));
		});
	}

	for (const host of [
		// A name is whatever the machine's resolver makes of it.
		'a.localhost',
		'errand.localhost',
		'localhost.',
		'localhost.example',
		'127.0.0.1.example',
		'127.example',
		'mylocalhost',
		'0.0.0.0',
		'10.0.0.1',
		'128.0.0.1',
		'126.255.255.255',
		'[::]',
		'[::2]',
		'[::ffff:128.0.0.1]',
		'[::ffff:0:127.0.0.1]',
		'[fe80::1]',
	]) {
		it(`does not hold for ${host}`, () => {
			assert.ok(!isLoopbackHost(hostOf(`http://${host}:1/`)));
		});
	}
});

describe('proxyExceptions', () => {
	it('names this machine in each form that programs read, before what was there', () => {
		assert.equal(proxyExceptions(['intern.example']), 'localhost,127.0.0.1,127.0.0.0/8,::1,[::1],intern.example');
		assert.equal(proxyExceptions([]), 'localhost,127.0.0.1,127.0.0.0/8,::1,[::1]');
	});

	it('leaves the word for every host alone, as programs know it only by itself', () => {
		assert.equal(proxyExceptions([' * ']), '*');
	});
});
