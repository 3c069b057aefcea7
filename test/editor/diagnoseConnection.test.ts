import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { diagnose } from '../../src/models/diagnose/diagnoseConnection.ts';
import { BufferingProxy } from '../support/bufferingProxy.ts';
import { makeCertificate } from '../support/certificates.ts';
import { keys as contractKeys, models } from '../support/contractServer/fixtures.ts';
import { beginEvents, FaultServer, sendJson, sseEvent } from '../support/faultServer.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const KEY = contractKeys.inference;

describe('the diagnosis of a connection', () => {
	const flow = useServices();

	const entry = (fields: Record<string, unknown>) => ({ acme: { service: 'quillon', ...fields } });
	const report = () => diagnose(flow.connectionOf('acme'), flow.services);

	it('covers every host and key and the clock, and shows no secret', async () => {
		const { hosts } = flow.service;
		await flow.write(
			'errand.connections',
			entry({
				apiUrl: hosts.public,
				cloudUrl: hosts.cloud,
				agentUrl: hosts.agent,
				encryptUrl: hosts.encrypt,
				models: [{ id: models[0]?.id }],
			}),
		);
		await flow.keys.of(flow.connectionOf('acme'), 'inference').save(KEY);
		await flow.keys.of(flow.connectionOf('acme'), 'cloud').save(contractKeys.cloud);
		await flow.keys.of(flow.connectionOf('acme'), 'agent').save('sk-wrong-0123456789');
		const diagnosing = report();
		await flow.lists.pick('Skip This Check');
		const text = await diagnosing;
		for (const words of [
			/^# Diagnosis of acme$/m,
			/^1 problem found\.$/m,
			/OK · Clock against .*: within a minute\./,
			/OK · Public host for chat .*: It responds and requires a key\./,
			/OK · Shared host of the encrypted channel .*: It responds as expected\./,
			/OK · Inference key: acme accepts the key/,
			/OK · Cloud token: acme accepts the key/,
			/\*\*Problem\*\* · Agent key: acme rejected the key/,
			/Not checked · Stream of a reply: /,
		]) {
			assert.match(text, words);
		}
		for (const key of [...Object.values(contractKeys), 'sk-wrong']) {
			assert.ok(!text.includes(key));
		}
	});

	it('says what is wrong with the route, within a bounded time', async () => {
		const late = await FaultServer.start(response =>
			sendJson(response, 401, { error: 'Unauthorized' }, { date: new Date(Date.now() - 3_600_000).toUTCString() }),
		);
		const gone = await FaultServer.start(() => {});
		const silent = await FaultServer.start(() => {});
		const [deadUrl] = [gone.origin, await gone.stop()];
		await flow.write(
			'errand.connections',
			entry({ apiUrl: late.origin, cloudUrl: deadUrl, agentUrl: silent.origin, orgUrl: 'https://org.invalid' }),
		);
		const text = await report();
		assert.match(text, /\*\*Problem\*\* · Clock against .*: this machine is 60 min ahead\./);
		assert.match(text, /\*\*Problem\*\* · Host of cloud tasks.*: Nothing responds at .*: the connection was refused\./);
		assert.match(text, /\*\*Problem\*\* · Host of the agent task API.*: .* didn’t respond in time\./);
		// The tests run with a proxy in their environment.
		assert.match(text, /Note · Name org\.invalid: not known on this machine \(ENOTFOUND\)/);
		assert.match(text, /OK · Proxy for org\.invalid: 127\.0\.0\.1:\d+ of HTTPS_PROXY accepts connections\./);
		assert.match(
			text,
			/\*\*Problem\*\* · Organization’s host .*: The proxy didn’t open a tunnel to org\.invalid \(HTTP 502\)\./,
		);
		assert.match(text, /Not checked · Clock against org\.invalid: no response included the time\./);
		assert.match(text, /Note · Inference key: not set\./);
		assert.match(text, /Not checked · Stream of a reply: /);
		await Promise.all([late.stop(), silent.stop()]);
	});

	it('ends when the user stops it, with what was not checked, and its notification has no link of a label', async () => {
		const silent = await FaultServer.start(() => {});
		const label = '[Mute](command:workbench.action.quit)';
		await flow.write('errand.connections', entry({ label, apiUrl: silent.origin }));
		const { withProgress } = vscode.window;
		const stop = new vscode.CancellationTokenSource();
		let title = '';
		Object.assign(vscode.window, {
			withProgress: (options: vscode.ProgressOptions, run: Parameters<typeof withProgress>[1]) => {
				title = options.title ?? '';
				return withProgress(options, progress => run(progress, stop.token));
			},
		});
		try {
			const diagnosing = report();
			await waitFor('the host to be asked', () => silent.received.length > 0);
			stop.cancel();
			const text = await diagnosing;
			assert.match(text, /Not checked · Addresses: you stopped the diagnosis\./);
			assert.match(text, /^No problems found, but not everything was checked\.$/m);
		} finally {
			Object.assign(vscode.window, { withProgress });
			stop.dispose();
			await silent.stop();
		}
		assert.match(title, /^Diagnosing \[Mute\]/);
		assert.doesNotMatch(title, /\]\(command:/);
	});

	it('reads a certificate, and reports nothing good about one that the editor refuses', async () => {
		const day = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
		for (const days of [undefined, { from: -9, to: -1 }]) {
			const server = https.createServer(makeCertificate({ hosts: ['127.0.0.1'], ...(days && { days }) }));
			server.listen(0, '127.0.0.1');
			await once(server, 'listening');
			const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
			await flow.write('errand.connections', entry({ apiUrl: `https://${place}` }));
			const text = await report();
			const end = `valid until ${day(days?.to ?? 30)}.`;
			assert.ok(text.includes(`- Note · TLS of ${place}: TLSv1.3, certificate issued by “127.0.0.1”, ${end}`), text);
			assert.match(
				text,
				/^- \*\*Problem\*\* · Public host for chat .*: The certificate of .* (?:is self-signed|has expired)\./m,
			);
			server.close();
			server.closeAllConnections();
		}
	});

	it('asks before it reads a reply that may cost money, and notices when one is held back', async () => {
		let asked = 0;
		const server = await FaultServer.start(async (response, { path }) => {
			if (path === '/v1/models') {
				sendJson(response, 200, { data: [{ id: 'large' }] });
			} else if (path === '/chat/completions') {
				asked++;
				beginEvents(response);
				for (let number = 1; number <= 20; number++) {
					const delta = { content: `${number}\n` };
					response.write(sseEvent({ choices: [{ index: 0, delta, finish_reason: null }] }));
					await new Promise(resolve => setTimeout(resolve, 70));
				}
				response.end(sseEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + sseEvent('[DONE]'));
			} else {
				response.writeHead(404).end();
			}
		});
		const proxy = await BufferingProxy.start(server.origin);
		await flow.write('errand.connections', entry({ apiUrl: proxy.origin, models: [{ id: 'large' }] }));
		await flow.keys.of(flow.connectionOf('acme'), 'inference').save(KEY);
		const choose = async (row: string) => {
			const diagnosing = report();
			await flow.lists.pick(row);
			return diagnosing;
		};
		assert.match(await choose('Skip This Check'), /Not checked · Stream of a reply: no reply was requested/);
		assert.equal(asked, 0);
		assert.match(
			await choose('Ask large to Count to 100'),
			/\*\*Problem\*\* · Stream of a reply of large: all 21 pieces arrived at once, after [\d,]+ ms\./,
		);
		proxy.isBuffering = false;
		assert.match(await choose('Ask large to Count to 100'), /OK · Stream of a reply of large: arrives in pieces/);
		assert.equal(asked, 2);
		await proxy.stop();
		await server.stop();
	});
});
