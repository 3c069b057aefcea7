// Policies with a name.
import type { ProviderPreferences } from '../../contract/provider.ts';
import type { ConversationSettings } from './conversationSettings.ts';

export const PRESETS = ['balanced', 'cheapest', 'fastest', 'latency', 'only', 'private'] as const;
export type Preset = (typeof PRESETS)[number];

/**
 * Beside what the name says: `isPrivate`: providers that may store data are left out or zero retention is demanded;
 * `isLimited`: providers are left out by name or by what they offer.
 */
export interface PolicyName {
	preset: Preset | 'custom';
	isPrivate: boolean;
	isLimited: boolean;
}

/**
 * What a conversation chooses with a preset. `slugs` are those of `only`. Whom the settings' policy leaves out stays out
 * under every preset: a wish for speed is none for less privacy, and none for a provider that was ruled out.
 */
export function presetSettings(
	preset: Preset,
	defaults: ProviderPreferences,
	slugs: readonly string[] = [],
): Pick<ConversationSettings, 'routing' | 'retention'> {
	const kept = limitsOf(defaults);
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
			return { routing: { ...kept, data_collection: 'deny' }, retention: true };
	}
}

/** What of a policy leaves providers out. An order that is to be kept to allows those that it names, and no others. */
function limitsOf({
	only,
	order = [],
	allow_fallbacks,
	ignore = [],
	quantizations = [],
	require_parameters,
	data_collection,
}: ProviderPreferences): ProviderPreferences {
	const isBound = allow_fallbacks === false && order.length > 0;
	const allowed = isBound ? order.filter(slug => only?.includes(slug) !== false) : only;
	return {
		...(allowed === undefined ? {} : { only: allowed }),
		...(ignore.length === 0 ? {} : { ignore }),
		...(quantizations.length === 0 ? {} : { quantizations }),
		...(require_parameters === true ? { require_parameters } : {}),
		...(data_collection === 'deny' ? { data_collection } : {}),
	};
}

/** What a policy is called. A field that says what holds without it makes no difference. */
export function nameOf(provider: ProviderPreferences): PolicyName {
	const { only, ignore, quantizations, require_parameters, data_collection, zdr, ...others } = provider;
	const isPrivate = data_collection === 'deny' || zdr === true;
	const limits = Object.entries({ ignore, quantizations, require_parameters }).filter(
		([field, value]) => value !== undefined && !isDefault(field, value),
	);
	const name = (preset: PolicyName['preset'], isLimited = limits.length > 0): PolicyName => ({
		preset,
		isPrivate,
		isLimited,
	});
	const [first, ...more] = Object.entries(others).filter(([field, value]) => !isDefault(field, value));
	if (first === undefined) {
		const isWhole = data_collection === 'deny' && zdr === true;
		return only ? name('only') : isWhole ? { ...name('private'), isPrivate: false } : name('balanced');
	}
	const [field, value] = first;
	const sorts = { price: 'cheapest', throughput: 'fastest', latency: 'latency' } as const;
	return more.length === 0 && field === 'sort' && typeof value === 'string' && value in sorts
		? name(sorts[value as keyof typeof sorts], limits.length > 0 || only !== undefined)
		: name('custom', false);
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
