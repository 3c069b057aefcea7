import { type ClientBase, type ClientConfig, Pool, types } from 'pg';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';

/** Most of a front end's work is waiting for the database, which does better with few connections of each program. */
const CONNECTIONS = 10;

/**
 * What every connection has. A program that stands still in the middle of a transaction, such as a worker that somebody
 * has paused, must not keep the locks of its rows: the database ends the transaction after a while.
 */
export const connectionLimits = {
	application_name: 'errand-service',
	connectionTimeoutMillis: 5_000,
	idle_in_transaction_session_timeout: 5_000,
	keepAlive: true,
	keepAliveInitialDelayMillis: 10_000,
	query_timeout: 30_000,
	statement_timeout: 20_000,
} as const satisfies ClientConfig;

/** Opens a pool of connections, of which none is made before it is needed. */
export function openPool(url: string, logger: Logger, connections = CONNECTIONS): Pool {
	const pool = new Pool({
		...connectionLimits,
		connectionString: url,
		max: connections,
		// Sequences and counts stay far below the integers that JavaScript can hold exactly.
		types: {
			getTypeParser: ((id: number, format?: 'text') =>
				id === types.builtins.INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
		},
	});
	// A connection that is lost while nobody uses it is replaced when it is needed.
	pool.on('error', error =>
		logger.log('warn', 'a connection to the database was lost', { reason: describeError(error) }),
	);
	return pool;
}

/**
 * Runs `body` in a transaction. A rejection says that nothing of it is stored, with one exception: where the connection
 * is lost while the transaction is being committed, nobody knows. What is run again after that must bear it.
 */
export async function transaction<T>(pool: Pool, body: (client: ClientBase) => Promise<T>): Promise<T> {
	const client = await pool.connect();
	let lost: Error | undefined;
	const onError = (error: Error) => {
		lost = error;
	};
	// The statement that runs rejects with the same error, but without a listener, the process would end.
	client.on('error', onError);
	try {
		await client.query('BEGIN');
		const result = await body(client);
		await client.query('COMMIT');
		return result;
	} catch (error) {
		await client.query('ROLLBACK').catch((failure: Error) => {
			lost ??= failure;
		});
		throw error;
	} finally {
		client.off('error', onError);
		client.release(lost);
	}
}
