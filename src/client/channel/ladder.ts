import type { AttestationRecord } from '../../contract/channel.ts';
import { ClientError } from '../core/errors.ts';
import type { Attested, CheckName, Verdict } from '../types.ts';
import {
	checkFreshness,
	checkGpuEvidence,
	checkGpuToken,
	checkKeyBinding,
	checkMemory,
	checkNonce,
	checkPublicKey,
	checkSignature,
	checkTransport,
	type NamedKey,
	nonceOf,
} from './checks.ts';
import type { ChannelMemory } from './memory.ts';

/** What the ladder made of a record. */
export interface Proof extends Attested {
	/** Undefined where the record has none that can be used, which is a failed check. */
	named: NamedKey | undefined;
}

/** Climbs to the top whatever is found on the way, so that a report is whole. Remembers nothing. */
export async function climbLadder(
	record: AttestationRecord,
	address: string,
	memory: ChannelMemory,
	before: Attested | undefined,
): Promise<Proof> {
	const { finding, named } = await checkPublicKey(record);
	const withoutKey = { verdict: 'unknown', reason: 'There is no key to check with.' } as const;
	const verdicts: Verdict[] = [
		{ check: 'transport', ...checkTransport(address) },
		{ check: 'public-key', ...finding },
		{ check: 'signature', ...(named ? await checkSignature(record, named.key) : withoutKey) },
		{
			check: 'nonce',
			...(named ? checkNonce(record, nonce => memory.hasSeenWithAnother(nonce, named.fingerprint)) : withoutKey),
		},
		{ check: 'gpu-evidence', ...checkGpuEvidence() },
		{ check: 'gpu-token', ...checkGpuToken(record) },
		{ check: 'key-binding', ...checkKeyBinding() },
		{ check: 'freshness', ...checkFreshness() },
	];
	verdicts.push({ check: 'memory', ...checkMemory(before, verdicts) });
	return { attestation: record, verdicts, named };
}

/** On whose failure nothing is sent, whatever anybody says. */
const FATAL: ReadonlySet<CheckName> = new Set<CheckName>([
	'transport',
	'public-key',
	'signature',
	'nonce',
	'gpu-evidence',
	'gpu-token',
]);

/** The key of a record that may be used. Throws `tampered` otherwise; its cause holds the verdicts. */
export function provenKey({ named, attestation, verdicts }: Proof): NamedKey {
	const failed = verdicts.find(({ check, verdict }) => verdict === 'fail' && FATAL.has(check));
	if (failed || !named) {
		throw new ClientError('tampered', `the attestation fails the check ${failed?.check}: ${failed?.reason}`, {
			cause: new RefusedAttestation(attestation, verdicts),
		});
	}
	return named;
}

/** Remembers what was accepted at the address. */
export function remember(memory: ChannelMemory, address: string, attested: Attested, { fingerprint }: NamedKey): void {
	memory.accept(address, attested, nonceOf(attested.attestation), fingerprint);
}

/** Less is proven than before. */
export function isDowngrade({ verdicts }: Attested): boolean {
	return verdicts.some(({ check, verdict }) => check === 'memory' && verdict === 'fail');
}

/** Another key, or another verdict of a check. What is remembered is no property of the service. */
export function isChanged(before: Attested, now: Attested): boolean {
	const verdictsOf = ({ verdicts }: Attested) =>
		verdicts.flatMap(({ check, verdict }) => (check === 'memory' ? [] : [`${check}: ${verdict}`])).join();
	return before.attestation.public_key !== now.attestation.public_key || verdictsOf(before) !== verdictsOf(now);
}

/** Why a session did not come about: the cause of its error. */
export class RefusedAttestation extends Error implements Attested {
	override readonly name = 'RefusedAttestation';
	readonly attestation: AttestationRecord;
	readonly verdicts: readonly Verdict[];

	constructor(attestation: AttestationRecord, verdicts: readonly Verdict[]) {
		super('the attestation was refused');
		this.attestation = attestation;
		this.verdicts = verdicts;
	}
}
