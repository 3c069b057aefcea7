// MCP servers that agents may use, as settings and files of a folder declare them.
import * as z from 'zod';
import { isDecisiveVariable } from '../base/childEnvironment.ts';
import { isFields } from '../base/fields.ts';

const MAXIMUM_SERVERS = 20;
const MAXIMUM_ARGUMENTS = 100;
const MAXIMUM_TEXT = 10_000;

const variable = z
	.string()
	.regex(/^[A-Za-z_]\w{0,99}$/, 'must be the name of a variable')
	.refine(
		name => !isDecisiveVariable(name),
		'must not be a variable that decides what programs load or where they look',
	);
const host = z
	.string()
	.max(260)
	.regex(/^[a-z0-9.-]+(?::\d{1,5})?$/, 'must be a host in lower case, with a port where that is not 443');

/** One entry of `errand.agents.mcpServers`, whose key is the server's name. */
export const mcpServerSchema = z.strictObject({
	/** An absolute path, or a name that is looked up on PATH. `npx` with a package is installed before, and kept as it is. */
	command: z.string().min(1).max(MAXIMUM_TEXT),
	args: z.array(z.string().max(MAXIMUM_TEXT)).max(MAXIMUM_ARGUMENTS).default([]),
	/** `${input:name}` is asked for once and kept as a secret, `${env:NAME}` is read from the user's environment. */
	env: z.record(variable, z.string().max(MAXIMUM_TEXT)).default({}),
	/** The hosts that it may reach, by encrypted connections alone. */
	hosts: z.array(host).max(MAXIMUM_ARGUMENTS).default([]),
	/** What it can do with the files that the agent works on. */
	files: z.enum(['none', 'read', 'write']).default('read'),
});
export type McpServerSetting = z.output<typeof mcpServerSchema>;

export const SERVER_NAME = /^[A-Za-z0-9][\w.-]{0,39}$/;

export const mcpServersSchema = z.record(z.string().regex(SERVER_NAME), mcpServerSchema);

/** A server, and the file of a folder that declares it; undefined for one of the user's settings. */
export interface McpServer extends McpServerSetting {
	name: string;
	file: string | undefined;
}

/** What a file declares besides servers that can be used: for each other one its name and why it cannot be used. */
export interface DeclaredServers {
	servers: McpServer[];
	unusable: { name: string; reason: 'address' | 'form' }[];
}

/** Servers in files of a folder, as other programs read them: the file, and the member that has the servers. */
export const SERVER_FILES = [
	{ file: '.vscode/mcp.json', member: 'servers' },
	{ file: '.mcp.json', member: 'mcpServers' },
] as const;

/**
 * Reads what a file of a folder declares, whose `value` is the parsed JSON. Such a file says nothing of hosts, so that its
 * servers reach none, and they can only read files.
 */
export function readServerFile(value: unknown, { file, member }: (typeof SERVER_FILES)[number]): DeclaredServers {
	const declared = isFields(value) ? value[member] : undefined;
	const result: DeclaredServers = { servers: [], unusable: [] };
	for (const [name, entry] of Object.entries(isFields(declared) ? declared : {}).slice(0, MAXIMUM_SERVERS)) {
		const { command, args = [], env = {}, url } = isFields(entry) ? entry : {};
		const server = mcpServerSchema.safeParse({ command, args, env }).data;
		if (server !== undefined && SERVER_NAME.test(name)) {
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

/** Returns the names that a server's texts ask for: values of the user to enter, and variables of the environment. */
export function placeholdersOf({ args, env }: McpServerSetting): { inputs: string[]; variables: string[] } {
	const found = [...args, ...Object.values(env)].flatMap(text => [...text.matchAll(PLACEHOLDER)]);
	const named = (kind: string) => [...new Set(found.flatMap(([, is, name = '']) => (is === kind ? [name] : [])))];
	return { inputs: named('input'), variables: named('env') };
}

/** Puts values in. `folder` is that of the files, as the server sees it. */
export function withValues(
	text: string,
	values: { folder: string; input(name: string): string; variable(name: string): string },
): string {
	return text.replace(PLACEHOLDER, (_, kind: string | undefined, name: string) =>
		kind === undefined ? values.folder : kind === 'input' ? values.input(name) : values.variable(name),
	);
}
