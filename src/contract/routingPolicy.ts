// The `provider` object of a request: the providers that may serve it, and their order (contract: inference.md,
// Provider object).
import * as z from 'zod';

/** contract: not shown. An object whose fields are not documented is passed through unchanged (unspecified.md). */
const opaqueObject = z.record(z.string(), z.unknown());

const slugs = z.array(z.string().min(1));

export const routingPolicySchema = z.strictObject({
	sort: z
		.union(
			[z.enum(['price', 'throughput', 'latency']), opaqueObject],
			'allowed: "price", "throughput", "latency", or an object',
		)
		.optional(),
	order: slugs.optional(),
	only: slugs.optional(),
	ignore: slugs.optional(),
	/** The service treats an absent value as true. */
	allow_fallbacks: z.boolean().optional(),
	/** The service treats an absent value as false. */
	require_parameters: z.boolean().optional(),
	data_collection: z.enum(['allow', 'deny']).optional(),
	quantizations: z.array(z.string()).optional(),
	/** In tokens per second. */
	preferred_min_throughput: z.union([z.number(), opaqueObject], 'allowed: a number, or an object').optional(),
	/** In seconds. */
	preferred_max_latency: z.union([z.number(), opaqueObject], 'allowed: a number, or an object').optional(),
	/** Absent, false and true have three different meanings (Zero data retention). */
	zdr: z.boolean().optional(),
});
export type RoutingPolicy = z.input<typeof routingPolicySchema>;
