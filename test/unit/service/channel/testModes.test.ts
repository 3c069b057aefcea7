import assert from 'node:assert/strict';
import { createClient } from '../../../../src/client/client.ts';
import { createFetchTransport } from '../../../../src/client/core/fetchTransport.ts';
import type { Client } from '../../../../src/client/types.ts';
import { ENCRYPTED_PATH, localConnection } from '../../../../src/contract/localConnection.ts';
import { createLocalTransport } from '../../../../src/localService/localTransport.ts';
import { readTestModes, TAMPERINGS, TEST_MODES_VARIABLE } from '../../../../src/service/channel/testModes.ts';
import { ServiceProcess } from '../../../support/serviceProcess.ts';
import { UpstreamServer } from '../../../support/upstreamServer.ts';
import { collect } from '../../client/testClient.ts';

const history = [{ role: 'user', content: 'Is it so?' }] as const;
const channel = { model: 'small', provider: 'up' };

describe('the responder as a test wants it', function () {
	this.timeout(30_000);
	let upstream: UpstreamServer;
	let service: ServiceProcess | undefined;
	/** Where the client's requests went. */
	const paths: string[] = [];

	before(async () => {
		upstream = await UpstreamServer.start();
		upstream.behaviour = { pieces: ['So', ' it', ' is.'], pauseMs: 20 };
	});
	after(() => upstream.stop());
	beforeEach(() => {
		paths.length = 0;
		upstream.requests.length = 0;
	});
	afterEach(async () => {
		await service?.stop();
		service = undefined;
	});

	async function start(modes: object): Promise<Client> {
		const started = await ServiceProcess.start({
			environment: { [TEST_MODES_VARIABLE]: JSON.stringify(modes) },
			handover: { findOllama: false, upstreams: [{ slug: 'up', url: upstream.url, models: [{ id: 'small' }] }] },
		});
		service = started;
		const inner = createFetchTransport((url, init) => globalThis.fetch(url, init));
		const transport = createLocalTransport(inner, () => Promise.resolve(started));
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

	it('takes one message in a session, each by a key of its own: the client attests anew and goes on where asked', async () => {
		const client = await start({ messagesPerSession: 1, rotatesKey: true });
		const asked: boolean[] = [];
		const session = await client.channel.open({
			...channel,
			confirm: async (before, now) => {
				asked.push(before.keyFingerprint !== now.keyFingerprint);
				return true;
			},
		});
		for (let count = 0; count < 3; count++) {
			assert.deepEqual(await session.send(history), { text: 'So it is.' });
		}
		assert.deepEqual(asked, [true, true]);
		assert.equal(sent().length, 3);
	});

	it('asks nobody where the key stays, and sends nothing under a new key without a yes', async () => {
		const client = await start({ messagesPerSession: 1 });
		const session = await client.channel.open({ ...channel, confirm: () => assert.fail('asked') });
		await session.send(history);
		assert.deepEqual(await session.send(history), { text: 'So it is.' });
		await service?.stop();
		const rotating = await start({ messagesPerSession: 0, rotatesKey: true });
		const other = await rotating.channel.open(channel);
		await assert.rejects(other.send(history), { code: 'session-expired' });
		assert.equal(sent().length, 3, 'the one that had expired was sent once');
		assert.equal(upstream.chats.length, 2);
	});

	for (const framing of ['events', 'lines'] as const) {
		for (const batching of ['token', 'batch'] as const) {
			it(`streams as ${framing}, ${batching} by ${batching}`, async () => {
				const client = await start({ framing, batching });
				const { events, error } = await collect((await client.channel.open(channel)).stream(history));
				assert.equal(error, undefined);
				assert.equal(events.map(({ text }) => text).join(''), 'So it is.');
			});
		}
	}

	describe('tampers with', () => {
		for (const kind of TAMPERINGS) {
			it(`a frame of a stream, by ${kind}: what held before is shown, the rest is not, and nothing goes in clear`, async () => {
				const client = await start({ batching: 'token', tampering: { kind, from: 1 } });
				const session = await client.channel.open(channel);
				const { events, error } = await collect(session.stream(history));
				assert.equal((error as { code?: string } | undefined)?.code, 'tampered');
				assert.deepEqual(
					events.map(({ text }) => text),
					['So'],
				);
				await assert.rejects(session.send(history), { code: 'tampered' });
				assert.ok(paths.every(path => path.startsWith('/enc/up/small/')));
				assert.equal(upstream.chats.length, 1);
			});
		}

		it('a whole reply: nothing of it is shown', async () => {
			const client = await start({ tampering: { kind: 'plain' } });
			const session = await client.channel.open(channel);
			await assert.rejects(session.send(history), { code: 'tampered' });
			await assert.rejects(session.send(history), { code: 'tampered' });
			assert.equal(upstream.chats.length, 1);
		});
	});

	it('is asked for by modes that are known, and by nothing else', () => {
		assert.deepEqual(readTestModes(undefined), {});
		assert.deepEqual(readTestModes('{"rotatesKey":true}'), { rotatesKey: true });
		for (const text of ['', 'x', '[]', '{"rotatesKey":1}', '{"other":true}', '{"tampering":{"kind":"all"}}']) {
			assert.throws(() => readTestModes(text), { name: 'UserFacingError', message: /ERRAND_CHANNEL_TEST/ });
		}
	});

	it('serves the shared form alike', async () => {
		const client = await start({});
		const session = await client.channel.open();
		await session.close();
		assert.deepEqual(paths, [`${ENCRYPTED_PATH}/attestation`]);
	});
});
