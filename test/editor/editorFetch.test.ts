import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { ProxyServer } from '../support/proxyServer.ts';
import { waitFor } from '../support/waitFor.ts';

/** A host name that only the proxy understands. */
const NAME = 'service.invalid';

describe('the editor’s fetch with a proxy', () => {
	let proxy: ProxyServer;
	const servers: Server[] = [];

	async function serve(host: string): Promise<string> {
		const server = createServer((_, response) => response.end(`from ${host}`));
		servers.push(server);
		server.listen(0, host);
		await once(server, 'listening');
		return `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}/`;
	}

	const setProxy = (url: string | undefined) =>
		vscode.workspace.getConfiguration('http').update('proxy', url, vscode.ConfigurationTarget.Global);

	const textOf = async (address: string) => (await editorFetch(address, {})).text();

	before(async () => {
		const plain = await serve('127.0.0.1');
		proxy = await ProxyServer.start({ hosts: new Map([[NAME, Number(new URL(plain).port)]]) });
		await setProxy(proxy.url());
		await waitFor('the proxy to be in use', async () => {
			await textOf(`http://${NAME}/`).catch(() => {});
			return proxy.requests.length > 0;
		});
	});

	after(async () => {
		await setProxy(undefined);
		await proxy.stop();
		for (const server of servers) {
			server.close();
			server.closeAllConnections();
		}
	});

	it('is used for what is not on this machine', async () => {
		assert.equal(await textOf(`http://${NAME}/`), 'from 127.0.0.1');
	});

	// Only Linux has every address of the loopback network without any set-up.
	const onLinux = process.platform === 'linux' ? it : it.skip;
	onLinux('is never used for an address of this machine', async () => {
		const before = proxy.requests.length;
		for (const host of ['127.0.0.1', '127.0.0.2', '127.9.9.9']) {
			assert.equal(await textOf(await serve(host)), `from ${host}`);
		}
		const { port } = new URL(await serve('127.0.0.1'));
		assert.equal(await textOf(`http://[::ffff:127.0.0.1]:${port}/`), 'from 127.0.0.1');
		assert.equal(await textOf(`http://localhost:${port}/`), 'from 127.0.0.1');
		assert.deepEqual(proxy.requests.slice(before), []);
	});
});
