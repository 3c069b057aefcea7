// Model servers that the local service has found on this machine, and the user's answers about them. This is our own
// protocol and no part of the service's contract.
import * as z from 'zod';
import type { PortOwner } from '../base/portOwner.ts';

/** The user who runs a server. `own` is the user who runs the local service. */
const ownerSchema = z.object({
	kind: z.enum(['own', 'root', 'system', 'other', 'unknown']),
	user: z.string(),
}) satisfies z.ZodType<PortOwner>;

export const foundServerSchema = z.object({
	/** The provider's slug once the server is used. */
	slug: z.string().min(1),
	label: z.string().min(1),
	url: z.url(),
	owner: ownerSchema,
	/**
	 * The user's answer for this address and owner. Undefined means no answer yet; the server is used only if it is true.
	 */
	use: z.boolean().optional(),
});
export type FoundServer = z.output<typeof foundServerSchema>;

/** An answer applies to one address and one owner: if another user listens there, the question is asked again. */
export const foundAnswerSchema = z.strictObject({
	url: foundServerSchema.shape.url,
	user: ownerSchema.shape.user,
	use: z.boolean(),
});
export type FoundAnswer = z.output<typeof foundAnswerSchema>;
