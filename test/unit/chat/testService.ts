import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SettingsSource } from '../../../src/chat/model/applySettings.ts';
import type { UserSettings } from '../../../src/chat/model/settings.ts';
import { unsentChoices } from '../../../src/chat/model/shownConversation.ts';
import { createClient } from '../../../src/client/client.ts';
import type { Client } from '../../../src/client/types.ts';
import { type Connection, connectionSchema } from '../../../src/contract/connection.ts';

/** A real service on loopback that answers as the test says. */
export class TestService {
	readonly requests: { messages: { role: string; content: string }[] }[] = [];
	readonly paths: (string | undefined)[] = [];
	answer: (response: ServerResponse) => void = response => stream(response, ['An ', 'answer.'], true);
	/** The number of replies that the other side has hung up on. */
	hungUp = 0;
	private readonly server: Server;

	constructor() {
		this.server = createServer(async (request, response) => {
			const pieces: Buffer[] = [];
			for await (const piece of request) {
				pieces.push(piece);
			}
			this.paths.push(request.url);
			this.requests.push(JSON.parse(Buffer.concat(pieces).toString()));
			response.on('close', () => {
				if (!response.writableFinished) {
					this.hungUp++;
				}
			});
			this.answer(response);
		});
	}

	/** The connection to it; a test may tell more of it. */
	connection: Connection | undefined;
	/** The user's settings. */
	defaults: UserSettings = { routing: {}, retention: undefined, parameters: {}, instructions: '' };
	/** The workspace's state, as a reload keeps it. */
	readonly state = new Map<string, unknown>();
	readonly unsent = unsentChoices({
		get: key => structuredClone(this.state.get(key)),
		update: async (key, value) => void this.state.set(key, structuredClone(value)),
	});
	readonly settings: SettingsSource = {
		defaults: () => this.defaults,
		connection: async () => this.connection as Connection,
	};

	async start(): Promise<Client> {
		await new Promise<void>(resolve => this.server.listen(0, '127.0.0.1', resolve));
		const { port } = this.server.address() as AddressInfo;
		const connection = connectionSchema.parse({ apiUrl: `http://127.0.0.1:${port}`, service: 'acme' });
		this.connection = { ...connection, name: 'test' };
		return createClient({ connection: this.connection, keys: async () => 'sk-test' });
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise(resolve => this.server.close(resolve));
	}
}

/** Sends the words as a chat stream; with `end`, the stream's own end too. */
export function stream(response: ServerResponse, words: readonly string[], end: boolean): void {
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (const content of words) {
		const chunk = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] };
		response.write(`data: ${JSON.stringify(chunk)}\n\n`);
	}
	if (end) {
		const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], provider: 'provider-a' };
		response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
	}
}
