// MCP servers for agents, as declared in settings and in files of a folder.
import path from 'node:path';
import * as z from 'zod';
import { isFields } from '../base/fields.ts';
import { variableName } from './agents.ts';
import { multiAgentTaskCreateSchema } from './tasks.ts';

const MAXIMUM_SERVERS = 20;
const MAXIMUM_ARGUMENTS = 100;
const MAXIMUM_TEXT = 10_000;
const MAXIMUM_VARIABLE = 100;
/** The characters of what a file declares of one server, all of which a question shows. */
const MAXIMUM_SHOWN = 2_000;

const host = z
	.string()
	.max(260)
	.regex(/^[a-z0-9.-]+(?::\d{1,5})?$/, 'must be a host in lower case, with a port where that is not 443');

/** One entry of `errand.agents.mcpServers`, whose key is the server's name. */
export const mcpServerSchema = z.strictObject({
	/** An absolute path, or a name to look up on PATH. For `npx`, the package is installed before and kept unchanged. */
	command: z.string().min(1).max(MAXIMUM_TEXT),
	args: z.array(z.string().max(MAXIMUM_TEXT)).max(MAXIMUM_ARGUMENTS).default([]),
	/** `${input:name}` is asked for once and stored as a secret; `${env:NAME}` is read from the user's environment. */
	env: z
		.record(variableName.max(MAXIMUM_VARIABLE, 'must be the name of a variable'), z.string().max(MAXIMUM_TEXT))
		.default({}),
	/** The hosts that it may reach, only by encrypted connections. */
	hosts: z.array(host).max(MAXIMUM_ARGUMENTS).default([]),
	/** Its access to the files that the agent works on. */
	files: z.enum(['none', 'read', 'write']).default('read'),
});
export type McpServerSetting = z.output<typeof mcpServerSchema>;

export const SERVER_NAME = /^[A-Za-z0-9][\w.-]{0,39}$/;

/** A server, and the file of a folder that declares it; `file` is undefined for a server in the user's settings. */
export interface McpServer extends McpServerSetting {
	name: string;
	file: string | undefined;
}

const texts = z.record(z.string(), z.string());

/** A server for the agents of a task of the local service, as the user has agreed to it. */
export const taskServerSchema = z.strictObject({
	name: z.string().regex(SERVER_NAME),
	declaration: mcpServerSchema,
	/** The values for its placeholders, which are secrets: those that the user has entered, and environment variables. */
	inputs: texts,
	variables: texts,
	/** The digests of its tools as the user knows them, by their names. Absent if it was never used in the chat. */
	tools: texts.optional(),
	/** The absolute path of the folder in which its package is installed, if it is one. */
	packages: z.string().refine(path.isAbsolute, 'must be an absolute path'),
});
export type TaskServer = z.output<typeof taskServerSchema>;

/**
 * The body of `POST` to `controlPaths.tasks`: a task as the contract has it, and the servers of its agents. The reply is
 * that of the contract.
 */
export const taskWithServersSchema = z.strictObject({
	task: multiAgentTaskCreateSchema,
	mcpServers: z
		.array(taskServerSchema)
		.max(MAXIMUM_SERVERS)
		.refine(servers => new Set(servers.map(({ name }) => name)).size === servers.length, 'a name stands there twice'),
});
export type TaskWithServers = z.input<typeof taskWithServersSchema>;

/** The servers that a file declares, and the name of each unusable one with the reason. */
export interface DeclaredServers {
	servers: McpServer[];
	unusable: { name: string; reason: 'address' | 'form' | 'length' }[];
}

/** The files of a folder in which other programs declare servers, each with the member that holds them. */
export const SERVER_FILES = [
	{ file: '.vscode/mcp.json', member: 'servers' },
	{ file: '.mcp.json', member: 'mcpServers' },
] as const;

/**
 * Reads the servers that a file of a folder declares. `value` is its parsed JSON. Such a file does not list hosts, so
 * its servers reach none, and they can only read files.
 */
export function readServerFile(value: unknown, { file, member }: (typeof SERVER_FILES)[number]): DeclaredServers {
	const declared = isFields(value) ? value[member] : undefined;
	const result: DeclaredServers = { servers: [], unusable: [] };
	for (const [name, entry] of Object.entries(isFields(declared) ? declared : {}).slice(0, MAXIMUM_SERVERS)) {
		const { command, args = [], env = {}, url } = isFields(entry) ? entry : {};
		const server = mcpServerSchema.safeParse({ command, args, env }).data;
		const shown = server && [server.command, ...server.args, ...Object.entries(server.env).flat()].join(' ');
		if (shown !== undefined && shown.length > MAXIMUM_SHOWN) {
			result.unusable.push({ name: name.slice(0, MAXIMUM_ARGUMENTS), reason: 'length' });
		} else if (server !== undefined && SERVER_NAME.test(name)) {
			result.servers.push({ ...server, name, file });
		} else {
			result.unusable.push({
				name: name.slice(0, MAXIMUM_ARGUMENTS),
				reason: typeof url === 'string' ? 'address' : 'form',
			});
		}
	}
	return result;
}

const PLACEHOLDER = /\$\{(input|env):([\w.-]{1,100})\}|\$\{workspaceFolder\}/g;

/** Returns the placeholders in a server's texts: inputs that the user enters, and environment variables. */
export function placeholdersOf({ args, env }: McpServerSetting): { inputs: string[]; variables: string[] } {
	const found = [...args, ...Object.values(env)].flatMap(text => [...text.matchAll(PLACEHOLDER)]);
	const named = (kind: string) => [...new Set(found.flatMap(([, is, name = '']) => (is === kind ? [name] : [])))];
	return { inputs: named('input'), variables: named('env') };
}

/** Fills in the placeholders. `folder` is the folder of the files, as the server sees it. */
export function withValues(
	text: string,
	values: { folder: string; input(name: string): string; variable(name: string): string },
): string {
	return text.replace(PLACEHOLDER, (_, kind: string | undefined, name: string) =>
		kind === undefined ? values.folder : kind === 'input' ? values.input(name) : values.variable(name),
	);
}
