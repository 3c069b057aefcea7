import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createClient } from '../../../../src/client/client.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { createLocalTransport } from '../../../../src/client/local/localTransport.ts';
import type { Client } from '../../../../src/client/types.ts';
import { ENCRYPTED_PATH, localConnection } from '../../../../src/contract/localConnection.ts';
import { ChannelPeer, conversation } from '../../../support/channelPeer.ts';
import type { Sealed } from '../../../support/contractServer/channelCryptography.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../support/upstreamServer.ts';
import { waitFor } from '../../../support/waitFor.ts';
import { errorOf, eventsOf } from '../helpers.ts';

const SECRET = 'what-nobody-may-read';
const HISTORY = conversation(SECRET);
const UP = '/enc/up/small';
const text = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

describe('the encrypted channel over an upstream', () => {
	let service: ServiceProcess;
	let upstream: UpstreamServer;
	let other: UpstreamServer;

	before(async () => {
		upstream = await UpstreamServer.start();
		other = await UpstreamServer.start();
		const models = [{ id: 'small' }, { id: 'vendor/large:7b' }];
		service = await ServiceProcess.start({
			handover: {
				findOllama: false,
				upstreams: [
					{ slug: 'up', url: upstream.url, models },
					{ slug: 'other', url: other.url, models },
				],
			},
		});
	});
	after(async () => {
		const log = await readFile(path.join(service.stateFolder, 'service.log'), 'utf8');
		await service.stop();
		await upstream.stop();
		await other.stop();
		assert.doesNotMatch(log, new RegExp(SECRET));
	});
	beforeEach(() => {
		for (const server of [upstream, other]) {
			server.behaviour = { pieces: ['Good', ' day'] };
			server.requests.length = 0;
		}
	});

	const attest = (base = UP) => ChannelPeer.attest(target => service.fetch(target), base);
	const post = (peer: ChannelPeer, { base = UP, endpoint = 'message', ...init }: RequestInit & Place = {}) =>
		service.fetch(`${base}/${endpoint}`, { json: peer.seal(HISTORY), ...init });
	const stream = (peer: ChannelPeer, init: RequestInit & Place = {}) =>
		post(peer, { endpoint: 'message_stream', ...init });

	async function answered(peer: ChannelPeer, base = UP): Promise<string> {
		const response = await post(peer, { base });
		assert.equal(response.status, 200, await response.clone().text());
		return peer.open((await response.json()) as Sealed);
	}

	/** The data of a streamed reply, opened where it is a sealed frame. */
	async function streamed(peer: ChannelPeer): Promise<unknown[]> {
		const data: unknown[] = [];
		for await (const event of eventsOf(await stream(peer))) {
			data.push(opened(peer, event.data));
		}
		return data;
	}

	it('asks the provider and the model of the path, and no other', async () => {
		assert.equal(await answered(await attest()), 'Good day');
		assert.deepEqual(
			upstream.chats.map(({ body }) => [body['model'], body['messages']]),
			[['small', [{ role: 'user', content: SECRET }]]],
		);
		const base = `/enc/other/${encodeURIComponent('vendor/large:7b')}`;
		assert.equal(await answered(await attest(base), base), 'Good day');
		assert.deepEqual(
			other.chats.map(({ body }) => body['model']),
			['vendor/large:7b'],
		);
		assert.equal(upstream.chats.length, 1);
		upstream.behaviour = { status: 500 };
		assert.equal((await post(await attest())).status, 502);
		assert.equal(other.chats.length, 1);
	});

	it('asks the first chat model where the path names none', async () => {
		assert.equal(await answered(await attest(ENCRYPTED_PATH), ENCRYPTED_PATH), 'Good day');
		const [chat] = [...upstream.chats, ...other.chats];
		assert.equal(chat?.body['model'], 'small');
	});

	it('refuses a model or a provider that is not there, and takes the next message', async () => {
		for (const base of ['/enc/up/unknown', '/enc/unknown/small']) {
			const peer = await attest(base);
			assert.match(await errorOf(await post(peer, { base }), 404), /"(up|small)"/);
			assert.match(await errorOf(await post(peer, { base }), 404), /"(up|small)"/);
		}
	});

	it('does not take a message for another model than the one that it was sealed for', async () => {
		const peer = await attest();
		assert.match(await errorOf(await post(peer, { base: '/enc/other/small' }), 409), /expired/);
		assert.equal(other.chats.length, 0);
	});

	it('streams server-sent events under one nonce, with fresh IVs, and a mark at the end', async () => {
		upstream.behaviour = { pieces: ['Good', ' day', ' \u{1F642}'], pauseMs: 10 };
		const peer = await attest();
		const frames: Sealed[] = [];
		const marks: string[] = [];
		for await (const { data } of eventsOf(await stream(peer))) {
			if (data.startsWith('{')) {
				frames.push(JSON.parse(data) as Sealed);
			} else {
				marks.push(data);
			}
		}
		assert.equal(frames.map(frame => peer.open(frame)).join(''), 'Good day \u{1F642}');
		assert.ok(frames.length > 1);
		assert.deepEqual(new Set(frames.map(({ nonce }) => nonce)), new Set([3000]));
		assert.equal(new Set(frames.map(({ iv }) => iv)).size, frames.length);
		assert.deepEqual(marks, ['[DONE]']);
	});

	it('streams an object a line to a client that asks for that', async () => {
		const peer = await attest();
		const response = await stream(peer, { headers: { accept: 'application/x-ndjson' } });
		assert.equal(response.headers.get('content-type'), 'application/x-ndjson');
		const body = await response.text();
		assert.ok(body.endsWith('\n'));
		const lines = body.slice(0, -1).split('\n');
		assert.equal(lines.pop(), '[DONE]');
		assert.equal(lines.map(line => opened(peer, line)).join(''), 'Good day');
	});

	it('streams one empty frame for an empty reply', async () => {
		upstream.behaviour = { pieces: [] };
		assert.deepEqual(await streamed(await attest()), ['', '[DONE]']);
	});

	it('gives an error in the middle of a stream in place of the rest, and of its end mark', async () => {
		upstream.behaviour = { pieces: ['Good', ' day'], errorAfter: 1, pauseMs: 10 };
		const peer = await attest();
		assert.deepEqual(await streamed(peer), [
			'Good',
			{
				error: {
					message: 'up had an internal error.',
					code: 'upstream_error',
					upstreams: [{ slug: 'up', origin: new URL(upstream.url).origin, hasKey: false, code: 'server' }],
				},
			},
		]);
		assert.equal(await post(peer).then(({ status }) => status), 502);
	});

	it('ends a stream without its mark where the provider breaks off', async () => {
		upstream.behaviour = { pieces: ['Good', ' day'], breaksAfter: 1, pauseMs: 10 };
		const [first, error, ...rest] = await streamed(await attest());
		assert.equal(first, 'Good');
		assert.ok(typeof error === 'object' && error !== null && 'error' in error);
		assert.deepEqual(rest, []);
	});

	it('does not repeat the words of a provider, which may quote the conversation', async () => {
		const peer = await attest();
		for (const [status, own, expected] of [
			[400, 400, /up rejected the request/],
			[500, 502, /up had an internal error/],
			[429, 429, /limiting requests/],
			[503, 503, /up is temporarily unavailable/],
		] as const) {
			upstream.behaviour = { status, body: { error: { message: `you said ${SECRET}` } } };
			for (const endpoint of ['message', 'message_stream']) {
				const message = await errorOf(await post(peer, { endpoint }), own);
				assert.match(message, expected);
				assert.doesNotMatch(message, new RegExp(SECRET));
			}
		}
		upstream.behaviour = {};
		assert.equal(await answered(peer), 'Hello there');
	});

	it('refuses a body that is no message, naming the field', async () => {
		const peer = await attest();
		const request = peer.seal(HISTORY, { nonce: 1000 });
		const { payload } = request;
		for (const [body, message] of [
			['{', /not valid JSON/],
			[{ ...request, session_id: '' }, /^session_id: /],
			[{ ...request, peer_public_key: 'key' }, /^peer_public_key: /],
			[{ ...request, payload: { ...payload, nonce: '1000' } }, /^payload\.nonce: /],
			[{ ...request, payload: { ...payload, nonce: 999 } }, /^payload\.nonce: /],
			[{ ...request, payload: { ...payload, nonce: 1000.5 } }, /^payload\.nonce: /],
			[{ ...request, payload: { ...payload, iv: 'AAAA' } }, /^payload\.iv: .*12 bytes/],
			[{ ...request, payload: { ...payload, ciphertext: 'AAAA' } }, /^payload\.ciphertext: .*16 bytes/],
			[{ ...request, payload: { ...payload, signature: '?' } }, /^payload\.signature: /],
			[{ ...request, payload: {} }, /^payload\./],
		] as const) {
			for (const endpoint of ['message', 'message_stream']) {
				const init = { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) };
				assert.match(await errorOf(await service.fetch(`${UP}/${endpoint}`, init), 400), message);
			}
		}
		assert.equal((await service.fetch(`${UP}/message`, { json: request })).status, 200);
		assert.equal(upstream.chats.length, 1);
	});

	it('refuses a conversation that is too large', async () => {
		const peer = await attest();
		const large = peer.seal(conversation('x'.repeat(8 * 1024 * 1024)));
		assert.match(await errorOf(await service.fetch(`${UP}/message`, { json: large }), 413), /8 MB/);
		assert.equal(await answered(peer), 'Good day');
	});

	it('asks for the token of the service everywhere', async () => {
		const headers = { authorization: '' };
		for (const base of [UP, ENCRYPTED_PATH]) {
			for (const endpoint of ['health', 'attestation']) {
				assert.equal((await service.fetch(`${base}/${endpoint}`, { headers })).status, 401);
			}
			const peer = await attest(base);
			for (const endpoint of ['message', 'message_stream']) {
				assert.equal((await post(peer, { base, endpoint, headers })).status, 401);
			}
		}
		assert.equal(upstream.chats.length, 0);
	});

	it('is never taken from a store in between', async () => {
		const response = await service.fetch(`${UP}/attestation`);
		assert.equal(response.headers.get('cache-control'), 'no-store');
	});

	for (const endpoint of ['message', 'message_stream']) {
		it(`leaves the upstream when the client of /${endpoint} goes before the reply`, async () => {
			upstream.behaviour = { firstMs: 20_000 };
			const peer = await attest();
			const gone = new AbortController();
			const fetching = post(peer, { endpoint, signal: gone.signal });
			fetching.catch(() => {});
			await waitFor('the upstream to be asked', () => upstream.chats.length === 1);
			gone.abort();
			await waitFor('the upstream to be left', () => upstream.chats[0]?.wasAbandoned === true);
			upstream.behaviour = { pieces: ['still here'] };
			assert.equal(await answered(peer), 'still here');
		});
	}

	it('leaves the upstream when the reader of a stream goes in its middle, at once or while it waits', async () => {
		for (const behaviour of [{ isEndless: true }, { pieces: ['Good', ' day'], pauseMs: 20_000 }]) {
			upstream.behaviour = behaviour;
			upstream.requests.length = 0;
			const peer = await attest();
			for await (const { data } of eventsOf(await stream(peer))) {
				assert.ok(String(opened(peer, data)).length > 0);
				break;
			}
			await waitFor('the upstream to be left', () => upstream.chats[0]?.wasAbandoned === true);
		}
	});

	describe('with our own client', () => {
		let client: Client;

		before(() => {
			const transport = createLocalTransport(createFetchTransport(fetch), async () => service);
			client = createClient({ connection: localConnection, keys: async () => 'none', transport });
		});

		const messages = [{ role: 'user', content: SECRET }] as const;

		for (const [name, address] of [
			['the scoped form', { provider: 'up', model: 'small' }],
			['the shared form', {}],
		] as const) {
			it(`sends and streams on ${name}`, async () => {
				const session = await client.channel.open(address);
				assert.deepEqual(await session.send(messages), { text: 'Good day' });
				let reply = '';
				for await (const event of session.stream(messages)) {
					reply += event.text;
				}
				assert.equal(reply, 'Good day');
				assert.deepEqual(await session.send(messages), { text: 'Good day' });
				await session.close();
			});
		}

		it('shows what is proven and what is not', async () => {
			const { verdicts } = await client.channel.open({ provider: 'up', model: 'small' });
			const verdictOf = (name: string) => verdicts.find(({ check }) => check === name)?.verdict;
			for (const check of ['transport', 'public-key', 'signature', 'nonce']) {
				assert.equal(verdictOf(check), 'pass', check);
			}
			for (const check of ['gpu-evidence', 'gpu-token', 'key-binding', 'freshness']) {
				assert.equal(verdictOf(check), 'unknown', check);
			}
		});

		it('goes on by itself after the session was forgotten', async () => {
			const session = await client.channel.open({ provider: 'up', model: 'small' });
			const before = session.attestation.session_id;
			await Promise.all(Array.from({ length: 256 }, () => attest()));
			assert.deepEqual(await session.send(messages), { text: 'Good day' });
			assert.notEqual(session.attestation.session_id, before);
		});

		it('goes on after a reply that was stopped, and one that failed', async () => {
			const session = await client.channel.open({ provider: 'up', model: 'small' });
			upstream.behaviour = { pieces: ['Good', ' day'], pauseMs: 20_000 };
			for await (const event of session.stream(messages)) {
				assert.equal(event.text, 'Good');
				break;
			}
			upstream.behaviour = { status: 429 };
			await assert.rejects(session.send(messages), { code: 'rate-limited' });
			upstream.behaviour = { pieces: ['well'] };
			assert.deepEqual(await session.send(messages), { text: 'well' });
		});

		it('takes characters that came in halves', async () => {
			upstream.behaviour = { chunks: [text('\ud83d'), text('\ude42')], pauseMs: 10 };
			const session = await client.channel.open({ provider: 'up', model: 'small' });
			const events: string[] = [];
			for await (const event of session.stream(messages)) {
				events.push(event.text);
			}
			assert.deepEqual(events, ['\u{1F642}']);
		});

		it('reads the health record', async () => {
			const health = await client.channel.health({ provider: 'up', model: 'small' });
			assert.equal(health.status, 'healthy');
			assert.equal(health.worker_pid, service.pid);
		});
	});
});

interface Place {
	base?: string;
	endpoint?: string;
}

function opened(peer: ChannelPeer, data: string): unknown {
	if (!data.startsWith('{')) {
		return data;
	}
	const value = JSON.parse(data) as Sealed | { error: unknown };
	return 'error' in value ? value : peer.open(value);
}
