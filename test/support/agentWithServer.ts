import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import type { FoundAgent } from '../../src/agents/catalogue/entry.ts';
import { McpServers, type McpServersOptions } from '../../src/agents/mcp/mcpServers.ts';
import { connectRemote } from '../../src/agents/mcp/remoteServer.ts';
import { startServer } from '../../src/agents/mcp/startServer.ts';
import type { WebAccess } from '../../src/agents/relay/webAccess.ts';
import { agentLaunch } from '../../src/agents/run/agentLaunch.ts';
import { type RunningAgent, runAgent } from '../../src/agents/run/agentRun.ts';
import type { PermissionRequest } from '../../src/agents/session/events.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { type DeclaredServer, isRemote } from '../../src/contract/mcpServers.ts';
import { INSIDE_PROGRAM, SECRET, type TestSandbox } from './sandbox.ts';

export interface AgentWithServerOptions extends Omit<McpServersOptions, 'start' | 'servers'> {
	sandbox: TestSandbox;
	agent: FoundAgent;
	server?: DeclaredServer;
	web?: WebAccess;
	/** The address of the model's server, without a path. */
	modelUrl: string;
	model: string;
	/** Called before a request of the agent is allowed. */
	onAsk?(request: PermissionRequest): void;
}

/** Runs an agent in a sandbox with an MCP server beside it, until `work` has ended. The server's secret is `SECRET`. */
export async function withAgentAndServer(
	{ sandbox, agent, server, web, modelUrl, model, onAsk, ...options }: AgentWithServerOptions,
	work: (agent: RunningAgent, token: string) => Promise<void>,
): Promise<void> {
	const mcpServers = new McpServers({
		...options,
		servers: server === undefined ? [] : [server],
		start: async (each, place, signal) => {
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
				signal,
			);
		},
	});
	await runAgent(
		{
			label: agent.definition.label,
			place: {
				...{ tree: sandbox.tree, home: sandbox.home, folder: sandbox.folder, name: 'repository', isSandboxed: true },
				...{ privateFolders: [sandbox.folder], insideProgram: INSIDE_PROGRAM, marker: sandbox.folder },
			},
			relay: {
				handle: (request, response) => forward(request, response, modelUrl),
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
			signal: new AbortController().signal,
			onEvent: () => {},
			logger: nullLogger,
		},
		running => work(running, mcpServers.token),
	);
}

/** Passes a call on to the server of a model. */
export function forward(request: IncomingMessage, response: ServerResponse, url: string): void {
	const { method = 'GET', headers, url: place } = request;
	const onward = httpRequest(new URL(place ?? '/', url), { method, headers }, reply => {
		response.writeHead(reply.statusCode ?? 502, reply.headers);
		reply.pipe(response);
	});
	onward.on('error', () => response.destroy());
	request.pipe(onward);
}
