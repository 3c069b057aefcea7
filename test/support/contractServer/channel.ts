import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type KeyPair, open, p384KeyPair, p384PublicKey, type Sealed, seal, sharedKey } from './channelCryptography.ts';
import {
	type Check,
	checkedBody,
	checkedQuery,
	filledText,
	integer,
	isObject,
	type JsonObject,
	list,
	refuse,
	shape,
	text,
} from './checks.ts';
import {
	type Call,
	eventReply,
	type HostName,
	inferenceError,
	jsonReply,
	type ReceivedRequest,
	Refusal,
	type Reply,
	type Route,
	type Tampering,
} from './exchange.ts';
import { channelReply, encryptedModel, health } from './fixtures.ts';

interface Session {
	id: string;
	/** The address at which the session was created. A session belongs to one address, and thus to one model. */
	address: string;
	nextNonce: number;
	ivs: Set<string>;
	isExpired: boolean;
}

/** A decrypted conversation. */
export interface DecryptedMessage {
	sessionId: string;
	nonce: number;
	history: JsonObject[];
}

const payload = shape(
	{ nonce: integer({ from: 1000 }), iv: filledText, ciphertext: filledText, signature: filledText },
	['nonce', 'iv', 'ciphertext', 'signature'],
);

const history: Check = list(shape({ role: filledText, content: text }, ['role', 'content']), 1);

/** The enclave's side of the encrypted message channel, in both addressing forms. */
export class Channel {
	readonly decrypted: DecryptedMessage[] = [];
	private readonly sessions = new Map<string, Session>();
	private enclave: KeyPair = p384KeyPair();
	private readonly tampering: Pick<Tampering, 'deviation'>;

	constructor(tampering: Pick<Tampering, 'deviation'>) {
		this.tampering = tampering;
	}

	/** Expires every session, so that its next message is answered with 409. */
	expireSessions(): void {
		for (const session of this.sessions.values()) {
			session.isExpired = true;
		}
	}

	/**
	 * Changes the enclave's key. The next attestation carries another public key, and messages for the old one no longer
	 * decrypt.
	 */
	changeKey(): void {
		this.enclave = p384KeyPair();
		this.expireSessions();
	}

	/** Counts a message that a test's rule answers, because the client has spent its nonce. */
	spend({ json }: ReceivedRequest): void {
		const { session_id: id, payload: sent } = isObject(json) ? json : {};
		const session = this.sessions.get(String(id));
		if (session !== undefined && isObject(sent) && sent['nonce'] === session.nextNonce) {
			session.nextNonce += 1;
		}
	}

	routes(): Route[] {
		return ['org' as const, 'encrypt' as const].flatMap(host => {
			const prefix = host === 'org' ? '/enc/*/*' : '';
			const endpoint = (
				method: string,
				name: string,
				key: 'inference' | null,
				handle: (call: Call) => Reply,
			): Route => ({
				hosts: [host],
				method,
				path: `${prefix}/${name}`,
				key,
				errorBody: inferenceError,
				handle: call => {
					checkAddress(host, call.parts);
					checkedQuery(call.request.query);
					return handle(call);
				},
			});
			return [
				endpoint('GET', 'health', null, () => jsonReply(healthRecord(host))),
				endpoint('GET', 'attestation', null, call => jsonReply(this.attest(call))),
				endpoint('POST', 'message', 'inference', call => this.message(call)),
				endpoint('POST', 'message_stream', 'inference', call => this.stream(call)),
			];
		});
	}

	private attest(call: Call): JsonObject {
		const id = randomBytes(24).toString('base64url');
		const address = addressOf(call);
		this.sessions.set(id, { id, address, nextNonce: 1000, ivs: new Set(), isExpired: false });
		const { publicKey, privateKey } = this.enclave;
		const nonce = randomBytes(32);
		const report = {
			report_version: '1.3',
			eat_nonce: nonce.toString('hex'),
			measurements: { driver: 'a1', firmware: 'b2' },
		};
		const reportJson = JSON.stringify(report, null, 1);
		return {
			public_key: publicKey.export({ type: 'spki', format: 'pem' }),
			session_id: id,
			nonce_b64: nonce.toString('base64'),
			// contract: not shown. The signature covers the report's bytes as sent, with SHA-256, in DER.
			signature: sign('sha256', Buffer.from(reportJson), { key: privateKey, dsaEncoding: 'der' }).toString('base64'),
			report_json: reportJson,
			report,
			gpu_eat: selfIssuedToken(privateKey, nonce),
		};
	}

	private message(call: Call): Reply {
		const { nonce, key } = this.received(call);
		const { deviation } = this.tampering;
		return jsonReply(seal(channelReply.pieces.join(''), nonce + 2000, key, this.enclave.privateKey, deviation));
	}

	/**
	 * contract: not shown. Sends one signed frame per piece, as server-sent events or one per line, then the end mark.
	 */
	private stream(call: Call): Reply {
		const { nonce, key, scenario } = this.received(call);
		const step = scenario === 'growing' ? 1 : 0;
		const isBroken = scenario === 'cut' || scenario === 'error-midway';
		const pieces = isBroken ? channelReply.pieces.slice(0, 2) : channelReply.pieces;
		const frames: unknown[] = pieces.map((piece, index) =>
			seal(piece, nonce + 2000 + step * index, key, this.enclave.privateKey, this.tampering.deviation),
		);
		if (scenario === 'error-midway') {
			frames.push(inferenceError(502, 'The model broke off'));
		}
		if (scenario === 'lines') {
			const lines = [...frames.map(frame => JSON.stringify(frame)), '[DONE]', ''].join('\n');
			return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, text: lines };
		}
		return eventReply([...frames, ...(isBroken ? [] : ['[DONE]'])].map(data => ({ data })));
	}

	/** Checks and decrypts a message. A session's nonce is used up as soon as it is recognised as the next one. */
	private received(call: Call): { nonce: number; key: Buffer; scenario: string } {
		const fields = { peer_public_key: filledText, session_id: filledText, payload };
		const body = checkedBody(call.request.json, fields, ['peer_public_key', 'session_id', 'payload']);
		const session = this.sessions.get(String(body['session_id']));
		if (session === undefined || session.address !== addressOf(call)) {
			refuse('session_id is of no attestation of this address');
		}
		if (session.isExpired) {
			throw new Refusal(409, 'The session has expired');
		}
		const sent = body['payload'] as unknown as Sealed;
		if (sent.nonce !== session.nextNonce) {
			refuse(`payload.nonce must be ${session.nextNonce}`);
		}
		session.nextNonce += 1;
		const peer = p384PublicKey(String(body['peer_public_key']));
		const { deviation } = this.tampering;
		const key = sharedKey(this.enclave.privateKey, peer, deviation);
		const conversation = parsed(open(sent, key, peer, deviation));
		if (session.ivs.has(sent.iv)) {
			refuse('payload.iv was used before');
		}
		session.ivs.add(sent.iv);
		this.decrypted.push({ sessionId: session.id, nonce: sent.nonce, history: conversation });
		const last = conversation.findLast(({ role }) => role === 'user')?.['content'];
		return { nonce: sent.nonce, key, scenario: String(last).trim() };
	}
}

function parsed(plain: string): JsonObject[] {
	let value: unknown;
	try {
		value = JSON.parse(plain);
	} catch {
		return refuse('The conversation is not JSON');
	}
	history(value, 'conversation');
	return value as JsonObject[];
}

function checkAddress(host: HostName, [provider, model]: string[]): void {
	if (host === 'org' && (provider !== encryptedModel.channelProvider || model !== encryptedModel.id)) {
		throw new Refusal(404, `There is no ${model} of ${provider}`);
	}
}

function addressOf({ request: { host }, parts }: Call): string {
	return [host, ...parts].join('/');
}

function healthRecord(host: HostName): JsonObject {
	const { timestamp, worker_pid, ...everywhere } = health;
	return host === 'org' ? health : everywhere;
}

/** Returns a token of the right form that only this server vouches for. */
function selfIssuedToken(privateKey: KeyObject, nonce: Buffer): string {
	const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
	const kid = createHash('sha256').update('contract server').digest('hex').slice(0, 16);
	const claims = { iss: 'https://attestation.quillon.invalid', iat: 1_751_300_000, eat_nonce: nonce.toString('hex') };
	const signed = `${part({ alg: 'ES384', typ: 'JWT', kid })}.${part(claims)}`;
	const signature = sign('sha384', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
	return `${signed}.${signature.toString('base64url')}`;
}
