// Selects the providers that may serve a model by a request's policy (contract: inference.md, Provider object,
// Dedicated deployments, Zero data retention).
import { type ChatRequest, hasImages, type Parameter } from '../../contract/chatRequest.ts';
import { completed, type Exclusion, eligibilityOf } from '../../contract/eligibility.ts';
import { LOCAL_SERVICE } from '../../contract/localConnection.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import type { ModelOffer, Provider } from './provider.ts';

export interface Candidate {
	provider: Provider;
	offer: ModelOffer;
}

/** A provider that hosts the model but may not serve the request. */
export interface ExcludedProvider {
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
	exclusions: ExcludedProvider[];
}

/** The service's own slug stands for every provider on this machine, but not for their closed models. */
export function factsOf({ provider, offer }: Candidate) {
	const { slug, isDedicated } = provider;
	const { dataPolicy, quantization, parameters, openWeights } = offer;
	const ownSlug = isDedicated && openWeights !== false ? LOCAL_SERVICE : undefined;
	const quantizations = quantization === undefined ? [] : [quantization];
	return completed({ slug, ownSlug, dataPolicy, quantizations, parameters });
}

/**
 * Divides the providers that host the model into those that may serve the request and those that it excludes, with the
 * reason.
 */
export function selectCandidates(
	hosting: readonly Candidate[],
	request: ChatRequest,
	routing: RoutingPolicy,
): Selection {
	const selection: Selection = { candidates: [], exclusions: [] };
	const withImages = hasImages(request);
	for (const candidate of hosting) {
		const isBlind = withImages && candidate.offer.images === false;
		const exclusion = isBlind ? BLIND : exclusionOf(candidate, request, routing);
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
const BLIND = [BY_IMAGES, 'takes no images'] as const;

type FieldAndReason = readonly [by: string, reason: string];

function exclusionOf(candidate: Candidate, request: ChatRequest, routing: RoutingPolicy): FieldAndReason | undefined {
	const { offer } = candidate;
	const [byPolicy] = eligibilityOf(factsOf(candidate), routing, request).exclusions;
	if (byPolicy !== undefined && byPolicy.kind !== 'parameters') {
		return textOf(byPolicy);
	}
	return limitOf(offer, request) ?? missingDemand(offer, request) ?? (byPolicy && textOf(byPolicy));
}

function textOf(exclusion: Exclusion): FieldAndReason {
	switch (exclusion.kind) {
		case 'ignored':
			return ['provider.ignore', 'is listed there'];
		case 'not-in-only':
			return ['provider.only', 'is not listed there'];
		case 'not-in-order':
			return ['provider.order', 'is not listed there, and fallbacks are not allowed'];
		case 'retains-data':
		case 'stores-and-retains-data':
			return ['provider.zdr', 'is not known to keep no data'];
		case 'stores-data':
			return ['provider.data_collection', 'may store data'];
		case 'quantization': {
			const [offered] = exclusion.offered;
			return ['provider.quantizations', offered ? `runs it as ${offered}` : 'does not tell its own'];
		}
		case 'parameters':
			return ['provider.require_parameters', `does not support ${exclusion.missing.join(', ')}`];
	}
}

function limitOf({ contextLength }: ModelOffer, { max_tokens }: ChatRequest): FieldAndReason | undefined {
	return max_tokens !== undefined && contextLength !== undefined && max_tokens >= contextLength
		? ['max_tokens', `takes fewer than ${contextLength}`]
		: undefined;
}

/**
 * Parameters that an offer does not support are left out of the request. The exceptions are those without which the
 * reply would be wrong: a tool call that is required, and a format that the caller is going to parse.
 */
function missingDemand(
	{ parameters }: ModelOffer,
	{ tool_choice, response_format }: ChatRequest,
): FieldAndReason | undefined {
	const isMissing = (name: Parameter) => parameters?.has(name) === false;
	if ((tool_choice === 'required' || typeof tool_choice === 'object') && isMissing('tool_choice')) {
		return ['tool_choice', 'cannot be made to call a tool'];
	}
	if (response_format !== undefined && response_format.type !== 'text' && isMissing('response_format')) {
		return ['response_format', 'does not keep to a format'];
	}
	return undefined;
}
