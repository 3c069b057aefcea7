// The choices in a list of models: recently used models, aliases, and the models that the connection and its service
// list.
import { defined } from '../../base/defined.ts';
import type { Connection } from '../../contract/connection.ts';
import { type Alias, type ConnectionModel, findModel } from '../../contract/modelIdentifier.ts';
import type { ListedModel } from '../../contract/modelList.ts';
import { hostsModel } from './preview.ts';

export type ModelGroup = 'unlisted' | 'recent' | 'aliases' | 'models' | 'code' | 'found';

export interface ModelChoice {
	group: ModelGroup;
	/** The name that a request uses. */
	name: string;
	model?: ConnectionModel;
	alias?: Alias;
	/** The model as the service's own list describes it. */
	listed?: ListedModel;
}

/** Returns whether the model can chat: over the chat endpoint or the responses endpoint. */
export function isForChat({ kinds }: ConnectionModel): boolean {
	return kinds.includes('chat') || kinds.includes('responses');
}

/**
 * Returns the models for chat. Each is listed once, except that recent ones are repeated on top. A `current` model that
 * is not among them, such as one of another connection, comes first.
 */
export function modelChoices(
	connection: Connection,
	{ recent, found, current }: { recent: readonly string[]; found: readonly ListedModel[]; current: string },
): ModelChoice[] {
	const chat = connection.models.filter(isForChat);
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
	// The current name is a known model with a provider prefix or a full path.
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

/** The number of models that the short list offers, beside the current one. */
const MAXIMUM_AT_HAND = 10;

/** Returns the first models of the list, each once, and the current one wherever it is in the list. */
export function atHand(choices: readonly ModelChoice[], current: string): ModelChoice[] {
	const byName = new Map(choices.map(choice => [choice.name, choice]));
	return [...byName.values()].filter(({ name }, index) => index < MAXIMUM_AT_HAND || name === current);
}

function described(connection: Connection, name: string): Omit<ModelChoice, 'group'> {
	const alias = connection.aliases.find(candidate => candidate.name === name);
	const model = findModel(connection, name);
	return { name, ...defined({ alias: alias || undefined, model: model || undefined }) };
}

/** A service may list any number of models. Nobody looks through more than this, and the list is stored. */
const MAXIMUM_FOUND = 1000;

/** Returns the part of a service's list that is stored and shown. */
export function toKeep(found: readonly ListedModel[]): ListedModel[] {
	return found.slice(0, MAXIMUM_FOUND).map(({ id, name, context_length }) => ({ id, name, context_length }));
}

/** Returns the alternates of a model that was just chosen, without the model itself. */
export function alternatesOf(model: string, models: readonly string[] = []): string[] | undefined {
	const others = models.filter(name => name !== model);
	return others.length === 0 ? undefined : others;
}

/** Moves or adds the name to the top of the recent models, which are listed once each. */
export function withRecent(recent: readonly string[], name: string): string[] {
	return [name, ...recent.filter(other => other !== name)].slice(0, MAXIMUM_RECENT);
}

const MAXIMUM_RECENT = 4;

/** Returns the providers that are not known to lack a model. */
export function hostsOf(connection: Connection, model: string): Connection['providers'] {
	return connection.providers.filter(provider => hostsModel(connection, provider, model) !== false);
}
