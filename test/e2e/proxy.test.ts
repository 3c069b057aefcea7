import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { demoImage } from '../../src/service/inference/demo/demoImage.ts';
import {
	type Certificate,
	type CertificateAuthority,
	makeAuthority,
	makeCertificate,
} from '../support/certificates.ts';
import { type EditorServer, type EditorWindow, openWindow, startEditor } from '../support/editor.ts';
import {
	answerInput,
	changeSettings,
	dismissInput,
	pickItem,
	runCommand,
	screenshot,
	toast,
	until,
} from '../support/editorWindow.ts';
import { ask, openChat, taskRow, turns } from '../support/errandWindow.ts';
import { ProxyServer } from '../support/proxyServer.ts';

/** Resolved by the proxy alone, so that what arrives has come through it. */
const HOST = 'service.invalid';
const TUNNEL = `${HOST}:443`;
const KEYS = { inference: 'sk-0123456789abcdefINFERENCE', cloud: 'tok-0123456789abcdefCLOUD' };
const REPLY = 'through the wall';
/** An address of the same host that is not the connection's. */
const IMAGE_TUNNEL = `${HOST}:8443`;
const IMAGE_REPLY = `![a fence](https://${IMAGE_TUNNEL}/fence.png)`;
const PASSWORD = 'p@ss: word%';
const TASK = { id: 'task-1', prompt: 'Mend the gate', repoUrl: 'https://example.com/a/b', status: 'processing' };

describe('a proxy and certificates in the window', () => {
	let authority: CertificateAuthority;
	let folder: string;
	let proxy: ProxyServer;
	const ports = new Map<string, number>();
	let service: https.Server | undefined;
	/** What has reached the service, decrypted. */
	let reply = REPLY;
	let arrived: { method: string; path: string; headers: IncomingHttpHeaders }[];
	let server: EditorServer;
	let window: EditorWindow;
	let chat: Frame;

	/** The service shows this certificate from now on; connections made before are gone. */
	async function serveWith(certificate: Certificate): Promise<void> {
		endService();
		service = https.createServer(certificate, (request, response) => {
			const { method = '', url = '' } = request;
			arrived.push({ method, path: url, headers: request.headers });
			if (url.endsWith('/chat/completions')) {
				response.writeHead(200, { 'Content-Type': 'text/event-stream' });
				response.end(`data: {"choices":[{"delta":{"content":"${reply}"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`);
				return;
			}
			if (url === '/fence.png') {
				response.end(demoImage('a fence'));
				return;
			}
			response.writeHead(200, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify({ tasks: [{ ...TASK, createdAt: new Date().toISOString() }], hasMore: false }));
		});
		service.listen(0, '127.0.0.1');
		await once(service, 'listening');
		ports.set(HOST, (service.address() as AddressInfo).port);
	}

	function endService(): void {
		service?.close();
		service?.closeAllConnections();
	}

	async function setKey(kind: string, key: string): Promise<void> {
		await runCommand(window.page, 'Errand: Manage Keys…');
		await pickItem(window.page, kind);
		await window.page.locator('.quick-input-widget:visible').getByText(`${kind} of Acme`).waitFor();
		await answerInput(window.page, key);
		const row = window.page.locator('.quick-input-widget:visible .monaco-list-row').filter({ hasText: kind });
		await until('the key is set', async () => {
			await runCommand(window.page, 'Errand: Manage Keys…');
			const isSet = /ends in/.test(await row.first().innerText());
			await dismissInput(window.page);
			return isSet;
		});
	}

	const trusted = () => makeCertificate({ hosts: [HOST], issuer: authority });

	/** Asks in the chat; what follows, the reply or an explanation, holds this text. */
	async function chatShows(text: string): Promise<void> {
		await ask(chat, 'hello');
		await turns(chat).last().getByText(text).waitFor();
	}

	/** All that the proxy was told is where to, and what went through it could not be read. */
	function assertProxySawNoKey(): void {
		assert.deepEqual(
			[...new Set(proxy.requests.map(({ method, target }) => `${method} ${target}`))].filter(
				request => request !== `CONNECT ${IMAGE_TUNNEL}`,
			),
			[`CONNECT ${TUNNEL}`],
		);
		for (const key of Object.values(KEYS)) {
			assert.equal(proxy.bytes.includes(key), false);
		}
	}

	before(async () => {
		arrived = [];
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-proxy-'));
		authority = makeAuthority('Acme Private Authority');
		const authorityFile = path.join(folder, 'authority.pem');
		fs.writeFileSync(authorityFile, authority.cert);
		await serveWith(trusted());
		proxy = await ProxyServer.start({ hosts: ports });
		const address = `https://${HOST}`;
		server = await startEditor({
			settings: {
				'http.proxy': proxy.url(),
				'errand.connection': 'acme',
				'errand.connections': {
					acme: { label: 'Acme', apiUrl: address, cloudUrl: address, service: 'acme', models: [{ id: 'large' }] },
				},
			},
			// This stands for the system's own store, which an editor on Linux reads through this variable.
			env: { SSL_CERT_FILE: authorityFile },
		});
		window = await openWindow(server);
		chat = await openChat(window.page);
		await setKey('Inference key', KEYS.inference);
		await setKey('Cloud token', KEYS.cloud);
	});

	after(async () => {
		await server?.stop();
		await proxy?.stop();
		endService();
		fs.rmSync(folder, { recursive: true, force: true });
	});

	it('reaches the service through http.proxy and trusts an authority of the system’s store', async () => {
		await chatShows(REPLY);
		await taskRow(window.page, TASK.prompt).first().waitFor();
		const authorization = (path: string) =>
			arrived.find(request => request.path.startsWith(path))?.headers.authorization;
		assert.equal(authorization('/chat/completions'), `Bearer ${KEYS.inference}`);
		assert.equal(authorization('/api/tasks'), `Bearer ${KEYS.cloud}`);
		assertProxySawNoKey();
	});

	it('loads an image of a reply through the proxy, which alone knows its host, and with no key', async () => {
		reply = IMAGE_REPLY;
		await ask(chat, 'Show me');
		await turns(chat).last().getByRole('link', { name: 'Image: a fence (Load Image)' }).click();
		await turns(chat).last().getByRole('img', { name: 'Image: a fence' }).waitFor();
		reply = REPLY;
		assert.ok(proxy.requests.some(({ target }) => target === IMAGE_TUNNEL));
		const image = arrived.find(({ path }) => path === '/fence.png');
		assert.deepEqual([image?.headers.authorization, image?.headers.cookie], [undefined, undefined]);
		assertProxySawNoKey();
	});

	const stranger = makeAuthority('Some Other Authority');
	const cases: [name: string, make: () => Certificate, words: string][] = [
		['is self-signed', () => makeCertificate({ hosts: [HOST] }), 'is self-signed. Nothing was sent.'],
		[
			'was issued by a stranger',
			() => makeCertificate({ hosts: [HOST], issuer: stranger }),
			'by an authority that is not trusted here. Nothing was sent.',
		],
		[
			'is for another host name',
			() => makeCertificate({ hosts: ['other.invalid'], issuer: authority }),
			'is for another host name. Nothing was sent.',
		],
		[
			'is not valid yet',
			() => makeCertificate({ hosts: [HOST], issuer: authority, days: { from: 1, to: 9 } }),
			'is not valid yet. Nothing was sent.',
		],
		[
			'has expired',
			() => makeCertificate({ hosts: [HOST], issuer: authority, days: { from: -9, to: -1 } }),
			'has expired. Nothing was sent.',
		],
	];
	for (const [name, make, words] of cases) {
		it(`says in the chat that a certificate ${name}, and sends nothing`, async () => {
			await serveWith(make());
			const tunnels = proxy.requests.length;
			const before = arrived.length;
			await chatShows(words);
			assert.ok(proxy.requests.length > tunnels);
			assert.equal(arrived.length, before);
			assertProxySawNoKey();
			await screenshot(window.page, `certificate-${name.replaceAll(' ', '-')}`);
		});
	}

	it('says so in the task view and in the notification of a command', async () => {
		const before = arrived.length;
		await runCommand(window.page, 'Errand: Stop Task…');
		await pickItem(window.page, TASK.prompt);
		await toast(window.page, 'The certificate of Acme has expired').waitFor();
		await runCommand(window.page, 'Errand: Refresh Tasks');
		await window.page.locator('.part.sidebar').getByText('The certificate of Acme has expired').first().waitFor();
		await screenshot(window.page, 'certificate-tasks');
		assert.equal(arrived.length, before);
		assertProxySawNoKey();
	});

	it('names the proxy and its status when it finds no way', async () => {
		await serveWith(trusted());
		proxy.refusal = 502;
		await chatShows('The proxy did not open a tunnel to Acme (HTTP 502)');
		proxy.refusal = undefined;
	});

	it('asks for credentials of the proxy where there are none', async () => {
		proxy.credentials = `me:${PASSWORD}`;
		await chatShows('The proxy asks for a user name and a password');
		await screenshot(window.page, 'proxy-credentials');
	});

	it('says that credentials are not written as an address needs them', async () => {
		await changeSettings(window.page, server, { 'http.proxy': `http://me:100%@127.0.0.1:${proxy.port}` });
		await chatShows('The user name or the password in the setting http.proxy cannot be read');
	});

	it('gives the credentials of http.proxy to the proxy and to nobody else', async () => {
		const before = proxy.requests.length;
		await changeSettings(window.page, server, { 'http.proxy': proxy.url({ user: 'me', password: PASSWORD }) });
		await chatShows(REPLY);
		assert.ok(proxy.requests.slice(before).some(({ credentials }) => credentials === `me:${PASSWORD}`));
		assert.equal(arrived.at(-1)?.headers['proxy-authorization'], undefined);
		assertProxySawNoKey();
	});

	it('does not ask the proxy for a host of http.noProxy', async () => {
		await changeSettings(window.page, server, { 'http.noProxy': [HOST] });
		const before = proxy.requests.length;
		// Nobody but the proxy knows the name.
		await chatShows(`nothing answers at ${HOST}`);
		assert.equal(proxy.requests.length, before);
	});

	it('names the place of a proxy that is not there', async () => {
		const place = `127.0.0.1:${proxy.port}`;
		await proxy.stop();
		await changeSettings(window.page, server, { 'http.noProxy': [] });
		await chatShows(
			`nothing answers at ${place} (ECONNREFUSED). If that is your proxy, correct the setting http.proxy`,
		);
		await screenshot(window.page, 'proxy-dead');
	});
});
