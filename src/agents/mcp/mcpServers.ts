// The MCP servers of one agent run. Each runs separately, beside the agent, which gets only a command that connects it
// to the server through the relay: no address, no program and no secret of the server.
import { createHash, randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { SerialQueue, untilAborted } from '../../base/async.ts';
import { UserFacingError } from '../../base/errors.ts';
import { createTokenMatch } from '../../base/tokenCheck.ts';
import { type DeclaredServer, isRemote } from '../../contract/mcpServers.ts';
import { placeInside, type RunPlace } from '../run/runPlace.ts';
import { insideProgram } from '../sandbox/places.ts';
import type { McpCommand } from '../session/agentSession.ts';
import { type GateOptions, type GateSide, type McpAnswer, type McpCall, type McpTool, runGate } from './gate.ts';

/** The number of instances of a server that may run at once. An agent may start one for each of its own helpers. */
const MAXIMUM_RUNS = 4;

/** The time that a server may take for each answer before the first call. Errand's own agent waits for all of its servers. */
export const BEGIN_MS = 15_000;

/** As `sandbox/inside.ts` reads it. */
const MCP_TOKEN_VARIABLE = 'ERRAND_MCP_TOKEN';

/** Digests of tools as the user knows them, by their names. */
export type KnownTools = Readonly<Record<string, string>>;

/** The server's side of the gate, however the server is reached. */
export interface ServerConnection extends GateSide {
	/** Ends the connection, and the server where it runs for it. Never rejects. */
	end(): Promise<void>;
}

export interface McpServersOptions<Server extends DeclaredServer = DeclaredServer> {
	servers: readonly Server[];
	/**
	 * Connects to a server, which is started where it runs beside the agent, that works at `place`. Rejects with an error
	 * whose message is a sentence.
	 */
	start(server: Server, place: RunPlace, signal: AbortSignal): Promise<ServerConnection>;
	/** Resolves with undefined if a call may be made, or with a sentence for the agent. */
	ask(server: Server, call: McpCall, signal: AbortSignal): Promise<string | undefined>;
	onAnswer(server: Server, call: McpCall, answer: McpAnswer): void;
	/** Returns the tools of a server that the user knows, or undefined if none were listed yet. */
	known(server: Server): KnownTools | undefined;
	/** Stores the tools of a server that had never been listed before. */
	note(server: Server, tools: KnownTools): void;
	/** Asks whether tools that are new or whose descriptions have changed may be used. */
	askAboutTools(server: Server, tools: readonly McpTool[]): Promise<boolean>;
	/** Called when a server could not be started, or has ended before the agent. The error's message is a sentence. */
	onFailed(server: Server, error: unknown): void;
	/** Receives a sentence for the log. */
	onRefused(sentence: string): void;
}

export class McpServers<Server extends DeclaredServer = DeclaredServer> {
	/** The token that the agent's command presents to the relay. It gives access to these servers only. */
	readonly token = randomBytes(32).toString('base64url');
	private readonly options: McpServersOptions<Server>;
	private readonly isToken = createTokenMatch(this.token);
	private readonly ending = new AbortController();
	/** The number of running instances of each server that the agent has connected to. */
	private readonly running = new Map<string, number>();
	private readonly ended = new Set<Promise<void>>();
	/** The servers whose tools were listed for the first time, and those of which changed tools were declined. */
	private readonly listedFirst = new Set<string>();
	private readonly declined = new Set<string>();
	private readonly admitting = new SerialQueue();
	private place: RunPlace | undefined;

	constructor(options: McpServersOptions<Server>) {
		this.options = options;
	}

	/** Sets the place where the agent works. No server can be reached before. */
	beginAt(place: RunPlace): void {
		this.place = place;
	}

	/** The names of the servers that the agent has not connected to. */
	get unreached(): string[] {
		return this.options.servers.flatMap(({ name }) => (this.running.has(name) ? [] : [name]));
	}

	/** The commands by which the agent reaches the servers, through the program that serves the relay at its place. */
	get commands(): McpCommand[] {
		const { place, token } = this;
		if (place === undefined) {
			return [];
		}
		const isWrapped = place.isSandboxed && process.platform === 'linux';
		const program = isWrapped ? insideProgram(place.insideProgram) : place.insideProgram;
		const { port } = new URL(placeInside(place).relayUrl);
		return this.options.servers.map(({ name }) => ({
			name,
			command: process.execPath,
			args: [program, 'mcp', port, name],
			env: [
				// Every user of the machine can read arguments.
				{ name: MCP_TOKEN_VARIABLE, value: token },
				...(process.versions['electron'] ? [{ name: 'ELECTRON_RUN_AS_NODE', value: '1' }] : []),
			],
		}));
	}

	/**
	 * Returns the function that connects a socket to a server, or undefined if the token is wrong, there is no such
	 * server, or too many instances of it are running.
	 */
	connection(name: string, token: string | undefined): ((socket: Duplex) => void) | undefined {
		const server = this.options.servers.find(known => known.name === name);
		const { place } = this;
		const isFree = (this.running.get(name) ?? 0) < MAXIMUM_RUNS && !this.ending.signal.aborted;
		if (server === undefined || place === undefined || token === undefined || !this.isToken(token) || !isFree) {
			return undefined;
		}
		return socket => {
			const run = this.run(server, place, socket);
			this.ended.add(run);
			void run.finally(() => this.ended.delete(run));
		};
	}

	/** Ends all servers. Resolves when none is left. */
	async close(): Promise<void> {
		this.ending.abort();
		await Promise.all(this.ended);
	}

	private async run(server: Server, place: RunPlace, socket: Duplex): Promise<void> {
		const { name } = server;
		this.running.set(name, (this.running.get(name) ?? 0) + 1);
		const gone = new AbortController();
		socket.on('error', () => gone.abort());
		socket.once('close', () => gone.abort());
		const signal = AbortSignal.any([gone.signal, this.ending.signal]);
		let connection: ServerConnection | undefined;
		try {
			connection = await this.options.start(server, place, signal);
			// The agent may keep its side open, or read nothing more, when the servers are to end.
			const gate = runGate({ input: socket, output: socket }, connection, this.gate(server));
			const ended = await untilAborted(gate, signal);
			if (ended === 'server' && !signal.aborted) {
				throw new UserFacingError('it ended by itself. Run its command in a terminal to see why.');
			}
		} catch (error) {
			if (!signal.aborted) {
				this.options.onFailed(server, error);
			}
		} finally {
			await connection?.end();
			socket.destroy();
			this.running.set(name, (this.running.get(name) ?? 1) - 1);
		}
	}

	private gate(server: Server): GateOptions {
		const { ask, onAnswer, onRefused } = this.options;
		return {
			// An answer about the tools of one list may hold for the next.
			admit: (tools, isFurther) => this.admitting.run(() => this.admit(server, tools, isFurther)),
			ask: (call, signal) => ask(server, call, signal),
			onAnswer: (call, answer) => onAnswer(server, call, answer),
			onRefused: sentence => onRefused(`MCP server “${server.name}”: ${sentence}`),
			// The connection to an address measures the time itself, as somebody may be signing in meanwhile.
			beginMs: isRemote(server) ? undefined : BEGIN_MS,
		};
	}

	/** Admits the tools that the user knows as they are, and the others where the user agrees. */
	private async admit(server: Server, tools: readonly McpTool[], isFurther: boolean): Promise<readonly McpTool[]> {
		const { known, note } = this.options;
		const listed = Object.fromEntries(tools.map(tool => [tool.name, sha256(JSON.stringify(tool))]));
		const before = known(server);
		if (before === undefined) {
			this.listedFirst.add(server.name);
			note(server, listed);
			return tools;
		}
		const others = tools.filter(({ name }) => before[name] !== listed[name]);
		const isSameList = isFurther && this.listedFirst.has(server.name);
		const isKnown = others.every(({ name }) => isSameList && !Object.hasOwn(before, name));
		if (!isKnown && !(await this.agrees(server, others))) {
			return tools.filter(tool => !others.includes(tool));
		}
		if (others.length > 0) {
			note(server, { ...before, ...listed });
		}
		return tools;
	}

	/** Asks about tools. After a no, the server may say what it likes: nobody is asked again until the next turn. */
	private async agrees(server: Server, tools: readonly McpTool[]): Promise<boolean> {
		if (this.declined.has(server.name) || this.ending.signal.aborted) {
			return false;
		}
		const isAgreed = await this.options.askAboutTools(server, tools);
		if (!isAgreed) {
			this.declined.add(server.name);
		}
		return isAgreed;
	}
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns a digest of everything that a consent to a server covers. */
export function digestOfServer({ name: _, file: __, ...declared }: DeclaredServer): string {
	return sha256(JSON.stringify(declared));
}
