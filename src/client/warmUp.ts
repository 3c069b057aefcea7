import type { Connection } from '../contract/connection.ts';
import { createClient } from './client.ts';
import type { Transport } from './core/transport.ts';

const TIMEOUT_MS = 10_000;

const REPLY = 'data: {"choices":[{"index":0,"delta":{"content":"."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** An address that contains its own reply: `fetch` treats it like any other, and nothing leaves the process. */
const REPLY_ADDRESS = `data:text/event-stream,${encodeURIComponent(REPLY)}`;

/**
 * Makes the first chat request as fast as later ones: opens a connection to the chat host, whatever it answers (no key
 * is sent), and runs the client and a `fetch` transport once on a built-in reply. Rejects if nothing answers.
 */
export async function warmUp(connection: Connection, transport: Transport): Promise<void> {
	await Promise.all([openConnection(connection, transport), rehearse(connection, transport)]);
}

async function openConnection(
	{ plan, apiUrl, enterpriseUrl = apiUrl }: Connection,
	transport: Transport,
): Promise<void> {
	const { body } = await transport.request({
		method: 'HEAD',
		url: plan === 'enterprise' ? enterpriseUrl : apiUrl,
		headers: {},
		signal: AbortSignal.timeout(TIMEOUT_MS),
		connectTimeoutMs: TIMEOUT_MS,
	});
	for await (const _ of body) {
		break;
	}
}

/** Does the same as the first message: a body is sent and a stream comes back, but from a different address. */
async function rehearse(connection: Connection, transport: Transport): Promise<void> {
	const client = createClient({
		connection,
		keys: async () => 'rehearsal',
		transport: { request: request => transport.request({ ...request, url: REPLY_ADDRESS }) },
	});
	for await (const _ of client.chat.stream({ model: 'rehearsal', messages: [{ role: 'user', content: '.' }] })) {
		// Only reading the events matters, not their content.
	}
}
