import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import type { KeyKind } from '../../../../src/contract/routes.ts';
import { answerEvents, Enclave } from '../../../support/enclave.ts';
import { type Answer, FaultServer, sendEvents, sendJson, sseEvent } from '../../../support/faultServer.ts';
import { chunk, request } from '../chatWire.ts';
import { collect, type TestClient, testClient } from '../testClient.ts';
import { describeWithBothTransports } from './bothTransports.ts';

const KEYS: Record<KeyKind, string> = {
	inference: 'sk-Tide7Lantern-Pebble_42',
	cloud: 'qcl_Harbour9Beacon8Gull3',
	agent: 'sk-agent-Anchor5Willow1',
};

/** No piece of a key from which the rest could be guessed, in any spelling that is decoded at a glance. */
function assertWithoutKey(value: unknown): void {
	const shown = inspect(value, { depth: 20, showHidden: true, maxStringLength: null });
	const decoded = shown.replace(/(?:%|\\+u00)([0-9a-f]{2})/gi, (_, hex) =>
		String.fromCharCode(Number.parseInt(hex, 16)),
	);
	const spellings = [shown, decoded];
	for (const key of Object.values(KEYS)) {
		assert.ok(!shown.includes(Buffer.from(`:${key}`).toString('base64').slice(4, -4)), shown);
		for (let start = 0; start + 6 <= key.length; start++) {
			const piece = key.slice(start, start + 6).toLowerCase();
			// What every key begins with is no secret.
			if (!/^(sk-|qcl_|k-ag|-age)/.test(piece)) {
				assert.ok(!spellings.some(text => text.toLowerCase().includes(piece)), `“${piece}” in ${shown}`);
			}
		}
	}
}

describeWithBothTransports('a key that the service sends back', transport => {
	let server: FaultServer;
	let client: TestClient;

	beforeEach(async () => {
		server = await FaultServer.start(() => {});
		client = testClient(server.origin, { transport, keys: kind => Promise.resolve(KEYS[kind]) });
	});
	afterEach(async () => {
		await server.stop();
		assertWithoutKey(client.logged);
	});

	const chat = async (answer: Answer) => {
		server.answer = answer;
		const whole = await client.chat.complete(request).catch((error: unknown) => error);
		const { error } = await collect(client.chat.stream(request));
		for (const failure of [whole, error]) {
			assert.ok(failure instanceof Error);
			assertWithoutKey(failure);
		}
	};

	const key = KEYS.inference;
	const words: Record<string, string> = {
		whole: `Incorrect key: ${key}.`,
		'where its words are cut': `${'x'.repeat(490)}${key}`,
		'where its words are cut a little later': `${'x'.repeat(480)}${key} is no key`,
		'after so many keys that its words are short without them': `${`${key} `.repeat(660)}${key}`,
		'as addresses spell it': encodeURIComponent(`=${key}=`).replace(/[a-z]/g, c => `%${c.charCodeAt(0).toString(16)}`),
		'as JSON may spell it': key.replace(/./g, c => `\\u00${c.charCodeAt(0).toString(16)}`),
		'in base64': Buffer.from(`:${key}`).toString('base64'),
		'but for its beginning': `No such key: …${key.slice(6)}`,
	};
	for (const [what, message] of Object.entries(words)) {
		it(`is in no part of an error: ${what}`, async () => {
			await chat(response => sendJson(response, 401, { error: { message, code: message } }));
			await chat(response => void response.writeHead(401, { 'content-type': 'text/plain' }).end(message));
			await chat(response => sendJson(response, 200, { error: { message, type: message } }));
			await chat(response => sendEvents(response, chunk({ content: 'So' }), sseEvent({ error: { message } })));
			await chat(response => sendEvents(response, sseEvent(message, 'error')));
		});
	}

	it('is in no part of an error that tells where it was led', async () => {
		for (const location of [
			`http://${key}.example/`,
			`https://${key.toLowerCase()}:81/${key}?${key}#${key}`,
			`http://${key.replace(/[a-z]/g, c => `%${c.charCodeAt(0).toString(16)}`)}/`,
			`http://user:${key}@elsewhere.example/`,
			`${key}://${key}`,
			`http://[${key}`,
		]) {
			await chat(response => void response.writeHead(307, { location }).end());
			await chat(response => void response.writeHead(301, { location }).end());
		}
	});

	it('is in no part of an error that tells what came', async () => {
		for (const before of ['', 'x'.repeat(40), 'x'.repeat(52)]) {
			await chat(
				response => void response.writeHead(200, { 'content-type': `application/${before}${key}-json` }).end('<p>'),
			);
		}
		await chat(response => void response.writeHead(200, { 'content-encoding': key }).end('x'));
		await chat(response => void response.writeHead(429, { 'retry-after': key }).end());
	});

	it('is in no part of an error about what is no HTTP', async () => {
		const sockets = createServer(socket => {
			socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${key}\r\nbad header ${key}: ${key}\r\n\r\n${key}`));
			socket.on('error', () => {});
		});
		const origin = await listening(sockets);
		client = testClient(origin, { transport, keys: kind => Promise.resolve(KEYS[kind]) });
		const failure = await client.chat.complete(request).catch((error: unknown) => error);
		assert.ok(failure instanceof Error);
		assertWithoutKey(failure);
		sockets.close();
	});

	it('is in no part of an error of an area that reads the reply itself', async () => {
		server.answer = response => sendJson(response, 200, { success: false, message: `No: ${KEYS.cloud}` });
		const refused = await client.tasks.continue('t1', { prompt: 'Go on' }).catch((error: unknown) => error);
		assert.match(String((refused as { serviceMessage?: string }).serviceMessage), /^No: \[key\]$/);
		assertWithoutKey(refused);

		const said = `No image for ${key}`;
		server.answer = response =>
			sendJson(response, 200, { choices: [{ index: 0, message: { role: 'assistant', content: said } }] });
		const image = await client.images.generate({ model: 'draw', prompt: 'A gull' }).catch((error: unknown) => error);
		assert.equal((image as { serviceMessage?: string }).serviceMessage, 'No image for [key]');
		assertWithoutKey(image);

		const reason = `${'x'.repeat(490)}${key}`;
		server.answer = response =>
			sendEvents(
				response,
				sseEvent({ type: 'response.incomplete', response: { incomplete_details: { reason } } }, 'response.incomplete'),
			);
		const { error } = await collect(
			client.responses.stream({ model: 'large', input: [{ role: 'user', content: 'x' }], instructions: 'x' }),
		);
		assert.ok(error instanceof Error);
		assertWithoutKey(error);
	});

	it('is in no event of a log that is followed', async () => {
		const lost = `${'x'.repeat(490)}${KEYS.cloud}`;
		server.answer = (response, { path }) =>
			path.endsWith('/stream')
				? sendEvents(response, sseEvent({ error: lost }, 'error'))
				: sendJson(response, 200, { task: { id: 't1', status: 'stopped' } });
		const { events } = await collect(client.tasks.follow('t1'));
		assert.ok(events.some(({ type }) => type === 'reconnecting'));
		assertWithoutKey(events);
	});
});

describe('a key that comes back over the encrypted channel in clear', () => {
	it('is in no part of an error', async () => {
		const enclave = await Enclave.start();
		const client = testClient('https://api.example', {
			fields: { encryptUrl: enclave.server.origin },
			keys: kind => Promise.resolve(KEYS[kind]),
		});
		for (const message of [KEYS.inference, `${'x'.repeat(490)}${KEYS.inference}`]) {
			enclave.answer = answerEvents(({ seal }) => [seal('So '), { error: { message } }]);
			const { error } = await collect((await client.channel.open()).stream([{ role: 'user', content: 'Is it so?' }]));
			assert.ok(error instanceof Error);
			assertWithoutKey(error);
		}
		assertWithoutKey(client.logged);
		await enclave.stop();
	});
});

async function listening(server: Server): Promise<string> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
