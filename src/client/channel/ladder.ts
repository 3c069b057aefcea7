import { ClientError } from '../../base/errors.ts';
import type { AttestationRecord } from '../../contract/channel.ts';
import type { AcceptedAttestation, Attested, CheckName, Verdict } from '../types.ts';
import { unknown } from './checkResult.ts';
import {
	checkFreshness,
	checkKeyBinding,
	checkMemory,
	checkNonce,
	checkPublicKey,
	checkSignature,
	checkTransport,
	type NamedKey,
	nonceOf,
} from './checks.ts';
import type { HardwareAuthority } from './hardware/authority.ts';
import { checkGpuEvidence } from './hardware/gpuEvidence.ts';
import { checkGpuToken, type FindKey } from './hardware/gpuToken.ts';
import type { ChannelMemory } from './memory.ts';
import { RefusedAttestation } from './verdicts.ts';

/** The references that a record is checked against. */
export interface LadderContext {
	address: string;
	memory: ChannelMemory;
	/** The last attestation that was accepted at the address. */
	before: AcceptedAttestation | undefined;
	authority: HardwareAuthority;
	findKey: FindKey;
	/** The time as Unix time in milliseconds. */
	now: number;
}

/** The result of all checks of a record. */
export interface Proof extends Attested {
	/** The record's key. Undefined if the record has no usable key, which is a failed check. */
	named: NamedKey | undefined;
}

/** Runs all checks even after one has failed, so that the report is complete. It remembers nothing. */
export async function climbLadder(record: AttestationRecord, context: LadderContext): Promise<Proof> {
	const { address, memory, before, authority, findKey, now } = context;
	const { finding, named } = await checkPublicKey(record);
	const withoutKey = unknown('key-none');
	const evidence = await checkGpuEvidence(record.report_json, authority, now);
	const token = await checkGpuToken(record.gpu_eat, { authority, findKey, now, devices: evidence.devices });
	const nonces = [...evidence.devices.map(({ nonce }) => nonce), ...(token.nonce ? [token.nonce] : [])];
	const verdicts: Verdict[] = [
		{ check: 'transport', ...checkTransport(address) },
		{ check: 'public-key', ...finding },
		{ check: 'signature', ...(named ? await checkSignature(record, named.key) : withoutKey) },
		{
			check: 'nonce',
			...(named ? checkNonce(record, nonce => memory.hasSeenWithAnother(nonce, named.fingerprint)) : withoutKey),
		},
		{ check: 'gpu-evidence', ...evidence.finding },
		{ check: 'gpu-token', ...token.finding },
		{ check: 'key-binding', ...(named ? await checkKeyBinding(record.public_key, named.key, nonces) : withoutKey) },
		{ check: 'freshness', ...checkFreshness(memory.isRepeated(nonceOf(record))) },
	];
	const devices = evidence.devices.map(({ id }) => id).sort();
	const keyFingerprint = named?.fingerprint;
	verdicts.push({ check: 'memory', ...checkMemory(before, { verdicts, keyFingerprint, devices }) });
	return { address, attestation: record, verdicts, keyFingerprint, devices, named };
}

/** If one of these checks fails, nothing is sent, and the user cannot override that. */
const FATAL: ReadonlySet<CheckName> = new Set<CheckName>([
	'transport',
	'public-key',
	'signature',
	'nonce',
	'gpu-evidence',
	'gpu-token',
]);

/** Returns the key of a record that may be used. Otherwise throws `tampered` with the verdicts in its cause. */
export function provenKey(proof: Proof): NamedKey {
	const { named, verdicts } = proof;
	const failed = verdicts.find(({ check, verdict }) => verdict === 'fail' && FATAL.has(check));
	if (failed || !named) {
		throw new ClientError('tampered', `the attestation fails the check ${failed?.check}: ${failed?.code}`, {
			cause: new RefusedAttestation(proof, 'failed'),
			unsent: true,
		});
	}
	return named;
}

export function acceptedAttestation({ verdicts, devices }: Attested, keyFingerprint: string): AcceptedAttestation {
	return { verdicts, keyFingerprint, devices };
}
