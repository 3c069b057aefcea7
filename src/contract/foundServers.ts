// Model servers that the local service has found on this machine, and what the user says of them. Ours, no part of the
// service's contract (design.md, section 8).
import * as z from 'zod';

/**
 * Who runs a server, as the system tells. `own`: who runs the local service. `system`: an account that no person has.
 * `unknown`: the system does not tell.
 */
const ownerSchema = z.object({
	kind: z.enum(['own', 'root', 'system', 'other', 'unknown']),
	/** The user's name, `uid 1234` for one without a name; empty where it is unknown. */
	user: z.string(),
});
export type ServerOwner = z.output<typeof ownerSchema>;

export const foundServerSchema = z.object({
	/** Its provider's name once it is used. */
	slug: z.string().min(1),
	label: z.string().min(1),
	url: z.url(),
	owner: ownerSchema,
	/** What the user has said of it at this address and with this owner. Missing: nothing yet. Only `true` has it used. */
	use: z.boolean().optional(),
});
export type FoundServer = z.output<typeof foundServerSchema>;

/** An answer holds for one server of one user: where another user listens at the address, it is asked again. */
export const foundAnswerSchema = z.strictObject({
	url: foundServerSchema.shape.url,
	user: ownerSchema.shape.user,
	use: z.boolean(),
});
export type FoundAnswer = z.output<typeof foundAnswerSchema>;
