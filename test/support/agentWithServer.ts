import path from 'node:path';
import type { FoundAgent } from '../../src/agents/catalogue/entry.ts';
import { McpServers, type McpServersOptions } from '../../src/agents/mcp/mcpServers.ts';
import { connectRemote } from '../../src/agents/mcp/remoteServer.ts';
import { startServer } from '../../src/agents/mcp/startServer.ts';
import { createClientModels } from '../../src/agents/relay/clientModels.ts';
import type { WebAccess } from '../../src/agents/relay/webAccess.ts';
import { agentLaunch } from '../../src/agents/run/agentLaunch.ts';
import { type AgentRunOptions, type RunningAgent, runAgent } from '../../src/agents/run/agentRun.ts';
import type { PermissionRequest } from '../../src/agents/session/events.ts';
import { systemClock } from '../../src/base/async.ts';
import { defined } from '../../src/base/defined.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { type DeclaredServer, isRemote } from '../../src/contract/mcpServers.ts';
import { clientOf } from '../unit/agents/relay/clientModelsHarness.ts';
import { INSIDE_PROGRAM, SECRET, type TestSandbox } from './sandbox.ts';

export interface AgentWithServerOptions
	extends Omit<McpServersOptions, 'start' | 'servers'>,
		Partial<Pick<AgentRunOptions, 'signal' | 'earlier'>> {
	sandbox: TestSandbox;
	agent: FoundAgent;
	server?: DeclaredServer;
	web?: WebAccess;
	/** The folders that the agent may write in, if not all are. */
	treeFolders?: readonly string[];
	/** The address of the model's server, without a path. */
	modelUrl: string;
	/** The key that the server wants, if it wants one. */
	token?: string;
	model: string;
	/** Called before a request of the agent is allowed. */
	onAsk?(request: PermissionRequest): void;
}

/**
 * Runs an agent in a sandbox, as the chat does, with an MCP server beside it, until `work` has ended. The server's secret
 * is `SECRET`.
 */
export async function withAgentAndServer(
	options: AgentWithServerOptions,
	work: (agent: RunningAgent, servers: McpServers) => Promise<void>,
): Promise<void> {
	const { sandbox, agent, server, web, treeFolders, modelUrl, token, model, onAsk, signal, earlier } = options;
	const mcpServers = new McpServers({
		...options,
		servers: server === undefined ? [] : [server],
		start: async (each, place, stopped) => {
			if (isRemote(each)) {
				const authorization = { token: async () => SECRET, renew: async () => {} };
				return connectRemote(each, { headers: {}, authorization, onFailed: () => {} });
			}
			return startServer(
				each,
				{
					agent: place,
					homes: path.join(sandbox.folder, 'homes'),
					packages: path.join(sandbox.folder, 'packages'),
					environment: process.env,
					input: () => SECRET,
					onRefused: options.onRefused,
				},
				stopped,
			);
		},
	});
	await runAgent(
		{
			label: agent.definition.label,
			place: {
				...{ tree: sandbox.tree, home: sandbox.home, folder: sandbox.folder, name: 'repository', isSandboxed: true },
				...{ privateFolders: [sandbox.folder], insideProgram: INSIDE_PROGRAM, marker: sandbox.folder },
				...defined({ treeFolders }),
			},
			relay: {
				handle: createClientModels({
					client: async () => clientOf(modelUrl, { apiUrl: `${modelUrl}/v1` }, token),
					...{ model, provider: undefined, onCall: () => {}, onFailure: () => {} },
					...{ logger: nullLogger, clock: systemClock },
				}),
				...{ allowsHost: () => false, onRefused: options.onRefused, web },
			},
			mcpServers,
			launch: async seen => agentLaunch(agent, seen),
			model,
			// Stands for a user who allows everything that the agent asks for.
			decide: request => {
				onAsk?.(request);
				return { option: request.options.find(({ kind }) => kind === 'allow_once')?.id };
			},
			earlier,
			signal: signal ?? new AbortController().signal,
			onEvent: () => {},
			logger: nullLogger,
		},
		running => work(running, mcpServers),
	);
}
