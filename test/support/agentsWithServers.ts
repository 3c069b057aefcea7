// Real agents in the sandbox, each with real MCP servers of others beside it.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { discoverAgent } from '../../src/agents/catalogue/discovery.ts';
import type { FoundAgent } from '../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../src/agents/catalogue/knownAgents.ts';
import type { McpCall } from '../../src/agents/mcp/gate.ts';
import type { McpServers } from '../../src/agents/mcp/mcpServers.ts';
import type { RunningAgent } from '../../src/agents/run/agentRun.ts';
import { isFields, objectsOf } from '../../src/base/fields.ts';
import type { McpServer } from '../../src/contract/mcpServers.ts';
import { type AgentWithServerOptions, withAgentAndServer } from './agentWithServer.ts';
import { ReplyServer } from './replyServer.ts';
import { TestSandbox } from './sandbox.ts';
import { waitFor } from './waitFor.ts';

const PACKAGES = path.resolve('test/support/agents/node_modules/@modelcontextprotocol');
const START_MS = 120_000;

const serverOf = (name: string, ...args: string[]): McpServer => ({
	...{ name, file: undefined, command: process.execPath, env: {}, hosts: [], files: 'read' },
	args: [path.join(PACKAGES, `server-${name}`, 'dist', 'index.js'), ...args],
});
export const EVERYTHING = serverOf('everything', 'stdio');
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of the declaration.
const FILES = serverOf('filesystem', '${workspaceFolder}');

const ECHO = { server: 'everything', tool: 'echo' };

/** A call of a server's tool by an agent's model. */
interface ServerCall {
	server: string;
	tool: string;
	given: object;
}

/** Returns the calls by which a model uses a tool, in the ways in which agents offer it; none if one does not. */
function callsOf(
	{ server, tool, given }: ServerCall,
	body: Record<string, unknown>,
): { name: string; input: object }[] {
	const names = toolNames(body);
	const own = names.find(name => name.includes(server) && name.endsWith(tool));
	if (own !== undefined) {
		return [{ name: own, input: given }];
	}
	if (names.includes('tool_search')) {
		const name = `mcp__${server}__${tool}`;
		return [
			{ name: 'tool_search', input: { query: `select:${name}` } },
			{ name: 'tool_call', input: { name, arguments: given } },
		];
	}
	return names.includes('mcp') ? [{ name: 'mcp', input: { tool: `${server}/${tool}`, arguments: given } }] : [];
}

const toolNames = (body: Record<string, unknown>): string[] =>
	objectsOf(body['tools']).map(tool => String(isFields(tool['function']) ? tool['function']['name'] : tool['name']));

/** Finds an agent that Errand knows among the programs in these folders. */
export async function foundAgent(agent: string, folders: readonly string[]): Promise<FoundAgent> {
	const definition = knownAgents.find(({ id }) => id === agent) ?? assert.fail();
	const options = { path: folders.join(path.delimiter), folder: '', platform: '' };
	return (await discoverAgent(definition, options)) ?? assert.fail(`${agent} is not installed.`);
}

/** Sets up an agent with servers for each test of the `describe` in whose body it is called. */
export function useAgentWithServers(found: () => Promise<FoundAgent>) {
	let sandbox: TestSandbox;
	let model: ReplyServer;
	const asked: McpCall[] = [];
	/** Decides on a call; undefined is a yes. */
	let ask: AgentWithServerOptions['ask'];

	beforeEach(async () => {
		[sandbox, model] = [await TestSandbox.create(), await ReplyServer.start()];
		asked.splice(0);
		ask = async () => undefined;
		await writeFile(path.join(sandbox.tree, 'a.txt'), 'written in the tree');
	});
	afterEach(async () => {
		await model.stop();
		await sandbox.remove();
	});

	return {
		asked,
		sandbox: () => sandbox,
		setAsk(decide: AgentWithServerOptions['ask']): void {
			ask = decide;
		},
		async run(
			server: McpServer,
			work: (agent: RunningAgent, servers: McpServers) => Promise<void>,
			options: Pick<AgentWithServerOptions, 'signal' | 'earlier'> = {},
		): Promise<void> {
			await withAgentAndServer(
				{
					...{ sandbox, agent: await found(), server, model: 'scripted', modelUrl: model.url, ...options },
					ask: (of, call, signal) => {
						asked.push(call);
						return ask(of, call, signal);
					},
					...{ onAnswer: () => {}, known: () => undefined, note: () => {}, askAboutTools: async () => false },
					...{ onFailed: (_, error) => assert.fail(String(error)), onRefused: () => {} },
				},
				work,
			);
		},
		/** Lets the model make a call in a turn of the agent. Resolves with the call's result, as the model gets it. */
		async use(agent: RunningAgent, call: ServerCall): Promise<string> {
			let before: number | undefined;
			model.script = ({ body, results }) => {
				const calls = callsOf(call, body);
				if (calls.length === 0) {
					return { text: 'There is no such tool.' };
				}
				before ??= results.length;
				const next = calls[results.length - before];
				return next === undefined ? { text: 'Done.' } : { calls: [next] };
			};
			let result = '';
			// Some agents do not wait for their servers before they ask the model, or search for tools before those are there.
			await waitFor(
				'the tool',
				async () => {
					before = undefined;
					await agent.prompt(`Use ${call.tool}`);
					result = model.requests.findLast(({ body }) => toolNames(body).length > 0)?.results.at(-1) ?? '';
					return before !== undefined && !result.includes('is not registered in this session');
				},
				START_MS,
			);
			return result;
		},
		model: () => model,
	};
}

/** Adds the tests of what an agent does with MCP servers. */
export function testServersOf(name: string, found: () => Promise<FoundAgent>): void {
	describe(`MCP servers of others, for ${name} in the sandbox`, () => {
		const used = useAgentWithServers(found);
		const echo = (message: string): ServerCall => ({ ...ECHO, given: { message } });

		it('answer what the agent calls after a yes to name and arguments, and nothing after a no', async () => {
			await used.run(EVERYTHING, async (agent, servers) => {
				assert.match(await used.use(agent, echo('from the sandbox')), /Echo: from the sandbox/);
				assert.deepEqual(used.asked, [{ tool: 'echo', arguments: { message: 'from the sandbox' } }]);
				assert.deepEqual(servers.unreached, []);
				used.setAsk(async () => 'The user said no.');
				assert.match(await used.use(agent, echo('once more')), /The user said no\./);
			});
		});

		it('read the files that the agent works on', async () => {
			await used.run(FILES, async agent => {
				const file = `${used.sandbox().inside.tree}/a.txt`;
				const call = { server: 'filesystem', tool: 'read_text_file', given: { path: file } };
				assert.match(await used.use(agent, call), /written in the tree/);
			});
		});

		it('end with an agent that is stopped during a question, and are there again when its session goes on', async () => {
			const stop = new AbortController();
			let isWithdrawn = false;
			let earlier: string | undefined;
			used.setAsk(
				(_, __, signal) =>
					new Promise(resolve => {
						signal.addEventListener('abort', () => {
							isWithdrawn = true;
							resolve('It was withdrawn.');
						});
					}),
			);
			const stopped = used.run(
				EVERYTHING,
				async agent => {
					earlier = agent.session.id;
					await used.use(agent, echo('never'));
				},
				{ signal: stop.signal },
			);
			const settled = assert.rejects(stopped, /stopped by the test/);
			await waitFor('the question', () => used.asked.length > 0, START_MS);
			stop.abort(new Error('stopped by the test'));
			await settled;
			assert.ok(isWithdrawn);
			used.setAsk(async () => undefined);
			await used.run(
				EVERYTHING,
				async agent => {
					assert.match(agent.session.how, /^(?:resumed|loaded)$/);
					assert.match(await used.use(agent, echo('after that')), /Echo: after that/);
				},
				{ earlier },
			);
		});
	});
}
