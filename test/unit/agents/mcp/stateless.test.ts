import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { duplexPair } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { RemoteAuthorization } from '../../../../src/agents/mcp/authorization.ts';
import { type GateSide, runGate } from '../../../../src/agents/mcp/gate.ts';
import { connectRemote } from '../../../../src/agents/mcp/remoteServer.ts';
import { objectsOf } from '../../../../src/base/fields.ts';
import { remoteServerSchema, signInSecret } from '../../../../src/contract/mcpServers.ts';
import { RemoteMcpServer } from '../../../support/remoteMcpServer.ts';
import { waitFor } from '../../../support/waitFor.ts';

interface Answer {
	id?: unknown;
	result?: Record<string, unknown>;
	error?: { code: number; message: string };
}

describe('an MCP server that speaks one version of the protocol', () => {
	let server: RemoteMcpServer;
	let failures: string[];
	let end: () => Promise<unknown>;

	beforeEach(async () => {
		failures = [];
		server = await RemoteMcpServer.start();
		server.tokens = new Map();
	});
	afterEach(async () => {
		await end();
		server.stop();
	});

	/** Connects to a server at an address, whose user signs in wherever that is asked for. */
	function connect() {
		const declared = { ...remoteServerSchema.parse({ url: server.url }), name: 'test', file: undefined };
		const secrets = new Map<string, string>();
		const connection = connectRemote(declared, {
			headers: {},
			authorization: new RemoteAuthorization(declared, {
				key: signInSecret({ ...declared, folder: undefined }),
				secrets: {
					get: async key => secrets.get(key),
					store: async (key, value) => void secrets.set(key, value),
					delete: async key => void secrets.delete(key),
				},
				returnAddress: async () => 'vscode://errand.errand/sign-in',
				open: async ({ page }, redeem) => redeem(server.signInOn(page)),
			}),
			onFailed: error => failures.push((error as Error).message),
		});
		return agentOf(connection, () => connection.end());
	}

	/** Returns an agent of the versions with a handshake. */
	function agentOf(connection: GateSide, close: () => Promise<void>) {
		const [agent, own] = duplexPair();
		const gate = runGate({ input: own, output: own }, connection, {
			admit: async tools => tools,
			ask: async () => undefined,
			onAnswer: () => {},
			onRefused: () => {},
		});
		end = () => {
			agent.destroy();
			return Promise.allSettled([gate, close()]);
		};
		const answers: Answer[] = [];
		createInterface({ input: agent }).on('line', line => answers.push(JSON.parse(line)));
		const send = (message: object) => agent.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
		let next = 0;
		const ask = (method: string, params: object = {}) => {
			const id = ++next;
			send({ id, method, params });
			return waitFor(method, () => answers.find(answer => answer.id === id));
		};
		return {
			ask,
			async begin() {
				const clientInfo = { name: 'agent', version: '1' };
				const answer = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
				send({ method: 'notifications/initialized' });
				return answer;
			},
			async call(name: string, given: object) {
				const { result } = await ask('tools/call', { name, arguments: given });
				return result?.['content'];
			},
		};
	}

	for (const version of ['2025-11-25', '2026-07-28'] as const) {
		for (const isJson of [false, true]) {
			it(`${version}, at an address that wants a sign-in, is used where it answers with ${isJson ? 'JSON' : 'events'}`, async () => {
				[server.version, server.isJson] = [version, isJson];
				const agent = connect();
				const { result } = await agent.begin();
				assert.equal(result?.['protocolVersion'], '2025-11-25');
				assert.deepEqual(result?.['serverInfo'], { name: 'test', version: '1' });
				const { result: list } = await agent.ask('tools/list');
				assert.deepEqual(
					objectsOf(list?.['tools']).map(({ name }) => name),
					['add', 'say'],
				);
				assert.deepEqual(await agent.call('add', { a: 2, b: 3 }), [{ type: 'text', text: '5' }]);
				for (const word of ['plain', ' wide ', 'Größe\n', '=?base64?x?=']) {
					assert.deepEqual(await agent.call('say', { said: { word } }), [{ type: 'text', text: word }]);
				}
				assert.deepEqual((await agent.ask('ping')).result, {});
				const { headers } = server.received.findLast(({ path, method }) => path === '/mcp' && method === 'POST') ?? {};
				assert.equal(headers?.['mcp-protocol-version'], version);
				assert.deepEqual(failures, []);
			});
		}
	}

	it('2026-07-28, by a command, is used', async () => {
		const [gateSide, serverSide] = duplexPair();
		const transport = new StdioServerTransport(serverSide, serverSide);
		const handle = serveStdio(() => server.mcpServer(), { legacy: 'reject', transport });
		const agent = agentOf({ input: gateSide, output: gateSide }, () => handle.close());
		assert.deepEqual((await agent.begin()).result?.['serverInfo'], { name: 'test', version: '1' });
		await agent.ask('tools/list');
		assert.deepEqual(await agent.call('add', { a: 2, b: 3 }), [{ type: 'text', text: '5' }]);
	});

	it('that nobody here knows is told of once, in its own words, to the agent too', async () => {
		const refusal = { jsonrpc: '2.0', id: null, error: { code: -32_022, message: 'Only 2027 here.' } };
		server.tokens = undefined;
		server.others.set('/mcp', (_, response) => {
			response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal));
		});
		const { error } = await connect().begin();
		assert.deepEqual(error, refusal.error);
		assert.deepEqual(failures, ['it refuses to begin: “Only 2027 here.”']);
	});
});
