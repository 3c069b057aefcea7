import { defined } from '../../base/defined.ts';
import { ClientError } from '../../base/errors.ts';
import { isDeeperThan } from '../../base/json.ts';
import { type AttestationRecord, attestationSchema } from '../../contract/channel.ts';
import type { PublicKey } from '../../crypto/publicKey.ts';
import type { Caller } from '../core/caller.ts';
import { orAborted } from '../core/exchange.ts';
import type { AcceptedAttestation, Attested, ChannelAttestOptions, ChannelOpenOptions } from '../types.ts';
import { attestationUrl, type ChannelAddress, channelTarget } from './address.ts';
import { nonceOf } from './checks.ts';
import type { HardwareAuthority } from './hardware/authority.ts';
import type { MakerKeys } from './hardware/makerKeys.ts';
import { acceptedAttestation, climbLadder, type Proof, provenKey } from './ladder.ts';
import type { ChannelMemory } from './memory.ts';
import { demandHardwareProof, hasOtherVerdicts, isDowngrade, RefusedAttestation } from './verdicts.ts';

export interface ChannelContext {
	caller: Caller;
	memory: ChannelMemory;
	authority: HardwareAuthority;
	makerKeys: MakerKeys;
}

/** The options of a session, which also apply to each attestation that renews it. */
export interface Opening extends Pick<ChannelOpenOptions, 'confirm' | 'askMaker' | 'requireHardwareProof'> {
	context: ChannelContext;
	address: ChannelAddress;
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

/** An attestation that may be used, with the key of the enclave that it names. */
export interface Accepted {
	attested: Attested;
	enclave: PublicKey;
}

/**
 * Fetches a new attestation, or throws if it must not be used. `current` is the attestation that it replaces, whose key
 * is known. An accepted attestation is remembered; a refused one is not.
 */
export async function accept(
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
): Promise<Accepted> {
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
	context.memory.accept(now.address, acceptedAttestation(now, named.fingerprint), nonceOf(now.attestation));
	return { attested: now, enclave: named.key };
}

/** Throws `aborted` if the signal aborts first, because a question may stay on the screen forever. */
async function isYes(ask: () => Promise<boolean | undefined>, signal: AbortSignal | undefined): Promise<boolean> {
	// A question that could not be asked counts as declined.
	const answer = (async () => ask())().catch(() => false);
	return (await orAborted(answer, signal)) === true;
}

const MAXIMUM_BYTES = 1_000_000;
/**
 * Evidence needs only a few levels. Many thousands of levels would overflow the stack when the record is compared or
 * written.
 */
const MAXIMUM_LEVELS = 32;

/**
 * Fetches a new session's attestation, not yet verified (contract: encrypted-channel.md). It is public, so no key is
 * sent.
 */
export async function fetchAttestation(
	caller: Caller,
	address: ChannelAddress,
	signal: AbortSignal | undefined,
): Promise<AttestationRecord> {
	const reply = await caller.json({
		...channelTarget(caller.connection, 'attestation', address),
		redirects: 'refuse',
		jsonBytes: MAXIMUM_BYTES,
		retry: 'idempotent',
		signal,
	});
	return readAttestation(reply);
}

/** Throws `bad-response` with the name of the invalid field, but never its value. */
export function readAttestation(value: unknown): AttestationRecord {
	const read = attestationSchema.safeParse(value);
	if (!read.success) {
		const [issue] = read.error.issues;
		const field = issue?.path.join('.') || 'it';
		throw new ClientError('bad-response', `the reply is no attestation: ${field}: ${issue?.message}`);
	}
	if (isDeeperThan(read.data, MAXIMUM_LEVELS)) {
		throw new ClientError('bad-response', 'the reply is no attestation: it is nested too deeply');
	}
	return read.data;
}
