// Parses messages of the page. Used by the host only.
import * as z from 'zod';
import type { FromDecisionPage } from './protocol.ts';

const run = z.string().max(64);

const fromPageSchema = z.discriminatedUnion('kind', [
	z.strictObject({
		kind: z.enum(['page-ready', 'prepare', 'send', 'stop', 'show-request', 'choose-model', 'help', 'export']),
	}),
	z.strictObject({ kind: z.literal('show-run'), run }),
	z.strictObject({ kind: z.literal('show-entry'), entry: z.int().nonnegative() }),
]);

/** Returns undefined for anything that is not a message of the page. */
export function parseFromDecisionPage(message: unknown): FromDecisionPage | undefined {
	return fromPageSchema.safeParse(message).data;
}
