import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../base/async.ts';
import type { AttestationRecord, MessageRequest } from '../../contract/channel.ts';
import { LOCAL_SERVICE } from '../../contract/localConnection.ts';
import { generateKeyPair, type KeyPair } from '../../crypto/keyPair.ts';
import { readPublicKey } from '../../crypto/publicKey.ts';
import { ChannelSession, type Identity, type OpenedMessage, sessionExpired } from './channelSession.ts';

/** contract: not shown. The time and number of sessions to keep (encrypted-channel.md, Limits). */
export const MAXIMUM_IDLE_MS = 60 * 60 * 1000;
export const MAXIMUM_SESSIONS = 256;

const SESSION_ID_BYTES = 24;

/** Signs off the event loop: a streamed reply has a signature for each of its parts. */
const signBytes = promisify(sign);

interface KeptSession {
	session: ChannelSession;
	place: string;
	lastUsed: number;
	/** True once somebody has sent a message in it. */
	isInUse: boolean;
}

/** The service's side of the channel. Its key and its sessions live in the memory of this process only. */
export class Responder {
	private readonly clock: Clock;
	private readonly identity: Identity;
	private readonly attester: (sessionId: string) => AttestationRecord;
	private readonly sessions = new Map<string, KeptSession>();

	constructor(version: string, clock: Clock) {
		this.clock = clock;
		const keyPair = generateKeyPair();
		const signingKey = signingKeyOf(keyPair);
		this.identity = { secretKey: keyPair.secretKey, sign: bytes => signBytes('sha256', bytes, signingKey) };
		this.attester = createAttester(keyPair.publicKey, signingKey, version);
	}

	/**
	 * Begins a session that is valid for this place only. If there are too many sessions, the one that was idle longest
	 * is evicted, of those without any message if there are such: whoever only asks for attestations, which may need no
	 * token, ends no conversation.
	 */
	attest(place: string): AttestationRecord {
		if (this.sessions.size >= MAXIMUM_SESSIONS) {
			const [oldest] = [...this.sessions].sort(
				([, one], [, other]) => Number(one.isInUse) - Number(other.isInUse) || one.lastUsed - other.lastUsed,
			);
			this.sessions.delete(oldest?.[0] ?? '');
		}
		const id = randomBytes(SESSION_ID_BYTES).toString('base64url');
		this.sessions.set(id, {
			session: new ChannelSession(this.identity),
			place,
			lastUsed: this.clock.elapsed(),
			isInUse: false,
		});
		return this.attester(id);
	}

	/**
	 * Opens a message that was sent to the place, as `ChannelSession.open` does. Each place stands for another model,
	 * which no signature covers, so a message that was redirected to another place gets 409 for an unknown session.
	 */
	async open(place: string, request: MessageRequest): Promise<OpenedMessage> {
		const id = request.session_id;
		const kept = this.sessions.get(id);
		if (kept?.place !== place) {
			throw sessionExpired();
		}
		if (kept.session.isOver || this.clock.elapsed() - kept.lastUsed > MAXIMUM_IDLE_MS) {
			this.sessions.delete(id);
			throw sessionExpired();
		}
		kept.lastUsed = this.clock.elapsed();
		const { history, seal } = await kept.session.open(request);
		kept.isInUse = true;
		return {
			history,
			seal: text => {
				kept.lastUsed = this.clock.elapsed();
				return seal(text);
			},
		};
	}
}

const NONCE_BYTES = 32;
/** The length in bytes of a coordinate and of the private number of P-384. */
const NUMBER_BYTES = 48;
const DIGEST = 'sha384';

const STATEMENT =
	'There is no hardware evidence. This is Errand\u2019s own service, an ordinary program on this machine, and this report and its token are issued by the program itself.';

/**
 * Creates the attestation record of a session (contract: encrypted-channel.md, Attestation record). It proves only that
 * its maker has the key: there is no hardware evidence, and both report and token say so in words.
 */
function createAttester(
	publicKey: string,
	signingKey: KeyObject,
	version: string,
): (sessionId: string) => AttestationRecord {
	return sessionId => {
		const nonce = randomBytes(NONCE_BYTES);
		// contract: not shown. Clients look for the nonce in `eat_nonce` (RFC 9711).
		const report = {
			hardware: 'none',
			statement: STATEMENT,
			service: LOCAL_SERVICE,
			version,
			eat_nonce: nonce.toString('base64url'),
		};
		const reportJson = JSON.stringify(report);
		return {
			public_key: publicKey,
			session_id: sessionId,
			nonce_b64: nonce.toString('base64'),
			// contract: not shown. The signature is DER, with the hash of the curve's own size (unspecified.md).
			signature: sign(DIGEST, Buffer.from(reportJson), signingKey).toString('base64'),
			report_json: reportJson,
			report,
			gpu_eat: tokenOf({ iss: LOCAL_SERVICE, iat: Math.floor(Date.now() / 1000), ...report }, signingKey),
		};
	};
}

/**
 * Creates an ES384 token (RFC 7515). Its issuer is this service, so that it cannot be mistaken for one of the GPU
 * maker.
 */
function tokenOf(claims: object, key: KeyObject): string {
	const parts = [{ alg: 'ES384', typ: 'JWT' }, claims];
	const input = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
	const signature = sign(DIGEST, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
	return `${input}.${signature.toString('base64url')}`;
}

function signingKeyOf({ secretKey, publicKey }: KeyPair): KeyObject {
	const { point } = readPublicKey(publicKey);
	const coordinates = point.subarray(1);
	const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
	return createPrivateKey({
		format: 'jwk',
		key: {
			kty: 'EC',
			crv: 'P-384',
			d: text(secretKey),
			x: text(coordinates.subarray(0, NUMBER_BYTES)),
			y: text(coordinates.subarray(NUMBER_BYTES)),
		},
	});
}
