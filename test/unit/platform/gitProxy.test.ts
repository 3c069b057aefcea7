import assert from 'node:assert/strict';
import os from 'node:os';
import { runRemoteGit } from '../../../src/platform/gitCommand.ts';
import { FaultServer } from '../../support/faultServer.ts';
import { ProxyServer } from '../../support/proxyServer.ts';

describe('runRemoteGit with a proxy', () => {
	let proxy: ProxyServer;
	let host: FaultServer;

	before(async () => {
		host = await FaultServer.start(response => void response.writeHead(404).end());
		proxy = await ProxyServer.start({ hosts: new Map([['host.invalid', Number(new URL(host.origin).port)]]) });
	});
	after(async () => {
		await proxy.stop();
		await host.stop();
	});

	/** git's own setting stands in for the environment's: the one is as good a way to the proxy as the other. */
	const ask = (origin: string, credentials: Record<string, string> = {}) =>
		assert.rejects(
			runRemoteGit(
				'git',
				os.tmpdir(),
				'origin',
				['-c', `http.proxy=${proxy.url()}`, 'ls-remote', `${origin}/a.git`],
				credentials,
			),
		);

	it('asks the proxy for a host elsewhere', async () => {
		await ask('http://host.invalid');
		assert.match(proxy.requests.at(-1)?.target ?? '', /host\.invalid/);
	});

	it('never asks it for a host on this machine', async () => {
		const before = { asked: proxy.requests.length, received: host.received.length };
		const { port } = new URL(host.origin);
		for (const name of ['127.0.0.1', 'localhost']) {
			await ask(`http://${name}:${port}`);
			await ask(`http://${name}:${port}`, { NO_PROXY: 'other.invalid', no_proxy: 'other.invalid' });
		}
		assert.equal(proxy.requests.length, before.asked);
		assert.ok(host.received.length >= before.received + 4);
	});
});
