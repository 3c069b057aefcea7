import type { Connection } from '../contract/connection.ts';
import { createClient } from './client.ts';
import type { Transport } from './core/transport.ts';

const TIMEOUT_MS = 10_000;

const REPLY = new TextEncoder().encode(
	'data: {"choices":[{"index":0,"delta":{"content":"."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
);

/**
 * Makes the first chat request as quick as those after it: opens the way to the connection's chat host, whatever
 * answers there (no key goes along), and runs the client's own code once on a reply of its own. Rejects where
 * nothing answers.
 */
export async function warmUp(connection: Connection, transport: Transport): Promise<void> {
	await rehearse(connection);
	const { body } = await transport.request({
		method: 'HEAD',
		url: connection.plan === 'enterprise' ? (connection.enterpriseUrl ?? connection.apiUrl) : connection.apiUrl,
		headers: {},
		signal: AbortSignal.timeout(TIMEOUT_MS),
		connectTimeoutMs: TIMEOUT_MS,
	});
	for await (const _ of body) {
		break;
	}
}

/** Nothing leaves the process. */
async function rehearse(connection: Connection): Promise<void> {
	const client = createClient({
		connection,
		keys: async () => 'rehearsal',
		transport: {
			request: async () => ({ status: 200, headers: new Map([['content-type', 'text/event-stream']]), body: reply() }),
		},
	});
	for await (const _ of client.chat.stream({ model: 'rehearsal', messages: [{ role: 'user', content: '.' }] })) {
		// Its events tell nothing.
	}
}

async function* reply(): AsyncGenerator<Uint8Array> {
	yield REPLY;
}
