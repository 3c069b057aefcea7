import type { Attested, Verdict } from '../../client/types.ts';

export interface ExportedReport extends Attested {
	/** Each with its reason in words, as it was shown. */
	verdicts: readonly (Verdict & { reason: string })[];
	/** How the user knows the connection. */
	connection: string;
	/** ISO 8601. */
	checkedAt: string;
	/** The verdict in words, as it was shown. */
	summary: string;
}

/** One JSON text with all that was received and what each check made of it. */
export function exportReport({ connection, checkedAt, summary, ...attested }: ExportedReport): string {
	const { address, verdicts, keyFingerprint, devices, attestation } = attested;
	const fields = { format: 'errand-attestation-1', connection, address, checkedAt, summary };
	return `${JSON.stringify({ ...fields, verdicts, keyFingerprint, devices, attestation }, undefined, '\t')}\n`;
}
