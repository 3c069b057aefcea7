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
import { asTampered, postMessage } from './message.ts';
import { ReplyNonces } from './replyNonces.ts';
import { readReplyStream } from './replyStream.ts';

/** What the channel of a client stands on. */
export interface ChannelContext {
	caller: Caller;
	memory: ChannelMemory;
	authority: HardwareAuthority;
	makerKeys: MakerKeys;
}

/** What a session is opened with, and each later message attested with. */
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

/** Fetches a new attestation and climbs the ladder. Refuses and remembers nothing. */
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
 * A new attestation that may be used. `current` is the one that it takes the place of, whose key is known. What is
 * accepted is remembered; a record that is refused leaves no trace.
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
	const options = { ...address, ...(askMaker ? { askMaker } : {}), ...(signal ? { signal } : {}) };
	const { proof, before } = await attest(context, options, current);
	const named = provenKey(proof);
	const { named: _, ...now } = proof;
	if (requireHardwareProof) {
		demandHardwareProof(now);
	}
	const isOtherKey = knownKey !== undefined && knownKey !== now.keyFingerprint;
	// In a session that goes on, whatever changed is another counterpart than the one that was agreed to.
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

/** Throws `aborted` where the signal aborts first: a question may stand on the screen for ever. */
async function isYes(ask: () => Promise<boolean | undefined>, signal: AbortSignal | undefined): Promise<boolean> {
	let answer: boolean | undefined;
	try {
		answer = await untilAborted(ask(), signal);
	} catch {
		// A question that could not be asked was not answered with yes.
	}
	if (signal?.aborted) {
		throw abortedError();
	}
	return answer === true;
}

/** The reply to a message, and what opens it. */
interface Delivered<T> {
	handshake: Handshake;
	/** Of the message. */
	nonce: number;
	reply: T;
}

class Session implements ChannelSession {
	private readonly opening: Opening;
	private readonly closing = new AbortController();
	private attested: Attested;
	/**
	 * The one that no message has gone out with yet. Each carries one message: whatever comes between client and enclave can
	 * have the enclave answer that at either endpoint, more than once, hand out any frame of it as the reply, and keep the
	 * others. None of them opens with the key of another handshake, so that none can answer another message.
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

	/** Throws where no message may be sent now. The signal aborts with the caller's and when the session is closed. */
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

	/** Sends the conversation; in an expired session, once more after a new attestation, encrypted anew. */
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
			throw asTampered(error);
		}
	}

	/** `wasSent`: the message that it is for has gone out once. */
	private async renew(signal: AbortSignal, wasSent: boolean): Promise<Handshake> {
		const current = acceptedOf(this.attested, this.attested.keyFingerprint ?? '');
		const handshake = await accept(this.opening, { current, wasSent, signal });
		if (signal.aborted) {
			throw abortedError();
		}
		this.attested = handshake.attested;
		return handshake;
	}

	/** Whatever was tampered with ends the session. */
	private failure(error: unknown): unknown {
		if (ClientError.is(error, 'tampered')) {
			this.tampering = error;
			this.unused = undefined;
		}
		return error;
	}
}
