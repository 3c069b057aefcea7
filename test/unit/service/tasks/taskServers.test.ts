import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { duplexPair } from 'node:stream';
import type { RunPlace } from '../../../../src/agents/run/runPlace.ts';
import { taskServerSchema } from '../../../../src/contract/mcpServers.ts';
import { TaskLog } from '../../../../src/service/tasks/taskLog.ts';
import { TaskServers } from '../../../../src/service/tasks/taskServers.ts';
import { RemoteMcpServer } from '../../../support/remoteMcpServer.ts';
import { useTaskRunner } from './useTaskRunner.ts';

describe('the MCP servers of a run', () => {
	const local = useTaskRunner();
	const servers = [
		taskServerSchema.parse({
			...{ name: 'one', declaration: { command: 'x' }, inputs: { key: 'secret' }, variables: {}, packages: '/p' },
		}),
	];

	/** Begins a task's run. */
	function run(kept: TaskServers, mcpServers: string[], isSandboxed = true, id = 'task') {
		const task = local.store.get(id) ?? local.store.create({ ...local.task(), id, mcpServers });
		const [execution] = local.store.executions(task);
		const log = new TaskLog(local.store, task, execution ?? assert.fail());
		const served = kept.forRun({ task, isSandboxed, folder: '/homes', log });
		const said = () => {
			log.flush();
			return local.logOf(task);
		};
		return { served, said };
	}
	/** Tells whether it has servers, and what its log says. */
	function names(...given: Parameters<typeof run>) {
		const { served, said } = run(...given);
		return { isServed: served !== undefined, said: said() };
	}

	it('are named in the log, and nothing else of them is', () => {
		const kept = new TaskServers();
		kept.keep('task', servers);
		const { isServed, said } = names(kept, ['one']);
		assert.ok(isServed);
		assert.deepEqual(said, ['The agent can use these MCP servers: one, in a sandbox of its own.']);
	});

	it('are none without a sandbox, and none that another service was given, which the log says', () => {
		const kept = new TaskServers();
		kept.keep('task', servers);
		const outside = names(kept, ['one'], false);
		assert.ok(!outside.isServed);
		assert.match(
			outside.said[0] ?? '',
			/^The agent gets none of the MCP servers of this task \(one\): without a sandbox/,
		);
		const gone = names(new TaskServers(), ['one'], true, 'other');
		assert.ok(!gone.isServed);
		assert.match(gone.said[0] ?? '', /^The MCP servers of this task are gone \(one\)/);
	});

	it('are none of a task that has none, of which nothing is said', () => {
		assert.deepEqual(names(new TaskServers(), []), { isServed: false, said: [] });
	});

	describe('at an address', () => {
		const TOKEN = 'the-token-of-the-sign-in';
		let remote: RemoteMcpServer;

		beforeEach(async () => {
			remote = await RemoteMcpServer.start();
			remote.tokens = new Map([[TOKEN, remote.url]]);
		});
		afterEach(() => remote.stop());

		/** Begins a run with the server, as a window hands it over, and connects to it as an agent does. */
		async function begin(fields: object = {}) {
			const kept = new TaskServers();
			const placeholder = ['${input', 'team}'].join(':');
			kept.keep('task', [
				taskServerSchema.parse({
					...{ name: 'far', declaration: { url: remote.url, headers: { 'X-Team': placeholder } }, token: TOKEN },
					...{ inputs: { team: 'docs' }, variables: {}, packages: '/p', ...fields },
				}),
			]);
			const { served = assert.fail(), said } = run(kept, ['far']);
			served.beginAt({} as RunPlace);
			const [socket, agent] = duplexPair();
			served.connection('far', served.token)?.(socket);
			const lines = createInterface({ input: agent })[Symbol.asyncIterator]();
			let id = 0;
			const ask = async (method: string, params: object = {}) => {
				agent.write(`${JSON.stringify({ jsonrpc: '2.0', id: id++, method, params })}\n`);
				return JSON.parse((await lines.next()).value ?? '{}');
			};
			const clientInfo = { name: 'agent', version: '1' };
			const begun = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
			const end = async () => {
				agent.end();
				await served.close();
			};
			return { begun, ask, said, end };
		}

		it('is used with the token and the headers of the window, and the log names where it runs', async () => {
			const { ask, said, end } = await begin();
			await ask('tools/list');
			const { result } = await ask('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
			assert.equal(result.content[0].text, '5');
			const { headers } = remote.received[0] ?? assert.fail();
			assert.deepEqual([headers.authorization, headers['x-team']], [`Bearer ${TOKEN}`, 'docs']);
			assert.deepEqual(said(), [
				`The agent can use these MCP servers: far, which runs at ${new URL(remote.url).host}.`,
				'MCP tool far/add\n{"a":2,"b":3}',
			]);
			await end();
		});

		it('does without it once the sign-in has ended, and agent and log are told what to do', async () => {
			const { ask, said, end } = await begin();
			await ask('tools/list');
			remote.tokens?.clear();
			const { error } = await ask('tools/call', { name: 'add', arguments: { a: 2, b: 3 } });
			const sentence = /does not accept the sign-in that the task was started with.*then start a new task\./;
			assert.match(error.message, sentence);
			assert.match(said().at(-1) ?? '', sentence);
			assert.ok(remote.received.every(({ path }) => path === '/mcp'));
			await end();
		});

		it('cannot lead into the user’s network where a file of the folder declares it', async () => {
			const { begun, said, end } = await begin({ file: '.mcp.json' });
			assert.match(begun.error.message, /leads into this machine or its network/);
			assert.match(said().at(-1) ?? '', /The MCP server “far” has failed: .*leads into this machine/);
			assert.deepEqual(remote.received, []);
			await end();
		});
	});
});
