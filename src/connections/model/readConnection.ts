import { type Connection, connectionSchema } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME, localConnection } from '../../contract/localConnection.ts';

export type ReadConnection =
	| { connection: Connection }
	/** `field` is a path within the connection (`models.0.id`), `reason` what is wrong with it. */
	| { problem: 'unknown' }
	| { problem: 'invalid'; field: string; reason: string };

/** The connection of that name out of the settings' `errand.connections`. `local` is built in and cannot be replaced. */
export function readConnection(name: string, connections: unknown): ReadConnection {
	if (name === LOCAL_CONNECTION_NAME) {
		return { connection: localConnection };
	}
	const entries = typeof connections === 'object' && connections !== null ? connections : {};
	if (!Object.hasOwn(entries, name)) {
		return { problem: 'unknown' };
	}
	const parsed = connectionSchema.safeParse((entries as Record<string, unknown>)[name]);
	if (parsed.success) {
		return { connection: { ...parsed.data, name } };
	}
	const issue = parsed.error.issues[0];
	return {
		problem: 'invalid',
		field: issue?.path.join('.') ?? '',
		reason: issue?.message ?? '',
	};
}

/** The names the user can switch to, `local` first. */
export function connectionNames(connections: unknown): string[] {
	const configured = typeof connections === 'object' && connections !== null ? Object.keys(connections) : [];
	return [LOCAL_CONNECTION_NAME, ...configured.filter(name => name !== LOCAL_CONNECTION_NAME)];
}
