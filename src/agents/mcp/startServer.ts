import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../base/defined.ts';
import { UserFacingError } from '../../base/errors.ts';
import { isOutside, type McpServer, withValues } from '../../contract/mcpServers.ts';
import { findProgram } from '../catalogue/findProgram.ts';
import { allowsOnly, proxyVariables, type Relay, withoutModel } from '../relay/relay.ts';
import { baseEnvironment } from '../run/agentLaunch.ts';
import { openRelayAt, placeInside, type RunPlace, startAt } from '../run/runPlace.ts';
import type { ServerConnection } from './mcpServers.ts';
import { installServerPackage, packageOf } from './serverPackage.ts';

export interface ServerPlace {
	/** The place of the agent that the server works for. */
	agent: RunPlace;
	/** A folder for the servers' homes, and one for their packages. */
	homes: string;
	packages: string;
	/** The user's environment. */
	environment: Readonly<Record<string, string | undefined>>;
	/** Returns a value that the user has entered. */
	input(name: string): string;
	/** Receives a sentence for the log. */
	onRefused(sentence: string): void;
}

/**
 * Starts an MCP server in a sandbox of its own, if it can run in one: with the files that its declaration lets it read
 * or write, the hosts that it lets it reach, and nothing of the agent's. Rejects with the signal's reason, or with a
 * UserFacingError.
 */
export async function startServer(
	server: McpServer,
	place: ServerPlace,
	signal: AbortSignal,
): Promise<ServerConnection> {
	const { name, hosts, files } = server;
	const { environment, onRefused } = place;
	const agent = isOutside(server) ? { ...place.agent, isSandboxed: false } : place.agent;
	const home = path.join(place.homes, name);
	const empty = path.join(home, 'empty');
	await mkdir(empty, { recursive: true, mode: 0o700 });
	const program = await programOf(server, place, signal);
	// A folder that no server can write to, and that no other run of this one shares.
	const folder = hosts.length === 0 ? undefined : await mkdtemp(path.join(place.homes, 'relay-'));
	let relay: Relay | undefined;
	/** Ends a server that uses more of the machine than it may. */
	const over = new AbortController();
	const close = async (): Promise<void> => {
		await relay?.close();
		if (folder !== undefined) {
			await rm(folder, { recursive: true, force: true }).catch(() => {});
		}
	};
	try {
		if (folder !== undefined) {
			const handle = withoutModel('An MCP server has no model.');
			relay = await openRelayAt({ ...agent, folder }, { handle, allowsHost: allowsOnly(hosts), onRefused });
		}
		const tree = files === 'none' ? empty : agent.tree;
		const own: RunPlace = { ...agent, home, relay, tree, ...(files === 'write' ? {} : { treeFolders: [], lent: [] }) };
		const seen = placeInside(own);
		const values = {
			folder: seen.tree,
			input: place.input,
			variable: (wanted: string) => environment[wanted] ?? '',
		};
		const filled = (text: string): string => withValues(text, values);
		const child = await startAt(own, {
			command: program.command,
			args: program.args.map(filled),
			files: program.files,
			env: {
				...baseEnvironment(seen),
				...defined({ ELECTRON_RUN_AS_NODE: process.versions['electron'] ? '1' : undefined }),
				...(relay && proxyVariables(seen.relayUrl, relay.token)),
				...Object.fromEntries(Object.entries(server.env).map(([variable, value]) => [variable, filled(value)])),
			},
			signal: AbortSignal.any([signal, over.signal]),
			onLimit(sentence) {
				onRefused(`MCP server “${name}”: ${sentence}`);
				over.abort(new UserFacingError(sentence));
			},
		});
		// The server's output shows how it ended.
		child.ended.then(close, close);
		child.stderr.resume();
		return { input: child.stdin, output: child.stdout, end: () => child.end() };
	} catch (error) {
		await close();
		throw error;
	}
}

async function programOf(server: McpServer, place: ServerPlace, signal: AbortSignal) {
	const { environment, packages, agent } = place;
	const outside = [agent.tree, ...agent.privateFolders];
	const wanted = packageOf(server);
	if (wanted !== undefined) {
		const program = await installServerPackage(wanted, { folder: packages, environment, outside, signal });
		return { ...program, args: [...program.args, ...wanted.args] };
	}
	const found = await findProgram(server.command, { path: environment['PATH'] ?? '', outside });
	if (found === undefined) {
		throw new UserFacingError(`its program “${server.command}” was not found. Install it, or correct its command.`);
	}
	// The script that an interpreter runs lies elsewhere than the interpreter.
	const files = server.args.filter(argument => path.isAbsolute(argument) && existsSync(argument));
	return { command: found.file, args: server.args, files };
}
