import { ClientError } from '../../base/errors.ts';
import { isDeeperThan } from '../../base/json.ts';
import { type AttestationRecord, attestationSchema } from '../../contract/channel.ts';
import type { Caller } from '../core/caller.ts';
import { type ChannelAddress, channelTarget } from './address.ts';

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
		firstByteMs: caller.limits.replyFirstByteMs,
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
