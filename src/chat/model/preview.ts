// Which providers a policy leaves, judged by the connection's own data. The service may decide otherwise.
import type { ChatParameter } from '../../contract/chatRequest.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import { findModel, withoutPrefix } from '../../contract/modelIdentifier.ts';
import type { ProviderPreferences } from '../../contract/provider.ts';
import { effectivePreferences, type RoutingProblem, routingProblem } from '../../contract/routing.ts';
import type { AskedWith } from './policy.ts';
import { readPrices } from './prices.ts';

type Provider = Connection['providers'][number];

export type PreviewReason =
	// Reasons why the provider is excluded.
	| { kind: 'other-models' }
	| { kind: 'closed-model' }
	| { kind: 'ignored' }
	| { kind: 'not-in-only' }
	| { kind: 'not-in-order' }
	| { kind: 'stores-data'; policy: string | undefined }
	| { kind: 'retains-data'; policy: string | undefined }
	| { kind: 'stores-and-retains-data'; policy: string | undefined }
	| { kind: 'quantization'; offered: readonly string[] }
	| { kind: 'parameters'; missing: readonly string[] }
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
export function previewOf(connection: Connection, asked: AskedWith): PreviewRow[] {
	const preferences = effectivePreferences(connection, requestOf(asked));
	const listed = providersOf(connection, preferences).map(provider => rowOf(connection, provider, asked, preferences));
	const slugs = new Set(connection.providers.map(({ slug }) => slug));
	const named = new Set([...(preferences.only ?? []), ...(preferences.order ?? [])]);
	const unlisted = [...named].filter(slug => !slugs.has(slug)).map(slug => unlistedRow(connection, slug, preferences));
	return sorted([...listed, ...unlisted], connection, preferences);
}

/**
 * Where the connection is complete, the providers behind the service's own slug are listed themselves, so the slug has
 * a row only where the policy names it.
 */
function providersOf(connection: Connection, { only = [], order = [] }: ProviderPreferences): Provider[] {
	const isNamed = [...only, ...order].includes(connection.service);
	return connection.providers.filter(provider => isNamed || !isOwnCapacity(connection, provider));
}

const isOwnCapacity = (connection: Connection, { slug }: Provider) =>
	isComplete(connection) && slug === connection.service;

/**
 * `nobody`: by the connection's own data, all providers are excluded. Undefined where a provider may serve, or nothing
 * is known.
 */
export type PolicyProblem =
	| { kind: 'routing'; problem: RoutingProblem }
	| { kind: 'nobody'; rows: readonly PreviewRow[] };

/** Returns why no provider can serve a request, as far as that is known before it is sent. */
export function policyProblem(connection: Connection, asked: AskedWith): PolicyProblem | undefined {
	const problem = routingProblem(connection, requestOf(asked));
	if (problem) {
		return { kind: 'routing', problem };
	}
	const rows = previewOf(connection, asked);
	// A connection need not list every host, so only the service knows who hosts a model without a listed one.
	const rules = rows.filter(({ reasons }) => !reasons.some(({ kind }) => kind === 'other-models'));
	return rules.length > 0 && rules.every(({ verdict }) => verdict === 'out') ? { kind: 'nobody', rows } : undefined;
}

/** Returns undefined where the connection does not say. */
export function hostsModel(connection: Connection, { models }: Provider, model: string): boolean | undefined {
	if (models === undefined) {
		return undefined;
	}
	const wanted = findModel(connection, model)?.id ?? withoutPrefix(connection, model);
	return models.some(name => name === wanted || findModel(connection, name)?.id === wanted);
}

function requestOf({ model, models, provider }: AskedWith) {
	return { model, ...(models ? { models: [...models] } : {}), ...(provider ? { provider } : {}) };
}

function rowOf(
	connection: Connection,
	provider: Provider,
	asked: AskedWith,
	preferences: ProviderPreferences,
): PreviewRow {
	const { slug, label } = provider;
	const names = [asked.model, ...(asked.models ?? [])];
	if (names.every(name => hostsModel(connection, provider, name) === false)) {
		return { slug, label, verdict: 'out', reasons: [{ kind: 'other-models' }] };
	}
	// The providers behind the service's own slug have data policies and offers of their own.
	const own = isOwnCapacity(connection, provider);
	const { ignore, only, order } = preferences;
	const rules = own ? { ...(ignore && { ignore }), ...(only && { only }), ...(order && { order }) } : preferences;
	const out = exclusionsOf(connection, provider, asked, rules);
	if (out.length > 0) {
		return { slug, label, verdict: 'out', reasons: out };
	}
	const unclear = doubtsOf(connection, provider, asked, rules);
	return unclear.length > 0
		? { slug, label, verdict: 'unclear', reasons: unclear }
		: { slug, label, verdict: 'remains', reasons: placeOf(provider, preferences) };
}

/**
 * The local service states all that it knows about its providers. For other connections, the user wrote down what they
 * know.
 */
const isComplete = ({ name }: Connection) => name === LOCAL_CONNECTION_NAME;

function unlistedRow(connection: Connection, slug: string, { ignore = [] }: ProviderPreferences): PreviewRow {
	const isOut = isComplete(connection) || ignore.includes(slug);
	const reasons: PreviewReason[] = [{ kind: ignore.includes(slug) ? 'ignored' : 'not-listed' }];
	return { slug, label: undefined, verdict: isOut ? 'out' : 'unclear', reasons };
}

function exclusionsOf(
	connection: Connection,
	provider: Provider,
	asked: AskedWith,
	{
		only,
		ignore = [],
		order = [],
		allow_fallbacks,
		quantizations = [],
		require_parameters,
		...data
	}: ProviderPreferences,
): PreviewReason[] {
	const { slug } = provider;
	const names = [asked.model, ...(asked.models ?? [])];
	const reasons: (PreviewReason | false)[] = [
		slug === connection.service &&
			names.every(name => findModel(connection, name)?.openWeights === false) && { kind: 'closed-model' },
		ignore.includes(slug) && { kind: 'ignored' },
		only !== undefined && !isNamed(connection, provider, only) && { kind: 'not-in-only' },
		allow_fallbacks === false && order.length > 0 && !isNamed(connection, provider, order) && { kind: 'not-in-order' },
		dataReason(connection, provider, data),
	];
	const offered = provider.quantizations ?? (isComplete(connection) ? [] : undefined);
	if (quantizations.length > 0 && offered && !offered.some(level => quantizations.includes(level))) {
		reasons.push({ kind: 'quantization', offered });
	}
	const { parameters } = provider;
	if (require_parameters && parameters) {
		const missing = parametersOf(asked).filter(name => !parameters.includes(name));
		reasons.push(missing.length > 0 && { kind: 'parameters', missing });
	}
	return reasons.filter(reason => reason !== false);
}

/** Gives a single reason where both fields exclude the same data policy. */
function dataReason(
	connection: Connection,
	provider: Provider,
	{ data_collection, zdr }: Pick<ProviderPreferences, 'data_collection' | 'zdr'>,
): PreviewReason | false {
	const { dataPolicy: policy } = provider;
	const stores = data_collection === 'deny' && storesData(connection, provider) === true;
	const retains = zdr === true && retainsData(connection, provider) === true;
	if (!stores && !retains) {
		return false;
	}
	return { kind: stores && retains ? 'stores-and-retains-data' : stores ? 'stores-data' : 'retains-data', policy };
}

function doubtsOf(
	connection: Connection,
	provider: Provider,
	asked: AskedWith,
	{ data_collection, zdr, quantizations = [], require_parameters }: ProviderPreferences,
): PreviewReason[] {
	const isUnclear =
		(data_collection === 'deny' && storesData(connection, provider) === undefined) ||
		(zdr === true && retainsData(connection, provider) === undefined);
	const isUnknown = !isComplete(connection) && parametersOf(asked).length > 0 && !provider.parameters;
	const doubts: (PreviewReason | false)[] = [
		isUnclear && { kind: 'policy-unclear', policy: provider.dataPolicy },
		quantizations.length > 0 && !provider.quantizations && !isComplete(connection) && { kind: 'quantization-unknown' },
		require_parameters === true && isUnknown && { kind: 'parameters-unknown' },
	];
	return doubts.filter(doubt => doubt !== false);
}

/**
 * The service's own slug includes every provider that runs on its own capacity, so these need not be named themselves.
 */
function isNamed(connection: Connection, { slug, models = [] }: Provider, slugs: readonly string[]): boolean {
	const own = connection.providers.find(provider => provider.slug === connection.service);
	const mayBeOwn = isComplete(connection) && own !== undefined && models.some(model => own.models?.includes(model));
	return slugs.includes(slug) || (mayBeOwn && slugs.includes(connection.service));
}

const parametersOf = ({ parameters = {} }: AskedWith) => Object.keys(parameters) as ChatParameter[];

/** The texts of a data policy that are understood. Any other text leaves it open what the provider does. */
const POLICIES: Readonly<Record<string, { stores: boolean; retains: boolean }>> = {
	'zero data retention': { stores: false, retains: false },
	'stores no data': { stores: false, retains: true },
	'stores data': { stores: true, retains: true },
};

function policyOf(connection: Connection, { dataPolicy }: Provider) {
	const text = dataPolicy?.trim().toLowerCase().replace(/\.$/, '') ?? '';
	// Zero data retention, rule 5: a provider whose policy cannot be established counts as retaining data.
	return POLICIES[text] ?? (text === '' && isComplete(connection) ? { stores: true, retains: true } : undefined);
}

function storesData(connection: Connection, provider: Provider): boolean | undefined {
	return policyOf(connection, provider)?.stores;
}

/** A provider that stores no data need not have zero retention, which has a policy text of its own. */
function retainsData(connection: Connection, provider: Provider): boolean | undefined {
	return policyOf(connection, provider)?.retains;
}

function placeOf({ slug, prices }: Provider, { order = [], only, sort }: ProviderPreferences): PreviewReason[] {
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

function sorted(rows: PreviewRow[], connection: Connection, { order = [], sort }: ProviderPreferences): PreviewRow[] {
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
