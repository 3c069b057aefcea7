import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import type { ServerConnection } from '../../../../src/agents/mcp/mcpServers.ts';
import { connectRemote } from '../../../../src/agents/mcp/remoteServer.ts';
import { remoteServerSchema } from '../../../../src/contract/mcpServers.ts';
import { RemoteMcpServer } from '../../../support/remoteMcpServer.ts';
import { waitFor } from '../../../support/waitFor.ts';

const MEGABYTE = 1024 * 1024;

describe('an MCP server at an address', () => {
	let server: RemoteMcpServer;
	let connections: ServerConnection[];
	let failures: string[];

	beforeEach(async () => {
		[connections, failures] = [[], []];
		server = await RemoteMcpServer.start();
	});
	afterEach(async () => {
		await Promise.all(connections.map(connection => connection.end()));
		server.stop();
	});

	/** Connects to a server of the user's settings, or of a file. */
	function connect(url = server.url, file?: string, headers: Record<string, string> = {}, beginMs = 15_000) {
		const connection = connectRemote(
			{ ...remoteServerSchema.parse({ url }), name: 'test', file },
			{
				headers,
				authorization: {
					token: async () => undefined,
					renew: async () => assert.fail('Nobody can sign in here.'),
				},
				onFailed: error => failures.push((error as Error).message),
				beginMs,
			},
		);
		connections.push(connection);
		const messages: { id?: unknown; result?: never; error?: { message: string } }[] = [];
		createInterface({ input: connection.output }).on('line', line => messages.push(JSON.parse(line)));
		const send = (message: object) => connection.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		let requests = 0;
		return {
			connection,
			messages,
			send,
			async ask(method: string, params: object = {}) {
				const id = `request-${requests++}`;
				send({ id, method, params });
				return waitFor(method, () => messages.find(message => message.id === id));
			},
			async begin() {
				const clientInfo = { name: 'agent', version: '1' };
				const answer = await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
				send({ method: 'notifications/initialized' });
				return answer;
			},
		};
	}
	const add = { name: 'add', arguments: { a: 2, b: 3 } };
	const sum = { content: [{ type: 'text', text: '5' }] };
	const begins = (connected: ReturnType<typeof connect>) => connected.ask('initialize', {});

	for (const isJson of [false, true]) {
		it(`is used with all that the protocol asks for, where it answers with ${isJson ? 'JSON' : 'events'}`, async () => {
			server.isJson = isJson;
			const agent = connect(undefined, undefined, { 'X-Key': 'secret' });
			await agent.begin();
			assert.deepEqual((await agent.ask('tools/call', add)).result, sum);
			const { headers } = server.received.at(-1) ?? assert.fail();
			assert.equal(headers['x-key'], 'secret');
			assert.equal(headers['mcp-protocol-version'], '2025-11-25');
			assert.deepEqual([headers['mcp-session-id']], [...server.sessions.keys()]);
			await agent.connection.end();
			assert.equal(server.sessions.size, 0);
			assert.deepEqual(failures, []);
		});
	}

	it('that has ended the session is begun with again, once for all requests, and the agent need not know', async () => {
		const agent = connect();
		await agent.begin();
		await waitFor('the session', () => server.paths.length === 2);
		server.sessions.clear();
		const answers = await Promise.all([agent.ask('tools/call', add), agent.ask('tools/call', add)]);
		assert.deepEqual(
			answers.map(({ result }) => result),
			[sum, sum],
		);
		assert.equal(server.sessions.size, 1);
	});

	it('gets one request of several whose answers wait, and a withdrawn one is closed', async () => {
		const agent = connect();
		await agent.begin();
		let isClosed = false;
		server.others.set('/mcp', (request, response) => {
			response.writeHead(request.method === 'POST' ? 200 : 405, { 'content-type': 'text/event-stream' });
			response.flushHeaders();
			response.on('close', () => {
				isClosed = true;
			});
		});
		agent.send({ id: 'long', method: 'tools/call', params: add });
		await waitFor('the call', () => server.paths.length >= 3);
		agent.send({ method: 'notifications/cancelled', params: { requestId: 'long' } });
		await waitFor('the end of the call', () => isClosed);
		assert.equal(
			agent.messages.find(({ id }) => id === 'long'),
			undefined,
		);
	});

	it('that redirects to another place is not followed, and the one behind it hears nothing', async () => {
		const other = await RemoteMcpServer.start();
		try {
			for (const status of [302, 307]) {
				server.others.set('/mcp', (_, response) => response.writeHead(status, { location: other.url }).end());
				const { error } = await begins(connect());
				assert.match(error?.message ?? '', new RegExp(`redirects to ${other.origin}, which is not followed`));
			}
			assert.deepEqual(other.paths, []);
			assert.match(failures[0] ?? '', /Declare the address/);
		} finally {
			other.stop();
		}
	});

	it('that redirects within its origin is followed where the request stays the same, and else not', async () => {
		server.others.set('/moved', (_, response) => response.writeHead(307, { location: '/mcp' }).end());
		const agent = connect(`${server.origin}/moved`);
		await agent.begin();
		assert.deepEqual((await agent.ask('tools/call', add)).result, sum);
		server.others.set('/moved', (_, response) => response.writeHead(303, { location: '/mcp' }).end());
		assert.match((await begins(connect(`${server.origin}/moved`))).error?.message ?? '', /redirects/);
	});

	it('of a file cannot lead into this machine or its network, whatever its name', async () => {
		for (const url of [server.url, 'https://[::1]/', 'https://169.254.169.254/', 'https://x.localhost/']) {
			const { error } = await begins(connect(url, '.mcp.json'));
			assert.match(error?.message ?? '', /leads into this machine or its network/, url);
		}
		assert.deepEqual(server.paths, []);
	});

	it('cannot make anybody read more than the limit, neither in one answer nor in one event', async () => {
		const flood = (type: string, piece: string, response: ServerResponse) => {
			response.writeHead(200, { 'content-type': type });
			const more = () => {
				while (!response.destroyed && response.write(piece)) {}
			};
			response.on('drain', more);
			more();
		};
		for (const [type, piece] of [
			['application/json', ' '.repeat(MEGABYTE)],
			['text/event-stream', `data: ${'x'.repeat(MEGABYTE)}`],
			// Events without an end, none of which answers.
			['text/event-stream', `data: {"method":"notifications/message"}\n\n:${' '.repeat(MEGABYTE)}\n`],
		] as const) {
			server.others.set('/mcp', (_, response) => flood(type, piece, response));
			const agent = connect();
			const { error } = await begins(agent);
			assert.match(error?.message ?? '', /sent more than is read of one answer/, type);
		}
	}).timeout(60_000);

	it('is read only until it has answered, however much more it writes', async () => {
		let isClosed = false;
		server.others.set('/mcp', (_, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			response.write('data: {"jsonrpc":"2.0","id":"request-0","result":{}}\n\n');
			response.on('close', () => {
				isClosed = true;
			});
		});
		assert.deepEqual((await connect().ask('tools/list')).result, {});
		await waitFor('the end of the stream', () => isClosed);
	});

	it('that breaks off, speaks something else or refuses is said to, with the next step', async () => {
		const event = { 'content-type': 'text/event-stream' };
		for (const [answer, said] of [
			[(response: ServerResponse) => response.writeHead(200, event).end('data: {}\n\n'), /ended its answer before/],
			[
				(response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end(),
				/Check the address/,
			],
			[(response: ServerResponse) => response.writeHead(404).end(), /has no MCP server at this address/],
			[(response: ServerResponse) => response.writeHead(503).end(), /refused \(HTTP 503\)\. Try again later/],
			[(response: ServerResponse) => response.destroy(), /cannot be reached/],
		] as const) {
			server.others.set('/mcp', (_, response) => void answer(response));
			const { error } = await begins(connect());
			assert.match(error?.message ?? '', said);
			assert.match(failures.at(-1) ?? '', said);
		}
	});

	it('that does not answer its first message in time is said to', async () => {
		server.others.set('/mcp', () => {});
		const { error } = await begins(connect(undefined, undefined, {}, 300));
		assert.match(error?.message ?? '', /127\.0\.0\.1:\d+ has not answered in time\. Try again later\.$/);
	});

	it('that refuses the token in a declared header is not signed in to', async () => {
		server.tokens = new Map();
		const { error } = await begins(connect(undefined, undefined, { Authorization: 'Bearer wrong' }));
		assert.match(error?.message ?? '', /refuses the sign-in or the token\. Check its headers/);
	});
});
