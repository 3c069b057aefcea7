// The MCP servers that agents may use in the folders of this window: those of the user's settings, and those that files of
// a folder declare, each once the user has agreed to exactly that.
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { digestOfServer, type KnownTools } from '../../agents/mcp/mcpServers.ts';
import { needsDownload, packageOf, type ServerPackage } from '../../agents/mcp/serverPackage.ts';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isFields } from '../../base/fields.ts';
import { isWithin } from '../../base/filePlace.ts';
import { showExactly } from '../../base/invisible.ts';
import { parseJsonWithComments } from '../../base/json.ts';
import { oneLine, shortName } from '../../base/plainText.ts';
import { shellWord } from '../../base/shellWord.ts';
import {
	type DeclaredServer,
	type DeclaredServers,
	inputSecret,
	isOutside,
	isRemote,
	type McpServer,
	placeholdersOf,
	type RemoteServer,
	readServerFile,
	SERVER_FILES,
	SERVER_NAME,
	serverSettingSchema,
	withValues,
} from '../../contract/mcpServers.ts';
import { askModal } from '../../platform/notify.ts';
import type { SignInLinks } from '../../platform/signInLinks.ts';
import { SignIns } from './signIns.ts';

const STATE_KEY = 'errand.mcpServers';
const MAXIMUM_FILE_BYTES = 1024 * 1024;
const MAXIMUM_DESCRIPTION = 600;
/** The tools that one question describes. */
const MAXIMUM_TOOLS = 10;

/** The user's decision about a server of one folder, and the digest of the declaration that it was made for. */
interface KnownServer {
	digest: string;
	isAllowed: boolean;
	/** The yes was one to a server that runs without a sandbox too. */
	isOutside?: true;
	tools?: KnownTools;
}

export interface AgentServersStorage {
	state: Pick<vscode.Memento, 'get' | 'update'>;
	secrets: Pick<vscode.SecretStorage, 'get' | 'store' | 'delete'>;
	/** The folder of the servers' packages. */
	packages: string;
	signInLinks: SignInLinks;
	/** Resolves to whether the user lets nothing run without a sandbox. */
	isSandboxRequired(): Promise<boolean>;
	/** Returns the value of `errand.agents.mcpServers`. */
	declared(): unknown;
}

/** A server with the folder that declares it; undefined for a server in the settings. */
export type AgreedServer = DeclaredServer & { folder: string | undefined };

export class AgentServers {
	private readonly storage: AgentServersStorage;
	readonly signIns: SignIns;
	/** Servers that the user was asked about and did not decide on. This window does not ask again. */
	private readonly undecided = new Set<string>();
	private readonly inputs = new SerialQueue();
	/** The sentences that this window has told. */
	private readonly told = new Set<string>();

	constructor(storage: AgentServersStorage) {
		this.storage = storage;
		this.signIns = new SignIns(storage.secrets, storage.signInLinks);
	}

	get packages(): string {
		return this.storage.packages;
	}

	/**
	 * Resolves to the servers that agents in these folders may use, after a question about each new one, and to a
	 * sentence for each unusable declaration, which is reported once per window.
	 */
	async agreed(
		folders: readonly string[],
		isSandboxed: boolean,
	): Promise<{ servers: AgreedServer[]; problems: string[] }> {
		const declared = await this.declared(folders);
		const problems = declared.flatMap(({ unusable }) => unusable.map(({ name, reason }) => unusableText(name, reason)));
		const servers: AgreedServer[] = [];
		for (const server of declared.flatMap(each => each.servers)) {
			if (servers.some(({ name }) => name === server.name)) {
				problems.push(vscode.l10n.t('The MCP server “{0}” is declared twice. The first one is used.', server.name));
			} else if (isOutside(server) && (await this.storage.isSandboxRequired())) {
				problems.push(
					vscode.l10n.t(
						'The MCP server “{0}” is not used: it has to run without a sandbox, which errand.local.sandbox forbids.',
						server.name,
					),
				);
			} else if (isSandboxed && !isRemote(server) && !isOutside(server) && needsDownload(server)) {
				problems.push(
					vscode.l10n.t(
						'The MCP server “{0}” is not used: {1} would download it, and a sandbox without hosts reaches no network. Install it yourself, as with “npm install --global” or “uv tool install”, and declare its program as the command, in errand.agents.mcpServers if it is only for you.',
						server.name,
						server.command,
					),
				);
			} else if (await this.isAllowed(server, isSandboxed || isRemote(server))) {
				servers.push(server);
			}
		}
		const news = problems.filter(problem => !this.told.has(problem));
		for (const problem of news) {
			this.told.add(problem);
		}
		return { servers, problems: news };
	}

	/** Resolves to the servers of the settings, and to those that files of each folder declare. Asks nothing. */
	async declared(folders: readonly string[]): Promise<FolderServers[]> {
		return [settingServers(this.storage.declared()), ...(await Promise.all(folders.map(folderServers)))];
	}

	/** Returns the tools that a server listed when it was last used. */
	toolsOf(server: AgreedServer): KnownTools | undefined {
		return this.same(server)?.tools;
	}

	noteTools(server: AgreedServer, tools: KnownTools): void {
		this.note(server, { isAllowed: true, tools });
	}

	/** Asks whether to allow tools that are new, or whose description by the server has changed. */
	async askAboutTools(server: AgreedServer, tools: readonly Record<string, unknown>[]): Promise<boolean> {
		const use = vscode.l10n.t('Use Them');
		const described = tools.slice(0, MAXIMUM_TOOLS).map(describeTool);
		if (tools.length > MAXIMUM_TOOLS) {
			described.push(vscode.l10n.t('{0} more', tools.length - MAXIMUM_TOOLS));
		}
		const chosen = await askModal(
			vscode.l10n.t('The MCP server “{0}” describes tools in another way than before. Use them?', server.name),
			described.join('\n\n'),
			use,
		);
		return chosen === use;
	}

	/**
	 * Resolves with the values that a server asks for, after a question about each that is not kept yet. Throws the signal's
	 * reason, and a UserFacingError where the user gives none.
	 */
	inputsOf(server: AgreedServer, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
		// The box of one would take the place of another's.
		return this.inputs.run(() => this.inputsNow(server, signal));
	}

	private async inputsNow(server: AgreedServer, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
		const digest = digestOfServer(server);
		const values = new Map<string, string>();
		for (const input of placeholdersOf(server).inputs) {
			signal.throwIfAborted();
			const key = inputSecret(server, digest, input);
			const value = (await this.storage.secrets.get(key)) ?? (await askInput(server.name, input, signal));
			signal.throwIfAborted();
			if (value === undefined) {
				throw new UserFacingError(vscode.l10n.t('it has no value for {0}.', input));
			}
			await this.storage.secrets.store(key, value);
			values.set(input, value);
		}
		return values;
	}

	private async isAllowed(server: AgreedServer, isSandboxed: boolean): Promise<boolean> {
		const decision = this.decision(server, isSandboxed);
		const asked = `${keyOf(server)}${digestOfServer(server)}${isSandboxed}`;
		if (decision !== undefined || this.undecided.has(asked)) {
			return decision ?? false;
		}
		const answer = await this.ask(server, isSandboxed);
		if (answer === undefined) {
			this.undecided.add(asked);
		}
		return answer ?? false;
	}

	/** Returns what the user has decided about exactly this server; undefined if nothing yet. */
	decision(server: AgreedServer, isSandboxed: boolean): boolean | undefined {
		if (server.folder === undefined) {
			return true;
		}
		const same = this.same(server);
		// A yes to a server in a sandbox is none to one that can do whatever the user can.
		return same && (!same.isAllowed || isSandboxed || same.isOutside) ? same.isAllowed : undefined;
	}

	/** Asks whether agents may use a server, and keeps the answer. Resolves with undefined if the user gives none. */
	async ask(server: AgreedServer, isSandboxed: boolean): Promise<boolean | undefined> {
		const use = vscode.l10n.t('Use This Server');
		const never = vscode.l10n.t('Never in This Folder');
		const chosen = await askModal(
			this.known(server) && !this.same(server)
				? vscode.l10n.t('The MCP server “{0}” is declared in another way now. May agents use it?', server.name)
				: vscode.l10n.t('May agents use the MCP server “{0}”?', server.name),
			isRemote(server) ? describeRemote(server) : describe(server, isSandboxed),
			use,
			never,
		);
		if (chosen === undefined) {
			return undefined;
		}
		const isOutside = !isSandboxed || undefined;
		this.note(server, { isAllowed: chosen === use, ...defined({ isOutside }) });
		return chosen === use;
	}

	private get all(): Readonly<Record<string, KnownServer>> {
		return this.storage.state.get(STATE_KEY) ?? {};
	}

	private known(server: AgreedServer): KnownServer | undefined {
		return this.all[keyOf(server)];
	}

	/** Returns what is known of exactly this declaration of a server. */
	private same(server: AgreedServer): KnownServer | undefined {
		const known = this.known(server);
		return known?.digest === digestOfServer(server) ? known : undefined;
	}

	private note(server: AgreedServer, news: Omit<KnownServer, 'digest'>): void {
		const known: KnownServer = { ...this.same(server), digest: digestOfServer(server), ...news };
		void this.storage.state.update(STATE_KEY, { ...this.all, [keyOf(server)]: known });
	}
}

const keyOf = ({ folder, name }: AgreedServer): string => JSON.stringify([folder ?? '', name]);

type FolderServers = Omit<DeclaredServers, 'servers'> & { servers: AgreedServer[] };

function settingServers(setting: unknown): FolderServers {
	const result: FolderServers = { servers: [], unusable: [] };
	for (const [name, value] of Object.entries(isFields(setting) ? setting : {})) {
		const server = serverSettingSchema.safeParse(value).data;
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
		const text = await readSmallFile(path.join(folder, place.file));
		if (text !== undefined) {
			const { servers, unusable } = readServerFile(parseJsonWithComments(text), place);
			result.servers = [...result.servers, ...servers.map(server => ({ ...server, folder }))];
			result.unusable = [...result.unusable, ...unusable];
		}
	}
	return result;
}

/** A repository may have a link there to a device, or to a pipe that nobody writes to. */
async function readSmallFile(file: string): Promise<string | undefined> {
	try {
		const status = await stat(file);
		return status.isFile() && status.size <= MAXIMUM_FILE_BYTES ? await readFile(file, 'utf8') : undefined;
	} catch {
		return undefined;
	}
}

function unusableText(name: string, reason: DeclaredServers['unusable'][number]['reason']): string {
	switch (reason) {
		case 'address':
			return vscode.l10n.t(
				'The MCP server “{0}” is not used: its address cannot be read. Correct it to one that begins with https and speaks streamable HTTP (http), with headers of plain text.',
				name,
			);
		case 'private':
			return vscode.l10n.t(
				'The MCP server “{0}” is not used: its address leads into your machine or network. If you want that, put it into errand.agents.mcpServers.',
				name,
			);
		case 'length':
			return vscode.l10n.t(
				'The MCP server “{0}” is not used: its declaration is too long to be shown in a question. Put it into a script, or into errand.agents.mcpServers.',
				name,
			);
		case 'form':
			return vscode.l10n.t(
				'The MCP server “{0}” is not used: its declaration cannot be read. Correct its command, args and env, or its url and headers.',
				name,
			);
	}
}

/** Describes what a yes would start, where, with what input, and what it can reach. */
function describe(server: McpServer & AgreedServer, isSandboxed: boolean): string {
	const { name, command, args, env, hosts, files, file } = server;
	const { inputs, variables } = placeholdersOf(server);
	const installed = packageOf(server);
	const set = Object.entries(env).map(([variable, value]) => `${variable}=${shownWord(value)}`);
	const own = args.filter(word => isFileOf(server.folder ?? '', word));
	const absolute = installed === undefined ? [command, ...args].filter(word => path.isAbsolute(word)) : [];
	// What a declaration can make long stands last: the end of a long question is only seen by whoever scrolls to it, and
	// the editor gives its heading less room than it takes, so the name is here too.
	const lines = [
		vscode.l10n.t('{0} declares “{1}”.', file ?? '', name),
		isSandboxed
			? vscode.l10n.t('It runs in a sandbox of its own. {0} {1}', filesTexts[files], hostsText(hosts))
			: vscode.l10n.t('There is no sandbox on this machine: it runs as you, and can do whatever you can.'),
		callsText(),
		vscode.l10n.t('Command: {0}', [command, ...args].map(shownWord).join(' ')),
		installed !== undefined && installationText(installed),
		isSandboxed &&
			absolute.length > 0 &&
			vscode.l10n.t('It also sees what lies beside these files: {0}', absolute.map(shownWord).join(' ')),
		own.length > 0 &&
			vscode.l10n.t('It runs these files as an agent may have changed them: {0}', own.map(shownWord).join(' ')),
		variables.length > 0 && vscode.l10n.t('It gets these variables of yours: {0}', variables.join(', ')),
		inputs.length > 0 && vscode.l10n.t('You are asked for: {0}', inputs.join(', ')),
		set.length > 0 && vscode.l10n.t('Variables that it sets: {0}', set.join(' ')),
	];
	return lines.filter(line => line !== false).join('\n');
}

const callsText = (): string =>
	vscode.l10n.t(
		'In the chat, you are asked about its calls as the approvals say. In a task, nobody is asked about them.',
	);

/** Describes what a yes to a server at an address would contact, and what that would be told. */
function describeRemote(server: RemoteServer): string {
	const { name, url, headers, file } = server;
	const { inputs, variables } = placeholdersOf(server);
	const sent = Object.entries(headers).map(([header, value]) => `${header}: ${showExactly(value)}`);
	const lines = [
		vscode.l10n.t('{0} declares “{1}”.', file ?? '', name),
		// The address is shown as it is contacted, in ASCII, where no letter can look like another.
		vscode.l10n.t('Address: {0}', new URL(url).href),
		vscode.l10n.t('It runs elsewhere, and not in a sandbox: what agents send it leaves this machine.'),
		callsText(),
		variables.length > 0 && vscode.l10n.t('It gets these variables of yours: {0}', variables.join(', ')),
		inputs.length > 0 && vscode.l10n.t('You are asked for: {0}', inputs.join(', ')),
		...sent.map(header => vscode.l10n.t('Header that it gets: {0}', header)),
	];
	return lines.filter(line => line !== false).join('\n');
}

/**
 * Words that need no quotes in a shell have none. One that no shell takes as it is has escapes, so that no end of a line in
 * it begins what looks like a sentence of ours.
 */
function shownWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : showExactly(shellWord(word) ?? JSON.stringify(word));
}

/** Returns whether a word of a declaration names something in its folder, which the agent's copy has too. */
function isFileOf(folder: string, word: string): boolean {
	const file = path.resolve(folder, withValues(word, { folder, input: () => '', variable: () => '' }));
	return isWithin(folder, file) && existsSync(file);
}

function describeTool({ name, description, inputSchema }: Record<string, unknown>): string {
	const properties = isFields(inputSchema) && isFields(inputSchema['properties']) ? inputSchema['properties'] : {};
	const described = oneLine(String(description ?? ''), MAXIMUM_DESCRIPTION);
	const takes = oneLine(Object.keys(properties).join(', '), MAXIMUM_DESCRIPTION);
	return `${shortName(String(name))} (${takes}): ${described}`;
}

function installationText({ installer, wanted }: ServerPackage): string {
	return installer === 'npm'
		? vscode.l10n.t('{0} is installed with npm first, without its scripts, and stays at that version.', wanted)
		: vscode.l10n.t('{0} is installed with uv first, without building anything, and stays at that version.', wanted);
}

const filesTexts: Record<McpServer['files'], string> = {
	none: vscode.l10n.t('It sees no files.'),
	read: vscode.l10n.t('It can read the copy of the files that the agent works in.'),
	write: vscode.l10n.t('It can change the copy of the files that the agent works in.'),
};

function hostsText(hosts: readonly string[]): string {
	return hosts.length === 0
		? vscode.l10n.t('It reaches no network.')
		: vscode.l10n.t('It reaches these hosts alone: {0}.', hosts.join(', '));
}

/** The box goes when the signal aborts. */
async function askInput(server: string, input: string, signal: AbortSignal): Promise<string | undefined> {
	const cancelling = new vscode.CancellationTokenSource();
	const cancel = () => cancelling.cancel();
	signal.addEventListener('abort', cancel, { once: true });
	try {
		return await vscode.window.showInputBox(
			{
				title: vscode.l10n.t('MCP Server “{0}”: {1}', server, input),
				prompt: vscode.l10n.t('The value is kept as a secret of the editor and given to this server alone.'),
				password: true,
				ignoreFocusOut: true,
			},
			cancelling.token,
		);
	} finally {
		signal.removeEventListener('abort', cancel);
		cancelling.dispose();
	}
}
