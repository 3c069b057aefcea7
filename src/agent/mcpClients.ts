// The MCP servers of a session, as named by the client. A server is started with the first prompt, and the model gets
// all of its tools as a single tool: the schema of each is read when the model asks for it.
import type { McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { toolName } from '../agents/mcp/gate.ts';
import { describeError } from '../base/errors.ts';
import { oneLine } from '../base/plainText.ts';
import { ToolFailure } from './failures.ts';
import { type CallResult, McpConnection, type ServerTool, type StdioServer } from './mcpConnection.ts';
import { defineTool, type Tool } from './tools/tool.ts';

/** The maximum number of tools of all servers, and the maximum characters of a tool's name that the model is given. */
const MAXIMUM_TOOLS = 300;
const MAXIMUM_NAME = 100;

/** The maximum characters of names that every request contains. Beyond it, tools are listed when the model asks. */
const MAXIMUM_NAMES = 150;

/** The maximum characters of a tool's description in a list. */
const MAXIMUM_LISTED = 120;

export class McpClients {
	private readonly servers: readonly StdioServer[];
	private readonly clientAsks: boolean;
	private readonly connections: McpConnection[] = [];
	private readonly tools = new Map<string, ServerTool & { server: string; connection: McpConnection }>();
	private opened: Promise<string[]> | undefined;

	/**
	 * Servers that are not started by a command are ignored. `clientAsks` is true if the client asks the user about their
	 * calls.
	 */
	constructor(servers: readonly McpServer[], clientAsks: boolean) {
		this.clientAsks = clientAsks;
		this.servers = servers.filter((server): server is StdioServer => 'command' in server);
	}

	/**
	 * Starts the servers, once. Resolves with the tools by which the model uses them, and with a sentence for each server
	 * that failed. Never rejects.
	 */
	async open(folder: string): Promise<{ tools: Tool[]; problems: string[] }> {
		this.opened ??= Promise.all(this.servers.map(server => this.connect(server, folder))).then(said => said.flat());
		const problems = await this.opened;
		return { tools: this.tools.size === 0 ? [] : [this.tool()], problems };
	}

	close(): void {
		for (const connection of this.connections) {
			connection.close();
		}
	}

	private async connect(server: StdioServer, folder: string): Promise<string[]> {
		try {
			const { connection, tools } = await McpConnection.open(server, folder);
			this.connections.push(connection);
			for (const tool of tools) {
				const shown = toolName(server.name, tool.name);
				const isPlain = shown.length <= MAXIMUM_NAME && oneLine(shown) === shown;
				if (isPlain && this.tools.size < MAXIMUM_TOOLS && !this.tools.has(shown)) {
					this.tools.set(shown, { ...tool, server: server.name, connection });
				}
			}
			return [];
		} catch (error) {
			return [`The MCP server “${oneLine(server.name, MAXIMUM_NAME)}” is not used: ${describeError(error)}`];
		}
	}

	private tool(): Tool {
		const told = this.told();
		return defineTool({
			name: 'mcp',
			description: `Calls a tool of a server. Without arguments it returns what the tool takes: do that first. ${told}`,
			schema: z.object({ tool: z.string().min(1), arguments: z.record(z.string(), z.unknown()).optional() }),
			kind: 'other',
			needsPermission: ({ tool, arguments: given }) =>
				!this.clientAsks && given !== undefined && this.find(tool) !== undefined,
			show: ({ tool, arguments: given }) => ({ title: given === undefined ? `Look up ${tool}` : tool }),
			run: async ({ tool: shown, arguments: given }, { signal }) => {
				const list = this.listed(shown);
				if (list !== '') {
					return { text: list };
				}
				const tool = this.find(shown);
				if (tool === undefined) {
					throw new ToolFailure(`There is no "${oneLine(shown, MAXIMUM_NAME)}". ${told}`);
				}
				if (given === undefined) {
					return { text: `${tool.description}\n\nIts arguments: ${JSON.stringify(tool.inputSchema)}` };
				}
				const result = await tool.connection.call(tool.name, given, signal);
				return { text: textOf(result), isFailure: result.isError };
			},
		});
	}

	/** Returns a tool by its name, for which models leave out the server's name where it is not needed. */
	private find(shown: string): (ServerTool & { connection: McpConnection }) | undefined {
		const [found, ...others] = [...this.tools.values()].filter(({ name }) => name === shown);
		return this.tools.get(shown) ?? (others.length === 0 ? found : undefined);
	}

	/** Returns the tools of a server with the beginnings of their descriptions; empty if no server has this name. */
	private listed(server: string): string {
		return [...this.tools]
			.filter(([, tool]) => tool.server === server)
			.map(([name, { description }]) => `${name}: ${oneLine(description, MAXIMUM_LISTED)}`)
			.join('\n');
	}

	/** Returns a sentence that names the tools, or only their servers if the names would be too long. */
	private told(): string {
		const names = [...this.tools.keys()].sort().join(', ');
		if (names.length <= MAXIMUM_NAMES) {
			return `There are: ${names}.`;
		}
		const counts = new Map<string, number>();
		for (const { server } of this.tools.values()) {
			counts.set(server, (counts.get(server) ?? 0) + 1);
		}
		const servers = [...counts].map(([name, count]) => `${name} (${count})`).sort();
		return `A server's name as tool lists its tools: ${oneLine(servers.join(', '), MAXIMUM_NAMES)}.`;
	}
}

function textOf({ content, structuredContent }: CallResult): string {
	const parts = content.map(
		({ type, text, resource }) =>
			text ?? resource?.text ?? `(${oneLine(type, MAXIMUM_NAME)}, which cannot be shown here)`,
	);
	return parts.length > 0 ? parts.join('\n') : JSON.stringify(structuredContent ?? {});
}
