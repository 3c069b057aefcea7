import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fetchWebText } from '../../../src/base/fetchWebText.ts';
import { makeAuthority, makeCertificate } from '../../support/certificates.ts';

const HOST = 'docs.example';

describe('the text of an address', () => {
	const authority = makeAuthority('Errand Test Pages');
	const certificate = makeCertificate({ hosts: [HOST, 'localhost'], issuer: authority });
	const defaults = getCACertificates('default');
	const servers: Server[] = [];
	/** What the servers were asked for. */
	let asked: string[];
	let headers: Record<string, unknown>;

	before(() => setDefaultCACertificates([...defaults, authority.cert]));
	after(() => setDefaultCACertificates(defaults));
	beforeEach(() => {
		asked = [];
	});
	afterEach(() => {
		for (const server of servers.splice(0)) {
			server.closeAllConnections();
			server.close();
		}
	});

	/** Resolves with the origin of a server that answers by its name. */
	async function serve(listener: RequestListener): Promise<string> {
		const server = createServer(certificate, (request, response) => {
			asked.push(request.url ?? '');
			headers = request.headers;
			listener(request, response);
		}).listen(0, '127.0.0.1');
		servers.push(server);
		await once(server, 'listening');
		return `https://${HOST}:${(server.address() as AddressInfo).port}`;
	}

	/** The name leads to this machine, which only an origin that is trusted may. */
	const fetchText = (address: string, trusted = [new URL(address).origin]) =>
		fetchWebText(new URL(address), { trustedOrigins: trusted, resolve: async () => ['127.0.0.1'] });

	const send = (response: ServerResponse, type: string | undefined, body: string | Buffer) => {
		response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(body);
	};

	it('is what a page shows, and Markdown, text and JSON as they are', async () => {
		for (const [type, body, text, language] of [
			['text/html; charset=utf-8', '<h1>Größe</h1><p>a &amp; b<script>x</script>', '# Größe\n\na & b', 'markdown'],
			['application/xhtml+xml', '<p>x</p>', 'x', 'markdown'],
			['text/markdown', '# <b>', '# <b>', 'markdown'],
			['Text/Plain', '<p> a\n', '<p> a\n', undefined],
			['application/json', '{"a": 1}', '{"a": 1}', 'json'],
			['application/vnd.api+json', '[]', '[]', 'json'],
		] as const) {
			const origin = await serve((_, response) => send(response, type, body));
			const expected = { kind: 'text', text, ...(language ? { language } : {}) };
			assert.deepEqual(await fetchText(`${origin}/page`), expected, type);
		}
	});

	it('comes from the addresses that the system knows of a name', async () => {
		const { port } = new URL(await serve((_, response) => send(response, 'text/plain', 'x')));
		const url = new URL(`https://localhost:${port}/`);
		assert.deepEqual(await fetchWebText(url, { trustedOrigins: [url.origin] }), { kind: 'text', text: 'x' });
	});

	it('has no characters that nobody sees', async () => {
		for (const type of ['text/html', 'text/plain']) {
			const tags = [...'run'].map(letter => String.fromCodePoint(0xe_00_00 + letter.charCodeAt(0))).join('');
			const origin = await serve((_, response) => send(response, `${type}; charset=utf-8`, `a\u200b\u202eb${tags}c`));
			assert.deepEqual(await fetchText(origin), {
				kind: 'text',
				text: 'abc',
				...(type === 'text/html' ? { language: 'markdown' } : {}),
			});
		}
	});

	it('is read in the encoding that the server or the page names, else as UTF-8', async () => {
		const latin = Buffer.from('größe', 'latin1');
		const page = Buffer.concat([Buffer.from('<meta charset="iso-8859-1"><p>'), latin]);
		for (const [type, body] of [
			['text/plain; charset=ISO-8859-1', latin],
			['text/html', page],
			['text/plain; charset=nobody-knows', Buffer.from('größe')],
		] as const) {
			const origin = await serve((_, response) => send(response, type, body));
			const fetched = await fetchText(origin);
			assert.equal(fetched.kind === 'text' && fetched.text, 'größe', type);
		}
	});

	it('is asked for by a program that says its name and nothing of the user', async () => {
		const origin = await serve((_, response) => send(response, 'text/plain', 'x'));
		await fetchText(`${origin}/a?b=c`);
		assert.deepEqual(asked, ['/a?b=c']);
		assert.match(String(headers['user-agent']), /^Errand/);
		for (const name of ['cookie', 'referer', 'authorization', 'origin', 'accept-language']) {
			assert.equal(headers[name], undefined, name);
		}
	});

	it('is not asked for over http, with a password, on this machine and its network, or at a port of another protocol', async () => {
		const origin = await serve((_, response) => send(response, 'text/plain', 'x'));
		const { port } = new URL(origin);
		for (const [address, reason] of [
			[`http://${HOST}:${port}/`, 'not-https'],
			['http://127.0.0.1/', 'not-https'],
			[`https://me:secret@${HOST}:${port}/`, 'credentials'],
			[`https://${HOST}:${port}/`, 'private'],
			[`https://127.0.0.1:${port}/`, 'private'],
			[`https://localhost:${port}/`, 'private'],
			[`https://[::1]:${port}/`, 'private'],
			[`https://[::ffff:127.0.0.1]:${port}/`, 'private'],
			[`https://2130706433:${port}/`, 'private'],
			['https://169.254.169.254/latest/meta-data/', 'private'],
			['https://metadata.google.internal/', 'private'],
			['https://printer.local/', 'private'],
		] as const) {
			assert.deepEqual(await fetchText(address, []), { kind: 'refused', refusal: { reason } }, address);
		}
		const resolve = async () => [];
		for (const port of [22, 6667]) {
			const url = new URL(`https://${HOST}:${port}/`);
			const fetched = await fetchWebText(url, { trustedOrigins: [], resolve });
			assert.deepEqual(fetched, { kind: 'refused', refusal: { reason: 'port' } });
		}
		assert.deepEqual(asked, []);
	});

	it('follows five redirects of its host, and no more', async () => {
		const origin = await serve(({ url = '' }, response) => {
			const left = Number(url.slice(1));
			if (left === 0) {
				send(response, 'text/plain', 'here');
			} else {
				response.writeHead(302, { location: `/${left - 1}` }).end();
			}
		});
		assert.deepEqual(await fetchText(`${origin}/5`), { kind: 'text', text: 'here' });
		assert.deepEqual(await fetchText(`${origin}/6`), { kind: 'refused', refusal: { reason: 'redirects' } });
	});

	it('is not followed to another host, port or scheme, whose address is told', async () => {
		const other = await serve((_, response) => send(response, 'text/plain', 'x'));
		const { host } = new URL(await serve((_, response) => send(response, 'text/plain', 'x')));
		for (const target of [`${other}/x`, 'https://elsewhere.example/x', `http://${host}/x`]) {
			const origin = await serve((_, response) => response.writeHead(301, { location: target }).end());
			const fetched = await fetchText(origin, [origin, other]);
			assert.equal(fetched.kind === 'refused' && fetched.refusal.reason, 'redirected');
			assert.equal('refusal' in fetched && 'target' in fetched.refusal && fetched.refusal.target.href, target);
		}
		const lost = await serve((_, response) => response.writeHead(301, { location: 'https://' }).end());
		assert.deepEqual(await fetchText(lost), { kind: 'refused', refusal: { reason: 'redirects' } });
		assert.deepEqual(asked, ['/', '/', '/', '/']);
	});

	it('is refused by its type, its size, its status, or where there is none to read', async () => {
		for (const [listener, refusal] of [
			[(_, response) => send(response, 'application/pdf', '%PDF'), { reason: 'type', type: 'application/pdf' }],
			[(_, response) => send(response, 'image/svg+xml', '<svg/>'), { reason: 'type', type: 'image/svg+xml' }],
			[(_, response) => send(response, undefined, 'x'), { reason: 'type', type: '' }],
			[
				(_, response) => response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'br' }).end('x'),
				{ reason: 'type', type: 'br' },
			],
			[(_, response) => send(response, 'text/plain', 'x'.repeat(1_000_001)), { reason: 'too-large' }],
			[(_, response) => response.writeHead(404).end('none'), { reason: 'status', status: 404 }],
			[(_, response) => send(response, 'text/html', '<script>draw()</script>'), { reason: 'empty' }],
			[(_, response) => response.destroy(), { reason: 'unreachable' }],
		] satisfies [RequestListener, object][]) {
			const origin = await serve(listener);
			assert.deepEqual(await fetchText(origin), { kind: 'refused', refusal });
		}
	});

	it('is read up to one megabyte', async () => {
		const origin = await serve((_, response) => send(response, 'text/plain', 'x'.repeat(1_000_000)));
		const fetched = await fetchText(origin);
		assert.equal(fetched.kind === 'text' && fetched.text.length, 1_000_000);
	});
});
