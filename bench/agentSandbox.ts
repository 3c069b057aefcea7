// The sandbox of an agent that is started by hand: the same command line of bubblewrap as for a task, but the model
// server is directly behind the socket, and the same program serves it inside.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { discoverAgent } from '../src/agents/catalogue/discovery.ts';
import type { FoundAgent } from '../src/agents/catalogue/entry.ts';
import { knownAgents } from '../src/agents/catalogue/knownAgents.ts';
import { OWN_AGENT, ownAgent } from '../src/agents/catalogue/ownAgent.ts';
import { agentLaunch } from '../src/agents/run/agentLaunch.ts';
import { prepareFolders, writeAgentHome } from '../src/agents/sandbox/folders.ts';
import { packageFolders } from '../src/agents/sandbox/packageFolders.ts';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import { toolchains } from '../src/agents/sandbox/toolchains.ts';
import { type SandboxedCommand, wrap } from '../src/agents/sandbox/wrap.ts';

export interface AgentSandboxOptions {
	/** Errand's own agent, or the id of an agent in the catalogue whose program is on PATH. */
	agent: string;
	/** The name of the tree inside. */
	name: string;
	/** A folder with the folder `tree`, and nothing else. */
	folder: string;
	/** The port of the model server on this machine. */
	port: number;
	model: string;
	/** The program that serves the relay inside. */
	insideProgram: string;
}

export interface AgentSandbox {
	/** The command that starts the agent in it. */
	agent: SandboxedCommand;
	/** Returns a command that runs a line of shell in it, without a model. */
	shell(line: string): SandboxedCommand;
}

export async function prepareAgentSandbox(options: AgentSandboxOptions): Promise<AgentSandbox> {
	const { agent, name, folder, port, model, insideProgram } = options;
	const [tree, home, socket] = ['tree', 'home', 'model.sock'].map(part => path.join(folder, part)) as [
		string,
		string,
		string,
	];
	await mkdir(home);
	const bridge = createServer(client => {
		const server = connect(port, '127.0.0.1');
		client.pipe(server).pipe(client);
		client.on('error', () => server.destroy());
		server.on('error', () => client.destroy());
	}).listen(socket);
	await once(bridge, 'listening');
	bridge.unref();
	const found = await find(agent, folder);
	if (found === undefined) {
		throw new Error(`${agent} is not on PATH, or not built.`);
	}
	const tools = toolchains([]);
	const launch = agentLaunch(found, { ...insidePlaces(name), path: tools.path, token: 'by-hand', model });
	const programs = await Promise.all(
		[...launch.programs, process.execPath].map(file => packageFolders(file, os.homedir(), [])),
	);
	await writeAgentHome(home, launch.files);
	await prepareFolders({ tree, home, socket, signal: new AbortController().signal });
	const readOnly = [...programs.flatMap(program => program.readOnly), ...tools.readOnly];
	// The model server has only chat completions. Errand's own agent is told so; for others, the relay translates.
	const env = { ...tools.variables, ...launch.env, ...(agent === OWN_AGENT ? { ERRAND_AGENT_API: 'chat' } : {}) };
	const relay = { socket, node: process.execPath, program: insideProgram };
	return {
		agent: wrap({ command: launch.command, args: launch.args, env, tree, home, name, readOnly, relay }),
		shell: line => wrap({ command: '/bin/sh', args: ['-c', line], env, tree, home, name, readOnly }),
	};
}

async function find(agent: string, folder: string): Promise<FoundAgent | undefined> {
	if (agent === OWN_AGENT) {
		return ownAgent(path.resolve('dist/agent.js'), '0');
	}
	const definition = knownAgents.find(known => known.id === agent);
	const search = { path: process.env['PATH'] ?? '', folder: path.join(folder, 'none'), platform: '' };
	return definition && (await discoverAgent(definition, search));
}
