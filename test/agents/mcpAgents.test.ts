import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FoundAgent } from '../../src/agents/catalogue/entry.ts';
import { knownAgents } from '../../src/agents/catalogue/knownAgents.ts';
import { ownAgent } from '../../src/agents/catalogue/ownAgent.ts';
import type { McpCall } from '../../src/agents/mcp/gate.ts';
import type { McpServer } from '../../src/contract/mcpServers.ts';
import { opencodeProgram } from '../support/agentPrograms.ts';
import { withAgentAndServer } from '../support/agentWithServer.ts';
import { AGENT_PROGRAM } from '../support/programs.ts';
import { TestSandbox } from '../support/sandbox.ts';
import { ScriptedModel, type Step } from '../support/scriptedModel.ts';

const PACKAGES = path.resolve('test/support/agents/node_modules/@modelcontextprotocol');

const serverOf = (name: string, ...args: string[]): McpServer => ({
	...{ name, file: undefined, command: process.execPath, env: {}, hosts: [], files: 'read' },
	args: [path.join(PACKAGES, `server-${name}`, 'dist', 'index.js'), ...args],
});
const EVERYTHING = serverOf('everything', 'stdio');
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a placeholder of the declaration.
const FILES = serverOf('filesystem', '${workspaceFolder}');

/** How an agent's model calls a tool. */
type CallOf = (server: string, tool: string, given: object) => Step;

const AGENTS: { name: string; found: () => FoundAgent; call: CallOf }[] = [
	{
		name: 'Errand’s own agent',
		found: () => ownAgent(AGENT_PROGRAM, '1') ?? assert.fail('The agent is not built.'),
		call: (server, tool, given) => ({
			...{ do: 'call', tool: 'mcp' },
			input: { tool: `${server}.${tool}`, arguments: given },
		}),
	},
	{
		name: 'opencode',
		found: () => {
			const definition = knownAgents.find(({ id }) => id === 'opencode') ?? assert.fail();
			const location = opencodeProgram();
			return { definition, source: 'path', programs: { opencode: location }, location, version: undefined };
		},
		call: (server, tool, given) => ({ do: 'call', tool: `${server}_${tool}`, input: given }),
	},
];

for (const { name, found, call } of AGENTS) {
	describe(`MCP servers of others, for ${name} in the sandbox`, () => {
		let sandbox: TestSandbox;
		beforeEach(async () => {
			sandbox = await TestSandbox.create();
			await writeFile(path.join(sandbox.tree, 'a.txt'), 'written in the tree');
		});
		afterEach(() => sandbox.remove());

		async function run(server: McpServer, step: Step): Promise<{ calls: McpCall[]; results: string[] }> {
			const calls: McpCall[] = [];
			const scripts = { 'Use the server': [step, { do: 'say' as const, text: 'Done.' }] };
			const model = await ScriptedModel.start({ scripts, tree: sandbox.inside.tree });
			try {
				await withAgentAndServer(
					{
						...{ sandbox, agent: found(), server, model: model.name, modelUrl: model.url.replace(/\/v1$/, '') },
						ask: async (_, asked) => {
							calls.push(asked);
							return undefined;
						},
						...{ onAnswer: () => {}, known: () => undefined, note: () => {}, askAboutTools: async () => false },
						onRefused: () => {},
					},
					agent => agent.prompt('Use the server'),
				);
				return { calls, results: model.results };
			} finally {
				await model.stop();
			}
		}

		it('answer what the agent calls, which is asked about by name and arguments', async () => {
			const { calls, results } = await run(EVERYTHING, call('everything', 'echo', { message: 'from the sandbox' }));
			assert.deepEqual(calls, [{ tool: 'echo', arguments: { message: 'from the sandbox' } }]);
			assert.match(results.at(-1) ?? '', /Echo: from the sandbox/);
		});

		it('read the files that the agent works on', async () => {
			const file = `${sandbox.inside.tree}/a.txt`;
			const { results } = await run(FILES, call('filesystem', 'read_text_file', { path: file }));
			assert.match(results.at(-1) ?? '', /written in the tree/);
		});
	});
}
