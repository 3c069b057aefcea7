// Predicts which providers a routing policy leaves, by the connection's own data. The service may decide otherwise.
import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import { dataPolicyText } from '../../contract/dataPolicy.ts';
import {
	completed,
	type Eligibility,
	type Exclusion,
	eligibilityOf,
	type ProviderFacts,
} from '../../contract/eligibility.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { findModel, withoutPrefix } from '../../contract/modelIdentifier.ts';
import { readPrices } from '../../contract/prices.ts';
import { effectiveRoutingPolicy, type RoutingProblem, routingProblem } from '../../contract/routing.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import type { ReplySettings } from './settings.ts';

type Provider = Connection['providers'][number];

export type PreviewReason =
	// Reasons why the provider is excluded.
	| { kind: 'other-models' }
	| { kind: 'closed-model' }
	// `policy` is the provider's data policy in words.
	| (Exclusion & { policy?: string | undefined })
	| { kind: 'not-listed' }
	// Reasons why it cannot be decided.
	| { kind: 'policy-unclear'; policy: string | undefined }
	| { kind: 'quantization-unknown' }
	| { kind: 'parameters-unknown' }
	// Reasons why the provider remains, and its rank.
	| { kind: 'in-order'; place: number }
	| { kind: 'after-order' }
	| { kind: 'in-only' }
	| { kind: 'price'; input?: number; output?: number }
	| { kind: 'price-unknown' }
	| { kind: 'measured'; by: 'throughput' | 'latency' }
	| { kind: 'sorted-by-object' }
	| { kind: 'balanced' };

export interface PreviewRow {
	slug: string;
	label: string | undefined;
	verdict: 'remains' | 'unclear' | 'out';
	reasons: readonly PreviewReason[];
}

/**
 * Lists the connection's providers: first those that remain, in the order in which they are likely to be tried, then
 * the others.
 */
export function previewOf(connection: Connection, asked: ReplySettings): PreviewRow[] {
	const routing = effectiveRoutingPolicy(connection, requestOf(asked));
	const listed = providersOf(connection, routing).map(provider => rowOf(connection, provider, asked, routing));
	const slugs = new Set(connection.providers.map(({ slug }) => slug));
	const named = new Set([...(routing.only ?? []), ...(routing.order ?? [])]);
	const unlisted = [...named].filter(slug => !slugs.has(slug)).map(slug => unlistedRow(connection, slug, routing));
	return sorted([...listed, ...unlisted], connection, routing);
}

/**
 * If the connection is complete, it lists the providers behind the service's own slug themselves, so the slug has a row
 * only if the routing policy names it.
 */
function providersOf(connection: Connection, { only = [], order = [] }: RoutingPolicy): Provider[] {
	const isNamed = [...only, ...order].includes(connection.service);
	return connection.providers.filter(provider => isNamed || !isOwnCapacity(connection, provider));
}

const isOwnCapacity = (connection: Connection, { slug }: Provider) =>
	isComplete(connection) && slug === connection.service;

/** `nobody`: by the connection's own data, no provider is left. Undefined if one may serve, or nothing is known. */
export type ProviderProblem =
	| { kind: 'routing'; problem: RoutingProblem }
	| { kind: 'nobody'; rows: readonly PreviewRow[] };

/** Returns why no provider can serve a request, as far as that is known before it is sent. */
export function providerProblem(connection: Connection, asked: ReplySettings): ProviderProblem | undefined {
	const problem = routingProblem(connection, requestOf(asked));
	if (problem) {
		return { kind: 'routing', problem };
	}
	const rows = previewOf(connection, asked);
	// A connection need not list every host, so only the service knows who hosts a model without a listed one.
	const rules = rows.filter(({ reasons }) => !reasons.some(({ kind }) => kind === 'other-models'));
	return rules.length > 0 && rules.every(({ verdict }) => verdict === 'out') ? { kind: 'nobody', rows } : undefined;
}

/** Returns undefined if the connection does not say. */
export function hostsModel(connection: Connection, { models }: Provider, model: string): boolean | undefined {
	if (models === undefined) {
		return undefined;
	}
	const ids = idsOf(connection);
	const wanted = ids.has(model) ? model : (findModel(connection, model)?.id ?? withoutPrefix(connection, model));
	// An id stands for its own model alone, so only other forms of a name must be looked up.
	return models.some(name => name === wanted || (!ids.has(name) && findModel(connection, name)?.id === wanted));
}

/** A list of models never changes in place, and all its models may be asked about one after another. */
const knownIds = new WeakMap<Connection['models'], ReadonlySet<string>>();

function idsOf({ models }: Connection): ReadonlySet<string> {
	const ids = knownIds.get(models) ?? new Set(models.map(({ id }) => id));
	knownIds.set(models, ids);
	return ids;
}

function requestOf({ model, models, provider }: ReplySettings) {
	return { model, ...defined({ models: models && [...models], provider }) };
}

function rowOf(connection: Connection, provider: Provider, asked: ReplySettings, routing: RoutingPolicy): PreviewRow {
	const { slug, label } = provider;
	const names = [asked.model, ...(asked.models ?? [])];
	if (names.every(name => hostsModel(connection, provider, name) === false)) {
		return { slug, label, verdict: 'out', reasons: [{ kind: 'other-models' }] };
	}
	// The providers behind the service's own slug have data policies and offers of their own.
	const { ignore, only, order } = routing;
	const rules = isOwnCapacity(connection, provider)
		? defined({ ignore, only, order })
		: { ...routing, ...defined({ ignore: ignore?.filter(name => name !== ownSlugOf(connection)) }) };
	const { exclusions, unknown } = eligibilityOf(factsOf(connection, provider), rules, asked.parameters ?? {});
	const isClosed =
		slug === connection.service && names.every(name => findModel(connection, name)?.openWeights === false);
	const policy = dataPolicyText(provider.dataPolicy);
	if (isClosed || exclusions.length > 0) {
		const closed: PreviewReason[] = isClosed ? [{ kind: 'closed-model' }] : [];
		return { slug, label, verdict: 'out', reasons: [...closed, ...exclusions.map(reason => ({ ...reason, policy }))] };
	}
	return unknown.length > 0
		? { slug, label, verdict: 'unclear', reasons: unknown.map(fact => doubtOf(fact, policy)) }
		: { slug, label, verdict: 'remains', reasons: placeOf(provider, routing) };
}

/**
 * If the connection is complete, a fact that it does not state is assumed as the local service's gateway assumes it.
 */
function factsOf(connection: Connection, { slug, models = [], ...stated }: Provider): ProviderFacts {
	const own = connection.providers.find(provider => provider.slug === connection.service);
	const isOwn = isComplete(connection) && models.some(model => own?.models?.includes(model));
	const facts = {
		slug,
		ownSlug: isOwn ? connection.service : undefined,
		dataPolicy: stated.dataPolicy,
		quantizations: stated.quantizations,
		parameters: stated.parameters && new Set(stated.parameters),
	};
	return isComplete(connection) ? completed(facts) : facts;
}

/**
 * The slug of the local service. Its providers are guessed here from their models, which may include too many, but
 * never excludes one, because only the service knows.
 */
const ownSlugOf = (connection: Connection) => (isComplete(connection) ? connection.service : undefined);

/**
 * The local service states everything that it knows about its providers. Other connections state what the user knows.
 */
const isComplete = ({ name }: Connection) => name === LOCAL_CONNECTION_NAME;

function unlistedRow(connection: Connection, slug: string, { ignore = [] }: RoutingPolicy): PreviewRow {
	const isOut = isComplete(connection) || ignore.includes(slug);
	const reasons: PreviewReason[] = [{ kind: ignore.includes(slug) ? 'ignored' : 'not-listed' }];
	return { slug, label: undefined, verdict: isOut ? 'out' : 'unclear', reasons };
}

function doubtOf(fact: Eligibility['unknown'][number], policy: string | undefined): PreviewReason {
	switch (fact) {
		case 'data-policy':
			return { kind: 'policy-unclear', policy };
		case 'quantizations':
			return { kind: 'quantization-unknown' };
		case 'parameters':
			return { kind: 'parameters-unknown' };
	}
}

function placeOf({ slug, prices }: Provider, { order = [], only, sort }: RoutingPolicy): PreviewReason[] {
	const place = order.indexOf(slug) + 1;
	const known = readPrices(prices);
	const price: PreviewReason = known ? { kind: 'price', ...known } : { kind: 'price-unknown' };
	const ranking: PreviewReason[] =
		place > 0
			? [{ kind: 'in-order', place }]
			: [
					...(order.length > 0 ? ([{ kind: 'after-order' }] as const) : []),
					...(sort === undefined
						? ([{ kind: 'balanced' }] as const)
						: sort === 'price'
							? []
							: typeof sort === 'string'
								? ([{ kind: 'measured', by: sort }] as const)
								: ([{ kind: 'sorted-by-object' }] as const)),
				];
	return [...(only ? ([{ kind: 'in-only' }] as const) : []), ...ranking, price];
}

function sorted(rows: PreviewRow[], connection: Connection, { order = [], sort }: RoutingPolicy): PreviewRow[] {
	const verdicts = { remains: 0, unclear: 1, out: 2 };
	const placeIn = ({ slug }: PreviewRow) => (order.includes(slug) ? order.indexOf(slug) : order.length);
	const priceOf = ({ slug }: PreviewRow) => {
		const prices = readPrices(connection.providers.find(provider => provider.slug === slug)?.prices);
		return (prices?.input ?? Number.POSITIVE_INFINITY) + (prices?.output ?? Number.POSITIVE_INFINITY);
	};
	return rows.sort(
		(one, other) =>
			verdicts[one.verdict] - verdicts[other.verdict] ||
			placeIn(one) - placeIn(other) ||
			(sort === 'price' ? priceOf(one) - priceOf(other) || 0 : 0),
	);
}
