// Policies with a name.
import type { ProviderPreferences } from '../../../contract/provider.ts';
import type { ConversationSettings } from './conversationSettings.ts';

export const PRESETS = ['balanced', 'cheapest', 'fastest', 'latency', 'only', 'private'] as const;
export type Preset = (typeof PRESETS)[number];

/** `isPrivate`: beside what the name says, providers that may store data are left out or zero retention is demanded. */
export interface PolicyName {
	preset: Preset | 'custom';
	isPrivate: boolean;
}

/**
 * What a conversation chooses with a preset. `slugs` are those of `only`. A settings' policy that leaves out who may
 * store data stays in force under every preset: a wish for speed is none for less privacy.
 */
export function presetSettings(
	preset: Preset,
	defaults: ProviderPreferences,
	slugs: readonly string[] = [],
): Pick<ConversationSettings, 'routing' | 'retention'> {
	const kept: ProviderPreferences = defaults.data_collection === 'deny' ? { data_collection: 'deny' } : {};
	switch (preset) {
		case 'balanced':
			return { routing: kept };
		case 'cheapest':
			return { routing: { ...kept, sort: 'price' } };
		case 'fastest':
			return { routing: { ...kept, sort: 'throughput' } };
		case 'latency':
			return { routing: { ...kept, sort: 'latency' } };
		case 'only':
			return { routing: { ...kept, only: [...slugs] } };
		case 'private':
			return { routing: { data_collection: 'deny' }, retention: true };
	}
}

/** What a policy is called. A field that says what holds without it makes no difference. */
export function nameOf(provider: ProviderPreferences): PolicyName {
	const { data_collection, zdr, ...others } = provider;
	const isPrivate = data_collection === 'deny' || zdr === true;
	const fields = Object.entries(others).filter(([field, value]) => !isDefault(field, value));
	const [first, ...more] = fields;
	if (first === undefined) {
		return data_collection === 'deny' && zdr === true
			? { preset: 'private', isPrivate: false }
			: { preset: 'balanced', isPrivate };
	}
	const [field, value] = first;
	const sorts = { price: 'cheapest', throughput: 'fastest', latency: 'latency' } as const;
	if (more.length === 0 && field === 'sort' && typeof value === 'string' && value in sorts) {
		return { preset: sorts[value as keyof typeof sorts], isPrivate };
	}
	return { preset: more.length === 0 && field === 'only' ? 'only' : 'custom', isPrivate };
}

function isDefault(field: string, value: unknown): boolean {
	switch (field) {
		case 'allow_fallbacks':
			return value === true;
		case 'require_parameters':
			return value === false;
		// An empty `only` allows nobody, which is a difference.
		case 'order':
		case 'ignore':
		case 'quantizations':
			return Array.isArray(value) && value.length === 0;
		default:
			return value === undefined;
	}
}
