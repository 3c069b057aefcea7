// The servers behind the local service's gateway, in the form of the settings and of the handover to the service. They
// are our own and no part of the service's contract.
import * as z from 'zod';
import { withoutEndSlashes } from '../base/endSlashes.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import { taskSettingsSchema } from './agents.ts';
import { dataPolicySchema } from './dataPolicy.ts';
import { DEMO_SLUGS, LOCAL_SERVICE } from './localConnection.ts';

/**
 * The address must use `http:` or `https:` and have no credentials, query or fragment. `/v1` is added if it has no
 * path.
 */
const upstreamUrl = z
	.string()
	.refine(text => {
		const url = URL.parse(text);
		const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
		return Boolean(isPlain) && (url?.protocol === 'https:' || url?.protocol === 'http:');
	}, 'must be an http or https address without credentials, query or fragment')
	.transform(text => {
		const url = new URL(text);
		// An empty query or fragment, and white space, are gone from the parsed address.
		return url.origin + (url.pathname === '/' ? '/v1' : withoutEndSlashes(url.pathname));
	});

/** In US dollars per million tokens. */
const pricesSchema = z.strictObject({ input: z.number().min(0), output: z.number().min(0) });

/** Traits that can be set for one model, or for all models of an upstream at once. */
const traits = {
	prices: pricesSchema.optional(),
	/** The value as used in `provider.quantizations`, such as `int4` or `fp8`. */
	quantization: z.string().min(1).optional(),
	contextLength: z.int().positive().optional(),
	maxOutputTokens: z.int().positive().optional(),
	openWeights: z.boolean().optional(),
	/** The request fields that the model honours. If missing, it honours all of them. */
	parameters: z.array(z.string().min(1)).optional(),
	/** True if the model is made for writing code, so it always runs under zero data retention. */
	codeOriented: z.boolean().optional(),
	/**
	 * True if the model accepts images in messages. If missing, the server's own information is used, if there is any.
	 */
	images: z.boolean().optional(),
	/** True if the model accepts the reasoning of earlier replies. */
	takesReasoning: z.boolean().optional(),
};

const upstreamModelSchema = z.strictObject({
	/** The name that requests use. */
	id: z.string().min(1),
	/** The name that the upstream uses, if it is a different one. */
	upstreamId: z.string().min(1).optional(),
	label: z.string().min(1).optional(),
	kinds: z
		.array(z.enum(['chat', 'image', 'search']))
		.min(1)
		.optional(),
	...traits,
});

/** A slug appears before a slash in model names, and in `order`, `only` and `ignore`. */
export const UPSTREAM_SLUG = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
const slug = z
	.string()
	.regex(UPSTREAM_SLUG, 'must be lowercase letters, digits, dots, hyphens or underscores, at most 64');

/** The form in which a server takes requests: chat completions, OpenAI's responses, or Anthropic's messages. */
const kindSchema = z.enum(['chat', 'responses', 'messages']);
export type UpstreamKind = z.output<typeof kindSchema>;

/** Among an upstream's models, this stands for all that its server lists. */
export const LISTED_MODELS = '*';

const upstreamFields = {
	url: upstreamUrl,
	/** If missing, the address decides. */
	kind: kindSchema.optional(),
	label: z.string().min(1).optional(),
	/** If missing, it is `LISTED_MODELS`: the models that the server's `/models` endpoint lists. */
	models: z.array(z.union([z.string().min(1), upstreamModelSchema])).optional(),
	/** True if the server runs on this machine or is otherwise the user's own. If missing, the address decides. */
	local: z.boolean().optional(),
	/** The time to wait for the first byte of a reply. If missing, the address decides. */
	firstByteSeconds: z.int().min(1).max(86_400).optional(),
	/** Words before a model's name that stand for this upstream. If missing, its slug is the only one. */
	prefixes: z.array(slug).optional(),
	/** The data policy that the user vouches for. */
	dataPolicy: dataPolicySchema.optional(),
	...traits,
};

/** One entry of `errand.local.upstreams`. */
export const upstreamSettingSchema = z.strictObject(upstreamFields);
export type UpstreamSetting = z.output<typeof upstreamSettingSchema>;

/** The slug of an Ollama server that was found automatically. */
export const OLLAMA_SLUG = 'ollama';

/** Slugs that already have another meaning. */
const RESERVED_SLUGS: ReadonlySet<string> = new Set([LOCAL_SERVICE, `${LOCAL_SERVICE}ai`, ...DEMO_SLUGS]);

export function isUpstreamSlug(text: string): boolean {
	return UPSTREAM_SLUG.test(text) && !RESERVED_SLUGS.has(text);
}

/** Returns whether a key may be sent to the address: never in clear text over a network. */
export function mayCarryKey(url: string): boolean {
	// Zod calls a refinement even if the address is invalid.
	const parsed = URL.parse(url);
	return parsed?.protocol === 'https:' || (parsed !== null && isLoopbackHost(parsed.hostname));
}

/** The services that speak the Messages form at their usual address. */
const MESSAGES_ORIGINS: ReadonlySet<string> = new Set(['https://api.anthropic.com']);

export function upstreamKind({ kind, url }: { kind?: UpstreamKind | undefined; url: string }): UpstreamKind {
	return kind ?? (MESSAGES_ORIGINS.has(new URL(url).origin) ? 'messages' : 'chat');
}

/** An upstream with its slug and its key, which are not part of the setting's value. */
const upstreamSchema = z
	.strictObject({
		...upstreamFields,
		slug: slug.refine(isUpstreamSlug, 'is taken'),
		key: z
			.string()
			.regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters')
			.optional(),
	})
	.refine(({ key, url }) => key === undefined || mayCarryKey(url), 'a key goes to https and loopback addresses only');
export type Upstream = z.output<typeof upstreamSchema>;

/**
 * The message by which a window hands its upstreams and task settings over to the service: one line of JSON on its
 * standard input at the start, and again through the control pipe after each change. Each message replaces the whole
 * list.
 */
export const upstreamHandoverSchema = z.strictObject({
	upstreams: z
		.array(upstreamSchema)
		.refine(list => new Set(list.map(({ slug }) => slug)).size === list.length, 'a name stands there twice'),
	/** True to look for an Ollama on this machine. It is used once the user has agreed to it. */
	findOllama: z.boolean().default(false),
	tasks: taskSettingsSchema.optional(),
});
export type UpstreamHandover = z.output<typeof upstreamHandoverSchema>;
/** The handover before its addresses are normalised. */
export type UpstreamHandoverInput = z.input<typeof upstreamHandoverSchema>;
