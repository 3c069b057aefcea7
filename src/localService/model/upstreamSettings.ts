// What `errand.local.upstreams` says: model servers by name, and whether an Ollama is looked for.
import type * as z from 'zod';
import { isUpstreamSlug, OLLAMA_SLUG, type UpstreamSetting, upstreamSettingSchema } from '../../contract/upstreams.ts';

export interface UpstreamSettings {
	upstreams: { slug: string; setting: UpstreamSetting }[];
	/** Entries that cannot be used; the others still are. Without an issue it is the name that cannot be one. */
	problems: { slug: string; entry: unknown; issue?: z.core.$ZodIssue }[];
	findOllama: boolean;
}

/** Reads the setting. `false` for the name of the Ollama that is found by itself switches that off. */
export function readUpstreamSettings(value: unknown): UpstreamSettings {
	const settings: UpstreamSettings = { upstreams: [], problems: [], findOllama: true };
	for (const [slug, entry] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
		if (slug === OLLAMA_SLUG && entry === false) {
			settings.findOllama = false;
		} else if (!isUpstreamSlug(slug)) {
			settings.problems.push({ slug, entry });
		} else {
			const parsed = upstreamSettingSchema.safeParse(entry);
			if (parsed.success) {
				settings.upstreams.push({ slug, setting: parsed.data });
			} else {
				settings.problems.push({ slug, entry, issue: parsed.error.issues[0] as z.core.$ZodIssue });
			}
		}
	}
	return settings;
}
