// The forms in which a request names its model (contract: inference.md, Model identifiers, Provider prefix shorthand,
// Model alias).
import type { Connection } from './connection.ts';
import type { RoutingPolicy } from './routingPolicy.ts';

export type ConnectionModel = Connection['models'][number];
export type Alias = Connection['aliases'][number];

/** A word before a model's name that stands for a provider. Two words may stand for the same provider. */
export interface ProviderPrefix {
	prefix: string;
	provider: string;
}

/** `<model>`, or with a prefix `<provider_slug>/<model>`. The name itself may contain slashes. */
export interface PlainModel {
	form: 'plain';
	model: string;
	via?: ProviderPrefix;
}

/** `<service>ai/<vendor>/<model>`, or with a prefix `<provider_slug>/<service>ai/<vendor>/<model>`. */
export interface ModelPath {
	form: 'path';
	vendor: string;
	model: string;
	via?: ProviderPrefix;
}

/** The name of an alias that the connection lists. */
export interface AliasedModel {
	form: 'alias';
	alias: Alias;
}

export type ModelIdentifier = PlainModel | ModelPath | AliasedModel;

/**
 * Returns the words that stand for a provider here: the listed prefixes and the service's own slug (Dedicated
 * deployments).
 */
function recognisedPrefixes({ providerPrefixes, service }: Connection): ProviderPrefix[] {
	const isListed = providerPrefixes.some(({ prefix }) => prefix === service);
	return isListed ? providerPrefixes : [...providerPrefixes, { prefix: service, provider: service }];
}

/**
 * Parses the `model` of a request. A text that the connection lists as a model's id always means that model, even if it
 * looks like a prefix and a name. Only one prefix is removed: the rest is a name, even if it begins with a prefix
 * again.
 */
export function parseModelIdentifier(connection: Connection, text: string): ModelIdentifier {
	const whole = parseName(connection, text);
	if (whole.form === 'path' || connection.models.some(({ id }) => id === text)) {
		return whole;
	}
	const alias = connection.aliases.find(({ name }) => name === text);
	if (alias) {
		return { form: 'alias', alias };
	}
	const via = recognisedPrefixes(connection).find(
		({ prefix }) => text.startsWith(`${prefix}/`) && text.length > prefix.length + 1,
	);
	return via ? { ...parseName(connection, text.slice(via.prefix.length + 1)), via } : whole;
}

/** Returns the connection's entry for the model, which may be listed by its plain name or by its full path. */
export function findModel(connection: Connection, text: string): ConnectionModel | undefined {
	const identifier = parseModelIdentifier(connection, text);
	if (identifier.form === 'alias') {
		// The base of an alias must not be an alias, or two that name each other would recurse forever.
		return findModel({ ...connection, aliases: [] }, identifier.alias.model);
	}
	const name = formatName(connection, identifier);
	const listed = connection.models.find(({ id }) => id === name);
	if (listed) {
		return listed;
	}
	const alike = connection.models.filter(({ id }) => isSame(parseName(connection, id), identifier));
	// Two vendors may have a model of the same name.
	return alike.length === 1 ? alike[0] : undefined;
}

/** Returns the endpoint for conversations with the model: the responses endpoint if the model has no chat endpoint. */
export function chatEndpointOf(connection: Connection, text: string): 'chat' | 'responses' {
	const { kinds = [] } = findModel(connection, text) ?? {};
	return kinds.includes('responses') && !kinds.includes('chat') ? 'responses' : 'chat';
}

/** Returns the model's name without its provider prefix, for use together with `provider.order`. */
export function withoutPrefix(connection: Connection, text: string): string {
	const identifier = parseModelIdentifier(connection, text);
	return identifier.form === 'alias' ? text : formatName(connection, identifier);
}

/**
 * Returns the routing policy that a name implies. A prefix equals `{order: [provider], allow_fallbacks: true}` with the
 * unprefixed model.
 * contract: not shown what an alias's provider equals; a slug is taken as the first one to try.
 */
export function impliedRoutingPolicy(identifier: ModelIdentifier): RoutingPolicy {
	if (identifier.form === 'alias') {
		const { provider } = identifier.alias;
		return typeof provider === 'string' ? { order: [provider] } : (provider ?? {});
	}
	return identifier.via ? { order: [identifier.via.provider], allow_fallbacks: true } : {};
}

function parseName({ service }: Connection, text: string): PlainModel | ModelPath {
	const [first, vendor, ...rest] = text.split('/');
	const model = rest.join('/');
	return first === `${service}ai` && vendor && model ? { form: 'path', vendor, model } : { form: 'plain', model: text };
}

function formatName({ service }: Connection, identifier: PlainModel | ModelPath): string {
	const { model } = identifier;
	return identifier.form === 'path' ? `${service}ai/${identifier.vendor}/${model}` : model;
}

function isSame(one: PlainModel | ModelPath, other: PlainModel | ModelPath): boolean {
	const hasOtherVendor = one.form === 'path' && other.form === 'path' && one.vendor !== other.vendor;
	return one.model === other.model && !hasOtherVendor;
}
