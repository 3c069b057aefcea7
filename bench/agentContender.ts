// Starts an agent by hand: the command line of bubblewrap is ready, the tree is cloned and the agent's home is written.
// The measured time runs from there to the first piece of its first message. In the sandbox, the same program serves
// the relay, and only the model server is behind its socket.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { discoverAgent } from '../src/agents/catalogue/discovery.ts';
import type { FoundAgent } from '../src/agents/catalogue/entry.ts';
import { knownAgents } from '../src/agents/catalogue/knownAgents.ts';
import { OWN_AGENT, ownAgent } from '../src/agents/catalogue/ownAgent.ts';
import { agentLaunch } from '../src/agents/run/agentLaunch.ts';
import { writeAgentHome } from '../src/agents/sandbox/agentHome.ts';
import { prepareFolders } from '../src/agents/sandbox/folders.ts';
import { packageFolders } from '../src/agents/sandbox/packageFolders.ts';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import { toolchains } from '../src/agents/sandbox/toolchains.ts';
import { wrap } from '../src/agents/sandbox/wrap.ts';
import { startChild } from '../src/base/childProcess.ts';
import { parameters } from './contender.ts';
import { descendants, peakMegabytes } from './processMemory.ts';

export interface HandStart {
	/** Errand's own agent, or the id of an agent in the catalogue whose program is on PATH. */
	agent: string;
	repository: string;
	/** An empty folder. */
	folder: string;
	/** The port of the model server on this machine. */
	port: number;
	model: string;
	prompt: string;
	/** The program that serves the relay inside. */
	insideProgram: string;
}

/** The measurements of an agent up to the first piece of its first message. */
export interface StartedAgent {
	milliseconds: number;
	/** The peak memory of its processes, without other programs in the sandbox. */
	megabytes: number;
}

const { agent: id, repository, folder, port, model, prompt, insideProgram } = parameters<HandStart>();

const [tree, home, socket] = ['tree', 'home', 'model.sock'].map(name => path.join(folder, name)) as [
	string,
	string,
	string,
];
const places = insidePlaces(path.basename(repository));

const { signal } = new AbortController();
const command = await prepare();
const began = performance.now();
const agent = startChild({ ...command, cwd: '/', signal });
agent.stderr.resume();
let sent = 0;
const ask = (method: string, params: object) =>
	agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++sent, method, params })}\n`);
ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
for await (const line of createInterface({ input: agent.stdout })) {
	const { id: answered, method, params, result, error } = JSON.parse(line);
	if (error !== undefined) {
		throw new Error(line);
	}
	if (method === undefined && answered === 1) {
		ask('session/new', { cwd: places.tree, mcpServers: [] });
	} else if (method === undefined && answered === 2) {
		ask('session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text: prompt }] });
	} else if (params?.update?.sessionUpdate === 'agent_message_chunk') {
		const milliseconds = performance.now() - began;
		const processes = await descendants(agent.pid ?? 0, /^(?!\S*bwrap |\S*node \/run\/errand\/)/);
		const peaks = await Promise.all(processes.map(peakMegabytes));
		const started: StartedAgent = { milliseconds, megabytes: peaks.reduce((sum, peak) => sum + peak, 0) };
		process.send?.(started);
		break;
	}
}
await agent.end();

async function prepare() {
	execFileSync('git', ['clone', '--quiet', repository, tree]);
	await mkdir(home);
	const bridge = createServer(client => {
		const server = connect(port, '127.0.0.1');
		client.pipe(server).pipe(client);
		client.on('error', () => server.destroy());
		server.on('error', () => client.destroy());
	}).listen(socket);
	await once(bridge, 'listening');
	const found = await find();
	if (found === undefined) {
		throw new Error(`${id} is not on PATH, or not built.`);
	}
	const tools = toolchains(process.env, os.homedir(), []);
	const launch = agentLaunch(found, { ...places, path: tools.path, token: 'by-hand', model });
	const programs = await Promise.all(
		[...launch.programs, process.execPath].map(file => packageFolders(file, os.homedir(), [])),
	);
	await writeAgentHome(home, launch.files);
	await prepareFolders({ tree, home, socket, signal });
	return wrap({
		command: launch.command,
		args: launch.args,
		// The model server has only chat completions. Errand's own agent is told so; for others, the relay translates.
		env: { ...tools.variables, ...launch.env, ...(id === OWN_AGENT ? { ERRAND_AGENT_API: 'chat' } : {}) },
		tree,
		home,
		name: path.basename(repository),
		readOnly: [...programs.flatMap(({ readOnly }) => readOnly), ...tools.readOnly],
		relay: { socket, node: process.execPath, program: insideProgram },
	});
}

async function find(): Promise<FoundAgent | undefined> {
	if (id === OWN_AGENT) {
		return ownAgent(path.resolve('dist/agent.js'), '0');
	}
	const definition = knownAgents.find(known => known.id === id);
	const search = { path: process.env['PATH'] ?? '', folder: path.join(folder, 'none'), platform: '' };
	return definition && (await discoverAgent(definition, search));
}
