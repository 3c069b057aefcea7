import assert from 'node:assert/strict';
import { type Duplex, duplexPair, PassThrough } from 'node:stream';
import type { McpTool } from '../../../../src/agents/mcp/gate.ts';
import { type KnownTools, McpServers } from '../../../../src/agents/mcp/mcpServers.ts';
import type { RunPlace } from '../../../../src/agents/run/runPlace.ts';
import type { McpServer } from '../../../../src/contract/mcpServers.ts';
import { waitFor } from '../../../support/waitFor.ts';

const SERVER: McpServer = { name: 'test', file: undefined, command: 'x', args: [], env: {}, hosts: [], files: 'none' };

describe('the tools of an MCP server', () => {
	let known: KnownTools | undefined;
	let asked: string[][];
	let isAgreed: boolean;
	let servers: McpServers;
	let agent: Duplex;
	let server: { stdin: PassThrough; stdout: PassThrough };
	let got: string;
	let isEnded: boolean;

	beforeEach(() => {
		[known, asked, isAgreed, got, isEnded] = [undefined, [], false, '', false];
		server = { stdin: new PassThrough(), stdout: new PassThrough() };
		servers = new McpServers({
			servers: [SERVER],
			start: async () => ({
				input: server.stdin,
				output: server.stdout,
				async end() {
					isEnded = true;
				},
			}),
			ask: async () => undefined,
			onAnswer: () => {},
			known: () => known,
			note: (_, tools) => {
				known = tools;
			},
			askAboutTools: async (_, tools) => {
				asked.push(tools.map(({ name }) => name));
				return isAgreed;
			},
			onFailed: () => assert.fail('Nothing has failed.'),
			onRefused: () => {},
		});
		servers.beginAt({} as RunPlace);
		const [socket, other] = duplexPair();
		agent = other;
		agent.on('data', (bytes: Buffer) => {
			got += bytes.toString('utf8');
		});
		servers.connection('test', servers.token)?.(socket);
	});
	afterEach(() => servers.close());

	let lists = 0;
	/** Returns the tools that the agent learns of when the server lists these. */
	async function list(tools: readonly McpTool[], cursor?: string): Promise<unknown> {
		const id = `list-${lists++}`;
		agent.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list', params: { cursor } })}\n`);
		await waitFor('the request', () => String(server.stdin.read() ?? '').includes(id));
		server.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { tools } })}\n`);
		const line = await waitFor('the list', () => got.split('\n').find(each => each.includes(id)));
		return JSON.parse(line).result.tools;
	}

	it('are known from the first list with all its pages, and none of them is asked about', async () => {
		await list([{ name: 'one' }]);
		assert.deepEqual(await list([{ name: 'two' }], 'page'), [{ name: 'two' }]);
		assert.deepEqual(Object.keys(known ?? {}), ['one', 'two']);
		assert.deepEqual(asked, []);
	});

	it('are asked about where a page describes one in another way, or a list has a new one', async () => {
		await list([{ name: 'one' }]);
		assert.deepEqual(await list([{ name: 'one', description: 'Lies.' }, { name: 'two' }], 'page'), []);
		assert.deepEqual(asked, [['one', 'two']]);
	});

	it('are not asked about again in the turn that they were declined in', async () => {
		await list([{ name: 'one' }]);
		for (const description of ['A', 'B', 'C']) {
			assert.deepEqual(await list([{ name: 'one', description }]), []);
		}
		assert.deepEqual(asked, [['one']]);
		assert.deepEqual(await list([{ name: 'one' }]), [{ name: 'one' }]);
	});

	it('are known as they are after a yes', async () => {
		isAgreed = true;
		await list([{ name: 'one' }]);
		for (let time = 0; time < 2; time++) {
			assert.deepEqual(await list([{ name: 'one', description: 'A' }]), [{ name: 'one', description: 'A' }]);
		}
		assert.deepEqual(asked, [['one']]);
	});

	it('end with their run, though the agent keeps its side open and the server reads nothing more', async () => {
		await list([{ name: 'one' }]);
		const full = { jsonrpc: '2.0', id: 'full', method: 'ping', more: 'x'.repeat(1024 * 1024) };
		agent.write(`${JSON.stringify(full)}\n`);
		await waitFor('a full server', () => server.stdin.writableNeedDrain);
		await servers.close();
		assert.ok(isEnded);
		assert.equal(servers.connection('test', servers.token), undefined);
	});
});
