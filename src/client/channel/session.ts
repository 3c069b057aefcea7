// An encrypted session lasts as long as the service accepts its messages: one attestation, and one nonce for each
// message that may have left. Each message has its own key pair, and a part of a reply opens only with its message's
// key, so that a part that was held back cannot answer another message. A service that refuses a second key in a
// session gets a session for each message. The frames of a reply are verified off the event loop, then decrypted, then
// delivered; a frame that fails ends the session. The extension decides on the consequences of an attestation's checks
// (`attest.ts`): it asks before anything is sent if the proof is weaker than the last one, or if the GPU or the key is
// a different one.
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { type ChannelMessage, channelHistorySchema, FIRST_NONCE, type MessageRequest } from '../../contract/channel.ts';
import { BatchedStream } from '../core/batchedStream.ts';
import { abortedError } from '../core/exchange.ts';
import { checkRequest } from '../core/requestCheck.ts';
import type { Attested, ChannelOpenOptions, ChannelSession, TextEvent } from '../types.ts';
import { channelTarget } from './address.ts';
import { type Accepted, accept, type ChannelContext, type Opening } from './attest.ts';
import { Handshake } from './handshake.ts';
import { acceptedAttestation } from './ladder.ts';
import { postMessage, ReplyNonces } from './message.ts';
import { readReplyStream } from './replyStream.ts';

/** Throws the errors of `Client.channel.open`. */
export async function openSession(context: ChannelContext, options: ChannelOpenOptions): Promise<ChannelSession> {
	const { signal, model, provider, knownKey, ...rest } = options;
	const address = defined({ model, provider });
	const opening: Opening = { ...rest, context, address };
	return new Session(opening, await accept(opening, { knownKey, signal }));
}

/** A session at the service, begun by an attestation (contract: encrypted-channel.md, States and transitions). */
interface ServiceSession extends Accepted {
	/** The nonce of the next message. A message that may have left has used up its nonce, whatever its outcome. */
	nonce: number;
	/** The number of messages that got a reply. */
	replies: number;
}

const newSession = (accepted: Accepted): ServiceSession => ({ ...accepted, nonce: FIRST_NONCE, replies: 0 });

/** The reply to a message, with the handshake that decrypts it. */
interface Delivered<T> {
	handshake: Handshake;
	nonce: number;
	reply: T;
}

class Session implements ChannelSession {
	private readonly opening: Opening;
	private readonly closing = new AbortController();
	/** The attestation that was accepted last. */
	private attested: Attested;
	/**
	 * The session that the next message belongs to, if any. Each message has a key pair of its own: an attacker between
	 * the client and the enclave can have the enclave answer a message at either endpoint and more than once, deliver any
	 * frame of the answers as the reply, and hold back the others. No such frame opens with the key of another message, so
	 * it cannot answer that one.
	 */
	private current: ServiceSession | undefined;
	/** True if the previous session expired at its second message. */
	private hasExpiredEarly = false;
	private isBusy = false;
	private tampering: ClientError | undefined;

	constructor(opening: Opening, accepted: Accepted) {
		this.opening = opening;
		this.current = newSession(accepted);
		this.attested = accepted.attested;
	}

	get attestation(): Attested['attestation'] {
		return this.attested.attestation;
	}

	get verdicts(): Attested['verdicts'] {
		return this.attested.verdicts;
	}

	get address(): string {
		return this.attested.address;
	}

	get keyFingerprint(): Attested['keyFingerprint'] {
		return this.attested.keyFingerprint;
	}

	get devices(): Attested['devices'] {
		return this.attested.devices;
	}

	async send(history: readonly ChannelMessage[], { signal }: { signal?: AbortSignal } = {}): Promise<{ text: string }> {
		const own = this.begin(signal);
		try {
			const { address } = this.opening;
			const { caller } = this.opening.context;
			const { handshake, reply } = await this.deliver(history, own, request =>
				postMessage(caller, address, request, own),
			);
			handshake.admit(reply);
			return { text: await handshake.open(reply) };
		} catch (error) {
			throw this.failure(error);
		} finally {
			this.isBusy = false;
		}
	}

	stream(history: readonly ChannelMessage[], { signal }: { signal?: AbortSignal } = {}): AsyncIterable<TextEvent> {
		return new BatchedStream(signal, own => this.readStream(history, own));
	}

	async close(): Promise<void> {
		this.current = undefined;
		this.closing.abort();
	}

	private async *readStream(
		history: readonly ChannelMessage[],
		signal: AbortSignal,
	): AsyncGenerator<TextEvent[], void> {
		const own = this.begin(signal);
		try {
			const { address } = this.opening;
			const { caller } = this.opening.context;
			const { handshake, reply, nonce } = await this.deliver(history, own, request =>
				caller.stream({
					...channelTarget(caller.connection, 'messageStream', address),
					body: request,
					codes: { 409: 'session-expired' },
					redirects: 'refuse',
					retry: 'never',
					signal: own,
				}),
			);
			yield* readReplyStream(caller, reply, handshake, new ReplyNonces(nonce));
		} catch (error) {
			throw this.failure(error);
		} finally {
			this.isBusy = false;
		}
	}

	/** Throws if no message may be sent now. The returned signal aborts when the caller's does or the session closes. */
	private begin(signal: AbortSignal | undefined): AbortSignal {
		if (this.tampering) {
			throw this.tampering;
		}
		if (this.closing.signal.aborted) {
			throw new ClientError('invalid-request', 'the session is closed', { unsent: true });
		}
		if (this.isBusy) {
			const message = 'a message is under way; a session takes one at a time';
			throw new ClientError('invalid-request', message, { unsent: true });
		}
		this.isBusy = true;
		return signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
	}

	/** Sends the conversation. If the service refuses it in this session, it is sent once more in a new one. */
	private async deliver<T>(
		history: readonly ChannelMessage[],
		signal: AbortSignal,
		send: (request: MessageRequest) => Promise<T>,
	): Promise<Delivered<T>> {
		const text = JSON.stringify(checkRequest(channelHistorySchema, history));
		const { memory } = this.opening.context;
		const { current } = this;
		const isUsedUp = current && current.nonce > FIRST_NONCE && memory.needsSessionPerMessage(this.address);
		const session = current && !isUsedUp ? current : await this.renew(signal, false);
		const isFirst = session.nonce === FIRST_NONCE;
		// After one reply, the new key is the only thing in a second message that the service may reject.
		const isSecond = session.nonce === FIRST_NONCE + 1 && session.replies === 1;
		let isBound: boolean;
		try {
			const delivered = await this.attempt(session, text, send);
			this.hasExpiredEarly &&= isFirst;
			return delivered;
		} catch (error) {
			const isExpired = ClientError.is(error, 'session-expired');
			if (!isExpired && (isFirst || !isRefusal(error))) {
				throw error;
			}
			// The session may really have expired, so two sessions must end in the same way.
			isBound = isSecond && (!isExpired || this.hasExpiredEarly);
			this.hasExpiredEarly = isSecond && isExpired;
		}
		this.current = undefined;
		try {
			const delivered = await this.attempt(await this.renew(signal, true), text, send);
			if (isBound) {
				memory.noteSessionPerMessage(this.address);
			}
			return delivered;
		} catch (error) {
			throw ClientError.is(error) ? error.withSent(true) : error;
		}
	}

	private async attempt<T>(
		session: ServiceSession,
		text: string,
		send: (request: MessageRequest) => Promise<T>,
	): Promise<Delivered<T>> {
		const { nonce } = session;
		const { handshake, request } = await Handshake.seal(text, nonce, session);
		session.nonce++;
		try {
			const reply = await send(request);
			session.replies++;
			return { handshake, nonce, reply };
		} catch (error) {
			if (ClientError.is(error, 'session-expired')) {
				this.current = undefined;
			} else if (ClientError.is(error) && !error.wasSent) {
				session.nonce = nonce;
			}
			throw error;
		}
	}

	/** `wasSent` tells whether the message that needs the new attestation was sent before. */
	private async renew(signal: AbortSignal, wasSent: boolean): Promise<ServiceSession> {
		const current = acceptedAttestation(this.attested, this.attested.keyFingerprint ?? '');
		const accepted = await accept(this.opening, { current, wasSent, signal });
		if (signal.aborted) {
			throw abortedError();
		}
		this.attested = accepted.attested;
		this.current = newSession(accepted);
		return this.current;
	}

	/** Ends the session if the error shows tampering. */
	private failure(error: unknown): unknown {
		if (ClientError.is(error, 'tampered')) {
			this.tampering = error;
			this.current = undefined;
		}
		return error;
	}
}

/**
 * contract: not shown. Returns whether the service may have refused the message because of its session, which may be
 * bound to the key of its first message or expect another nonce.
 */
function isRefusal(error: unknown): boolean {
	return ClientError.is(error) && error.status !== undefined && [400, 401, 403].includes(error.status);
}
