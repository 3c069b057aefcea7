import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { withRecordingProxy } from '../../../../scripts/stages/recordingProxy.ts';
import { FaultServer } from '../../../support/faultServer.ts';

const TOTALS = { passed: 3, failed: 0 };

describe('withRecordingProxy', () => {
	let server: FaultServer;

	before(async () => {
		server = await FaultServer.start(response => void response.end('here'));
	});
	after(() => server.stop());

	/** Asks like a program that heeds the variable and knows no exceptions. */
	function askProxy(proxy: string, method: string, target: string): Promise<number | undefined> {
		const { hostname, port } = new URL(proxy);
		return new Promise((resolve, reject) => {
			const request = http.request({ hostname, port, method, path: target }, response => {
				response.resume();
				resolve(response.statusCode);
			});
			request.on('connect', response => resolve(response.statusCode));
			request.on('error', reject);
			request.end();
		});
	}

	const printed: string[] = [];
	const watched = (run: Parameters<typeof withRecordingProxy>[0]) =>
		withRecordingProxy(run, line => printed.push(line));

	it('counts each request for this machine as a failure, tunnels too', async () => {
		const totals = await watched(async ({ HTTP_PROXY = '' }) => {
			assert.equal(await askProxy(HTTP_PROXY, 'GET', `${server.origin}/x`), 502);
			assert.equal(await askProxy(HTTP_PROXY, 'CONNECT', new URL(server.origin).host), 502);
			assert.equal(await askProxy(HTTP_PROXY, 'CONNECT', '[::1]:443'), 502);
			return TOTALS;
		});
		assert.deepEqual(totals, { passed: 3, failed: 3 });
		assert.equal(printed.filter(line => line.includes('on this machine reached the proxy')).length, 3);
		assert.deepEqual(server.received, []);
	});

	it('counts none for another machine, which none is reached through it', async () => {
		const totals = await watched(async ({ https_proxy = '' }) => {
			assert.equal(await askProxy(https_proxy, 'CONNECT', 'service.invalid:443'), 502);
			return TOTALS;
		});
		assert.deepEqual(totals, TOTALS);
	});

	it('is what every usual program goes to, as nothing keeps it from that', async () => {
		const totals = await watched(async environment => {
			const program = promisify(execFile);
			// A transport without a rule of its own for this machine.
			const script = `
				const { EnvHttpProxyAgent, request } = await import('undici');
				await request(${JSON.stringify(server.origin)}, { dispatcher: new EnvHttpProxyAgent() }).catch(() => {});
			`;
			await program(process.execPath, ['--input-type=module', '--eval', script], {
				env: { ...process.env, ...environment },
			});
			return TOTALS;
		});
		assert.ok(totals.failed > 0);
		assert.deepEqual(server.received, []);
	});
});
