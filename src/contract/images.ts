// Image generation through the chat endpoint (contract: inference.md, Endpoints).
import * as z from 'zod';

export const imageRequestSchema = z.strictObject({
	model: z.string().min(1),
	prompt: z.string().refine(prompt => prompt.trim() !== '', 'must not be empty'),
});
export type ImageRequest = z.input<typeof imageRequestSchema>;

/**
 * Returns the URL if it is the whole content of a reply. Returns undefined for anything else, and for any scheme other
 * than http and https.
 */
export function readImageUrl(content: string): string | undefined {
	const text = content.trim();
	const url = /\s/.test(text) ? null : URL.parse(text);
	return url?.protocol === 'https:' || url?.protocol === 'http:' ? text : undefined;
}

/**
 * Splits off the `:<digest>` suffix that a reply's `model` may carry. An id may contain a colon of its own (a tag), so
 * a suffix that the requested model also has belongs to the id.
 */
export function splitDigest(answered: string, requested: string): { model: string; digest?: string } {
	if (answered.startsWith(`${requested}:`) && answered.length > requested.length + 1) {
		return { model: requested, digest: answered.slice(requested.length + 1) };
	}
	const [suffix, digest] = /:((?:sha\d+:)?[^:/]+)$/.exec(answered) ?? [];
	if (suffix === undefined || digest === undefined || suffix === answered || requested.endsWith(suffix)) {
		return { model: answered };
	}
	return { model: answered.slice(0, -suffix.length), digest };
}
