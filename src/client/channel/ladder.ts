import { ClientError } from '../../base/errors.ts';
import type { AttestationRecord } from '../../contract/channel.ts';
import type { AcceptedAttestation, Attested, CheckName, Verdict } from '../types.ts';
import { unknown } from './checkResult.ts';
import {
	checkFreshness,
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
import { checkKeyBinding } from './hardware/keyBinding.ts';
import type { ChannelMemory } from './memory.ts';

/** What a record is checked against. */
export interface LadderContext {
	address: string;
	memory: ChannelMemory;
	/** What was last accepted at the address. */
	before: AcceptedAttestation | undefined;
	authority: HardwareAuthority;
	findKey: FindKey;
	/** The time as Unix time in milliseconds. */
	now: number;
}

/** The result of all checks of a record. */
export interface Proof extends Attested {
	/** The record's key. It is undefined if the record has no usable key, which is a failed check. */
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

/** If one of these checks fails, nothing is sent, and the user cannot override it. */
const FATAL: ReadonlySet<CheckName> = new Set<CheckName>([
	'transport',
	'public-key',
	'signature',
	'nonce',
	'gpu-evidence',
	'gpu-token',
]);

/** Returns the key of a record that may be used. Otherwise throws `tampered`, whose cause holds the verdicts. */
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

/** The checks that together prove that the key is in genuine hardware now. */
const HARDWARE: ReadonlySet<CheckName> = new Set<CheckName>(['gpu-evidence', 'gpu-token', 'key-binding', 'freshness']);

/** Throws `not-supported` unless all of the hardware is proven; its cause holds the verdicts. */
export function demandHardwareProof(attested: Attested): void {
	const open = attested.verdicts.filter(({ check, verdict }) => verdict !== 'pass' && HARDWARE.has(check));
	if (open.length > 0) {
		const names = open.map(({ check }) => check).join(', ');
		throw new ClientError('not-supported', `the attestation leaves open: ${names}`, {
			cause: new RefusedAttestation(attested, 'proof-demanded'),
			unsent: true,
		});
	}
}

export function remember(memory: ChannelMemory, attested: Attested, { fingerprint }: NamedKey): void {
	memory.accept(attested.address, acceptedOf(attested, fingerprint), nonceOf(attested.attestation));
}

export function acceptedOf({ verdicts, devices }: Attested, keyFingerprint: string): AcceptedAttestation {
	return { verdicts, keyFingerprint, devices };
}

/** Returns whether less is proven than before. */
export function isDowngrade({ verdicts }: Attested): boolean {
	return verdicts.some(({ check, verdict }) => check === 'memory' && verdict === 'fail');
}

/**
 * Returns whether a check has another verdict than before. The check of the memory is left out, as it is not about the
 * service.
 */
export function hasOtherVerdicts(before: AcceptedAttestation, now: Attested): boolean {
	const verdictsOf = ({ verdicts }: Pick<AcceptedAttestation, 'verdicts'>) =>
		verdicts.flatMap(({ check, verdict }) => (check === 'memory' ? [] : [`${check}: ${verdict}`])).join();
	return verdictsOf(before) !== verdictsOf(now);
}

/** Why an attestation was refused: a check failed, nobody agreed to a change, or the settings demand more proof. */
export type AttestationRefusal = 'failed' | 'declined' | 'proof-demanded';

/** The cause of the error if an attestation is refused. */
export class RefusedAttestation extends Error implements Attested {
	override readonly name = 'RefusedAttestation';
	readonly refusal: AttestationRefusal;
	readonly address: string;
	readonly attestation: AttestationRecord;
	readonly verdicts: readonly Verdict[];
	readonly keyFingerprint: string | undefined;
	readonly devices: readonly string[];

	constructor({ address, attestation, verdicts, keyFingerprint, devices }: Attested, refusal: AttestationRefusal) {
		super('the attestation was refused');
		this.refusal = refusal;
		this.address = address;
		this.attestation = attestation;
		this.verdicts = verdicts;
		this.keyFingerprint = keyFingerprint;
		this.devices = devices;
	}
}
