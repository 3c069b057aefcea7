// Describes the gateway as a connection: how names are resolved, and what a window learns about the service's models
// and providers.
import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import type { GatewayDescription } from '../../contract/control.ts';
import { LOCAL_SERVICE, localConnection } from '../../contract/localConnection.ts';
import { findModel, parseModelIdentifier } from '../../contract/modelIdentifier.ts';
import { searchModelOf } from '../../contract/search.ts';
import type { HostForm } from './hostForms.ts';
import type { ModelOffer, Prices, Provider } from './provider.ts';

type ModelDescription = GatewayDescription['models'][number];
type ProviderDescription = GatewayDescription['providers'][number];

/** The part of the description that belongs to a connection. */
export type OfferDescription = Omit<GatewayDescription, 'foundServers' | 'upstreamProblems' | 'agents'>;

interface Offered {
	offers: ModelOffer[];
	chattedBy?: string | undefined;
}

export function describeGateway(providers: readonly Provider[], aliases: Connection['aliases']): OfferDescription {
	const offers = providers.map(provider => ({ provider, offers: provider.offers() }));
	const byModel = new Map<string, Offered>();
	for (const { provider, offers: own } of offers) {
		for (const offer of own) {
			const known: Offered = byModel.get(offer.id) ?? { offers: [] };
			known.offers.push(offer);
			known.chattedBy ??= offer.kinds.includes('chat') ? provider.slug : undefined;
			byModel.set(offer.id, known);
		}
	}
	return {
		models: [...byModel].map(([id, { offers, chattedBy }]) => describeModel(id, offers, chattedBy)),
		providers: [
			...offers.map(({ provider, offers }) => describeProvider(provider, offers)),
			...ownCapacity(offers.filter(({ provider }) => provider.isDedicated).flatMap(({ offers }) => offers)),
		],
		providerPrefixes: providers.flatMap(({ slug, prefixes }) => prefixes.map(prefix => ({ prefix, provider: slug }))),
		aliases,
	};
}

/** Returns the gateway as a connection of the given host form, so that the client and the gateway read names alike. */
export function connectionOf(description: OfferDescription, plan: HostForm): Connection {
	return { ...localConnection, ...description, plan };
}

/**
 * Returns whether the name has a provider prefix. The service's own slug is not one of the prefixes, as it works on
 * every host and path (Dedicated deployments).
 */
export function hasProviderPrefix(connection: Connection, name: string): boolean {
	const identifier = parseModelIdentifier(connection, name);
	return identifier.form !== 'alias' && identifier.via !== undefined && identifier.via.prefix !== connection.service;
}

/**
 * Returns the id of the offers that a name stands for, or undefined if nobody has the model. The search model is that
 * of an upstream, whatever its id is there; the demo's made-up sources are used only if there is none.
 */
export function modelIdOf(connection: Connection, name: string): string | undefined {
	const search = searchModelOf(connection);
	if (name === search) {
		const offered = connection.models.filter(({ kinds }) => kinds.includes('search'));
		return (offered.find(({ id }) => id !== search) ?? offered[0])?.id;
	}
	const identifier = parseModelIdentifier(connection, name);
	if (identifier.form === 'path') {
		// Many upstreams include the vendor in the model's own id.
		const withVendor = `${identifier.vendor}/${identifier.model}`;
		const listed = connection.models.find(({ id }) => id === withVendor);
		if (listed) {
			return listed.id;
		}
	}
	return findModel(connection, name)?.id;
}

/** `chattedBy` is a chat provider of the model, for the encrypted channel, whose paths name one. */
function describeModel(id: string, offers: readonly ModelOffer[], chattedBy: string | undefined): ModelDescription {
	const label = firstOf(offers, ({ label }) => label);
	const contextLength = largestOf(offers, offer => offer.contextLength);
	const maxOutputTokens = largestOf(offers, offer => offer.maxOutputTokens);
	const openWeights = offers.some(offer => offer.openWeights === false)
		? false
		: firstOf(offers, offer => offer.openWeights);
	const prices = cheapestOf(offers);
	const tools = offers.map(({ parameters }) => parameters?.has('tools'));
	const kinds = new Set(offers.flatMap(offer => offer.kinds));
	return {
		id,
		// Responses and the encrypted channel use the same models as chat.
		kinds: [...kinds].flatMap(kind => (kind === 'chat' ? (['chat', 'responses', 'encrypted'] as const) : [kind])),
		...defined({
			channelProvider: chattedBy,
			label,
			contextLength,
			maxOutputTokens,
			openWeights,
			codeOriented: offers.some(({ codeOriented }) => codeOriented) || undefined,
			prices: prices && { ...prices },
			isLoading: offers.some(({ isLoading }) => isLoading) || undefined,
			tools: tools.includes(false) ? tools.some(takesTools => takesTools !== false) : undefined,
			images:
				offers.some(({ images }) => images) || (offers.every(({ images }) => images === false) ? false : undefined),
		}),
	};
}

function describeProvider({ slug, label }: Provider, offers: readonly ModelOffer[]): ProviderDescription {
	const dataPolicy = commonOf(offers, offer => offer.dataPolicy);
	const prices = commonOf(offers, offer => offer.prices);
	const quantizations = [...new Set(offers.flatMap(({ quantization }) => quantization ?? []))];
	const parameters = commonOf(offers, offer => offer.parameters && [...offer.parameters]);
	return {
		slug,
		...defined({
			label,
			prices: prices && { ...prices },
			dataPolicy,
			quantizations: quantizations.length === 0 ? undefined : quantizations,
			parameters,
		}),
		models: offers.map(({ id }) => id),
	};
}

/** Returns the entry for the service's own slug if anything runs on this machine (Dedicated deployments). */
function ownCapacity(offers: readonly ModelOffer[]): ProviderDescription[] {
	const open = new Set(offers.filter(({ openWeights }) => openWeights !== false).map(({ id }) => id));
	return open.size === 0 ? [] : [{ slug: LOCAL_SERVICE, label: 'Errand', models: [...open] }];
}

function firstOf<T>(offers: readonly ModelOffer[], read: (offer: ModelOffer) => T | undefined): T | undefined {
	return offers.map(read).find(value => value !== undefined);
}

/** Returns the largest of the offers' limits, or undefined if one of them is unknown, as that one may be larger. */
function largestOf(offers: readonly ModelOffer[], read: (offer: ModelOffer) => number | undefined): number | undefined {
	const values = offers.map(read);
	const known = values.filter(value => value !== undefined);
	return known.length === values.length && known.length > 0 ? Math.max(...known) : undefined;
}

/** Returns the lowest prices, or undefined if those of one offer are unknown, as they may be lower. */
function cheapestOf(offers: readonly ModelOffer[]): Prices | undefined {
	const prices = offers.flatMap(offer => offer.prices ?? []);
	if (prices.length < offers.length) {
		return undefined;
	}
	return prices.sort((one, other) => one.input + one.output - (other.input + other.output))[0];
}

/** Returns the value that all offers share, or undefined if they differ. */
function commonOf<T extends object>(
	offers: readonly ModelOffer[],
	read: (offer: ModelOffer) => T | undefined,
): T | undefined {
	const [first, ...others] = offers.map(read);
	const isCommon = others.every(other => JSON.stringify(other) === JSON.stringify(first));
	return isCommon ? first : undefined;
}
