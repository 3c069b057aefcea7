import { randomUUID } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { type McpCall, toolName } from '../../agents/mcp/gate.ts';
import { digestOfServer, McpServers } from '../../agents/mcp/mcpServers.ts';
import { connectRemote } from '../../agents/mcp/remoteServer.ts';
import { startServer } from '../../agents/mcp/startServer.ts';
import type { ToolCall } from '../../agents/session/events.ts';
import { MAXIMUM_TEXT } from '../../agents/session/limits.ts';
import type { PermissionPolicy } from '../../agents/session/permissions.ts';
import { defined } from '../../base/defined.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { headersWithValues, isOutside, isRemote } from '../../contract/mcpServers.ts';
import type { AgentStep } from '../model/agentWork.ts';
import type { AgentServers } from './agentServers.ts';

export interface TurnServersOptions {
	folders: readonly string[];
	isSandboxed: boolean;
	/** The folder of the conversation. */
	own: string;
	decide: PermissionPolicy;
	/** Returns the shown steps of the turn so far. */
	steps(): readonly AgentStep[];
	/** Shows the state of a call. */
	show(call: ToolCall): void;
	logger: Logger;
}

const ALLOW = 'allow';
const OPTIONS = [
	{ id: ALLOW, name: 'Allow', kind: 'allow_once' },
	{ id: 'refuse', name: 'Refuse', kind: 'reject_once' },
] as const;

/** Returns the MCP servers of one turn, after the questions about new ones. Each starts on the agent's first use. */
export async function turnServers(agreed: AgentServers, options: TurnServersOptions): Promise<McpServers> {
	const { folders, isSandboxed, own, decide, steps, show, logger } = options;
	const { servers, problems } = await agreed.agreed(folders, isSandboxed);
	const shown = new WeakMap<McpCall, ToolCall>();
	const onRefused = (reason: string): void => logger.log('info', 'something of an MCP server was refused', { reason });
	const tellProblem = (title: string): void => show(failedCall(title));
	for (const problem of problems) {
		tellProblem(problem);
	}
	/**
	 * Servers for which the user has entered no value in this turn, or that could not be begun with. The agent may start
	 * them as often as it likes.
	 */
	const declined = new Map<string, unknown>();
	const told = new Set<string>();
	const tellFailed = (name: string, error: unknown): void => {
		const problem = vscode.l10n.t('The MCP server “{0}” has failed: {1}', name, describeError(error));
		if (!told.has(problem)) {
			told.add(problem);
			tellProblem(problem);
		}
		logger.log('warn', 'an MCP server has failed', { reason: problem });
	};
	return new McpServers({
		servers,
		async start(server, agent, signal) {
			const { name } = server;
			if (declined.has(name)) {
				throw declined.get(name);
			}
			const inputs = await agreed.inputsOf(server, signal).catch(error => {
				if (!signal.aborted) {
					declined.set(name, error);
				}
				throw error;
			});
			const input = (wanted: string): string => inputs.get(wanted) ?? '';
			if (isRemote(server)) {
				return connectRemote(server, {
					headers: headersWithValues(server, { input, variable: wanted => process.env[wanted] ?? '' }),
					authorization: agreed.signIns.at(server),
					onFailed(error) {
						declined.set(name, error);
						tellFailed(name, error);
					},
				});
			}
			return startServer(
				server,
				{
					agent,
					homes: path.join(own, 'servers'),
					packages: agreed.packages,
					environment: process.env,
					input,
					onRefused,
				},
				signal,
			);
		},
		onFailed: ({ name }, error) => tellFailed(name, error),
		async ask(server, call, signal) {
			const name = toolName(server.name, call.tool);
			const input = JSON.stringify(call.arguments);
			const step: ToolCall = {
				...newCall(vscode.l10n.t('MCP tool {0}', name)),
				...defined({
					id: stepOf(steps(), server.name, call.tool),
					mcpHost: isRemote(server) ? new URL(server.url).host : undefined,
					isMcpOutside: isOutside(server) || undefined,
				}),
				mcpTool: { name, digest: [digestOfServer(server), agreed.toolsOf(server)?.[call.tool]].join(' ') },
				// Nobody can agree to what is too long to be shown.
				...(input.length > MAXIMUM_TEXT ? { isInputCut: true as const } : { input }),
			};
			shown.set(call, step);
			show(step);
			const { option } = await decide({ call: step, options: OPTIONS, complete: true }, signal);
			if (option === ALLOW) {
				return undefined;
			}
			show({ ...step, status: 'failed' });
			return 'The user did not allow this call. Do without it, or say what it would be for.';
		},
		onAnswer(_, call, { isError, text }) {
			const step = shown.get(call);
			if (step !== undefined) {
				show({ ...step, status: isError ? 'failed' : 'completed', output: text });
			}
		},
		known: server => agreed.toolsOf(server),
		note: (server, tools) => agreed.noteTools(server, tools),
		askAboutTools: (server, tools) => agreed.askAboutTools(server, tools),
		onRefused,
	});
}

/** Returns the id of the step with which the agent has reported a call, as far as its title shows. */
function stepOf(steps: readonly AgentStep[], server: string, tool: string): string | undefined {
	return steps.findLast(
		({ state, title, approval }) =>
			state === 'running' && approval === undefined && title.includes(server) && title.includes(tool),
	)?.id;
}

/** Returns what is told of the servers that an agent was given in its turn and has not connected to. */
export function unreachedText(label: string, { unreached }: McpServers): string | undefined {
	return unreached.length === 0
		? undefined
		: vscode.l10n.t(
				'{0} has not connected to these MCP servers: {1}. Choose another agent for what needs them.',
				label,
				unreached.join(', '),
			);
}

/** Returns a step that tells of a problem. */
export const failedCall = (title: string): ToolCall => ({ ...newCall(title), status: 'failed' });

/** Returns a call of Errand's own for the steps of a turn. */
export const newCall = (title: string): ToolCall => ({
	id: `errand-${randomUUID()}`,
	title,
	kind: 'other',
	status: 'in_progress',
	locations: [],
	diffs: [],
	output: '',
});
