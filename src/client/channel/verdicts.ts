// The consequences of an attestation's verdicts. Nothing here loads the cryptography of the checks.
import { ClientError } from '../../base/errors.ts';
import type { AttestationRecord } from '../../contract/channel.ts';
import type { AcceptedAttestation, Attested, CheckName, Verdict } from '../types.ts';

/** Returns the checks that passed before and do not pass now. */
export function lostChecks(before: AcceptedAttestation['verdicts'], now: AcceptedAttestation['verdicts']): CheckName[] {
	const proven = new Set(now.filter(({ verdict }) => verdict === 'pass').map(({ check }) => check));
	return before
		.filter(({ check, verdict }) => check !== 'memory' && verdict === 'pass' && !proven.has(check))
		.map(({ check }) => check);
}

/** The checks that together prove that the key is in genuine hardware now. */
const HARDWARE: ReadonlySet<CheckName> = new Set<CheckName>(['gpu-evidence', 'gpu-token', 'key-binding', 'freshness']);

/** Throws `not-supported` unless all of the hardware is proven; the cause holds the verdicts. */
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

/** Returns whether less is proven than before. */
export function isDowngrade({ verdicts }: Attested): boolean {
	return verdicts.some(({ check, verdict }) => check === 'memory' && verdict === 'fail');
}

/**
 * Returns whether a check has another verdict than before. The memory check is left out, as it is not about the
 * service.
 */
export function hasOtherVerdicts(before: AcceptedAttestation, now: Attested): boolean {
	const verdictsOf = ({ verdicts }: Pick<AcceptedAttestation, 'verdicts'>) =>
		verdicts.flatMap(({ check, verdict }) => (check === 'memory' ? [] : [`${check}: ${verdict}`])).join();
	return verdictsOf(before) !== verdictsOf(now);
}

/** The reason for refusing an attestation: a failed check, a change nobody agreed to, or a demand for more proof. */
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
