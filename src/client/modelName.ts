import type { Connection } from '../contract/connection.ts';

/**
 * The context length of the model that `name` stands for, in tokens: a model's own id, an alias, or either behind a
 * provider's prefix (contract: inference.md, Model identifiers). Undefined where the connection does not tell.
 */
export function contextLengthOf(connection: Connection, name: string): number | undefined {
	const { models, aliases, providerPrefixes } = connection;
	const candidates = [name, aliases.find(alias => alias.name === name)?.model];
	for (const { prefix } of providerPrefixes) {
		if (name.startsWith(`${prefix}/`)) {
			candidates.push(name.slice(prefix.length + 1));
		}
	}
	return models.find(({ id }) => candidates.includes(id))?.contextLength;
}
