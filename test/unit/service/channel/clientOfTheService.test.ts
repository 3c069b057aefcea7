import assert from 'node:assert/strict';
import { createClient } from '../../../../src/client/client.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import { createLocalTransport } from '../../../../src/client/local/localTransport.ts';
import type { Client } from '../../../../src/client/types.ts';
import { ENCRYPTED_PATH, localConnection } from '../../../../src/contract/localConnection.ts';
import { expireSessions, TAMPERINGS, type Tampering, tamper } from '../../../support/channelFaults.ts';
import { ChannelFront, handOut } from '../../../support/channelFront.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../support/upstreamServer.ts';
import { collect } from '../../client/testClient.ts';

const history = [{ role: 'user', content: 'Is it so?' }] as const;
const channel = { model: 'small', provider: 'up' };
const PIECES = ['So', ' it', ' is.'];
/** The service sends what is so long at once, as a frame of its own. */
const LONG = `So${' '.repeat(64 * 1024)}`;

describe('a client of the local service’s encrypted channel', () => {
	let upstream: UpstreamServer;
	let service: ServiceProcess;
	let front: ChannelFront | undefined;
	/** Where the client's requests went. */
	const paths: string[] = [];

	const start = async () => {
		service = await ServiceProcess.start({
			handover: { findOllama: false, upstreams: [{ slug: 'up', url: upstream.url, models: [{ id: 'small' }] }] },
		});
	};
	/** The next service has another key, and knows no session of this one. */
	const startAgain = async () => {
		await service.stop();
		await start();
	};

	before(async () => {
		upstream = await UpstreamServer.start();
	});
	after(() => upstream.stop());
	beforeEach(async () => {
		paths.length = 0;
		upstream.requests.length = 0;
		upstream.behaviour = { pieces: PIECES };
		await start();
	});
	afterEach(async () => {
		await front?.stop();
		front = undefined;
		await service.stop();
	});

	function client(): Client {
		const inner = createFetchTransport((url, init) => globalThis.fetch(url, init));
		const transport = createLocalTransport(inner, async () => {
			const { address, token } = service;
			return { address: front?.server.origin ?? address, token };
		});
		return createClient({
			connection: localConnection,
			keys: () => Promise.resolve('local'),
			transport: {
				request(request) {
					paths.push(new URL(request.url).pathname);
					return transport.request(request);
				},
			},
		});
	}

	const sent = () => paths.filter(path => !path.endsWith('/attestation'));

	it('attests anew where the service has another key, and goes on where it is told to', async () => {
		const asked: boolean[] = [];
		const session = await client().channel.open({
			...channel,
			confirm: async (before, now) => {
				asked.push(before.keyFingerprint !== now.keyFingerprint);
				return true;
			},
		});
		for (let count = 0; count < 3; count++) {
			assert.deepEqual(await session.send(history), { text: 'So it is.' });
			await startAgain();
		}
		assert.deepEqual(asked, [true, true]);
		assert.equal(sent().length, 5, 'two of them went to a service that was gone');
	});

	it('asks no question while the key stays, and sends nothing under a new key without a yes', async () => {
		const session = await client().channel.open({ ...channel, confirm: () => assert.fail('asked') });
		await session.send(history);
		await expireSessions(service);
		assert.deepEqual(await session.send(history), { text: 'So it is.' });
		const other = await client().channel.open(channel);
		const before = sent().length;
		await startAgain();
		await assert.rejects(other.send(history), { code: 'session-expired' });
		assert.equal(sent().length, before + 1, 'the one that had expired was sent once');
		assert.equal(upstream.chats.length, 2);
	});

	for (const type of ['text/event-stream', 'application/x-ndjson'] as const) {
		it(`reads a stream that comes as ${type}`, async () => {
			front = await ChannelFront.start(service.address);
			front.accept = type;
			const { events, error } = await collect((await client().channel.open(channel)).stream(history));
			assert.equal(error, undefined);
			assert.equal(events.map(({ text }) => text).join(''), 'So it is.');
			assert.ok(front.types.every(given => given?.startsWith(type)) && front.types.length === 1, String(front.types));
		});
	}

	describe('whose replies are tampered with', () => {
		beforeEach(async () => {
			upstream.behaviour = { pieces: [LONG, ...PIECES] };
			front = await ChannelFront.start(service.address);
		});

		for (const kind of TAMPERINGS) {
			it(`in a frame of a stream, by ${kind}: gives what held before and not the rest, and nothing goes in clear`, async () => {
				assert.ok(front);
				front.answer = async (response, message) => {
					const frames = await message.forward('message_stream');
					assert.ok(frames.length > 1);
					handOut(response, message, tamper(frames, kind, 1));
				};
				const session = await client().channel.open(channel);
				const { events, error } = await collect(session.stream(history));
				assert.equal((error as { code?: string } | undefined)?.code, 'tampered');
				assert.equal(events.map(({ text }) => text).join(''), LONG);
				await assert.rejects(session.send(history), { code: 'tampered' });
				assert.ok(paths.every(path => path.startsWith('/enc/up/small/')));
				assert.equal(upstream.chats.length, 1);
			});
		}

		for (const kind of ['signature', 'plain'] satisfies Tampering[]) {
			it(`in a whole reply, by ${kind}: gives nothing of it, and ends unless it is no encrypted reply at all`, async () => {
				assert.ok(front);
				front.answer = async (response, message) =>
					handOut(response, message, tamper(await message.forward('message'), kind));
				const session = await client().channel.open(channel);
				const code = kind === 'plain' ? 'bad-response' : 'tampered';
				await assert.rejects(session.send(history), { code });
				await assert.rejects(session.send(history), { code });
				assert.equal(upstream.chats.length, code === 'tampered' ? 1 : 2);
			});
		}
	});

	it('is served the shared form alike', async () => {
		const session = await client().channel.open();
		await session.close();
		assert.deepEqual(paths, [`${ENCRYPTED_PATH}/attestation`]);
	});
});
