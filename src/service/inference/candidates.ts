// Selects the providers that may serve a model by a request's policy (contract: inference.md, Provider object,
// Dedicated deployments, Zero data retention).
import { type ChatRequest, hasImages } from '../../contract/chatRequest.ts';
import { LOCAL_SERVICE } from '../../contract/localConnection.ts';
import type { ProviderPreferences } from '../../contract/provider.ts';
import { isParameter, type ModelOffer, type Parameter, type Provider } from './provider.ts';

/** One provider's offer of the requested model. */
export interface Candidate {
	provider: Provider;
	offer: ModelOffer;
}

/** A provider that hosts the model but may not serve the request. */
export interface Exclusion {
	slug: string;
	/** The field of the request that excludes it. */
	by: string;
	/** A phrase that follows the provider's name. */
	reason: string;
}

/** The field that excludes providers which cannot accept the request's images. */
export const BY_IMAGES = 'messages';

export interface Selection {
	candidates: Candidate[];
	exclusions: Exclusion[];
}

export function parametersOf(request: ChatRequest): Parameter[] {
	return Object.keys(request)
		.filter(isParameter)
		.filter(name => request[name] !== undefined);
}

/**
 * Whether one of the slugs names the provider. The service's own slug stands for every provider on this machine, but
 * not for their closed models.
 */
export function isNamed({ provider, offer }: Candidate, slugs: readonly string[]): boolean {
	const { slug, isDedicated } = provider;
	return slugs.includes(slug) || (isDedicated && offer.openWeights !== false && slugs.includes(LOCAL_SERVICE));
}

/**
 * Divides the providers that host the model into those that may serve the request and those that it excludes, with the
 * reason.
 */
export function selectCandidates(
	hosting: readonly Candidate[],
	request: ChatRequest,
	preferences: ProviderPreferences,
): Selection {
	const selection: Selection = { candidates: [], exclusions: [] };
	const withImages = hasImages(request);
	for (const candidate of hosting) {
		const isBlind = withImages && candidate.offer.images === false;
		const exclusion = isBlind ? BLIND : exclusionOf(candidate, request, preferences);
		if (exclusion === undefined) {
			selection.candidates.push(candidate);
		} else {
			const [by, reason] = exclusion;
			selection.exclusions.push({ slug: candidate.provider.slug, by, reason });
		}
	}
	// If some providers are known to accept images, those for which it is unknown are not tried.
	const seeing = selection.candidates.filter(({ offer }) => offer.images === true);
	return withImages && seeing.length > 0 ? { ...selection, candidates: seeing } : selection;
}

/** contract: not shown. A provider whose model cannot see an image may answer as if none had been sent. */
const BLIND = [BY_IMAGES, 'is not known to take images'] as const;

function exclusionOf(
	candidate: Candidate,
	request: ChatRequest,
	preferences: ProviderPreferences,
): [by: string, reason: string] | undefined {
	const { offer } = candidate;
	const { only, ignore = [], order = [], quantizations = [], data_collection, zdr } = preferences;
	if (isNamed(candidate, ignore)) {
		return ['provider.ignore', 'is listed there'];
	}
	if (only !== undefined && !isNamed(candidate, only)) {
		return ['provider.only', 'is not listed there'];
	}
	if (preferences.allow_fallbacks === false && order.length > 0 && !isNamed(candidate, order)) {
		return ['provider.order', 'is not listed there, and fallbacks are not allowed'];
	}
	if (zdr === true && offer.dataPolicy?.zeroDataRetention !== true) {
		return ['provider.zdr', 'is not known to keep no data'];
	}
	// A provider that is not known not to store data may store it (rule 5 of Zero data retention).
	if (data_collection === 'deny' && !keepsNothing(offer)) {
		return ['provider.data_collection', 'may store data'];
	}
	if (quantizations.length > 0 && !quantizations.some(level => level === offer.quantization)) {
		return [
			'provider.quantizations',
			offer.quantization ? `runs it as ${offer.quantization}` : 'does not tell its own',
		];
	}
	return limitOf(offer, request) ?? missingParameter(offer, request, preferences);
}

function keepsNothing({ dataPolicy }: ModelOffer): boolean {
	return (
		dataPolicy?.storesData === false || (dataPolicy?.storesData === undefined && dataPolicy?.zeroDataRetention === true)
	);
}

function limitOf({ contextLength }: ModelOffer, { max_tokens }: ChatRequest): [string, string] | undefined {
	return max_tokens !== undefined && contextLength !== undefined && max_tokens >= contextLength
		? ['max_tokens', `takes fewer than ${contextLength}`]
		: undefined;
}

/**
 * Returns the parameter that excludes the offer. Without `require_parameters`, unsupported parameters are left out of
 * the request. The exceptions are those without which the reply would be wrong: a tool call that is required, and a
 * format that the caller is going to parse.
 */
function missingParameter(
	{ parameters }: ModelOffer,
	request: ChatRequest,
	{ require_parameters }: ProviderPreferences,
): [string, string] | undefined {
	if (parameters === undefined) {
		return undefined;
	}
	const missing = (name: Parameter) => !parameters.has(name);
	const { tool_choice, response_format } = request;
	if ((tool_choice === 'required' || typeof tool_choice === 'object') && missing('tool_choice')) {
		return ['tool_choice', 'cannot be made to call a tool'];
	}
	if (response_format !== undefined && response_format.type !== 'text' && missing('response_format')) {
		return ['response_format', 'does not keep to a format'];
	}
	const unsupported = require_parameters === true ? parametersOf(request).filter(missing) : [];
	return unsupported.length > 0
		? ['provider.require_parameters', `does not support ${unsupported.join(', ')}`]
		: undefined;
}
