import assert from 'node:assert/strict';
import { createLogger } from '../../src/base/logger.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/core/fetchTransport.ts';
import type { Transport } from '../../src/client/core/transport.ts';
import { createUndiciTransport } from '../../src/client/core/undiciTransport.ts';
import type { Client } from '../../src/client/types.ts';
import { connectionSchema } from '../../src/contract/connection.ts';
import type { KeyKind } from '../../src/contract/routes.ts';
import { ContractServer, type ReceivedRequest, type Tampering } from '../support/contractServer/contractServer.ts';
import { connectionFields } from '../support/contractServer/fixtures.ts';
import { hastenedClock } from './hastenedClock.ts';
import { addProof } from './proofs.ts';

export interface ProofContext {
	/** A server that implements the contract, written from the contract's documents alone. */
	server: ContractServer;
	/** The client, connected to it with every host and the right keys. */
	client: Client;
	/**
	 * Creates a client with other fields of the connection, such as `{ plan: 'enterprise' }` (undefined removes a field),
	 * or with other keys.
	 */
	connect(fields?: Record<string, unknown>, keys?: Partial<Record<KeyKind, string | undefined>>): Client;
	/** Returns the last request that the server received. */
	lastRequest(): ReceivedRequest;
	/** Every line that the clients wrote to the diagnostics log. */
	logged: string[];
}

type Body = (context: ProofContext) => Promise<void>;

const transports: Record<string, () => { transport: Transport; close(): Promise<void> }> = {
	fetch: () => ({
		transport: createFetchTransport((url, init) => globalThis.fetch(url, init)),
		close: async () => {},
	}),
	undici: () => {
		const transport = createUndiciTransport();
		return { transport, close: () => transport.close() };
	},
};

/** Adds a test, over both transports, that the client does what these requirements demand. */
export function prove(ids: string | readonly string[], what: string, body: Body): void {
	const list = typeof ids === 'string' ? [ids] : ids;
	addProof(list, { by: 'client', what: `client: ${what}`, runUnder: tampering => run('fetch', body, tampering) });
	it(`${what} (${list.join(', ')})`, async () => {
		for (const name of Object.keys(transports)) {
			await run(name, body);
		}
	});
}

async function run(transportName: string, body: Body, tampering?: Tampering): Promise<void> {
	const server = await ContractServer.start(tampering === undefined ? {} : { tampering });
	const own = transports[transportName]?.();
	assert.ok(own);
	const logged: string[] = [];
	const connect: ProofContext['connect'] = (fields = {}, keys = {}) =>
		createClient({
			connection: { name: 'contract', ...connectionSchema.parse({ ...connectionFields(server), ...fields }) },
			keys: async kind => (kind in keys ? keys[kind] : server.keys[kind]),
			transport: own.transport,
			logger: createLogger('client', (level, line) => logged.push(`${level} ${line}`)),
			clock: hastenedClock(),
		});
	const lastRequest = () => {
		const last = server.received.at(-1);
		assert.ok(last, 'no request came');
		return last;
	};
	try {
		await body({ server, client: connect(), connect, lastRequest, logged });
	} finally {
		await own.close();
		await server.stop();
	}
}
