// What a list of models offers: what was used of late, aliases, and what the connection and its service list.
import type { Connection } from '../../contract/connection.ts';
import {
	type Alias,
	type ConnectionModel,
	findModel,
	type ProviderPrefix,
	prefixOf,
	withoutPrefix,
} from '../../contract/modelIdentifier.ts';
import type { ListedModel } from '../../contract/modelList.ts';
import { hostsModel } from './preview.ts';

export type ModelGroup = 'unlisted' | 'recent' | 'aliases' | 'models' | 'code' | 'found';

export interface ModelChoice {
	group: ModelGroup;
	/** As a request names it. */
	name: string;
	model?: ConnectionModel;
	alias?: Alias;
	/** As the service's own list has it. */
	listed?: ListedModel;
}

/**
 * Models for chat. Each stands once but for the recent ones, which are repeated on top; `current` stands before them all
 * where it is none of the others, as that of another connection.
 */
export function modelChoices(
	connection: Connection,
	{ recent, found, current }: { recent: readonly string[]; found: readonly ListedModel[]; current: string },
): ModelChoice[] {
	const chat = connection.models.filter(({ kinds }) => kinds.includes('chat'));
	const known = new Set(connection.models.map(({ id }) => id));
	const choices: ModelChoice[] = [
		...connection.aliases.map(alias => ({ group: 'aliases' as const, ...described(connection, alias.name) })),
		...chat.map(model => ({
			group: model.codeOriented ? ('code' as const) : ('models' as const),
			name: model.id,
			model,
		})),
		...found.filter(({ id }) => !known.has(id)).map(listed => ({ group: 'found' as const, name: listed.id, listed })),
	];
	const isListed = current === '' || choices.some(({ name }) => name === current);
	const chosen = described(connection, current);
	// A prefix or a full path before a model that is known.
	const isForm = !isListed && chosen.model !== undefined;
	const unlisted = isListed || isForm ? [] : [{ ...chosen, group: 'unlisted' as const }];
	const repeated = [...(isForm && !recent.includes(current) ? [current] : []), ...recent]
		.filter(name => unlisted.every(choice => choice.name !== name))
		.map(name => ({
			...(choices.find(choice => choice.name === name) ?? described(connection, name)),
			group: 'recent' as const,
		}));
	const order: ModelGroup[] = ['models', 'code', 'aliases', 'found'];
	return [...unlisted, ...repeated, ...order.flatMap(group => choices.filter(choice => choice.group === group))];
}

function described(connection: Connection, name: string): Omit<ModelChoice, 'group'> {
	const alias = connection.aliases.find(candidate => candidate.name === name);
	const model = findModel(connection, name);
	return { name, ...(alias ? { alias } : {}), ...(model ? { model } : {}) };
}

/** A service may list any number; nobody looks through more, and they are kept. */
const MAXIMUM_FOUND = 1000;

/** Of a service's list what is kept and shown of it. */
export function toKeep(found: readonly ListedModel[]): ListedModel[] {
	return found.slice(0, MAXIMUM_FOUND).map(({ id, name, context_length }) => ({ id, name, context_length }));
}

/** The alternates of a model that was just chosen: it is none of its own. */
export function alternatesOf(model: string, models: readonly string[] = []): string[] | undefined {
	const others = models.filter(name => name !== model);
	return others.length === 0 ? undefined : others;
}

/** The last ones used first, each once. */
export function withRecent(recent: readonly string[], name: string): string[] {
	return [name, ...recent.filter(other => other !== name)].slice(0, MAXIMUM_RECENT);
}

const MAXIMUM_RECENT = 4;

/** What a prefix can stand before: no alias, and no name that has one. */
export function bareModel(connection: Connection, name: string): string {
	const alias = connection.aliases.find(candidate => candidate.name === name);
	return withoutPrefix(connection, alias?.model ?? name);
}

/** The prefixes that can stand before a model: one for each provider that may host it. */
export function prefixesFor(connection: Connection, model: string): ProviderPrefix[] {
	return hostsOf(connection, model).flatMap(({ slug }) => prefixOf(connection, slug) ?? []);
}

/** The providers that are not known to lack a model. */
export function hostsOf(connection: Connection, model: string): Connection['providers'] {
	return connection.providers.filter(provider => hostsModel(connection, provider, model) !== false);
}
