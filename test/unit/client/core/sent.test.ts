import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ClientError, type ClientErrorCode, systemErrorCode } from '../../../../src/base/errors.ts';
import { makeCertificate } from '../../../support/certificates.ts';
import { type Answer, FaultServer, sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { chunk, request, textOf } from '../chatWire.ts';
import { collect, type TestClient, type TestClientOptions, testClient } from '../testClient.ts';
import { describeWithBothTransports } from './bothTransports.ts';

describeWithBothTransports('an error says whether something has left', transport => {
	let server: FaultServer;

	beforeEach(async () => {
		server = await FaultServer.start(() => {});
	});
	afterEach(() => server.stop());

	const connect = (options: TestClientOptions = {}, origin = server.origin): TestClient =>
		testClient(origin, { transport, ...options });

	async function failureOf(client: TestClient, asked = request): Promise<{ error: ClientError; text: string }> {
		const { events, error } = await collect(client.chat.stream(asked));
		assert.ok(ClientError.is(error));
		return { error, text: textOf(events) };
	}

	const sent: [string, Answer, ClientErrorCode, string][] = [
		['a refusal', response => sendJson(response, 400, { error: 'No' }), 'invalid-request', ''],
		[
			'an error in place of a reply',
			response => sendEvents(response, sseEvent({ error: { message: 'No', code: 'invalid_request' } })),
			'invalid-request',
			'',
		],
		[
			'an error after text of the reply',
			response =>
				sendEvents(
					response,
					chunk({ content: 'So ' }),
					sseEvent({ error: { message: 'context length exceeded', code: 'context_length_exceeded' } }),
				),
			'invalid-request',
			'So ',
		],
		['a key that is wanted in the reply', r => sendEvents(r, sseEvent({ error: { code: 401 } })), 'unauthorised', ''],
		['a reply that is too large, by its own words', r => sendJson(r, 413, {}), 'too-large', ''],
		['a broken connection', response => void response.socket?.destroy(), 'offline', ''],
	];
	for (const [what, answer, code, text] of sent) {
		it(`never denies it of a request that met ${what}`, async () => {
			server.answer = answer;
			const failure = await failureOf(connect());
			assert.deepEqual([failure.error.code, failure.error.wasSent, failure.text], [code, true, text]);
			assert.equal(server.received.length, 1);
		});
	}

	it('denies it of a request that was found wrong', async () => {
		for (const [options, asked, code] of [
			[{}, { ...request, temperature: 7 }, 'invalid-request'],
			[{ keys: () => Promise.resolve(undefined) }, request, 'no-key'],
			[{ keys: () => Promise.reject(new Error('locked')) }, request, 'no-key'],
			[{ limits: { jsonBytes: 10 } }, request, 'too-large'],
			[{ fields: { plan: 'enterprise' } }, request, 'not-supported'],
		] as const) {
			const { error } = await failureOf(connect(options), asked);
			assert.deepEqual([error.code, error.wasSent], [code, false]);
		}
		assert.equal(server.received.length, 0);
	});

	it('denies it of a request for which there was no connection', async () => {
		const { origin } = server;
		await server.stop();
		const { error } = await failureOf(connect({}, origin));
		assert.deepEqual([error.code, error.wasSent], ['offline', false]);
		const nowhere = await failureOf(connect({}, 'https://nowhere.invalid'));
		assert.deepEqual([nowhere.error.code, nowhere.error.wasSent], ['offline', false]);
	});

	it('denies it where the certificate does not hold', async () => {
		const heard: string[] = [];
		const secure = createServer(makeCertificate({ hosts: ['127.0.0.1'] }), ({ url = '' }) => heard.push(url));
		secure.listen(0, '127.0.0.1');
		await once(secure, 'listening');
		const { port } = secure.address() as AddressInfo;
		const { error } = await failureOf(connect({}, `https://127.0.0.1:${port}`));
		assert.deepEqual([error.code, error.wasSent, heard], ['offline', false, []]);
		secure.close();
		secure.closeAllConnections();
	});

	it('never denies it of a later try, whatever kept that one back', async () => {
		server.answer = response => sendJson(response, 429, { error: 'Later' });
		const keys = ['sk-a'];
		const { error } = await failureOf(connect({ keys: () => Promise.resolve(keys.pop()) }));
		assert.deepEqual([error.code, error.wasSent, server.received.length], ['no-key', true, 1]);
	});

	it('never denies it of a request that was redirected to where no server answers', async () => {
		const leaving = createHttpServer((_, response) => {
			// Takes no further connection, and answers on the one that there is.
			leaving.close();
			response.writeHead(307, { location: '/elsewhere', connection: 'close' }).end();
		});
		leaving.listen(0, '127.0.0.1');
		await once(leaving, 'listening');
		const { port } = leaving.address() as AddressInfo;
		const { error } = await failureOf(connect({}, `http://127.0.0.1:${port}`));
		assert.deepEqual([error.code, error.wasSent], ['offline', true]);
		assert.equal(systemErrorCode(error.cause), 'ECONNREFUSED');
	});
});
