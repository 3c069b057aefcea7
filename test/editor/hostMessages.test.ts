import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/async.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import { askHost } from '../../src/models/hosts/askHost.ts';
import { hostProblem } from '../../src/models/hosts/messages.ts';
import { editorFetch } from '../../src/platform/editorFetch.ts';
import { makeCertificate } from '../support/certificates.ts';
import { type Answer, FaultServer, sendJson } from '../support/faultServer.ts';
import { ProxyServer } from '../support/proxyServer.ts';
import { waitFor } from '../support/waitFor.ts';

const PATIENCE = { silence: 30_000, whole: 60_000 };

/** Asks as the extension does, and returns what is said of the answer; HOST stands for the host and port. */
async function saidOf(url: string, key?: string, milliseconds = PATIENCE): Promise<string> {
	const answer = await askHost(
		{ kind: 'server', url, key, milliseconds },
		{
			transport: createFetchTransport(editorFetch),
			logger: nullLogger,
			clock: systemClock,
			signal: new AbortController().signal,
		},
	);
	const error = answer.state === 'failed' || answer.state === 'wants-key' ? answer.error : undefined;
	assert.ok(error, 'it lists models');
	const { cause, step } = hostProblem(error, answer.url, 'server', key !== undefined);
	return `${cause} ${step}`.replaceAll(new URL(url).host, 'HOST');
}

describe('why a server does not list its models', () => {
	async function saidAfter(answer: Answer, path = '/v1', key?: string, patience = PATIENCE): Promise<string> {
		const server = await FaultServer.start(answer);
		try {
			return await saidOf(server.origin + path, key, patience);
		} finally {
			await server.stop();
		}
	}

	it('is that it wants a key, or refuses the one it got, in its own words', async () => {
		const refuse: Answer = response => sendJson(response, 401, { error: { message: 'No such key.' } });
		assert.equal(await saidAfter(refuse), 'HOST requires a key: No such key. Enter one to continue.');
		assert.equal(
			await saidAfter(refuse, '/v1', 'sk-wrong-key'),
			'HOST rejected the key: No such key. Check it, or enter a different one.',
		);
	});

	it('is that there is no list at the address, with what addresses end in', async () => {
		assert.equal(
			await saidAfter(response => void response.writeHead(404).end(), '/wrong/v1'),
			'There’s no list of models at http://HOST/wrong/v1 (HTTP 404). Most addresses end in /v1. See the server’s documentation.',
		);
	});

	it('is that a page answered, as of a login, or that it leads elsewhere', async () => {
		assert.equal(
			await saidAfter(response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<form>')),
			'A web page, such as a sign-in page, responded at HOST. Check the address, and whether your network requires you to sign in first.',
		);
		assert.match(
			await saidAfter(response => void response.writeHead(302, { location: 'https://login.invalid/' }).end()),
			/^HOST redirects to another address, for example to sign in\. Open the address in a browser/,
		);
	});

	it('is that something else is there, or that it fails', async () => {
		assert.equal(
			await saidAfter(response => sendJson(response, 200, { hello: 'world' })),
			'HOST isn’t a model server. Check the address and the port.',
		);
		assert.match(
			await saidAfter(response => sendJson(response, 500, { message: 'out of memory' })),
			/^HOST had an internal error: out of memory\. Try again\.$/,
		);
		assert.match(await saidAfter(response => void response.writeHead(429).end()), /^HOST is limiting requests/);
		assert.match(
			await saidAfter(response => void response.writeHead(402).end()),
			/^The account on HOST is out of credit or quota \(HTTP 402\)\. Add/,
		);
	});

	it('is that nothing comes, or that the connection ends first', async () => {
		const patience = { silence: 500, whole: 1_000 };
		assert.match(
			await saidAfter(() => new Promise(() => {}), '/v1', undefined, patience),
			/^HOST didn’t respond in time\. Check the address/,
		);
		assert.equal(
			await saidAfter(response => void response.socket?.destroy()),
			'HOST closed the connection before it responded. Check the port, and whether the server uses http or https.',
		);
	});

	it('is that nothing listens there, that no host has the name, or that the port is not for this', async () => {
		const server = await FaultServer.start(() => {});
		const { origin } = server;
		await server.stop();
		assert.equal(
			await saidOf(`${origin}/v1`),
			'Nothing responds at HOST: the connection was refused. Start the server, or check the port.',
		);
		// Behind the proxy of a test run, only the proxy looks names up.
		const useProxy = (value: string | undefined) =>
			vscode.workspace.getConfiguration('http').update('proxySupport', value, vscode.ConfigurationTarget.Global);
		await useProxy('off');
		await waitFor('the name to be looked up', async () => {
			const said = await saidOf('https://no-such-host.invalid/v1');
			return said === 'There is no host named HOST. Check the spelling and your network.';
		});
		await useProxy(undefined);
		assert.match(await saidOf('http://127.0.0.1:1/v1'), /^The editor doesn’t connect to the port of HOST/);
	});

	it('is that its certificate is self-signed, or that it does not speak https', async () => {
		const withCertificate = async (host: string) => {
			const secure = https.createServer(makeCertificate({ hosts: [host] }), (_, response) => response.end('{}'));
			secure.listen(0, '127.0.0.1');
			await once(secure, 'listening');
			const said = await saidOf(`https://127.0.0.1:${(secure.address() as AddressInfo).port}/v1`, 'sk-some-key');
			secure.closeAllConnections();
			secure.close();
			return said;
		};
		assert.match(
			await withCertificate('127.0.0.1'),
			/^The certificate of HOST is self-signed\. If you trust it, add it to the system’s certificates/,
		);
		const plain = await FaultServer.start(response => sendJson(response, 200, { data: [] }));
		assert.match(
			await saidOf(plain.origin.replace('http:', 'https:')),
			/^HOST doesn’t support https\. Start the address with http:\/\//,
		);
		await plain.stop();
	});

	it('is that what listens does not speak HTTP', async () => {
		const other = createServer(socket => socket.end('220 mail.example ESMTP\r\n'));
		other.listen(0, '127.0.0.1');
		await once(other, 'listening');
		assert.match(await saidOf(`http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`), /HOST/);
		other.close();
	});

	it('repeats nothing of a server that could be taken for our own words', async () => {
		const said = await saidAfter(response => sendJson(response, 401, { error: `a\u202eb\n${'x'.repeat(5_000)}` }));
		assert.ok(said.length < 400, said);
		assert.doesNotMatch(said, /\u202e|\n/);
	});
});

describe('why a server behind a proxy does not list its models', () => {
	let proxy: ProxyServer;
	const setProxy = (url: string | undefined) =>
		vscode.workspace.getConfiguration('http').update('proxy', url, vscode.ConfigurationTarget.Global);

	before(async () => {
		proxy = await ProxyServer.start({ hosts: new Map() });
		await setProxy(proxy.url());
		await waitFor('the proxy to be in use', async () => {
			await editorFetch('http://service.invalid/', {}).catch(() => {});
			return proxy.requests.length > 0;
		});
	});
	after(async () => {
		await setProxy(undefined);
		await proxy.stop();
	});

	it('is that the proxy refuses, or wants a password', async () => {
		proxy.refusal = 403;
		assert.match(
			await saidOf('https://models.invalid/v1', 'sk-some-key'),
			/^The proxy didn’t open a tunnel to HOST \(HTTP 403\)\. Check the service’s address and the setting http\.proxy/,
		);
		proxy.refusal = undefined;
		proxy.credentials = 'user:password';
		assert.match(
			await saidOf('https://models.invalid/v1'),
			/^The proxy requires a user name and password, or different ones \(HTTP 407\)\. Add them to the setting/,
		);
		assert.doesNotMatch(proxy.bytes.toString(), /sk-some-key/);
	});
});
