import { type ChannelMessage, channelHistorySchema, type MessageRequest } from '../../contract/channel.ts';
import { BatchedStream } from '../core/batchedStream.ts';
import type { Caller } from '../core/caller.ts';
import { ClientError, type ClientErrorCode } from '../core/errors.ts';
import { abortedError } from '../core/exchange.ts';
import { checkRequest } from '../core/requestCheck.ts';
import type { Attested, ChannelOpenOptions, ChannelSession } from '../types.ts';
import { attestationUrl, type ChannelAddress, channelTarget } from './address.ts';
import { fetchAttestation } from './attestationRecord.ts';
import { Handshake } from './handshake.ts';
import { climbLadder, isChanged, isDowngrade, provenKey, RefusedAttestation, remember } from './ladder.ts';
import type { ChannelMemory } from './memory.ts';
import { asTampered, postMessage } from './message.ts';
import { readReplyStream } from './replyStream.ts';

/** What a session is opened with, and renewed with after it has expired. */
interface Opening extends Pick<ChannelOpenOptions, 'confirm'> {
	caller: Caller;
	memory: ChannelMemory;
	address: ChannelAddress;
}

/** Throws as `Client.channel.open` says. */
export async function openSession(
	caller: Caller,
	memory: ChannelMemory,
	{ confirm, ...address }: ChannelOpenOptions,
): Promise<ChannelSession> {
	const opening: Opening = { caller, memory, address, ...(confirm ? { confirm } : {}) };
	return new Session(opening, await attest(opening, undefined, undefined));
}

/**
 * A new attestation, proven. `current` is the one that it takes the place of. What is accepted is remembered; a record
 * that is refused leaves no trace.
 */
async function attest(
	{ caller, memory, address, confirm }: Opening,
	current: Attested | undefined,
	signal: AbortSignal | undefined,
): Promise<Handshake> {
	const url = attestationUrl(caller.connection, address);
	const before = current ?? memory.accepted.get(url);
	const record = await fetchAttestation(caller, address, signal);
	const proof = await climbLadder(record, url, memory, before);
	const named = provenKey(proof);
	const { attestation, verdicts } = proof;
	const now: Attested = { attestation, verdicts };
	if (before && (isDowngrade(now) || (current && isChanged(before, now)))) {
		if (!(await isAgreed(confirm, before, now))) {
			throw new ClientError(
				isDowngrade(now) ? 'tampered' : 'session-expired',
				'the new attestation differs from the one before, and nobody agreed to it',
				{ cause: new RefusedAttestation(attestation, verdicts) },
			);
		}
		if (signal?.aborted) {
			throw abortedError();
		}
	}
	remember(memory, url, now, named);
	return Handshake.begin(now, named.key);
}

async function isAgreed(confirm: ChannelOpenOptions['confirm'], before: Attested, now: Attested): Promise<boolean> {
	try {
		return (await confirm?.(before, now)) === true;
	} catch {
		// A question that could not be asked was not answered with yes.
		return false;
	}
}

/** Thrown before a message has left this machine: its nonce is still unseen. */
const UNSENT: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['no-key', 'too-large', 'not-supported']);

class Session implements ChannelSession {
	private readonly opening: Opening;
	private readonly closing = new AbortController();
	private attested: Attested;
	private handshake: Handshake | undefined;
	private isBusy = false;
	private tampering: ClientError | undefined;

	constructor(opening: Opening, handshake: Handshake) {
		this.opening = opening;
		this.handshake = handshake;
		this.attested = handshake.attested;
	}

	get attestation(): Attested['attestation'] {
		return this.attested.attestation;
	}

	get verdicts(): Attested['verdicts'] {
		return this.attested.verdicts;
	}

	async send(history: readonly ChannelMessage[], { signal }: { signal?: AbortSignal } = {}): Promise<{ text: string }> {
		const own = this.begin(signal);
		try {
			const { caller, address } = this.opening;
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
		this.handshake = undefined;
		this.closing.abort();
	}

	private async *readStream(
		history: readonly ChannelMessage[],
		signal: AbortSignal,
	): AsyncGenerator<{ type: 'text'; text: string }[], void> {
		const own = this.begin(signal);
		try {
			const { caller, address } = this.opening;
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
			yield* readReplyStream(caller, reply, handshake, nonce);
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
			throw new ClientError('invalid-request', 'the session is closed');
		}
		if (this.isBusy) {
			throw new ClientError('invalid-request', 'a message is under way; a session takes one at a time');
		}
		this.isBusy = true;
		return signal ? AbortSignal.any([signal, this.closing.signal]) : this.closing.signal;
	}

	/** Sends the conversation; in an expired session, once more after a new attestation, encrypted anew. */
	private async deliver<T>(
		history: readonly ChannelMessage[],
		signal: AbortSignal,
		send: (request: MessageRequest) => Promise<T>,
	): Promise<{ handshake: Handshake; nonce: number; reply: T }> {
		const text = JSON.stringify(checkRequest(channelHistorySchema, history));
		try {
			return await this.attempt(text, send);
		} catch (error) {
			if (!ClientError.is(error, 'session-expired')) {
				throw error;
			}
		}
		await this.renew(signal);
		return this.attempt(text, send);
	}

	private async attempt<T>(
		text: string,
		send: (request: MessageRequest) => Promise<T>,
	): Promise<{ handshake: Handshake; nonce: number; reply: T }> {
		const { handshake } = this;
		if (!handshake) {
			throw abortedError();
		}
		const request = await handshake.seal(text);
		try {
			return { handshake, nonce: request.payload.nonce, reply: await send(request) };
		} catch (error) {
			if (ClientError.is(error) && error.status === undefined && UNSENT.has(error.code)) {
				handshake.nonces.giveBack();
			}
			throw asTampered(error);
		}
	}

	private async renew(signal: AbortSignal): Promise<void> {
		const handshake = await attest(this.opening, this.attested, signal);
		if (signal.aborted) {
			throw abortedError();
		}
		this.handshake = handshake;
		this.attested = handshake.attested;
	}

	/** Whatever was tampered with ends the session. */
	private failure(error: unknown): unknown {
		if (ClientError.is(error, 'tampered')) {
			this.tampering = error;
			this.handshake = undefined;
		}
		return error;
	}
}
