import { untilAborted } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { type ChannelMessage, channelHistorySchema, type MessageRequest } from '../../contract/channel.ts';
import { BatchedStream } from '../core/batchedStream.ts';
import type { Caller } from '../core/caller.ts';
import { abortedError } from '../core/exchange.ts';
import { checkRequest } from '../core/requestCheck.ts';
import type {
	AcceptedAttestation,
	Attested,
	ChannelAttestOptions,
	ChannelOpenOptions,
	ChannelSession,
} from '../types.ts';
import { attestationUrl, type ChannelAddress, channelTarget } from './address.ts';
import { fetchAttestation } from './attestationRecord.ts';
import { Handshake } from './handshake.ts';
import type { HardwareAuthority } from './hardware/authority.ts';
import type { MakerKeys } from './hardware/makerKeys.ts';
import {
	acceptedOf,
	climbLadder,
	demandHardwareProof,
	hasOtherVerdicts,
	isDowngrade,
	type Proof,
	provenKey,
	RefusedAttestation,
	remember,
} from './ladder.ts';
import type { ChannelMemory } from './memory.ts';
import { postMessage } from './message.ts';
import { ReplyNonces } from './replyNonces.ts';
import { readReplyStream } from './replyStream.ts';

/** What all sessions of a client share. */
export interface ChannelContext {
	caller: Caller;
	memory: ChannelMemory;
	authority: HardwareAuthority;
	makerKeys: MakerKeys;
}

/** The options of a session, which also apply to the attestation of each later message. */
interface Opening extends Pick<ChannelOpenOptions, 'confirm' | 'askMaker' | 'requireHardwareProof'> {
	context: ChannelContext;
	address: ChannelAddress;
}

/** Throws as `Client.channel.open` says. */
export async function openSession(context: ChannelContext, options: ChannelOpenOptions): Promise<ChannelSession> {
	const { signal, model, provider, knownKey, ...rest } = options;
	const address = defined({ model, provider });
	const opening: Opening = { ...rest, context, address };
	return new Session(opening, await accept(opening, { knownKey, signal }));
}

/** Fetches a new attestation and runs all checks on it. It neither refuses nor remembers anything. */
export async function attest(
	{ caller, memory, authority, makerKeys }: ChannelContext,
	{ askMaker = () => Promise.resolve(false), signal, ...address }: ChannelAttestOptions,
	current?: AcceptedAttestation,
): Promise<{ proof: Proof; before: AcceptedAttestation | undefined }> {
	const url = attestationUrl(caller.connection, address);
	const before = current ?? memory.accepted(url);
	const record = await fetchAttestation(caller, address, signal);
	const proof = await climbLadder(record, {
		address: url,
		memory,
		before,
		authority,
		findKey: id => makerKeys.find(id, () => isYes(askMaker, signal), signal),
		now: caller.clock.now(),
	});
	return { proof, before };
}

/**
 * Fetches a new attestation and returns a handshake for it, or throws if the attestation must not be used. `current` is
 * the attestation that it replaces, whose key is known. An accepted attestation is remembered; a refused one is not.
 */
async function accept(
	opening: Opening,
	{
		current,
		knownKey = current?.keyFingerprint,
		wasSent = false,
		signal,
	}: {
		current?: AcceptedAttestation;
		knownKey?: string | undefined;
		wasSent?: boolean;
		signal: AbortSignal | undefined;
	},
): Promise<Handshake> {
	const { context, address, confirm, askMaker, requireHardwareProof } = opening;
	const options = { ...address, ...defined({ askMaker, signal }) };
	const { proof, before } = await attest(context, options, current);
	const named = provenKey(proof);
	const { named: _, ...now } = proof;
	if (requireHardwareProof) {
		demandHardwareProof(now);
	}
	const isOtherKey = knownKey !== undefined && knownKey !== now.keyFingerprint;
	// If anything changes during a session, the counterpart is no longer the one that the user agreed to.
	const isOther = isOtherKey || isDowngrade(now) || (current !== undefined && hasOtherVerdicts(current, now));
	if (isOther) {
		const known = before ?? { verdicts: [], devices: [], keyFingerprint: knownKey ?? '' };
		if (!(await isYes(async () => confirm?.(known, now, { wasSent }), signal))) {
			throw new ClientError(
				isDowngrade(now) ? 'tampered' : 'session-expired',
				'the new attestation differs from the one before, and nobody agreed to it',
				{ cause: new RefusedAttestation(now, 'declined'), unsent: true },
			);
		}
	}
	remember(context.memory, now, named);
	return Handshake.begin(now, named.key);
}

/** Throws `aborted` if the signal aborts first, because a question may stay on the screen forever. */
async function isYes(ask: () => Promise<boolean | undefined>, signal: AbortSignal | undefined): Promise<boolean> {
	let answer: boolean | undefined;
	try {
		answer = await untilAborted(ask(), signal);
	} catch {
		// A question that could not be asked counts as declined.
	}
	if (signal?.aborted) {
		throw abortedError();
	}
	return answer === true;
}

/** The reply to a message, with the handshake that decrypts it. */
interface Delivered<T> {
	handshake: Handshake;
	/** The nonce of the message. */
	nonce: number;
	reply: T;
}

class Session implements ChannelSession {
	private readonly opening: Opening;
	private readonly closing = new AbortController();
	private attested: Attested;
	/**
	 * The handshake that no message has been sent with yet. Each handshake carries one message: an attacker between the
	 * client and the enclave can have the enclave answer a message at either endpoint and more than once, deliver any
	 * frame of the answers as the reply, and hold back the others. No such frame opens with the key of another handshake,
	 * so it cannot answer another message.
	 */
	private unused: Handshake | undefined;
	private isBusy = false;
	private tampering: ClientError | undefined;

	constructor(opening: Opening, handshake: Handshake) {
		this.opening = opening;
		this.unused = handshake;
		this.attested = handshake.attested;
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

	stream(
		history: readonly ChannelMessage[],
		{ signal }: { signal?: AbortSignal } = {},
	): AsyncIterable<{ type: 'text'; text: string }> {
		return new BatchedStream(signal, own => this.readStream(history, own));
	}

	async close(): Promise<void> {
		this.unused = undefined;
		this.closing.abort();
	}

	private async *readStream(
		history: readonly ChannelMessage[],
		signal: AbortSignal,
	): AsyncGenerator<{ type: 'text'; text: string }[], void> {
		const own = this.begin(signal);
		try {
			const { address } = this.opening;
			const { caller } = this.opening.context;
			const { handshake, reply, nonce } = await this.deliver(history, own, request =>
				caller.stream({
					...channelTarget(caller.connection, 'messageStream', address),
					body: request,
					codes: { 409: 'session-expired' },
					firstByteMs: caller.limits.replyFirstByteMs,
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

	/**
	 * Throws if no message may be sent now. The returned signal aborts when the caller's does or the session is closed.
	 */
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

	/** Sends the conversation. If the session has expired, it is encrypted and sent again after a new attestation. */
	private async deliver<T>(
		history: readonly ChannelMessage[],
		signal: AbortSignal,
		send: (request: MessageRequest) => Promise<T>,
	): Promise<Delivered<T>> {
		const text = JSON.stringify(checkRequest(channelHistorySchema, history));
		const handshake = this.unused ?? (await this.renew(signal, false));
		try {
			return await this.attempt(handshake, text, send);
		} catch (error) {
			if (!ClientError.is(error, 'session-expired')) {
				throw error;
			}
		}
		try {
			return await this.attempt(await this.renew(signal, true), text, send);
		} catch (error) {
			throw ClientError.is(error) ? error.withSent(true) : error;
		}
	}

	private async attempt<T>(
		handshake: Handshake,
		text: string,
		send: (request: MessageRequest) => Promise<T>,
	): Promise<Delivered<T>> {
		this.unused = undefined;
		const request = await handshake.seal(text);
		try {
			return { handshake, nonce: request.payload.nonce, reply: await send(request) };
		} catch (error) {
			if (ClientError.is(error) && !error.wasSent) {
				this.unused = handshake;
			}
			throw error;
		}
	}

	/** `wasSent` says whether the message that the new attestation is for was sent before. */
	private async renew(signal: AbortSignal, wasSent: boolean): Promise<Handshake> {
		const current = acceptedOf(this.attested, this.attested.keyFingerprint ?? '');
		const handshake = await accept(this.opening, { current, wasSent, signal });
		if (signal.aborted) {
			throw abortedError();
		}
		this.attested = handshake.attested;
		return handshake;
	}

	/** An error that shows tampering ends the session. */
	private failure(error: unknown): unknown {
		if (ClientError.is(error, 'tampered')) {
			this.tampering = error;
			this.unused = undefined;
		}
		return error;
	}
}
