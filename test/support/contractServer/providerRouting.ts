import { isObject, type JsonObject, refuse } from './checks.ts';
import { Refusal } from './exchange.ts';
import type { FixtureModel, Hosting } from './fixtureModel.ts';
import { aliases, models, providerPrefixes, service } from './fixtures.ts';

/** The meaning of a request's model name, before any provider is chosen. */
export interface NamedModel {
	model: FixtureModel;
	/** The routing policy that a prefix or an alias adds. The request's own fields take precedence. */
	preference: JsonObject;
}

export interface Served {
	model: FixtureModel;
	provider: string;
}

export interface RoutingPlace {
	/** True if this is the enterprise host, the only one that knows aliases. */
	isEnterprise: boolean;
	/** True if prefixes are supported, as on only one path of the enterprise host. */
	takesPrefixes: boolean;
	accountZeroDataRetention: boolean;
}

/**
 * Returns the model and the provider that must serve the request: the first of `model` and `models` that any provider
 * serves. Throws a `Refusal`: 400 for a closed model on dedicated capacity, 404 for an unknown model and if no provider
 * is left.
 */
export function route(body: JsonObject, place: RoutingPlace): Served {
	const names = [body['model'], ...(Array.isArray(body['models']) ? body['models'] : [])].map(String);
	let failure: Refusal | undefined;
	for (const name of names) {
		try {
			const named = namedModel(name, place);
			const preference = { ...named.preference, ...(isObject(body['provider']) ? body['provider'] : {}) };
			return { model: named.model, provider: chosen(named.model, preference, body, place).provider };
		} catch (error) {
			if (!(error instanceof Refusal)) {
				throw error;
			}
			failure ??= error;
		}
	}
	throw failure ?? new Refusal(404, 'No model was named');
}

function namedModel(name: string, place: RoutingPlace): NamedModel {
	const plain = plainModel(name);
	if (plain !== undefined) {
		return { model: plain, preference: {} };
	}
	const alias = place.isEnterprise ? aliasedModel(name) : undefined;
	if (alias !== undefined) {
		return alias;
	}
	const [, prefix, rest] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
	const model = rest === undefined ? undefined : plainModel(rest);
	if (model !== undefined && prefix === service) {
		if (!model.openWeights) {
			refuse(`model: ${model.id} is a closed model, which dedicated capacity does not take`);
		}
		return { model, preference: { order: [service], allow_fallbacks: true } };
	}
	const meant = providerPrefixes.find(entry => entry.prefix === prefix);
	if (model !== undefined && meant !== undefined) {
		if (!place.takesPrefixes) {
			throw new Refusal(
				404,
				`model: ${name} has a provider prefix, which is supported on the enterprise host's /chat/completions only`,
			);
		}
		return { model, preference: { order: [meant.provider], allow_fallbacks: true } };
	}
	throw new Refusal(404, `model: there is no ${name}`);
}

/** Returns the model that `<model>` or `<service>ai/<vendor>/<model>` names. */
export function plainModel(name: string): FixtureModel | undefined {
	return models.find(({ id, vendor }) => name === id || name === `${service}ai/${vendor}/${id}`);
}

/** Returns the model of an organisation's alias, and the alias's own routing policy. */
export function aliasedModel(name: string): NamedModel | undefined {
	const alias = aliases.find(entry => entry.name === name);
	const model = alias && plainModel(alias.model);
	return model && { model, preference: alias?.provider ?? {} };
}

function chosen(model: FixtureModel, preference: JsonObject, body: JsonObject, place: RoutingPlace): Hosting {
	const { only, ignore, order } = {
		only: slugs(preference['only']),
		ignore: slugs(preference['ignore']),
		order: slugs(preference['order']) ?? [],
	};
	const needsZeroRetention = preference['zdr'] === true || place.accountZeroDataRetention;
	const quantizations = slugs(preference['quantizations']);
	const mayFallBack = preference['allow_fallbacks'] !== false;
	const isBoundToService =
		only?.every(slug => slug === service) === true ||
		(order.length > 0 && order.every(slug => slug === service) && !mayFallBack);
	if (isBoundToService && !model.openWeights) {
		refuse(`provider: ${model.id} is a closed model, which dedicated capacity does not take`);
	}
	const allowed = model.hostings.filter(
		hosting =>
			(only?.includes(hosting.provider) ?? true) &&
			!ignore?.includes(hosting.provider) &&
			(preference['data_collection'] !== 'deny' || hosting.storesData === false) &&
			(!needsZeroRetention || hosting.zeroDataRetention === true) &&
			(quantizations?.includes(hosting.quantization) ?? true) &&
			(preference['require_parameters'] !== true || !hosting.unsupported?.some(name => body[name] !== undefined)),
	);
	const ordered = order.flatMap(slug => allowed.filter(({ provider }) => provider === slug));
	const others = ranked(
		allowed.filter(hosting => !ordered.includes(hosting)),
		preference,
	);
	// The primary is the first provider that hosts the model. Without fallbacks, only providers in `order` serve or, if
	// it is empty, only the primary.
	const candidates = mayFallBack ? [...ordered, ...others] : order.length > 0 ? ordered : others.slice(0, 1);
	const available = candidates.find(({ isDown }) => isDown !== true);
	if (available === undefined) {
		throw new Refusal(404, `provider: no allowed provider serves ${model.id}`);
	}
	return available;
}

/**
 * Sorts hostings by `sort` or, without it, by price and uptime. Those that meet the preferred throughput and latency
 * come first.
 */
function ranked(hostings: Hosting[], preference: JsonObject): Hosting[] {
	const { sort, preferred_min_throughput: least, preferred_max_latency: most } = preference;
	const misses = ({ throughput, latency }: Hosting) =>
		(typeof least === 'number' && throughput < least ? 1 : 0) + (typeof most === 'number' && latency > most ? 1 : 0);
	const cost = ({ price, throughput, latency, uptime }: Hosting) => {
		switch (sort) {
			case 'price':
				return price;
			case 'throughput':
				return -throughput;
			case 'latency':
				return latency;
			default:
				return price / uptime;
		}
	};
	return [...hostings].sort((one, other) => misses(one) - misses(other) || cost(one) - cost(other));
}

function slugs(value: unknown): string[] | undefined {
	return Array.isArray(value) ? value.map(String) : undefined;
}
