// The MCP servers that agents may use in the folders of this window: those of the user's settings, and those that files
// of a folder declare. Each needs the user's consent to exactly that declaration.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { digestOfServer, type KnownTools } from '../../agents/mcp/mcpServers.ts';
import { packageOf } from '../../agents/mcp/serverPackage.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { parseJsonWithComments } from '../../base/json.ts';
import { shellWord } from '../../base/shellWord.ts';
import {
	type DeclaredServers,
	type McpServer,
	mcpServerSchema,
	placeholdersOf,
	readServerFile,
	SERVER_FILES,
	SERVER_NAME,
} from '../../contract/mcpServers.ts';
import { askModal } from '../../platform/notify.ts';

const STATE_KEY = 'errand.mcpServers';
const SECRET_PREFIX = 'errand.mcp.';
const MAXIMUM_FILE_BYTES = 1024 * 1024;
const MAXIMUM_DESCRIPTION = 600;

/** The user's decision about a server of one folder, and the digest of the declaration that it was made for. */
interface KnownServer {
	digest: string;
	isAllowed: boolean;
	tools?: KnownTools;
}

export interface AgentServersStorage {
	state: Pick<vscode.Memento, 'get' | 'update'>;
	secrets: Pick<vscode.SecretStorage, 'get' | 'store'>;
	/** Returns the value of `errand.agents.mcpServers`. */
	declared(): unknown;
}

/** A server with the folder that declares it; undefined for a server in the settings. */
export type AgreedServer = McpServer & { folder: string | undefined };

export class AgentServers {
	private readonly storage: AgentServersStorage;
	/** Servers that the user was asked about and did not decide on. This window does not ask again. */
	private readonly undecided = new Set<string>();
	/** The sentences that were already reported in this window. */
	private readonly told = new Set<string>();

	constructor(storage: AgentServersStorage) {
		this.storage = storage;
	}

	/**
	 * Resolves to the servers that agents in these folders may use, after a question about each new one, and to a
	 * sentence for each unusable declaration, which is reported once per window.
	 */
	async agreed(
		folders: readonly string[],
		isSandboxed: boolean,
	): Promise<{ servers: AgreedServer[]; problems: string[] }> {
		const declared = [settingServers(this.storage.declared()), ...(await Promise.all(folders.map(folderServers)))];
		const problems = declared.flatMap(({ unusable }) => unusable.map(({ name, reason }) => unusableText(name, reason)));
		const servers: AgreedServer[] = [];
		for (const server of declared.flatMap(each => each.servers)) {
			if (servers.some(({ name }) => name === server.name)) {
				problems.push(vscode.l10n.t('The MCP server “{0}” is declared twice. The first one is used.', server.name));
			} else if (await this.isAllowed(server, isSandboxed)) {
				servers.push(server);
			}
		}
		const news = problems.filter(problem => !this.told.has(problem));
		for (const problem of news) {
			this.told.add(problem);
		}
		return { servers, problems: news };
	}

	/** Returns the tools that a server listed when it was last used. */
	toolsOf(server: AgreedServer): KnownTools | undefined {
		const known = this.known(server);
		return known?.digest === digestOfServer(server) ? known.tools : undefined;
	}

	noteTools(server: AgreedServer, tools: KnownTools): void {
		this.note(server, { digest: digestOfServer(server), isAllowed: true, tools });
	}

	/** Asks whether to allow tools that are new, or whose description by the server has changed. */
	async askAboutTools(server: AgreedServer, tools: readonly Record<string, unknown>[]): Promise<boolean> {
		const use = vscode.l10n.t('Use Them');
		const described = tools.map(
			({ name, description }) => `${name}: ${String(description ?? '').slice(0, MAXIMUM_DESCRIPTION)}`,
		);
		const chosen = await askModal(
			vscode.l10n.t('The MCP server “{0}” describes tools in another way than before. Use them?', server.name),
			described.join('\n\n'),
			use,
		);
		return chosen === use;
	}

	/**
	 * Resolves to the values that a server asks for, after a question about each that is not stored yet. Throws a
	 * UserFacingError if the user gives none.
	 */
	async inputsOf(server: AgreedServer): Promise<ReadonlyMap<string, string>> {
		const values = new Map<string, string>();
		for (const input of placeholdersOf(server).inputs) {
			const key = SECRET_PREFIX + JSON.stringify([server.folder ?? '', server.name, input]);
			const value = (await this.storage.secrets.get(key)) ?? (await askInput(server.name, input));
			if (value === undefined) {
				throw new UserFacingError(
					vscode.l10n.t('The MCP server “{0}” is not used, because it has no value for {1}.', server.name, input),
				);
			}
			await this.storage.secrets.store(key, value);
			values.set(input, value);
		}
		return values;
	}

	private async isAllowed(server: AgreedServer, isSandboxed: boolean): Promise<boolean> {
		const digest = digestOfServer(server);
		if (server.folder === undefined) {
			return true;
		}
		const known = this.known(server);
		if (known?.digest === digest) {
			return known.isAllowed;
		}
		const asked = keyOf(server) + digest;
		if (this.undecided.has(asked)) {
			return false;
		}
		const use = vscode.l10n.t('Use This Server');
		const never = vscode.l10n.t('Never in This Folder');
		const chosen = await askModal(
			known
				? vscode.l10n.t('The MCP server “{0}” is declared in another way now. May agents use it?', server.name)
				: vscode.l10n.t('May agents use the MCP server “{0}”?', server.name),
			describe(server, isSandboxed),
			use,
			never,
		);
		if (chosen === undefined) {
			this.undecided.add(asked);
			return false;
		}
		this.note(server, { digest, isAllowed: chosen === use });
		return chosen === use;
	}

	private get all(): Readonly<Record<string, KnownServer>> {
		return this.storage.state.get(STATE_KEY) ?? {};
	}

	private known(server: AgreedServer): KnownServer | undefined {
		return this.all[keyOf(server)];
	}

	private note(server: AgreedServer, known: KnownServer): void {
		void this.storage.state.update(STATE_KEY, { ...this.all, [keyOf(server)]: known });
	}
}

const keyOf = ({ folder, name }: AgreedServer): string => JSON.stringify([folder ?? '', name]);

type FolderServers = Omit<DeclaredServers, 'servers'> & { servers: AgreedServer[] };

function settingServers(setting: unknown): FolderServers {
	const result: FolderServers = { servers: [], unusable: [] };
	for (const [name, value] of Object.entries(isFields(setting) ? setting : {})) {
		const server = mcpServerSchema.safeParse(value).data;
		if (server !== undefined && SERVER_NAME.test(name)) {
			result.servers.push({ ...server, name, file: undefined, folder: undefined });
		} else {
			result.unusable.push({ name, reason: 'form' });
		}
	}
	return result;
}

async function folderServers(folder: string): Promise<FolderServers> {
	const result: FolderServers = { servers: [], unusable: [] };
	for (const place of SERVER_FILES) {
		const text = await readFile(path.join(folder, place.file), 'utf8').catch(() => '');
		if (text !== '' && text.length <= MAXIMUM_FILE_BYTES) {
			const { servers, unusable } = readServerFile(parseJsonWithComments(text), place);
			result.servers = [...result.servers, ...servers.map(server => ({ ...server, folder }))];
			result.unusable = [...result.unusable, ...unusable];
		}
	}
	return result;
}

function unusableText(name: string, reason: DeclaredServers['unusable'][number]['reason']): string {
	return reason === 'address'
		? vscode.l10n.t(
				'The MCP server “{0}” is not used: agents here use servers that a command starts, not addresses.',
				name,
			)
		: vscode.l10n.t(
				'The MCP server “{0}” is not used: its declaration cannot be read. Correct its command, args and env.',
				name,
			);
}

/** Describes what a yes would start, where, with what input, and what it can reach. */
function describe(server: AgreedServer, isSandboxed: boolean): string {
	const { command, args, env, hosts, files, file } = server;
	const { inputs, variables } = placeholdersOf(server);
	const wanted = packageOf(server)?.wanted;
	const names = Object.keys(env);
	const lines = [
		vscode.l10n.t('{0} declares it.', file ?? ''),
		vscode.l10n.t('Command: {0}', [command, ...args].map(shownWord).join(' ')),
		wanted !== undefined &&
			vscode.l10n.t('{0} is installed with npm first, without its scripts, and stays at that version.', wanted),
		names.length > 0 && vscode.l10n.t('Variables that it sets: {0}', names.join(', ')),
		variables.length > 0 && vscode.l10n.t('It gets these variables of yours: {0}', variables.join(', ')),
		inputs.length > 0 && vscode.l10n.t('You are asked for: {0}', inputs.join(', ')),
		isSandboxed
			? vscode.l10n.t('It runs in a sandbox of its own. {0} {1}', filesText(files), hostsText(hosts))
			: vscode.l10n.t('There is no sandbox on this machine: it runs as you, and can do whatever you can.'),
		vscode.l10n.t('You are asked about its calls as the approvals in the chat say.'),
	];
	return lines.filter(line => line !== false).join('\n');
}

/** Quotes a word for a shell only if it needs quotes. */
const shownWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : (shellWord(word) ?? word));

function filesText(files: McpServer['files']): string {
	switch (files) {
		case 'none':
			return vscode.l10n.t('It sees no files.');
		case 'read':
			return vscode.l10n.t('It can read the copy of the files that the agent works in.');
		case 'write':
			return vscode.l10n.t('It can change the copy of the files that the agent works in.');
	}
}

function hostsText(hosts: readonly string[]): string {
	return hosts.length === 0
		? vscode.l10n.t('It reaches no network.')
		: vscode.l10n.t('It reaches these hosts alone: {0}.', hosts.join(', '));
}

function askInput(server: string, input: string): Thenable<string | undefined> {
	return vscode.window.showInputBox({
		title: vscode.l10n.t('MCP Server “{0}”: {1}', server, input),
		prompt: vscode.l10n.t('The value is kept as a secret of the editor and given to this server alone.'),
		password: true,
		ignoreFocusOut: true,
	});
}
