import type { Verdict } from '../../client/types.ts';
import type { Health } from '../../contract/channel.ts';
import type { AttestationResult } from './places.ts';

export interface ExportedReport extends AttestationResult {
	/** The verdicts, each with its reason as it was shown. */
	verdicts: readonly (Verdict & { reason: string })[];
	/** The connection's name for the user. */
	connection: string;
	/** In ISO 8601. */
	checkedAt: string;
	/** The verdict as it was shown. */
	summary: string;
	/** The service's report of its health. */
	health?: Health;
}

/** Returns a JSON text with everything that was received and the result of each check. */
export function exportReport({ connection, checkedAt, summary, ...attested }: ExportedReport): string {
	const { address, verdicts, keyFingerprint, devices, attestation, health, needsSessionPerMessage } = attested;
	const fields = { format: 'errand-attestation-1', connection, address, checkedAt, summary };
	const findings = { health, needsSessionPerMessage, verdicts, keyFingerprint, devices, attestation };
	return `${JSON.stringify({ ...fields, ...findings }, undefined, '\t')}\n`;
}
