import assert from 'node:assert/strict';
import { proxyFor } from '../../../../src/agents/relay/tunnel.ts';

describe('the proxy for a connection', () => {
	const hostOf = (environment: Record<string, string>, host = 'packages.example', port = 443) =>
		proxyFor(host, port, environment)?.host;

	it('is that of the environment, by either spelling and either name', () => {
		assert.equal(hostOf({}), undefined);
		assert.equal(hostOf({ HTTPS_PROXY: 'http://one.example:3128' }), 'one.example:3128');
		assert.equal(hostOf({ https_proxy: 'https://one.example' }), 'one.example');
		assert.equal(hostOf({ HTTP_PROXY: 'http://two.example' }), 'two.example');
		assert.equal(hostOf({ HTTPS_PROXY: 'http://one.example', HTTP_PROXY: 'http://two.example' }), 'one.example');
		assert.equal(hostOf({ https_proxy: '', HTTPS_PROXY: 'http://one.example' }), 'one.example');
		assert.equal(hostOf({ HTTPS_PROXY: 'one.example:3128' }), 'one.example:3128');
	});

	it('is none if it is not an HTTP proxy', () => {
		for (const address of ['socks5://one.example', 'ftp://one.example', 'http://', '']) {
			assert.equal(hostOf({ HTTPS_PROXY: address }), undefined, address);
		}
	});

	it('is none for this machine, and for what is excepted', () => {
		const HTTPS_PROXY = 'http://one.example';
		for (const host of ['localhost', '127.0.0.1', '[::1]']) {
			assert.equal(hostOf({ HTTPS_PROXY }, host), undefined, host);
		}
		for (const [exceptions, isExcepted] of [
			['*', true],
			['packages.example', true],
			['PACKAGES.example:443', true],
			['packages.example:80', false],
			['.example', true],
			['*.example', true],
			['other.example, .example', true],
			['example', false],
			['gistry.example', false],
			[' , ', false],
			['', false],
		] as const) {
			const proxy = hostOf({ HTTPS_PROXY, NO_PROXY: exceptions });
			assert.equal(proxy, isExcepted ? undefined : 'one.example', exceptions);
		}
	});
});
