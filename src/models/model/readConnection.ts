import type * as z from 'zod';
import { fieldsOf } from '../../base/fields.ts';
import { type Connection, connectionSchema } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME, localConnection } from '../../contract/localConnection.ts';

export type ReadConnection =
	| { connection: Connection }
	| { problem: 'unknown' }
	/** `issue` describes the problem, and its path is relative to the connection's `value`. */
	| { problem: 'invalid'; issue: z.core.$ZodIssue; value: unknown };

/**
 * Reads the connection of that name from `errand.connections` of the settings. `local` is built in and cannot be
 * replaced.
 */
export function readConnection(name: string, connections: unknown): ReadConnection {
	if (name === LOCAL_CONNECTION_NAME) {
		return { connection: localConnection };
	}
	const entries = fieldsOf(connections);
	if (!Object.hasOwn(entries, name)) {
		return { problem: 'unknown' };
	}
	const value = entries[name];
	const parsed = connectionSchema.safeParse(value);
	return parsed.success
		? { connection: { ...parsed.data, name } }
		: { problem: 'invalid', issue: parsed.error.issues[0] as z.core.$ZodIssue, value };
}

/** Returns the names that the user can switch to, `local` first. */
export function connectionNames(connections: unknown): string[] {
	return [LOCAL_CONNECTION_NAME, ...Object.keys(fieldsOf(connections)).filter(name => name !== LOCAL_CONNECTION_NAME)];
}
