import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { FIRST_NONCE, type MessageRequest } from '../../../../src/contract/channel.ts';
import { MAXIMUM_CIPHERTEXT_MEGABYTES, MAXIMUM_MESSAGES } from '../../../../src/service/channel/channelSession.ts';
import { MAXIMUM_IDLE_MS, MAXIMUM_SESSIONS, Responder } from '../../../../src/service/channel/responder.ts';
import { ChannelPeer, conversation, type PeerRequest } from '../../../support/channelPeer.ts';
import { p384KeyPair } from '../../../support/contractServer/channelCryptography.ts';
import { ManualClock } from '../../../support/manualClock.ts';

const PLACE = 'here';
const HELLO = conversation('Hello');

describe('the responder of the encrypted channel', () => {
	let clock: ManualClock;
	let responder: Responder;

	beforeEach(() => {
		clock = new ManualClock();
		responder = new Responder('1.2.3', clock);
	});

	const attest = () => new ChannelPeer(responder.attest(PLACE));
	const open = (request: PeerRequest, place = PLACE) => responder.open(place, request as MessageRequest);
	const refuses = (request: PeerRequest, status: number, message: RegExp) =>
		assert.rejects(open(request), { name: 'RequestRefused', status, message });

	describe('in its attestation', () => {
		it('says in words that there is no hardware, the same in report and text', () => {
			const { report_json: text, report } = attest().attestation;
			assert.deepEqual(JSON.parse(text), report);
			assert.equal(report['hardware'], 'none');
			assert.match(String(report['statement']), /no hardware evidence.*Errand.s own service/i);
			assert.equal(report['version'], '1.2.3');
		});

		it('signs the report, with its nonce in it', () => {
			const { attestation, enclaveKey } = attest();
			const { report, report_json: text, signature, nonce_b64: nonce } = attestation;
			assert.ok(verify('sha384', Buffer.from(text), enclaveKey, Buffer.from(signature, 'base64')));
			assert.equal(Buffer.from(nonce, 'base64').length, 32);
			assert.equal(report['eat_nonce'], Buffer.from(nonce, 'base64').toString('base64url'));
		});

		it('has a token that names itself as its issuer', () => {
			const { attestation, enclaveKey } = attest();
			const [head = '', claims = '', signature = ''] = attestation.gpu_eat.split('.');
			const key = { key: enclaveKey, dsaEncoding: 'ieee-p1363' } as const;
			assert.ok(verify('sha384', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url')));
			const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
			assert.deepEqual(read(head), { alg: 'ES384', typ: 'JWT' });
			const { iss, iat, ...rest } = read(claims);
			assert.equal(iss, 'errand');
			assert.equal(typeof iat, 'number');
			assert.deepEqual(rest, attestation.report);
		});

		it('has one key for the process, and never the same session or nonce twice', () => {
			const records = Array.from({ length: 5 }, () => attest().attestation);
			assert.equal(new Set(records.map(record => record.public_key)).size, 1);
			assert.equal(new Set(records.map(record => record.session_id)).size, 5);
			assert.equal(new Set(records.map(record => record.nonce_b64)).size, 5);
			const other = new Responder('1.2.3', clock).attest(PLACE);
			assert.notEqual(other.public_key, records[0]?.public_key);
			assert.equal(createPublicKey(other.public_key).asymmetricKeyDetails?.namedCurve, 'secp384r1');
		});
	});

	describe('with a message', () => {
		it('opens the conversation, and seals a reply 2000 above', async () => {
			const peer = attest();
			for (const nonce of [1000, 1001, 1002]) {
				const { history, seal } = await open(peer.seal(HELLO));
				assert.deepEqual(history, [{ role: 'user', content: 'Hello' }]);
				const reply = await seal('Good day \u{1F642}');
				assert.equal(reply.nonce, nonce + 2000);
				assert.equal(peer.open(reply), 'Good day \u{1F642}');
			}
		});

		it('seals each part of a reply under the same nonce and an IV of its own', async () => {
			const peer = attest();
			const { seal } = await open(peer.seal(HELLO));
			const parts = await Promise.all(['one', '', 'three'].map(text => seal(text)));
			assert.deepEqual(
				parts.map(part => peer.open(part)),
				['one', '', 'three'],
			);
			assert.deepEqual(new Set(parts.map(({ nonce }) => nonce)), new Set([3000]));
			assert.equal(new Set(parts.map(({ iv }) => iv)).size, 3);
		});

		it('opens messages that come at once in their order, a slow one before a quick one', async () => {
			const peer = attest();
			const requests = ['x'.repeat(4_000_000), 'y', 'z'].map(content => peer.seal(conversation(content)));
			const opened = await Promise.all(requests.map(request => open(request)));
			assert.deepEqual(
				opened.map(({ history }) => history[0]?.content.at(0)),
				['x', 'y', 'z'],
			);
		});

		it('keeps sessions apart', async () => {
			const [one, other] = [attest(), attest()];
			await open(one.seal(HELLO));
			await open(one.seal(HELLO));
			await open(other.seal(HELLO));
			const request = one.seal(HELLO);
			await refuses({ ...request, session_id: other.attestation.session_id }, 400, /nonce must be 1001 now/);
			await open(request);
		});

		it('takes another key with each message, and seals the reply for that key', async () => {
			const { attestation } = attest();
			const peers = Array.from({ length: 3 }, () => new ChannelPeer(attestation));
			for (const [index, peer] of peers.entries()) {
				const { seal } = await open(peer.seal(HELLO, { nonce: 1000 + index }));
				const reply = await seal('Good day');
				assert.equal(reply.nonce, 3000 + index);
				assert.equal(peer.open(reply), 'Good day');
				assert.throws(() => peers[(index + 1) % 3]?.open(reply));
			}
		});
	});

	describe('refuses', () => {
		it('a nonce that was used, and goes on with the next', async () => {
			const peer = attest();
			const first = peer.seal(HELLO);
			await open(first);
			await refuses(first, 400, /nonce must be 1001 now\.$/);
			await refuses(peer.seal(HELLO, { nonce: 1000 }), 400, /nonce must be 1001 now\.$/);
			await open(peer.seal(HELLO));
		});

		it('one of two messages with the same nonce that come at once', async () => {
			const peer = attest();
			const requests = Array.from({ length: 4 }, () => peer.seal(HELLO, { nonce: 1000 }));
			const outcomes = await Promise.allSettled(requests.map(request => open(request)));
			assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
		});

		it('a nonce that is ahead, and ends the session, whose client has lost a message', async () => {
			const peer = attest();
			await refuses(peer.seal(HELLO, { nonce: 1001 }), 400, /nonce must be 1000 now; this session has ended/);
			await refuses(peer.seal(HELLO, { nonce: 1000 }), 409, /expired/);
		});

		it('a signature by another key, without spending the nonce or ending the session', async () => {
			const peer = attest();
			const { privateKey: signer } = p384KeyPair();
			await refuses(peer.seal(HELLO, { nonce: 1000, signer }), 400, /signature is not one of the other side/);
			await refuses(peer.seal(HELLO, { nonce: 1005, signer }), 400, /signature is not one of the other side/);
			await open(peer.seal(HELLO));
		});

		for (const field of ['iv', 'ciphertext', 'signature'] as const) {
			it(`a message with one bit of its ${field} turned over`, async () => {
				const peer = attest();
				const request = peer.seal(HELLO, { nonce: 1000 });
				const bytes = Buffer.from(request.payload[field], 'base64');
				bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
				const payload = { ...request.payload, [field]: bytes.toString('base64') };
				await refuses({ ...request, payload }, 400, /^payload cannot be opened: its signature/);
				await open(request);
			});
		}

		it('a signature over another nonce', async () => {
			const peer = attest();
			const request = peer.seal(HELLO, { nonce: 1001 });
			await refuses({ ...request, payload: { ...request.payload, nonce: 1000 } }, 400, /signature/);
			await open(peer.seal(HELLO));
		});

		it('an IV that was used before', async () => {
			const peer = attest();
			const first = peer.seal(HELLO);
			await open(first);
			const again = peer.resign({ ...first.payload, nonce: peer.nonce++ });
			await refuses(again, 400, /payload\.iv was used before/);
			await open(peer.seal(HELLO));
		});

		it('a ciphertext of another key', async () => {
			const peer = attest();
			const other = new ChannelPeer(peer.attestation);
			const { payload } = other.seal(HELLO);
			await refuses(peer.resign({ ...payload, nonce: peer.nonce++ }), 400, /not encrypted with the key of its message/);
		});

		it('a key that is none, or of another curve', async () => {
			const peer = attest();
			const request = peer.seal(HELLO, { nonce: 1000 });
			for (const pem of [
				'-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
				request.peer_public_key.replace(/[A-Za-z](?=[^\n]*\n-----END)/, letter => (letter === 'A' ? 'B' : 'A')),
			]) {
				await refuses({ ...request, peer_public_key: pem }, 400, /^peer_public_key cannot be used: /);
			}
			await open(request);
		});

		it('a nonce that was used or left out, by a new key as well', async () => {
			const peer = attest();
			await open(peer.seal(HELLO));
			const other = new ChannelPeer(peer.attestation);
			await refuses(other.seal(HELLO, { nonce: 1000 }), 400, /nonce must be 1001 now\.$/);
			await refuses(other.seal(HELLO, { nonce: 1002 }), 400, /this session has ended/);
			await refuses(peer.seal(HELLO), 409, /expired/);
		});

		it('what is no conversation, without repeating any of it', async () => {
			const peer = attest();
			const secret = 'the-secret-word';
			for (const text of [
				secret,
				`{"${secret}":`,
				`"${secret}"`,
				'[]',
				'null',
				JSON.stringify([{ role: secret, content: 'x' }]),
				JSON.stringify([{ role: 'user', content: 'x', [secret]: 1 }]),
				JSON.stringify([{ role: 'user', content: { [secret]: 1 } }]),
			]) {
				await assert.rejects(open(peer.seal(text)), (error: Error) => {
					assert.match(error.message, /must be a JSON array of objects with a role/);
					assert.doesNotMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), /secret/);
					return true;
				});
			}
			await open(peer.seal(HELLO));
		});

		it('a ciphertext that is too large, and goes on with the next message', async () => {
			const peer = attest();
			const size = MAXIMUM_CIPHERTEXT_MEGABYTES * 1024 * 1024 - 16;
			const sized = (length: number) => conversation('x'.repeat(length - conversation('').length));
			await refuses(peer.seal(sized(size + 1)), 413, /larger than 8 MB/);
			await open(peer.seal(sized(size)));
		});
	});

	describe('lets a session expire', () => {
		it('that it does not know', async () => {
			const request = attest().seal(HELLO);
			await refuses({ ...request, session_id: 'unknown' }, 409, /attestation/);
		});

		it('after an hour without a message', async () => {
			const [used, idle] = [attest(), attest()];
			clock.pass(MAXIMUM_IDLE_MS);
			await open(used.seal(HELLO));
			clock.pass(1);
			await open(used.seal(HELLO));
			await refuses(idle.seal(HELLO), 409, /expired/);
			clock.pass(MAXIMUM_IDLE_MS + 1);
			await refuses(used.seal(HELLO), 409, /expired/);
		});

		it('but not while its reply is under way', async () => {
			const peer = attest();
			const { seal } = await open(peer.seal(HELLO));
			clock.pass(MAXIMUM_IDLE_MS);
			await seal('late');
			clock.pass(MAXIMUM_IDLE_MS);
			await open(peer.seal(HELLO));
		});

		it('after its last message', async () => {
			const peer = attest();
			await open(peer.seal(HELLO));
			// A thousand messages would take 14 s of processor time, and each counts by its nonce alone.
			const { sessions } = responder as unknown as { sessions: Map<string, { session: { nonce: number } }> };
			const { session } = sessions.get(peer.attestation.session_id) ?? assert.fail();
			session.nonce = peer.nonce = FIRST_NONCE + MAXIMUM_MESSAGES - 1;
			await open(peer.seal(HELLO));
			await refuses(peer.seal(HELLO), 409, /expired/);
		});

		it('that has been idle for longest, where there are too many', async () => {
			const oldest = attest();
			clock.pass(1);
			const second = attest();
			for (let count = 2; count < MAXIMUM_SESSIONS; count++) {
				clock.pass(1);
				responder.attest(PLACE);
			}
			await open(oldest.seal(HELLO));
			attest();
			await refuses(second.seal(HELLO), 409, /expired/);
			await open(oldest.seal(HELLO));
		});

		it('never for attestations alone, once it has had a message', async () => {
			const peer = attest();
			await open(peer.seal(HELLO));
			for (let count = 0; count <= MAXIMUM_SESSIONS; count++) {
				clock.pass(1);
				responder.attest(PLACE);
			}
			await open(peer.seal(HELLO));
		});

		it('at another place than its own, and keeps it there', async () => {
			const peer = attest();
			const request = peer.seal(HELLO);
			await assert.rejects(open(request, 'elsewhere'), { status: 409 });
			await open(request);
		});
	});
});
