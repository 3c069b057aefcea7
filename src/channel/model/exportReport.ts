import type { Attested, Verdict } from '../../client/types.ts';

export interface ExportedReport extends Attested {
	/** The verdicts, each with its reason as it was shown. */
	verdicts: readonly (Verdict & { reason: string })[];
	/** The connection's name for the user. */
	connection: string;
	/** In ISO 8601. */
	checkedAt: string;
	/** The verdict as it was shown. */
	summary: string;
}

/** Returns a JSON text with everything that was received and the result of each check. */
export function exportReport({ connection, checkedAt, summary, ...attested }: ExportedReport): string {
	const { address, verdicts, keyFingerprint, devices, attestation } = attested;
	const fields = { format: 'errand-attestation-1', connection, address, checkedAt, summary };
	return `${JSON.stringify({ ...fields, verdicts, keyFingerprint, devices, attestation }, undefined, '\t')}\n`;
}
