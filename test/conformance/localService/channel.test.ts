import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import type { Client } from '../../../src/client/types.ts';
import { localConnection } from '../../../src/contract/localConnection.ts';
import { ChannelPeer, conversation, type PeerRequest } from '../../support/channelPeer.ts';
import { p384KeyPair, type Sealed } from '../../support/contractServer/channelCryptography.ts';
import { conformance, type Implementation } from './harness.ts';

const HELLO = conversation('Hello');
const SHARED = '/encrypted';

const id = (section: string, ...numbers: number[]) => numbers.map(number => `encrypted-channel/${section}/${number}`);

const ADDRESSES = id('endpoints/prose', 1);

const scoped = ({ provider, model }: Implementation): string => `/enc/${provider}/${model}`;

/** Every call carries the key: this service runs on its user's own machine, and answers no other user. */
const attest = (implementation: Implementation, base = scoped(implementation)): Promise<ChannelPeer> =>
	ChannelPeer.attest(path => implementation.fetch(path), base);

function post(
	implementation: Implementation,
	request: PeerRequest,
	{ base = scoped(implementation), endpoint = 'message', headers = {} } = {},
): Promise<Response> {
	return implementation.fetch(`${base}/${endpoint}`, { method: 'POST', body: JSON.stringify(request), headers });
}

async function sealedReply(
	implementation: Implementation,
	request: PeerRequest,
	base = scoped(implementation),
): Promise<Sealed> {
	const response = await post(implementation, request, { base });
	assert.equal(response.status, 200, await response.clone().text());
	return (await response.json()) as Sealed;
}

/** The sentence with which both endpoints refuse. */
async function refusal(implementation: Implementation, request: PeerRequest, status: number): Promise<string> {
	const sentences: string[] = [];
	for (const endpoint of ['message', 'message_stream']) {
		const response = await post(implementation, request, { endpoint });
		const text = await response.text();
		assert.equal(response.status, status, text);
		sentences.push((JSON.parse(text) as { error: string }).error);
	}
	const [first = '', second] = sentences;
	assert.equal(first, second);
	assert.match(first, /^[^\s].*\.$/);
	return first;
}

/** Creates a client whose transport works like the extension's own, which sets address and key at each request. */
function ownClient(implementation: Implementation): Client {
	const transport = createFetchTransport((address, init) => {
		const { pathname, search } = new URL(address);
		const headers = Object.fromEntries(new Headers(init.headers));
		return implementation.fetch(pathname + search, { ...init, headers });
	});
	return createClient({ connection: localConnection, keys: async () => implementation.key, transport });
}

conformance('the encrypted channel', verifies => {
	verifies(
		[...id('health-record', 1, 2, 3, 4, 5, 6), ...ADDRESSES],
		'its health has all six fields',
		async implementation => {
			for (const base of [scoped(implementation), SHARED]) {
				const response = await implementation.fetch(`${base}/health`);
				assert.equal(response.status, 200);
				const health = (await response.json()) as Record<string, unknown>;
				assert.equal(health['status'], 'healthy');
				assert.equal(health['crypto_status'], 'ready');
				assert.equal(typeof health['server'], 'string');
				assert.match(String(health['server']), /\w/);
				assert.match(String(health['version']), /^\d+\.\d+\.\d+/);
				assert.ok(Math.abs(Number(health['timestamp']) - Date.now() / 1000) < 60);
				assert.ok(Number.isInteger(health['worker_pid']));
			}
		},
	);

	verifies(
		[...id('attestation-record', 1, 2, 3, 4, 5, 6), ...id('states-and-transitions', 1), ...ADDRESSES],
		'its attestation begins a session, is signed, and says that there is no hardware',
		async implementation => {
			for (const base of [scoped(implementation), SHARED]) {
				const [one, other] = [await attest(implementation, base), await attest(implementation, base)];
				const { attestation, enclaveKey } = one;
				assert.equal(enclaveKey.asymmetricKeyDetails?.namedCurve, 'secp384r1');
				assert.notEqual(attestation.session_id, other.attestation.session_id);
				assert.notEqual(attestation.nonce_b64, other.attestation.nonce_b64);
				assert.equal(Buffer.from(attestation.nonce_b64, 'base64').length, 32);
				const signature = Buffer.from(attestation.signature, 'base64');
				assert.ok(verify('sha384', Buffer.from(attestation.report_json), enclaveKey, signature));
				assert.deepEqual(JSON.parse(attestation.report_json), attestation.report);
				assert.match(attestation.report_json, /no hardware evidence/);
				assert.equal((await sealedReply(implementation, one.seal(HELLO), base)).nonce, 3000);
			}
		},
	);

	verifies(
		[
			...id('message-request-body', 1, 2, 3, 4, 5, 6, 7),
			...id('message-response-body', 1, 2, 3, 4),
			...id('cryptographic-contract', 2, 3, 4, 5),
			...id('states-and-transitions', 2),
			...id('endpoints', 3),
			...id('limits', 1, 2),
		],
		'messages of a client with other cryptography are answered, each 2000 above its nonce',
		async implementation => {
			const peer = await attest(implementation);
			const ivs = new Set<string>();
			for (const nonce of [1000, 1001, 1002]) {
				const reply = await sealedReply(implementation, peer.seal(HELLO));
				assert.equal(reply.nonce, nonce + 2000);
				assert.equal(Buffer.from(reply.iv, 'base64').length, 12);
				assert.match(peer.open(reply), /stand-in/);
				ivs.add(reply.iv);
			}
			assert.equal(ivs.size, 3);
		},
	);

	verifies(
		[...id('endpoints', 4), ...id('events/prose', 1)],
		'a stream has sealed frames, each complete, and an end',
		async implementation => {
			const peer = await attest(implementation);
			const whole = peer.open(await sealedReply(implementation, peer.seal(HELLO)));
			const response = await post(implementation, peer.seal(HELLO), { endpoint: 'message_stream' });
			assert.equal(response.status, 200);
			assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
			assert.ok(response.body);
			const data: string[] = [];
			const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
			for await (const event of events) {
				data.push(event.data);
			}
			assert.equal(data.pop(), '[DONE]');
			const frames = data.map(text => JSON.parse(text) as Sealed);
			// How many they are depends on how busy the machine is: what is there at once is sealed together.
			assert.ok(frames.length > 0);
			assert.deepEqual(new Set(frames.map(({ nonce }) => nonce)), new Set([3001]));
			assert.equal(frames.map(frame => peer.open(frame)).join(''), whole);
		},
	);

	verifies(
		[...id('authentication', 2), ...id('endpoints', 3, 4)],
		'a message without the key, or with another one, is refused',
		async implementation => {
			const peer = await attest(implementation);
			const request = peer.seal(HELLO);
			for (const endpoint of ['message', 'message_stream']) {
				for (const authorization of ['', 'Bearer sk-another']) {
					const response = await post(implementation, request, { endpoint, headers: { authorization } });
					assert.equal(response.status, 401);
				}
			}
			await sealedReply(implementation, request);
		},
	);

	verifies(
		[...id('authentication', 3), ...id('message-request-body', 4, 7), ...id('limits', 1, 3)],
		'a nonce, a signature, an IV or a text that does not hold is refused with its reason',
		async implementation => {
			const peer = await attest(implementation);
			const first = peer.seal(HELLO);
			const signer = p384KeyPair().privateKey;
			assert.match(await refusal(implementation, peer.seal(HELLO, { nonce: 1000, signer }), 400), /signature/);
			await sealedReply(implementation, first);
			assert.match(await refusal(implementation, first, 400), /nonce must be 1001/);
			const again = peer.resign({ ...first.payload, nonce: peer.nonce++ });
			const response = await post(implementation, again);
			assert.equal(response.status, 400);
			assert.match(await response.text(), /payload\.iv was used/);
			const noConversation = await post(implementation, peer.seal('hidden words'));
			assert.equal(noConversation.status, 400);
			assert.doesNotMatch(await noConversation.text(), /hidden/);
			const large = await post(implementation, peer.seal(conversation('x'.repeat(8 * 1024 * 1024))));
			assert.equal(large.status, 413);
			await sealedReply(implementation, peer.seal(HELLO));
		},
	);

	verifies(
		[...id('states-and-transitions', 3, 4, 5), ...id('errors', 1), ...id('message-request-body', 2)],
		'a session that is over, unknown, or of another model is answered with 409, and a new one begins at 1000',
		async implementation => {
			const peer = await attest(implementation);
			assert.match(await refusal(implementation, { ...peer.seal(HELLO), session_id: 'unknown' }, 409), /attestation/);
			const astray = await post(implementation, peer.seal(HELLO, { nonce: 1000 }), { base: SHARED });
			assert.equal(astray.status, 409);
			const ahead = await post(implementation, peer.seal(HELLO, { nonce: 1005 }));
			assert.equal(ahead.status, 400);
			await refusal(implementation, peer.seal(HELLO, { nonce: 1000 }), 409);
			const next = await attest(implementation);
			assert.equal((await sealedReply(implementation, next.seal(HELLO))).nonce, 3000);
		},
	);

	verifies(
		[
			...id('message-response-body', 1, 2, 3, 4),
			...id('endpoints', 3, 4),
			...id('states-and-transitions', 2),
			...ADDRESSES,
		],
		'our client sends, streams and checks on both forms',
		async implementation => {
			const { model, provider } = implementation;
			for (const address of [{ model, provider }, {}]) {
				const session = await ownClient(implementation).channel.open(address);
				assert.ok(session.verdicts.every(({ verdict }) => verdict !== 'fail'));
				const { text } = await session.send([{ role: 'user', content: 'Hello' }]);
				let streamed = '';
				for await (const event of session.stream([{ role: 'user', content: 'Hello' }])) {
					streamed += event.text;
				}
				assert.match(text, /stand-in/);
				assert.equal(streamed, text);
				await session.close();
			}
		},
	);

	verifies(
		id('states-and-transitions', 5),
		'our client goes on by itself when its session was forgotten',
		async implementation => {
			const { model, provider } = implementation;
			const session = await ownClient(implementation).channel.open({ model, provider });
			const before = session.attestation.session_id;
			for (let count = 0; count < 256; count++) {
				await (await implementation.fetch(`${scoped(implementation)}/attestation`)).text();
			}
			assert.match((await session.send([{ role: 'user', content: 'Hello' }])).text, /stand-in/);
			assert.notEqual(session.attestation.session_id, before);
		},
	);

	verifies(
		[...id('endpoints', 4), ...id('limits', 3)],
		'an error in the middle of a stream reaches our client as what it is',
		async implementation => {
			const { model, provider, prompts } = implementation;
			const session = await ownClient(implementation).channel.open({ model, provider });
			let text = '';
			const reading = (async () => {
				for await (const event of session.stream([{ role: 'user', content: prompts.error }])) {
					text += event.text;
				}
			})();
			await assert.rejects(reading, { name: 'ClientError', code: 'upstream' });
			assert.notEqual(text, '');
			assert.match((await session.send([{ role: 'user', content: 'Hello' }])).text, /stand-in/);
		},
	);
});
