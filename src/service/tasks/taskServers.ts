// The MCP servers of tasks. They come with a task and hold secrets, so they are kept in memory alone.
import { type McpCall, toolName } from '../../agents/mcp/gate.ts';
import { type KnownTools, McpServers } from '../../agents/mcp/mcpServers.ts';
import { connectRemote } from '../../agents/mcp/remoteServer.ts';
import { startServer } from '../../agents/mcp/startServer.ts';
import { Refusals } from '../../agents/relay/refusals.ts';
import { MAXIMUM_TEXT } from '../../agents/session/limits.ts';
import { describeError, UserFacingError } from '../../base/errors.ts';
import { cut, oneLine } from '../../base/plainText.ts';
import {
	type DeclaredServer,
	headersWithValues,
	isRemote,
	type RemoteServer,
	type TaskServer,
} from '../../contract/mcpServers.ts';
import type { TaskRecord } from '../store/taskRecord.ts';
import type { TaskLog } from './taskLog.ts';
import { listed } from './taskNames.ts';

/** In characters. */
const MAXIMUM_SHOWN = 2_000;
const MAXIMUM_FAILURE = 400;

/** One run of an agent, which works on a task. */
export interface ServedRun {
	task: TaskRecord;
	isSandboxed: boolean;
	/** A folder of this run for the servers' homes. */
	folder: string;
	log: TaskLog;
}

/** The servers of all tasks since the service was started. */
export class TaskServers {
	private readonly ofTasks = new Map<string, readonly TaskServer[]>();
	/** The tools of servers that the user has not used in the chat, as they were first listed in a task. */
	private readonly listed = new Map<string, KnownTools>();

	/** Keeps the servers of a task for all of its runs, until the service ends. */
	keep(taskId: string, servers: readonly TaskServer[]): void {
		if (servers.length > 0) {
			this.ofTasks.set(taskId, servers);
		}
	}

	/** Returns the servers of a run, or undefined if there are none. The log says what became of those of the task. */
	forRun(run: ServedRun): McpServers | undefined {
		const { task, isSandboxed, log } = run;
		const servers = this.ofTasks.get(task.id);
		const names = listed(task.mcpServers);
		if (task.mcpServers.length === 0) {
			return undefined;
		}
		if (servers === undefined) {
			const gone = `The MCP servers of this task are gone (${names}): the local service keeps them and their secrets in memory alone, and has been started again since. The agent goes on without them.`;
			log.step('agent_executing', gone, 'warning');
			return undefined;
		}
		if (!isSandboxed) {
			const left = `The agent gets none of the MCP servers of this task (${names}): without a sandbox, they could do whatever you can, and nobody is asked about their calls.`;
			log.step('agent_executing', left, 'warning');
			return undefined;
		}
		log.step('agent_executing', `The agent can use these MCP servers: ${servers.map(placeOf).join('; ')}.`);
		return this.serversOf(servers, run);
	}

	/** Nobody answers questions while a task runs: the yes to a server covers its calls, and nothing that has changed. */
	private serversOf(servers: readonly TaskServer[], { task, folder, log }: ServedRun): McpServers {
		const refusals = new Refusals(sentence => log.said('agent_refused', sentence, 'warning'));
		const onRefused = (sentence: string): void => refusals.report('server', sentence);
		const onFailed = ({ name }: DeclaredServer, error: unknown): void =>
			onRefused(`The MCP server “${name}” has failed: ${describeError(error)}`);
		const handed = new Map(servers.map(server => [server.name, server]));
		/** Aborting one ends that server for the rest of the run. */
		const ends = new Map(servers.map(({ name }) => [name, new AbortController()]));
		const keyOf = (name: string): string => JSON.stringify([task.repoUrl, name, handed.get(name)?.declaration]);
		return new McpServers({
			servers: servers.map(({ name, declaration, file }): DeclaredServer => ({ ...declaration, name, file })),
			async start(server, agent, signal) {
				const { inputs = {}, variables = {}, packages = '', token } = handed.get(server.name) ?? {};
				const end = ends.get(server.name)?.signal ?? signal;
				end.throwIfAborted();
				if (isRemote(server)) {
					return connectRemote(server, {
						headers: headersWithValues(server, {
							input: name => inputs[name] ?? '',
							variable: name => variables[name] ?? '',
						}),
						authorization: { token: async () => token, renew: () => Promise.reject(signInIsOver(server)) },
						onFailed: error => onFailed(server, error),
					});
				}
				const environment = { ...process.env, ...variables };
				return startServer(
					server,
					{ agent, homes: folder, packages, environment, input: name => inputs[name] ?? '', onRefused },
					AbortSignal.any([signal, end]),
				);
			},
			onFailed,
			async ask({ name }, call) {
				const given = JSON.stringify(call.arguments);
				log.said('agent_tool', `${titleOf(name, call)}\n${cut(given.slice(0, MAXIMUM_TEXT), MAXIMUM_SHOWN)}`);
				if (given.length <= MAXIMUM_TEXT) {
					return undefined;
				}
				log.said('agent_permission', `Refused: ${titleOf(name, call)} (Its arguments are too long.)`, 'warning');
				return 'The arguments of this call are too long. Make them shorter.';
			},
			onAnswer({ name }, call, { isError, text }) {
				if (isError) {
					const words = oneLine(text, MAXIMUM_FAILURE);
					log.said('agent_tool', `${titleOf(name, call)} failed${words === '' ? '.' : `: ${words}`}`, 'warning');
				}
			},
			known: ({ name }) => handed.get(name)?.tools ?? this.listed.get(keyOf(name)),
			note: ({ name }, tools) => this.listed.set(keyOf(name), tools),
			async askAboutTools({ name }) {
				const changed = new UserFacingError(
					'it describes its tools in another way than before. Use it in the chat, which asks about them, then start a new task.',
				);
				onRefused(`The MCP server “${name}” was ended: ${changed.message}`);
				ends.get(name)?.abort(changed);
				return false;
			},
			onRefused,
		});
	}
}

/** Says where a server runs, and with that where what it is sent goes. */
function placeOf({ name, declaration }: TaskServer): string {
	return 'url' in declaration
		? `${name}, which runs at ${new URL(declaration.url).host}`
		: `${name}, in a sandbox of its own`;
}

/** The sign-in is the editor's: a task may outlive both its window and the token. */
function signInIsOver({ url }: RemoteServer): UserFacingError {
	const { host } = new URL(url);
	return new UserFacingError(
		`${host} does not accept the sign-in that the task was started with, which may have ended, and a task cannot sign in. Use the server in the chat, which asks you to sign in, then start a new task.`,
	);
}

const titleOf = (server: string, { tool }: McpCall): string => `MCP tool ${toolName(server, tool)}`;
