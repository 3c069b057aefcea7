// Parses messages of the page. Used by the host only.
import * as z from 'zod';
import type { FromReportPage } from './protocol.ts';

const fromPageSchema = z.strictObject({ kind: z.enum(['page-ready', 'check-again', 'export-request']) });

/** Returns undefined for anything that is not a message of the page. */
export function parseFromReportPage(message: unknown): FromReportPage | undefined {
	return fromPageSchema.safeParse(message).data;
}
