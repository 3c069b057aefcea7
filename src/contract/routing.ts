// The routing of a request as far as it is known before it is sent: the routing policy in force, and policies that
// cannot be met.
import { defined } from '../base/defined.ts';
import type { ChatRequest } from './chatRequest.ts';
import type { Connection } from './connection.ts';
import { findModel, impliedRoutingPolicy, type ProviderPrefix, parseModelIdentifier } from './modelIdentifier.ts';
import type { RoutingPolicy } from './routingPolicy.ts';

export type RoutedRequest = Pick<ChatRequest, 'model' | 'models' | 'provider'>;

/**
 * Returns the request's routing policy merged with the one that its model's prefix or alias implies. It is for display;
 * the request itself is sent as it is. contract: not shown. The request's own fields win (unspecified.md).
 */
export function effectiveRoutingPolicy(connection: Connection, { model, provider }: RoutedRequest): RoutingPolicy {
	return { ...impliedRoutingPolicy(parseModelIdentifier(connection, model)), ...provider };
}

/**
 * `alias`, `prefix`: the connection's host does not understand them; `order` says the same thing there. `nobody`: the
 * routing policy excludes every provider.
 */
export type RoutingReason =
	| { kind: 'alias' | 'prefix'; order?: readonly string[] }
	| {
			kind: 'nobody';
			/** `all`: no provider is left. `order`: no provider is left in the `order` that the request insists on. */
			among: 'all' | 'order';
			/** The service's own slug, which serves open models only. It is set if the model is a closed one. */
			openOnly?: string;
	  };

/** `field` and its `value` are what the user has to change. */
export interface RoutingProblem {
	field: string;
	value: unknown;
	reason: RoutingReason;
}

/**
 * Returns the reason for logs, other programs and the local service's own answers. The features have their own texts
 * for the user.
 */
export function routingReasonText(reason: RoutingReason): string {
	if (reason.kind === 'nobody') {
		const who = reason.among === 'order' ? 'no provider in it' : 'no provider';
		const why = reason.openOnly ? `; ${reason.openOnly} serves only open models, and this one is closed` : '';
		return `${who} may serve the request${why}`;
	}
	const instead = reason.order ? ` and send provider.order ${JSON.stringify(reason.order)}` : '';
	return reason.kind === 'alias'
		? `an alias is understood on the enterprise host alone; name its base model${instead}`
		: `a provider prefix is understood on the enterprise host alone; leave it out${instead}`;
}

/** Returns why the request cannot be routed unchanged, as far as that is known before it is sent. */
export function routingProblem(connection: Connection, request: RoutedRequest): RoutingProblem | undefined {
	const { model, models = [] } = request;
	const names = [['model', model], ...models.map((name, index) => [`models[${index}]`, name])] as const;
	for (const [field = '', value = ''] of names) {
		const reason = hostProblem(connection, value);
		if (reason !== undefined) {
			return { field, value, reason };
		}
		if (isClosed(connection, value) && prefixIn(connection, value)?.provider === connection.service) {
			return { field, value, reason: { kind: 'nobody', among: 'all', openOnly: connection.service } };
		}
	}
	return routingPolicyProblem(connection, request);
}

/**
 * Returns the prefix in a model's name. A provider's prefix works in chat completions only (Provider prefix shorthand,
 * rule 1).
 */
export function prefixIn(connection: Connection, model: string): ProviderPrefix | undefined {
	const identifier = parseModelIdentifier(connection, model);
	return identifier.form === 'alias' ? undefined : identifier.via;
}

function isClosed(connection: Connection, model: string): boolean {
	return findModel(connection, model)?.openWeights === false;
}

/**
 * Only the enterprise host understands prefixes and aliases (Provider prefix shorthand, Model alias). The service's own
 * slug is not one of the prefixes and works on every host (Dedicated deployments).
 */
function hostProblem(connection: Connection, model: string): RoutingReason | undefined {
	if (connection.plan === 'enterprise') {
		return undefined;
	}
	const identifier = parseModelIdentifier(connection, model);
	const isAlias = identifier.form === 'alias';
	if (!isAlias && (identifier.via === undefined || identifier.via.prefix === connection.service)) {
		return undefined;
	}
	const { order } = impliedRoutingPolicy(identifier);
	return { kind: isAlias ? 'alias' : 'prefix', ...defined({ order }) };
}

/**
 * An empty `only` allows nobody, and a slug in `ignore` is excluded wherever else it is listed. The service's own slug
 * is excluded if the model and its alternatives are all closed (Dedicated deployments): among other slugs it is
 * skipped, like any provider that does not host the model (Provider object, rule 5). If it is the only one to try, the
 * request is refused even with fallbacks: it asks for dedicated capacity and could never get it.
 */
function routingPolicyProblem(connection: Connection, request: RoutedRequest): RoutingProblem | undefined {
	const { service } = connection;
	const isAllClosed = [request.model, ...(request.models ?? [])].every(name => isClosed(connection, name));
	const { only, order = [], ignore = [], allow_fallbacks } = effectiveRoutingPolicy(connection, request);
	const isOut = (slug: string) => ignore.includes(slug) || (isAllClosed && slug === service);
	const refuse = (field: string, slugs: readonly string[], among: 'all' | 'order'): RoutingProblem => {
		const openOnly = isAllClosed && slugs.includes(service) ? { openOnly: service } : {};
		return { field, value: slugs, reason: { kind: 'nobody', among, ...openOnly } };
	};
	if (only?.every(isOut)) {
		return refuse('provider.only', only, 'all');
	}
	const wantsOwnAlone = isAllClosed && order.every(slug => slug === service);
	const isOutOfOrder = (slug: string) => isOut(slug) || only?.includes(slug) === false;
	if (order.length > 0 && (wantsOwnAlone || (allow_fallbacks === false && order.every(isOutOfOrder)))) {
		return refuse('provider.order', order, 'order');
	}
	return undefined;
}
