import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { CertificateProblem, NetworkFault } from '../../../../src/base/networkFault.ts';
import { startCommand } from '../../../../src/localService/model/startCommand.ts';
import {
	type Certificate,
	type CertificateAuthority,
	makeAuthority,
	makeCertificate,
} from '../../../support/certificates.ts';
import { FaultServer } from '../../../support/faultServer.ts';
import { ProxyServer } from '../../../support/proxyServer.ts';

const KEY = 'sk-0123456789abcdef';
const CREDENTIALS = { user: 'me', password: 'p@ss: word%' };

/** How one exchange ended: what came, or why nothing did. */
interface Outcome {
	text?: string;
	code?: string;
	fault?: NetworkFault;
}

const modules = new URL('../../../../src/client/core/', import.meta.url);

/** A program of its own: Node reads `NODE_EXTRA_CA_CERTS` when it starts, and no other test's environment changes. */
const PROGRAM = `
	const { createUndiciTransport } = await import(${JSON.stringify(new URL('undiciTransport.ts', modules).href)});
	const { failureOf } = await import(${JSON.stringify(new URL('failures.ts', modules).href)});
	const { networkFaultOf } = await import(${JSON.stringify(new URL('../../base/networkFault.ts', modules).href)});
	const transport = createUndiciTransport();
	const outcomes = [];
	for (const url of process.argv.slice(1)) {
		try {
			const { body } = await transport.request({ method: 'GET', url, headers: { Authorization: 'Bearer ${KEY}' },
				signal: AbortSignal.timeout(10000), connectTimeoutMs: 5000 });
			let text = '';
			for await (const bytes of body) text += Buffer.from(bytes).toString();
			outcomes.push({ text });
		} catch (error) {
			const { code, cause } = failureOf(error);
			outcomes.push({ code, fault: networkFaultOf(cause) });
		}
	}
	console.log(JSON.stringify(outcomes));
	await transport.close();
`;

describe('createUndiciTransport with a proxy and private certificates', () => {
	let authority: CertificateAuthority;
	let folder: string;
	let authorityFile: string;
	let proxy: ProxyServer;
	let plain: FaultServer;
	const hosts = new Map<string, number>();
	const services: https.Server[] = [];

	/** A service under a name that only the proxy knows. */
	async function serve(name: string, certificate: Certificate): Promise<number> {
		const service = https.createServer(certificate, (_, response) => response.end(`from ${name}`));
		services.push(service);
		service.listen(0, '127.0.0.1');
		await once(service, 'listening');
		const { port } = service.address() as AddressInfo;
		hosts.set(name, port);
		return port;
	}

	/** Asks each address in turn, in the environment that the local service is started with. */
	async function ask(
		editorProxy: { url?: string; except?: string[] },
		urls: string[],
		environment: Record<string, string> = { NODE_EXTRA_CA_CERTS: authorityFile },
	): Promise<Outcome[]> {
		const plan = startCommand({
			execPath: process.execPath,
			servicePath: '',
			environment: { ...needed, ...environment },
			proxy: { except: [], ...editorProxy },
		});
		return askIn(plan.environment, urls);
	}

	const needed = { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] };

	/** Asks each address in turn, in exactly this environment. */
	async function askIn(environment: NodeJS.ProcessEnv, urls: string[]): Promise<Outcome[]> {
		const arguments_ = ['--input-type=module', '--eval', PROGRAM, ...urls];
		const { stdout } = await promisify(execFile)(process.execPath, arguments_, { env: environment });
		return JSON.parse(stdout);
	}

	before(async () => {
		folder = fs.mkdtempSync(path.join(os.tmpdir(), 'errand-certificates-'));
		authority = makeAuthority('Acme Private Authority');
		authorityFile = path.join(folder, 'authority.pem');
		fs.writeFileSync(authorityFile, authority.cert);
		await serve('service.invalid', makeCertificate({ hosts: ['service.invalid', '127.0.0.1'], issuer: authority }));
		plain = await FaultServer.start(response => void response.end('from plain'));
		hosts.set('plain.invalid', Number(new URL(plain.origin).port));
	});

	beforeEach(async () => {
		proxy = await ProxyServer.start({ hosts });
	});

	afterEach(() => proxy.stop());

	after(async () => {
		for (const service of services) {
			service.close();
			service.closeAllConnections();
		}
		await plain?.stop();
		fs.rmSync(folder, { recursive: true, force: true });
	});

	it('tunnels through the editor’s proxy with its credentials, and the proxy sees no key', async () => {
		proxy.credentials = `${CREDENTIALS.user}:${CREDENTIALS.password}`;
		const outcomes = await ask({ url: proxy.url(CREDENTIALS) }, ['https://service.invalid/']);
		assert.deepEqual(outcomes, [{ text: 'from service.invalid' }]);
		assert.deepEqual(proxy.requests, [
			{ method: 'CONNECT', target: 'service.invalid:443', credentials: proxy.credentials },
		]);
		assert.equal(proxy.bytes.includes(KEY), false);
	});

	it('sends http through it as well', async () => {
		proxy.credentials = `${CREDENTIALS.user}:${CREDENTIALS.password}`;
		const outcomes = await ask({ url: proxy.url(CREDENTIALS) }, ['http://plain.invalid/']);
		assert.deepEqual(outcomes, [{ text: 'from plain' }]);
		// What the other tests look for is seen where there is no tunnel.
		assert.equal(proxy.bytes.includes(KEY), true);
		assert.equal(proxy.requests.at(-1)?.credentials, proxy.credentials);
	});

	it('takes the proxy of the environment where the editor has none', async () => {
		const outcomes = await ask({}, ['https://service.invalid/'], {
			NODE_EXTRA_CA_CERTS: authorityFile,
			https_proxy: proxy.url(),
		});
		assert.deepEqual(outcomes, [{ text: 'from service.invalid' }]);
		assert.equal(proxy.requests.length, 1);
	});

	it('takes it without a scheme and with a password that is not encoded, as other programs do', async () => {
		proxy.credentials = 'me:50%off';
		const environment = {
			NODE_EXTRA_CA_CERTS: authorityFile,
			HTTPS_PROXY: proxy.url().replace('http://', 'me:50%off@'),
		};
		assert.deepEqual(await ask({}, ['https://service.invalid/'], environment), [{ text: 'from service.invalid' }]);
	});

	it('goes past it for the hosts of http.noProxy, and for this machine always', async () => {
		const direct = `https://127.0.0.1:${hosts.get('service.invalid')}/`;
		const [named, here] = await ask({ url: proxy.url(), except: ['service.invalid'] }, [
			'https://service.invalid/',
			direct,
		]);
		assert.equal(named?.fault?.kind === 'unreachable' && named.fault.place, 'service.invalid');
		assert.deepEqual(here, { text: 'from service.invalid' });
		const fromEnvironment = await ask({}, [direct], { NODE_EXTRA_CA_CERTS: authorityFile, HTTPS_PROXY: proxy.url() });
		assert.deepEqual(fromEnvironment, [{ text: 'from service.invalid' }]);
		assert.deepEqual(proxy.requests, []);
	});

	it('heeds NO_PROXY where http.noProxy is empty', async () => {
		for (const name of ['NO_PROXY', 'no_proxy']) {
			const [outcome] = await ask({ url: proxy.url() }, ['https://service.invalid/'], { [name]: 'service.invalid' });
			assert.equal(outcome?.code, 'offline');
		}
		assert.deepEqual(proxy.requests, []);
	});

	describe('for this machine', () => {
		/** The servers by address. Not every platform has all of these addresses. */
		const servers = new Map<string, http.Server>();

		before(async () => {
			for (const address of ['127.0.0.1', '127.0.0.2', '::1']) {
				const server = http.createServer((request, response) => {
					const target = /^\/to(\/.*)/.exec(request.url ?? '')?.[1];
					response.writeHead(target === undefined ? 200 : 307, target === undefined ? {} : { location: target });
					response.end(`from ${request.url}`);
				});
				const listens = await new Promise<boolean>(resolve => {
					server.once('error', () => resolve(false));
					server.listen(0, address, () => resolve(true));
				});
				if (listens) {
					servers.set(address, server);
				}
			}
		});

		after(() => {
			for (const server of servers.values()) {
				server.close();
				server.closeAllConnections();
			}
		});

		const originOf = (address: string, name = address.includes(':') ? `[${address}]` : address) =>
			`http://${name}:${portOf(servers.get(address))}`;
		const portOf = (server: http.Server | undefined) => (server?.address() as AddressInfo | undefined)?.port;

		for (const exceptions of [{}, { NO_PROXY: 'other.invalid' }, { no_proxy: '', NO_PROXY: '' }]) {
			const words = Object.entries(exceptions).map(([name, value]) => `${name}=${value}`);
			it(`never asks a proxy of the environment, with ${words.join(' ') || 'no NO_PROXY'}`, async () => {
				const origins = [...servers.keys()].map(address => originOf(address));
				origins.push(originOf('127.0.0.1', 'localhost'), originOf('127.0.0.1', '[::ffff:127.0.0.1]'));
				const secure = `https://127.0.0.1:${hosts.get('service.invalid')}/`;
				const environment = { ...needed, NODE_EXTRA_CA_CERTS: authorityFile, ...exceptions };
				for (const names of [
					['HTTP_PROXY', 'HTTPS_PROXY'],
					['http_proxy', 'https_proxy'],
				]) {
					const proxies = Object.fromEntries(names.map(name => [name, proxy.url()]));
					const outcomes = await askIn({ ...environment, ...proxies }, [
						...origins.map(origin => `${origin}/x`),
						...origins.map(origin => `${origin}/to/y`),
						secure,
					]);
					assert.deepEqual(outcomes, [
						...origins.map(() => ({ text: 'from /x' })),
						...origins.map(() => ({ text: 'from /y' })),
						{ text: 'from service.invalid' },
					]);
				}
				assert.deepEqual(proxy.requests, []);
				assert.equal(proxy.bytes.length, 0);
			});
		}

		it('asks it for a name that only looks like this machine', async () => {
			const { port } = new URL(plain.origin);
			for (const name of ['errand.localhost', 'localhost.invalid', '127.0.0.1.invalid']) {
				hosts.set(name, Number(port));
				const [outcome] = await askIn({ ...needed, HTTP_PROXY: proxy.url() }, [`http://${name}:${port}/`]);
				assert.deepEqual(outcome, { text: 'from plain' }, name);
			}
			assert.equal(proxy.requests.length, 3);
		});
	});

	it('does without a setting or a variable that is no address, as the editor does', async () => {
		const direct = `https://127.0.0.1:${hosts.get('service.invalid')}/`;
		assert.deepEqual(await ask({ url: 'proxy.example:3128' }, [direct]), [{ text: 'from service.invalid' }]);
		const environment = {
			NODE_EXTRA_CA_CERTS: authorityFile,
			HTTPS_PROXY: 'ftp://proxy.example',
			HTTP_PROXY: 'http://',
		};
		assert.deepEqual(await ask({}, [direct], environment), [{ text: 'from service.invalid' }]);
	});

	// Elsewhere the system's store is no file that a test can name.
	const onLinux = process.platform === 'linux' ? it : it.skip;
	onLinux('trusts the system’s certificates where Node is told to', async () => {
		const environment = { SSL_CERT_FILE: authorityFile, NODE_USE_SYSTEM_CA: '1' };
		const outcomes = await ask({ url: proxy.url() }, ['https://service.invalid/'], environment);
		assert.deepEqual(outcomes, [{ text: 'from service.invalid' }]);
	});

	it('explains each certificate that proves nothing, and sends it no key', async () => {
		const stranger = makeAuthority('Some Other Authority');
		const signed = makeCertificate({ hosts: ['chain.invalid'], issuer: stranger });
		const cases: [host: string, certificate: Certificate, problem: CertificateProblem][] = [
			['self.invalid', makeCertificate({ hosts: ['self.invalid'] }), 'self-signed'],
			['unknown.invalid', makeCertificate({ hosts: ['unknown.invalid'], issuer: stranger }), 'unknown-issuer'],
			['chain.invalid', { ...signed, cert: signed.cert + stranger.cert }, 'unknown-issuer'],
			['wrong.invalid', makeCertificate({ hosts: ['other.invalid'], issuer: authority }), 'other-host'],
			[
				'late.invalid',
				makeCertificate({ hosts: ['late.invalid'], issuer: authority, days: { from: -9, to: -1 } }),
				'expired',
			],
			[
				'early.invalid',
				makeCertificate({ hosts: ['early.invalid'], issuer: authority, days: { from: 1, to: 9 } }),
				'not-yet-valid',
			],
		];
		await Promise.all(cases.map(([host, certificate]) => serve(host, certificate)));
		for (const through of [proxy.url(), undefined]) {
			const addresses = cases.map(([host]) => (through ? `https://${host}/` : `https://127.0.0.1:${hosts.get(host)}/`));
			const outcomes = await ask(through ? { url: through } : {}, addresses);
			for (const [index, [host, , problem]] of cases.entries()) {
				const outcome = outcomes[index];
				assert.equal(outcome?.code, 'offline', host);
				assert.deepEqual(outcome.fault, { kind: 'certificate', problem }, host);
			}
		}
		assert.equal(proxy.requests.length, cases.length);
		assert.equal(proxy.bytes.includes(KEY), false);
	});

	it('names a proxy that asks for credentials, finds no way, or is not there', async () => {
		const both = ['https://service.invalid/', 'http://plain.invalid/'];
		const before = plain.received.length;
		proxy.credentials = 'me:secret';
		for (const outcome of await ask({ url: proxy.url() }, both)) {
			assert.deepEqual(outcome?.fault, { kind: 'proxy-refused', status: 407 });
		}
		proxy.credentials = undefined;
		for (const status of [502, 403]) {
			proxy.refusal = status;
			const [outcome] = await ask({ url: proxy.url() }, ['https://service.invalid/']);
			assert.deepEqual(outcome?.fault, { kind: 'proxy-refused', status });
		}
		const { port } = proxy;
		await proxy.stop();
		for (const outcome of await ask({ url: `http://127.0.0.1:${port}` }, both)) {
			assert.deepEqual(outcome?.fault, { kind: 'unreachable', place: `127.0.0.1:${port}`, code: 'ECONNREFUSED' });
		}
		assert.equal(plain.received.length, before);
	});
});
