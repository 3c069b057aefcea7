import assert from 'node:assert/strict';
import { proxyOf } from '../../../../src/models/model/proxyOf.ts';

const address = 'https://api.example.com';
const settings = (url?: string, except: string[] = [], environment: Record<string, string> = {}) => ({
	...(url === undefined ? {} : { url }),
	except,
	environment,
});

describe('the proxy that is named for an address', () => {
	it('is that of http.proxy, and else that of the environment, without its credentials', () => {
		assert.deepEqual(proxyOf(address, settings()), { kind: 'none' });
		assert.deepEqual(proxyOf(address, settings('http://me:secret@proxy.example:3128')), {
			kind: 'proxy',
			from: 'http.proxy',
			host: 'proxy.example',
			port: 3128,
		});
		assert.deepEqual(proxyOf(address, settings(undefined, [], { https_proxy: 'proxy.example' })), {
			kind: 'proxy',
			from: 'https_proxy',
			host: 'proxy.example',
			port: 80,
		});
		assert.deepEqual(proxyOf('http://api.example.com', settings(undefined, [], { HTTPS_PROXY: 'http://p' })), {
			kind: 'none',
		});
	});

	it('is none for this machine and for exceptions', () => {
		assert.deepEqual(proxyOf('http://127.0.0.1:80', settings('http://proxy.example')), { kind: 'none' });
		for (const pattern of [
			'api.example.com',
			'.example.com',
			'*.example.com',
			'example.com',
			'*',
			'api.example.com:443',
		]) {
			assert.deepEqual(
				proxyOf(address, settings('http://proxy.example', [pattern])),
				{ kind: 'except', from: 'http.noProxy' },
				pattern,
			);
		}
		for (const pattern of ['', 'ample.com', 'other.example', 'api.example.com:8443']) {
			assert.equal(proxyOf(address, settings('http://proxy.example', [pattern])).kind, 'proxy', pattern);
		}
		const environment = { HTTPS_PROXY: 'http://proxy.example', no_proxy: 'a.example, example.com' };
		assert.deepEqual(proxyOf(address, settings(undefined, [], environment)), { kind: 'except', from: 'NO_PROXY' });
	});

	it('is said to be unreadable where it is', () => {
		assert.deepEqual(proxyOf(address, settings('http://')), { kind: 'unreadable', from: 'http.proxy' });
	});
});
