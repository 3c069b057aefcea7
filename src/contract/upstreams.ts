// The servers behind the local service's gateway, as the settings hold them and as they are handed over to the service.
// Ours, no part of the service's contract (design.md, section 8).
import * as z from 'zod';
import { isLoopbackHost } from '../base/loopback.ts';
import { LOCAL_SERVICE } from './localConnection.ts';

/** `http:` or `https:`, without credentials, query or fragment. Without a path of its own it gets `/v1`. */
const upstreamUrl = z
	.string()
	.refine(text => {
		const url = URL.parse(text);
		const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
		return Boolean(isPlain) && (url?.protocol === 'https:' || url?.protocol === 'http:');
	}, 'must be an http or https address without credentials, query or fragment')
	.transform(text => {
		const url = new URL(text);
		return url.pathname === '/' ? `${url.origin}/v1` : text.replace(/\/+$/, '');
	});

/** US dollars for a million tokens. */
const pricesSchema = z.strictObject({ input: z.number().min(0), output: z.number().min(0) });

/** What the user vouches for. What is missing counts as unknown, and so as retaining data and training on it. */
const dataPolicySchema = z.strictObject({
	zeroDataRetention: z.boolean().optional(),
	storesData: z.boolean().optional(),
});

/** What may be said of one model, and of all models of an upstream at once. */
const traits = {
	prices: pricesSchema.optional(),
	/** As it is named in `provider.quantizations`: `int4`, `fp8`. */
	quantization: z.string().min(1).optional(),
	contextLength: z.int().positive().optional(),
	maxOutputTokens: z.int().positive().optional(),
	openWeights: z.boolean().optional(),
	/** Request fields that it honours. Missing: all. */
	parameters: z.array(z.string().min(1)).optional(),
	/** Made for writing code: it always runs under zero data retention. */
	codeOriented: z.boolean().optional(),
	/** Takes images in messages. Missing: what the server tells, else not known. */
	images: z.boolean().optional(),
	/** Takes the reasoning of earlier replies back. */
	takesReasoning: z.boolean().optional(),
};

const upstreamModelSchema = z.strictObject({
	/** As requests name it. */
	id: z.string().min(1),
	/** As the upstream names it, where that differs. */
	upstreamId: z.string().min(1).optional(),
	label: z.string().min(1).optional(),
	kinds: z
		.array(z.enum(['chat', 'image', 'search']))
		.min(1)
		.optional(),
	...traits,
});

/** A slug stands before a slash in model names, and in `order`, `only` and `ignore`. */
const slugPattern = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
const slug = z
	.string()
	.regex(slugPattern, 'must be lowercase letters, digits, dots, hyphens or underscores, at most 64');

const upstreamFields = {
	url: upstreamUrl,
	label: z.string().min(1).optional(),
	/** Missing: what its `/models` lists. */
	models: z.array(z.union([z.string().min(1), upstreamModelSchema])).optional(),
	/** Runs on this machine, or is otherwise the user's own. Missing: by its address. */
	local: z.boolean().optional(),
	/** Words before a model's name that stand for it. Missing: its slug. */
	prefixes: z.array(slug).optional(),
	dataPolicy: dataPolicySchema.optional(),
	...traits,
};

/** One entry of `errand.local.upstreams`. */
export const upstreamSettingSchema = z.strictObject(upstreamFields);
export type UpstreamSetting = z.output<typeof upstreamSettingSchema>;

/** The slug of an Ollama that is found by itself. */
export const OLLAMA_SLUG = 'ollama';

/** Slugs that mean something else already. */
const RESERVED_SLUGS: ReadonlySet<string> = new Set([LOCAL_SERVICE, `${LOCAL_SERVICE}ai`, 'demo', 'demo-two']);

export function isUpstreamSlug(text: string): boolean {
	return slugPattern.test(text) && !RESERVED_SLUGS.has(text);
}

/** Whether a key may go there: never in clear text over a network. */
export function mayCarryKey(url: string): boolean {
	// A refinement is asked even where the address is none.
	const parsed = URL.parse(url);
	return parsed?.protocol === 'https:' || (parsed !== null && isLoopbackHost(parsed.hostname));
}

/** An upstream with what the setting does not hold: its name and its key. */
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
 * What a window hands over to the service: one line of JSON at its start, the same again through the control pipe
 * whenever it changed. Each replaces the whole list.
 */
export const upstreamHandoverSchema = z.strictObject({
	upstreams: z
		.array(upstreamSchema)
		.refine(list => new Set(list.map(({ slug }) => slug)).size === list.length, 'a name stands there twice'),
	/** Whether an Ollama of this machine is looked for. It is used once the user has agreed to it. */
	findOllama: z.boolean().default(false),
});
export type UpstreamHandover = z.output<typeof upstreamHandoverSchema>;
/** Before its addresses are brought into one form. */
export type UpstreamHandoverInput = z.input<typeof upstreamHandoverSchema>;
