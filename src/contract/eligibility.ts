// Decides whether a provider that hosts a model may serve a request (contract: inference.md, Provider object, Dedicated
// deployments, Zero data retention). The gateway selects providers by this rule, and the chat previews it.
import { type ChatRequest, parametersOf } from './chatRequest.ts';
import type { DataPolicy } from './dataPolicy.ts';
import type { RoutingPolicy } from './routingPolicy.ts';

/** The known facts about a provider that hosts the model. Undefined members are unknown. */
export interface ProviderFacts {
	slug: string;
	/** The service's own slug, if it also stands for this provider (Dedicated deployments). */
	ownSlug?: string | undefined;
	dataPolicy?: DataPolicy | undefined;
	quantizations?: readonly string[] | undefined;
	parameters?: ReadonlySet<string> | 'all' | undefined;
}

export type Exclusion =
	| { kind: 'ignored' | 'not-in-only' | 'not-in-order' }
	/** The provider may do what the kind names, and the routing policy excludes it for that. */
	| { kind: 'stores-data' | 'retains-data' | 'stores-and-retains-data' }
	/** `offered` is empty if the provider does not state its quantizations. */
	| { kind: 'quantization'; offered: readonly string[] }
	| { kind: 'parameters'; missing: readonly string[] };

export interface Eligibility {
	/** Empty if no known fact excludes the provider. */
	exclusions: readonly Exclusion[];
	/** The unknown facts that would decide. */
	unknown: readonly ('data-policy' | 'quantizations' | 'parameters')[];
}

/**
 * Fills in unknown facts like a service that knows everything about its providers: a data policy that cannot be
 * established counts as retaining and storing data (Zero data retention, rule 5), an unstated quantization matches
 * none, and a provider without a list of parameters supports them all.
 */
export function completed({ dataPolicy = {}, quantizations = [], parameters = 'all', ...provider }: ProviderFacts) {
	const { zeroDataRetention = false, storesData = !zeroDataRetention } = dataPolicy;
	return { ...provider, dataPolicy: { zeroDataRetention, storesData }, quantizations, parameters };
}

/** Returns whether one of the slugs names the provider. */
export function isNamed({ slug, ownSlug }: ProviderFacts, slugs: readonly string[]): boolean {
	return slugs.includes(slug) || (ownSlug !== undefined && slugs.includes(ownSlug));
}

/** `routingPolicy` is the policy in force for the request; `request` is used for its parameters only. */
export function eligibilityOf(
	provider: ProviderFacts,
	routingPolicy: RoutingPolicy,
	request: Partial<ChatRequest>,
): Eligibility {
	const { only, ignore = [], order = [], allow_fallbacks, quantizations: wanted = [] } = routingPolicy;
	const { dataPolicy, quantizations, parameters } = provider;
	const exclusions: Exclusion[] = [];
	const unknown: Eligibility['unknown'][number][] = [];
	if (isNamed(provider, ignore)) {
		exclusions.push({ kind: 'ignored' });
	}
	if (only !== undefined && !isNamed(provider, only)) {
		exclusions.push({ kind: 'not-in-only' });
	}
	if (allow_fallbacks === false && order.length > 0 && !isNamed(provider, order)) {
		exclusions.push({ kind: 'not-in-order' });
	}
	const stores = routingPolicy.data_collection === 'deny' ? dataPolicy?.storesData : false;
	const forgets = routingPolicy.zdr === true ? dataPolicy?.zeroDataRetention : true;
	if (stores || forgets === false) {
		const both = stores && forgets === false;
		exclusions.push({ kind: both ? 'stores-and-retains-data' : stores ? 'stores-data' : 'retains-data' });
	}
	if (stores === undefined || forgets === undefined) {
		unknown.push('data-policy');
	}
	if (wanted.length > 0 && !quantizations?.some(level => wanted.includes(level))) {
		if (quantizations === undefined) {
			unknown.push('quantizations');
		} else {
			exclusions.push({ kind: 'quantization', offered: quantizations });
		}
	}
	const required = routingPolicy.require_parameters === true ? parametersOf(request) : [];
	const missing = parameters === 'all' ? [] : required.filter(name => !parameters?.has(name));
	if (missing.length > 0) {
		if (parameters === undefined) {
			unknown.push('parameters');
		} else {
			exclusions.push({ kind: 'parameters', missing });
		}
	}
	return { exclusions, unknown };
}
