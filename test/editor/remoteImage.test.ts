import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { loadRemoteImage } from '../../src/chat/images/remoteImage.ts';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import { ProxyServer } from '../support/proxyServer.ts';
import { waitFor } from '../support/waitFor.ts';

/** Nobody but a proxy could find it. */
const HOST = 'images.invalid';

describe('an image through the extension host', () => {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(request.url ?? '');
		response.end(demoImage('a fox'));
	});
	let address: string;
	let proxy: ProxyServer;

	before(async () => {
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const { port } = server.address() as AddressInfo;
		address = `http://${HOST}:${port}/fox.png`;
		proxy = await ProxyServer.start({ hosts: new Map([[HOST, port]]) });
	});

	beforeEach(() => {
		asked.length = 0;
	});

	const setHttp = (name: 'proxy' | 'noProxy', value: unknown) =>
		vscode.workspace.getConfiguration('http').update(name, value, vscode.ConfigurationTarget.Global);

	after(async () => {
		await setHttp('proxy', undefined);
		await setHttp('noProxy', undefined);
		await proxy.stop();
		server.closeAllConnections();
		server.close();
	});

	const load = (resolve: () => Promise<string[]>, trustedOrigins: string[]) =>
		loadRemoteImage(address, { resolve, trustedOrigins });

	it('is asked for at the address that was judged, by the editor’s own modules', async () => {
		const { origin } = new URL(address);
		// The environment of the tests may name a proxy. The setting takes a moment to get to the modules.
		await setHttp('noProxy', [HOST]);
		await waitFor('the image past any proxy', async () => {
			asked.length = 0;
			return (await load(async () => ['127.0.0.1'], [origin])).kind === 'loaded';
		});
		assert.deepEqual(asked, ['/fox.png']);
		assert.deepEqual(await load(async () => ['127.0.0.1'], []), { kind: 'refused', reason: 'private' });
		assert.deepEqual(await load(async () => [], []), { kind: 'refused', reason: 'unreachable' });
		assert.deepEqual(asked, ['/fox.png']);
	});

	it('goes through the editor’s proxy, which alone knows the name', async () => {
		await setHttp('noProxy', undefined);
		await setHttp('proxy', proxy.url());
		// The setting takes a moment to get to the modules.
		await waitFor('the image through the proxy', async () => {
			asked.length = 0;
			const image = await load(() => Promise.reject(new Error('ENOTFOUND')), []);
			return image.kind === 'loaded';
		});
		assert.deepEqual(
			proxy.requests.map(({ target }) => target),
			[address],
		);
		// The proxy was asked for the address, and passes the request on.
		assert.deepEqual(asked, [address]);
	});

	it('is not asked for through the proxy where its name is known here and is of this machine’s network', async () => {
		const before = proxy.requests.length;
		assert.deepEqual(await load(async () => ['10.0.0.1'], []), { kind: 'refused', reason: 'private' });
		assert.equal(proxy.requests.length, before);
	});
});
