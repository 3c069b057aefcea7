import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/async.ts';
import type { AttestationRecord, MessageRequest } from '../../contract/channel.ts';
import { generateKeyPair, type KeyPair } from '../../crypto/keyPair.ts';
import { createAttester } from './attester.ts';
import { ChannelSession, type OpenedMessage, sessionExpired } from './channelSession.ts';

/** contract: not shown. The time and number of sessions to keep (encrypted-channel.md, Limits). */
export const MAXIMUM_IDLE_MS = 60 * 60 * 1000;
export const MAXIMUM_SESSIONS = 256;

const SESSION_ID_BYTES = 24;

interface KeptSession {
	session: ChannelSession;
	place: string;
	lastUsed: number;
}

/** The service's side of the channel. Its key and its sessions live in the memory of this process only. */
export class Responder {
	private readonly clock: Clock;
	private readonly keys: { keyPair: KeyPair; attester: (sessionId: string) => AttestationRecord };
	private readonly sessions = new Map<string, KeptSession>();

	constructor(version: string, clock: Clock) {
		this.clock = clock;
		const keyPair = generateKeyPair();
		this.keys = { keyPair, attester: createAttester(keyPair, version) };
	}

	/**
	 * Begins a session that is valid for this place only. If there are too many sessions, the one that was idle longest
	 * is evicted.
	 */
	attest(place: string): AttestationRecord {
		if (this.sessions.size >= MAXIMUM_SESSIONS) {
			const [oldest] = [...this.sessions].sort(([, one], [, other]) => one.lastUsed - other.lastUsed);
			this.sessions.delete(oldest?.[0] ?? '');
		}
		const { keyPair, attester } = this.keys;
		const id = randomBytes(SESSION_ID_BYTES).toString('base64url');
		this.sessions.set(id, { session: new ChannelSession(keyPair), place, lastUsed: this.clock.now() });
		return attester(id);
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
		if (kept.session.isOver || this.clock.now() - kept.lastUsed > MAXIMUM_IDLE_MS) {
			this.sessions.delete(id);
			throw sessionExpired();
		}
		kept.lastUsed = this.clock.now();
		const { history, seal } = await kept.session.open(request);
		return {
			history,
			seal: text => {
				kept.lastUsed = this.clock.now();
				return seal(text);
			},
		};
	}
}
