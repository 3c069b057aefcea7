// A connection: a named service with its hosts, models and agents, in the form of the settings.
import * as z from 'zod';
import { withoutEndSlashes } from '../base/endSlashes.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import { describedDataPolicySchema } from './dataPolicy.ts';
import { routingPolicySchema } from './routingPolicy.ts';

/** `https:`, or `http:` on loopback; no credentials, query or fragment. A trailing slash is removed. */
const hostUrl = z
	.string()
	.refine(
		text => {
			const url = URL.parse(text);
			// An empty query or fragment leaves no trace in the parsed address, and neither does white space.
			if (!url || url.username || url.password || /[?#\s]/.test(text)) {
				return false;
			}
			return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
		},
		{
			error: 'must be an https address without credentials, query or fragment (http is accepted on loopback only)',
			params: { isSecure: true },
		},
	)
	.transform(withoutEndSlashes);

const name = z.string().min(1);
const list = <T extends z.ZodType>(entry: T) => z.array(entry).default([]);

const modelSchema = z.object({
	id: name,
	label: name.optional(),
	kinds: z.array(z.enum(['chat', 'responses', 'image', 'search', 'encrypted'])).default(['chat']),
	contextLength: z.int().positive().optional(),
	maxOutputTokens: z.int().positive().optional(),
	openWeights: z.boolean().optional(),
	codeOriented: z.boolean().optional(),
	tools: z.boolean().optional(),
	images: z.boolean().optional(),
	/** True while the server loads the model. Only the local service knows this, as it waits for the server. */
	isLoading: z.boolean().optional(),
	prices: z.record(z.string(), z.number()).optional(),
	channelProvider: name.optional(),
});

export const connectionProviderSchema = z.object({
	slug: name,
	label: name.optional(),
	prices: z.record(z.string(), z.number()).optional(),
	dataPolicy: describedDataPolicySchema.optional(),
	quantizations: z.array(z.string()).optional(),
	/** The request fields that the provider supports. Undefined if that is not known. */
	parameters: z.array(z.string()).optional(),
	models: z.array(z.string()).optional(),
});

export const connectionSchema = z.object({
	label: name.optional(),
	apiUrl: hostUrl,
	enterpriseUrl: hostUrl.optional(),
	/** The host that chat uses. */
	plan: z.enum(['public', 'enterprise']).default('public'),
	cloudUrl: hostUrl.optional(),
	agentUrl: hostUrl.optional(),
	orgUrl: hostUrl.optional(),
	encryptUrl: hostUrl.optional(),
	dashboardUrl: hostUrl.optional(),
	/** The service's own name in identifiers: its slug and the first part of its search model's name. */
	service: name,
	/** The path segment that names the source-hosting provider. */
	scm: name.optional(),
	cloudTokenPrefix: name.optional(),
	decisionModel: name.optional(),
	accountZdr: z.boolean().optional(),
	models: list(modelSchema),
	providers: list(connectionProviderSchema),
	providerPrefixes: list(z.object({ prefix: name, provider: name })),
	/** The provider is either the slug to try first, or a routing policy as in a request. */
	aliases: list(z.object({ name, model: name, provider: z.union([name, routingPolicySchema]).optional() })),
	agents: list(z.object({ id: name, label: name.optional(), models: list(z.string()) })),
});

/** `name` is the key of the connection in the settings. */
export type Connection = z.output<typeof connectionSchema> & { name: string };
