// Named routing policies.
import { defined } from '../../base/defined.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import type { ConversationSettings } from './settings.ts';

export const PRESETS = ['balanced', 'cheapest', 'fastest', 'latency', 'only', 'private'] as const;
export type Preset = (typeof PRESETS)[number];

/**
 * The name of a routing policy and its qualifiers. `isPrivate`: providers that may store data are excluded, or zero
 * data retention is demanded. `isLimited`: providers are excluded by name or by what they offer.
 */
export interface RoutingName {
	preset: Preset | 'custom';
	isPrivate: boolean;
	isLimited: boolean;
}

/**
 * Returns the conversation's settings for a preset. `slugs` are those of `only`. Providers that the user's routing
 * policy excludes stay excluded under every preset: a wish for speed is not a wish for less privacy or for a provider
 * that was ruled out.
 */
export function presetSettings(
	preset: Preset,
	defaults: RoutingPolicy,
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

/**
 * Returns the part of a routing policy that excludes providers. An order without fallbacks allows only the providers
 * that it names.
 */
function limitsOf({
	only,
	order = [],
	allow_fallbacks,
	ignore = [],
	quantizations = [],
	require_parameters,
	data_collection,
}: RoutingPolicy): RoutingPolicy {
	const isBound = allow_fallbacks === false && order.length > 0;
	const allowed = isBound ? order.filter(slug => only?.includes(slug) !== false) : only;
	return defined({
		only: allowed,
		ignore: ignore.length === 0 ? undefined : ignore,
		quantizations: quantizations.length === 0 ? undefined : quantizations,
		require_parameters: require_parameters === true ? require_parameters : undefined,
		data_collection: data_collection === 'deny' ? data_collection : undefined,
	});
}

/** Returns whether a routing policy excludes any provider. A preferred order of providers does not. */
export function excludesProviders(routing: RoutingPolicy): boolean {
	return routing.allow_fallbacks === false || routing.zdr === true || Object.keys(limitsOf(routing)).length > 0;
}

/** Returns the name of a routing policy. A field that only repeats its default makes no difference. */
export function nameOf(provider: RoutingPolicy): RoutingName {
	const { only, ignore, quantizations, require_parameters, data_collection, zdr, ...others } = provider;
	const isPrivate = data_collection === 'deny' || zdr === true;
	const isBeyondOnly = Object.keys(limitsOf(defined({ ignore, quantizations, require_parameters }))).length > 0;
	const name = (preset: RoutingName['preset'], isLimited = isBeyondOnly): RoutingName => ({
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
		? name(sorts[value as keyof typeof sorts], isBeyondOnly || only !== undefined)
		: name('custom', false);
}

function isDefault(field: string, value: unknown): boolean {
	switch (field) {
		case 'allow_fallbacks':
			return value === true;
		case 'order':
			return Array.isArray(value) && value.length === 0;
		default:
			return value === undefined;
	}
}
