// MCP servers for agents, as declared in settings and in files of a folder.
import path from 'node:path';
import * as z from 'zod';
import { fieldsOf } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import { isNearHost } from '../base/privateAddress.ts';
import { hostName, variableName } from './agents.ts';
import { multiAgentTaskCreateSchema } from './tasks.ts';

const MAXIMUM_SERVERS = 20;
const MAXIMUM_ARGUMENTS = 100;
const MAXIMUM_TEXT = 10_000;
const MAXIMUM_VARIABLE = 100;
/** The characters of what a file declares of one server, all of which a question shows. */
const MAXIMUM_SHOWN = 2_000;

/** A server that a command starts. */
export const mcpServerSchema = z.strictObject({
	/** An absolute path, or a name to look up on PATH. For `npx`, the package is installed before and kept unchanged. */
	command: z.string().min(1).max(MAXIMUM_TEXT),
	args: z.array(z.string().max(MAXIMUM_TEXT)).max(MAXIMUM_ARGUMENTS).default([]),
	/** `${input:name}` is asked for once and stored as a secret; `${env:NAME}` is read from the user's environment. */
	env: z
		.record(variableName.max(MAXIMUM_VARIABLE, 'must be the name of a variable'), z.string().max(MAXIMUM_TEXT))
		.default({}),
	/** The hosts that it may reach, only by encrypted connections. */
	hosts: z.array(hostName).max(MAXIMUM_ARGUMENTS).default([]),
	/** Its access to the files that the agent works on. */
	files: z.enum(['none', 'read', 'write']).default('read'),
	/** False for one that has to run without a sandbox, such as one of a browser or of a database of the user. */
	sandbox: z.literal(false).optional(),
});
export type McpServerSetting = z.output<typeof mcpServerSchema>;

/** Headers that the connection sets by itself. */
const OWN_HEADERS =
	/^(?:accept|accept-encoding|connection|content-.*|expect|host|keep-alive|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

/** Reads an address that is reached by https, or by http on this machine, and has neither credentials nor a fragment. */
export function readServerAddress(text: string): URL | undefined {
	const url = URL.parse(text);
	const isEncrypted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
	return url && isEncrypted && url.username === '' && url.password === '' && url.hash === '' ? url : undefined;
}

/** A server at an address. */
export const remoteServerSchema = z.strictObject({
	url: z
		.string()
		.max(MAXIMUM_SHOWN)
		// A placeholder in an address would be sent as it stands there.
		.refine(
			text => readServerAddress(text) !== undefined && !text.includes('${'),
			'must be an https address without placeholders, or http on this machine',
		),
	/** The headers of each request to it. The placeholders are those of `env` of a command. */
	headers: z
		.record(
			z
				.string()
				.max(MAXIMUM_VARIABLE)
				.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header')
				.refine(name => !OWN_HEADERS.test(name), 'must be a header that the connection does not set by itself'),
			z
				.string()
				.max(MAXIMUM_TEXT)
				.regex(/^[\t\x20-\x7e]*$/, 'must be plain ASCII text'),
		)
		.default({}),
	/** Hosts in the user's own network that its sign-in may use; that of the address needs no entry. */
	hosts: z.array(hostName).max(MAXIMUM_ARGUMENTS).default([]),
	/** The client's id at the authorization server, for one that registers no clients by itself. */
	clientId: z.string().min(1).max(MAXIMUM_SHOWN).optional(),
});
export type RemoteServerSetting = z.output<typeof remoteServerSchema>;

/** One entry of `errand.agents.mcpServers`, whose key is the server's name. */
export const serverSettingSchema = z.union([mcpServerSchema, remoteServerSchema]);

export const SERVER_NAME = /^[A-Za-z0-9][\w.-]{0,39}$/;

/** A server, and the file of a folder that declares it; `file` is undefined for a server in the user's settings. */
export interface McpServer extends McpServerSetting {
	name: string;
	file: string | undefined;
}

/** A server at an address, with its name and file as for one that a command starts. */
export type RemoteServer = RemoteServerSetting & Pick<McpServer, 'name' | 'file'>;

export type DeclaredServer = McpServer | RemoteServer;

/** Returns whether a server has to run on this machine without a sandbox. */
export const isOutside = (server: McpServerSetting | RemoteServerSetting): boolean =>
	!('url' in server) && server.sandbox === false;

export const isRemote = <Server extends DeclaredServer>(server: Server): server is Server & RemoteServer =>
	'url' in server;

const SIGN_IN_PREFIX = 'errand.mcpSignIn.';

/**
 * Returns the key of the secret that a sign-in is kept as. A folder that declares the address of a server of the settings,
 * or of another folder, gets a sign-in of its own: otherwise whoever wrote that folder would have agents use the account
 * for what was agreed to elsewhere.
 */
export const signInSecret = ({ folder, url }: RemoteServer & { folder: string | undefined }): string =>
	SIGN_IN_PREFIX + JSON.stringify([folder ?? '', new URL(url).href]);

const placeSchema = z.tuple([z.string(), z.string()]);

/** Returns the folder (empty for the settings) and the address of a sign-in, or undefined for another secret's key. */
export function placeOfSignIn(key: string): { folder: string; url: URL } | undefined {
	const place = key.startsWith(SIGN_IN_PREFIX) ? parseJson(key.slice(SIGN_IN_PREFIX.length)) : undefined;
	const [folder = '', address = ''] = placeSchema.safeParse(place).data ?? [];
	const url = URL.parse(address);
	return url === null ? undefined : { folder, url };
}

const INPUT_PREFIX = 'errand.mcp.';

/**
 * Returns the key of the secret that a value is kept as, which the user has entered for `${input:…}`. What a folder
 * declares in another way is another program, which gets nothing that was entered for the one before.
 */
export const inputSecret = (
	{ folder, name }: Pick<McpServer, 'name'> & { folder: string | undefined },
	digest: string,
	input: string,
): string => INPUT_PREFIX + JSON.stringify(folder === undefined ? ['', name, input] : [folder, name, digest, input]);

const inputSchema = z.union([
	z.tuple([z.literal(''), z.string(), z.string()]),
	z.tuple([z.string(), z.string(), z.string(), z.string()]),
]);

/**
 * Returns the folder (empty for the settings), the server and the name of a value, or undefined for another secret's
 * key.
 */
export function placeOfInput(key: string): { folder: string; server: string; input: string } | undefined {
	const parts = key.startsWith(INPUT_PREFIX) ? parseJson(key.slice(INPUT_PREFIX.length)) : undefined;
	const [folder, server, ...others] = inputSchema.safeParse(parts).data ?? [];
	const input = others.at(-1);
	return folder === undefined || server === undefined || input === undefined ? undefined : { folder, server, input };
}

const texts = z.record(z.string(), z.string());

/** A server for the agents of a task of the local service, as the user has agreed to it. */
export const taskServerSchema = z.strictObject({
	name: z.string().regex(SERVER_NAME),
	declaration: serverSettingSchema.refine(declared => !isOutside(declared), 'must run in a sandbox'),
	/** The file of a folder that declares it. One of the settings, which has none, can lead into the user's own network. */
	file: z.string().max(MAXIMUM_TEXT).optional(),
	/** The token of the user's sign-in at an address, which is a secret. The service gets no other one. */
	token: z
		.string()
		.max(MAXIMUM_TEXT)
		.regex(/^[\x21-\x7e]+$/)
		.optional(),
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
	servers: DeclaredServer[];
	/** `private`: an address in the user's own network, which a file cannot declare. */
	unusable: { name: string; reason: 'private' | 'address' | 'form' | 'length' }[];
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
	const declared = fieldsOf(value)[member];
	const result: DeclaredServers = { servers: [], unusable: [] };
	for (const [name, entry] of Object.entries(fieldsOf(declared)).slice(0, MAXIMUM_SERVERS)) {
		const server = readEntry(fieldsOf(entry));
		const unusable = (reason: DeclaredServers['unusable'][number]['reason']): void => {
			result.unusable.push({ name: name.slice(0, MAXIMUM_ARGUMENTS), reason });
		};
		if (typeof server === 'string') {
			unusable(server);
		} else if (!SERVER_NAME.test(name)) {
			unusable('form');
		} else if (textsOf(server).join(' ').length > MAXIMUM_SHOWN) {
			unusable('length');
		} else {
			result.servers.push({ ...server, name, file });
		}
	}
	return result;
}

/** Returns the reason if an entry of a file is not usable. `type` is what the editor and other programs write there. */
function readEntry({ type, command, args = [], env = {}, url, headers = {} }: Record<string, unknown>) {
	if (url === undefined) {
		return mcpServerSchema.safeParse({ command, args, env }).data ?? 'form';
	}
	const isHttp = type === undefined || type === 'http' || type === 'streamable-http';
	const server = command === undefined && isHttp ? remoteServerSchema.safeParse({ url, headers }).data : undefined;
	if (server === undefined) {
		return 'address';
	}
	const { protocol, hostname } = new URL(server.url);
	return protocol === 'http:' || isNearHost(hostname) ? 'private' : server;
}

/** Returns all words of a declaration that a question shows. */
const textsOf = (server: McpServerSetting | RemoteServerSetting): string[] =>
	'url' in server
		? [server.url, ...Object.entries(server.headers).flat()]
		: [server.command, ...server.args, ...Object.entries(server.env).flat()];

const PLACEHOLDER = /\$\{(input|env):([\w.-]{1,100})\}|\$\{workspaceFolder\}/g;

/** Returns the placeholders in a server's texts: inputs that the user enters, and environment variables. */
export function placeholdersOf(server: McpServerSetting | RemoteServerSetting): {
	inputs: string[];
	variables: string[];
} {
	const texts = 'url' in server ? Object.values(server.headers) : [...server.args, ...Object.values(server.env)];
	const found = texts.flatMap(text => [...text.matchAll(PLACEHOLDER)]);
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

export function headersWithValues(
	{ headers }: RemoteServerSetting,
	values: { input(name: string): string; variable(name: string): string },
): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([header, text]) => [header, withValues(text, { folder: '', ...values })]),
	);
}
