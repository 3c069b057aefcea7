// Errand's own agent as a process, with our client of the protocol.
import path from 'node:path';
import type { AgentSession, McpCommand } from '../../src/agents/session/agentSession.ts';
import type { AgentEvent } from '../../src/agents/session/events.ts';
import { openAgentSession } from '../../src/agents/session/openAgentSession.ts';
import type { PermissionPolicy } from '../../src/agents/session/permissions.ts';
import { startChild } from '../../src/base/childProcess.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { AGENT_PROGRAM, COMPILE_CACHE } from './programs.ts';

export interface OwnAgentOptions {
	folder: string;
	/** The folder of its sessions. */
	home: string;
	/** The variables `ERRAND_AGENT_…`, without that prefix. */
	settings: Record<string, string>;
	/** Further variables. */
	environment?: Record<string, string>;
	mode?: string;
	earlier?: string;
	decide?: PermissionPolicy;
	mcpServers?: readonly McpCommand[];
	settle?(): Promise<void>;
	signal?: AbortSignal;
}

export interface OwnAgent {
	session: AgentSession;
	events: AgentEvent[];
	pid: number;
	/** Returns everything that it has said. */
	said(): string;
	/** Ends its standard input, like a client that goes away. */
	endInput(): void;
}

/** Returns the command of an MCP server that behaves in this way (mcpServer.mjs), and is named by it. */
export function mcpServerOf(how: string): McpCommand {
	return { name: how, command: process.execPath, args: [path.resolve('test/support/mcpServer.mjs'), how], env: [] };
}

/** Starts the agent and opens a session. */
export async function startOwnAgent(options: OwnAgentOptions): Promise<OwnAgent> {
	const {
		folder,
		home,
		settings,
		environment,
		mode = 'sandboxed',
		earlier,
		decide,
		mcpServers,
		settle,
		signal,
	} = options;
	const events: AgentEvent[] = [];
	const own = Object.entries(settings).map(([name, value]) => [`ERRAND_AGENT_${name}`, value]);
	const child = startChild({
		command: process.execPath,
		args: ['--disable-warning=ExperimentalWarning', AGENT_PROGRAM],
		cwd: folder,
		env: {
			PATH: process.env['PATH'] ?? '',
			HOME: home,
			...COMPILE_CACHE,
			...environment,
			...Object.fromEntries(own),
		},
		signal: signal ?? new AbortController().signal,
	});
	const session = await openAgentSession({
		child,
		folder,
		modes: mode === undefined ? [] : [mode],
		...(earlier !== undefined && { earlier }),
		...(mcpServers !== undefined && { mcpServers }),
		...(settle !== undefined && { settle }),
		decide: decide ?? (() => ({ option: undefined, reason: 'Nothing is asked here.' })),
		onEvent: event => events.push(event),
		signal: signal ?? new AbortController().signal,
		logger: nullLogger,
	});
	const said = () => events.flatMap(event => (event.type === 'message' ? [event.text] : [])).join('');
	return { session, events, pid: child.pid ?? 0, said, endInput: () => child.stdin.end() };
}
