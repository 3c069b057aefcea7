// What a list of models offers: what was used of late, aliases, and what the connection and its service list.
import type { Connection } from '../../../contract/connection.ts';
import {
	type Alias,
	type ConnectionModel,
	findModel,
	type ProviderPrefix,
	prefixOf,
} from '../../../contract/modelIdentifier.ts';
import type { ListedModel } from '../../../contract/modelList.ts';
import { hostsModel } from './preview.ts';

export type ModelGroup = 'recent' | 'aliases' | 'models' | 'code' | 'found';

export interface ModelChoice {
	group: ModelGroup;
	/** As a request names it. */
	name: string;
	model?: ConnectionModel;
	alias?: Alias;
	/** As the service's own list has it. */
	listed?: ListedModel;
}

/** Models for chat. Each stands once but for the recent ones, which are repeated on top. */
export function modelChoices(
	connection: Connection,
	{ recent, found }: { recent: readonly string[]; found: readonly ListedModel[] },
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
	const repeated = recent.map(name => ({
		...(choices.find(choice => choice.name === name) ?? described(connection, name)),
		group: 'recent' as const,
	}));
	const order: ModelGroup[] = ['models', 'code', 'aliases', 'found'];
	return [...repeated, ...order.flatMap(group => choices.filter(choice => choice.group === group))];
}

function described(connection: Connection, name: string): Omit<ModelChoice, 'group'> {
	const alias = connection.aliases.find(candidate => candidate.name === name);
	const model = findModel(connection, name);
	return { name, ...(alias ? { alias } : {}), ...(model ? { model } : {}) };
}

/** The last ones used first, each once. */
export function withRecent(recent: readonly string[], name: string): string[] {
	return [name, ...recent.filter(other => other !== name)].slice(0, MAXIMUM_RECENT);
}

const MAXIMUM_RECENT = 4;

/** The prefixes that can stand before a model: one for each provider that may host it. */
export function prefixesFor(connection: Connection, model: string): ProviderPrefix[] {
	return hostsOf(connection, model).flatMap(({ slug }) => prefixOf(connection, slug) ?? []);
}

/** The providers that are not known to lack a model. */
export function hostsOf(connection: Connection, model: string): Connection['providers'] {
	return connection.providers.filter(provider => hostsModel(connection, provider, model) !== false);
}
