// Reads `errand.local.upstreams`: the model servers by name, and whether to look for an Ollama server.
import type * as z from 'zod';
import { fieldsOf } from '../../base/fields.ts';
import { placeOf } from '../../base/hostname.ts';
import { isUpstreamSlug, OLLAMA_SLUG, type UpstreamSetting, upstreamSettingSchema } from '../../contract/upstreams.ts';
import { isUnnamed } from './serverEntries.ts';

export interface UpstreamSettings {
	upstreams: { slug: string; setting: UpstreamSetting }[];
	/** The entries that cannot be used; the others are still used. An entry without an issue has an invalid name. */
	problems: { slug: string; entry: unknown; issue?: z.core.$ZodIssue }[];
	findOllama: boolean;
}

/**
 * Reads the setting. A server without a name has its address for one. The value `false` for the Ollama server's slug turns
 * off looking for it.
 */
export function readUpstreamSettings(value: unknown): UpstreamSettings {
	const settings: UpstreamSettings = { upstreams: [], problems: [], findOllama: true };
	for (const [slug, entry] of Object.entries(fieldsOf(value))) {
		if (slug === OLLAMA_SLUG && entry === false) {
			settings.findOllama = false;
		} else if (!isUpstreamSlug(slug)) {
			settings.problems.push({ slug, entry });
		} else {
			const parsed = upstreamSettingSchema.safeParse(entry);
			if (parsed.success) {
				const label = isUnnamed(slug) ? { label: placeOf(parsed.data.url) } : {};
				settings.upstreams.push({ slug, setting: { ...label, ...parsed.data } });
			} else {
				settings.problems.push({ slug, entry, issue: parsed.error.issues[0] as z.core.$ZodIssue });
			}
		}
	}
	return settings;
}
