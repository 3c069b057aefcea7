import assert from 'node:assert/strict';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../../src/base/async.ts';
import { networkFaultOf } from '../../../../src/base/networkFault.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { createUndiciTransport } from '../../../../src/client/core/undiciTransport.ts';
import { askHost, findForm, type HostAnswer } from '../../../../src/models/hosts/askHost.ts';
import { makeCertificate } from '../../../support/certificates.ts';
import { beginEvents, FaultServer, flood, sendJson, useFaultServer } from '../../../support/faultServer.ts';

const KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';
const list = (...ids: string[]) => ({ object: 'list', data: ids.map(id => ({ id })) });

describe('asking a server for its models', () => {
	let server: FaultServer;
	const answer = useFaultServer(started => {
		server = started;
	});
	const lines: unknown[] = [];
	const logger = { log: (...line: unknown[]) => void lines.push(line) };

	const ask = (
		url: string,
		{ key, form, ...options }: { key?: string; form?: 'messages'; whole?: number; signal?: AbortSignal } = {},
	) =>
		askHost(
			{ kind: 'server', url, key, form, milliseconds: { silence: 2_000, whole: options.whole ?? 4_000 } },
			{
				transport: createFetchTransport((address, init) => globalThis.fetch(address, init)),
				logger,
				clock: systemClock,
				signal: options.signal ?? new AbortController().signal,
			},
		);
	const errorIn = (result: HostAnswer) => {
		const error = result.state === 'failed' || result.state === 'wants-key' ? result.error : undefined;
		assert.ok(error, JSON.stringify(result));
		return error;
	};
	const idsIn = (result: HostAnswer) => {
		assert.ok(result.state === 'fits' && result.models, JSON.stringify(result));
		return result.models.map(({ id }) => id);
	};

	it('is asked for responses only where it has these and no chat completions', async () => {
		const find = (chat: number, responses: number) => {
			answer((response, { path }) => sendJson(response, path.endsWith('/v1/responses') ? responses : chat, {}));
			const transport = createFetchTransport((address, init) => globalThis.fetch(address, init));
			const { signal } = new AbortController();
			const url = `${server.origin}/v1`;
			return findForm({ url, key: KEY }, { transport, logger, clock: systemClock, signal });
		};
		assert.equal(await find(404, 400), 'responses');
		assert.equal(await find(405, 422), 'responses');
		for (const [chat, responses] of [
			[400, 400],
			[404, 404],
			[404, 401],
			[404, 200],
			[401, 400],
			[503, 400],
		] as const) {
			assert.equal(await find(chat, responses), undefined, `${chat} ${responses}`);
		}
		const [asked] = server.received;
		assert.deepEqual([asked?.method, asked?.body, asked?.headers.authorization], ['POST', '{}', `Bearer ${KEY}`]);
	});

	it('lists them, with the key where there is one, and says nothing of it in the log', async () => {
		answer(response => sendJson(response, 200, list('small', 'large')));
		assert.deepEqual(idsIn(await ask(`${server.origin}/v1`, { key: KEY })), ['small', 'large']);
		assert.deepEqual(
			server.received.map(({ path, headers }) => [path, headers.authorization]),
			[['/v1/models', `Bearer ${KEY}`]],
		);
		assert.deepEqual(idsIn(await ask(`${server.origin}/v1`)), ['small', 'large']);
		assert.equal(server.received[1]?.headers.authorization, undefined);
		assert.doesNotMatch(JSON.stringify(lines), new RegExp(KEY));
	});

	it('sends the key in the form that the entry of the server names', async () => {
		answer(response => sendJson(response, 200, list('one')));
		assert.deepEqual(idsIn(await ask(`${server.origin}/v1`, { key: KEY, form: 'messages' })), ['one']);
		const [{ headers } = assert.fail()] = server.received;
		assert.deepEqual([headers.authorization, headers['x-api-key']], [undefined, KEY]);
	});

	it('takes a list without an object around it', async () => {
		answer(response => sendJson(response, 200, [{ id: 'bare' }]));
		assert.deepEqual(idsIn(await ask(`${server.origin}/v1`)), ['bare']);
	});

	it('finds the version that the address lacks, and returns the address with it', async () => {
		answer((response, { path }) =>
			path === '/openai/v1/models'
				? sendJson(response, 200, list('there'))
				: void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>'),
		);
		const found = await ask(`${server.origin}/openai`);
		assert.deepEqual(idsIn(found), ['there']);
		assert.equal(found.url, `${server.origin}/openai/v1`);
		answer((response, { path }) =>
			path === '/api/v1/models'
				? sendJson(response, 200, list('below api'))
				: void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Welcome</title>'),
		);
		assert.equal((await ask(server.origin)).url, `${server.origin}/api/v1`);
	});

	it('finds the place that wants a key as well', async () => {
		answer((response, { path }) =>
			path === '/v1/models' ? sendJson(response, 401, { error: 'Unauthorized' }) : void response.writeHead(404).end(),
		);
		const found = await ask(server.origin);
		assert.equal(errorIn(found).code, 'unauthorised');
		assert.equal(found.url, `${server.origin}/v1`);
	});

	it('tells a wrong key, with what the server says of it but without the key itself', async () => {
		answer(response => sendJson(response, 401, { error: { message: `Incorrect API key provided: ${KEY}.` } }));
		const error = errorIn(await ask(`${server.origin}/v1`, { key: KEY }));
		assert.equal(error.code, 'unauthorised');
		assert.equal(error.serviceMessage, 'Incorrect API key provided: [key].');
	});

	it('tells that there is no list anywhere, by the address that was given', async () => {
		answer(response => void response.writeHead(404).end());
		const missing = await ask(`${server.origin}/v1`);
		assert.equal(errorIn(missing).code, 'not-found');
		assert.deepEqual(
			server.received.map(({ path }) => path),
			['/v1/models'],
		);
		assert.equal((await ask(`${server.origin}/models-here`)).url, `${server.origin}/models-here`);
	});

	it('tells a login page from a list, and what is neither from both', async () => {
		answer(response => void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<form>'));
		assert.equal(errorIn(await ask(`${server.origin}/v1`)).isPage, true);
		answer(response => sendJson(response, 200, { status: 'fine' }));
		const other = errorIn(await ask(`${server.origin}/v1`));
		assert.equal(other.code, 'bad-response');
		assert.equal(other.isPage, false);
	});

	it('follows no redirect to another origin, so that no key gets there', async () => {
		const elsewhere = await FaultServer.start(response => sendJson(response, 200, list('stolen')));
		answer(response => void response.writeHead(302, { location: `${elsewhere.origin}/login` }).end());
		const error = errorIn(await ask(`${server.origin}/v1`, { key: KEY }));
		await elsewhere.stop();
		assert.deepEqual([error.code, error.status], ['bad-response', 302]);
		assert.deepEqual(elsewhere.received, []);
	});

	it('sends no key to a place that is reached without encryption', async () => {
		const sent: (string | undefined)[] = [];
		const result = await askHost(
			{ kind: 'server', url: 'http://192.0.2.1/v1', key: KEY },
			{
				// Nothing answers at an address of documentation, so the transport is watched in place of a server.
				transport: {
					request: async ({ headers }) => {
						sent.push(headers['Authorization']);
						throw new Error('nobody is there');
					},
				},
				logger,
				clock: systemClock,
				signal: new AbortController().signal,
			},
		);
		assert.equal(errorIn(result).code, 'offline');
		assert.deepEqual(sent, [undefined]);
	});

	it('tells where nothing listens, with the address', async () => {
		const { origin } = server;
		await server.stop();
		const error = errorIn(await ask(`${origin}/v1`));
		assert.deepEqual(networkFaultOf(error), {
			kind: 'unreachable',
			place: new URL(origin).host,
			code: 'ECONNREFUSED',
		});
	});

	it('recognises a certificate that is not trusted', async () => {
		const secure = https.createServer(makeCertificate({ hosts: ['127.0.0.1'] }), (_, response) => response.end('{}'));
		secure.listen(0, '127.0.0.1');
		await once(secure, 'listening');
		const error = errorIn(await ask(`https://127.0.0.1:${(secure.address() as AddressInfo).port}/v1`, { key: KEY }));
		secure.closeAllConnections();
		secure.close();
		assert.deepEqual(networkFaultOf(error), { kind: 'certificate', problem: 'self-signed' });
	});

	it('ends with a list that never does, whether it is sent fast or slowly', async () => {
		const state = { sent: 0, isBlocked: false };
		answer(async response => {
			response.writeHead(200, { 'content-type': 'application/json' });
			await flood(response, Buffer.alloc(65_536, ' '), 64 * 1024 * 1024, state);
		});
		assert.equal(errorIn(await ask(`${server.origin}/v1`)).code, 'bad-response');
		assert.ok(state.sent < 32 * 1024 * 1024, `${state.sent} bytes`);
		answer(response => {
			beginEvents(response);
			const drip = setInterval(() => response.write(' '), 50);
			response.once('close', () => clearInterval(drip));
		});
		assert.equal(errorIn(await ask(`${server.origin}/v1`, { whole: 500 })).code, 'timeout');
	});

	it('ends at once where it is given up', async () => {
		answer(() => new Promise(() => {}));
		const ending = new AbortController();
		const asking = ask(`${server.origin}/v1`, { signal: ending.signal });
		ending.abort(new Error('given up'));
		await assert.rejects(asking, /given up/);
	});

	it('leaves out names that hide something, are too long or come twice, and takes a bounded number', async () => {
		const names = [
			'fine',
			'with\u202ehidden',
			' padded',
			'x'.repeat(201),
			'fine',
			'$(bug) shown as text',
			'',
			'__proto__',
		];
		answer(response => sendJson(response, 200, { data: [...names.map(id => ({ id })), { id: 7 }, null, 'text'] }));
		assert.deepEqual(idsIn(await ask(`${server.origin}/v1`)), ['fine', '$(bug) shown as text', '__proto__']);
		answer(response => sendJson(response, 200, list(...Array.from({ length: 5_000 }, (_, index) => `m${index}`))));
		assert.equal(idsIn(await ask(`${server.origin}/v1`)).length, 2_000);
	});

	it('says the same of a server, whichever transport asks', async () => {
		answer(response => sendJson(response, 401, { detail: 'no' }));
		const transport = createUndiciTransport();
		const options = { transport, logger, clock: systemClock, signal: new AbortController().signal };
		const error = errorIn(await askHost({ kind: 'server', url: `${server.origin}/v1`, key: KEY }, options));
		await transport.close();
		assert.deepEqual([error.code, error.serviceMessage], ['unauthorised', 'no']);
	});
});
