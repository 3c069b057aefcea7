// Starts an agent by hand: the command line of bubblewrap is ready, the tree is cloned and the agent's home is written.
// The measured time runs from there to the first piece of its first message.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { insidePlaces } from '../src/agents/sandbox/places.ts';
import { startChild } from '../src/base/childProcess.ts';
import { type AgentSandboxOptions, prepareAgentSandbox } from './agentSandbox.ts';
import { parameters } from './contender.ts';
import { descendants, peakMegabytes } from './processMemory.ts';

/** The `folder` is empty. */
export interface HandStart extends Omit<AgentSandboxOptions, 'name'> {
	repository: string;
	prompt: string;
}

/** The measurements of an agent up to the first piece of its first message. */
export interface StartedAgent {
	milliseconds: number;
	/** The peak memory of its processes, without other programs in the sandbox. */
	megabytes: number;
}

const { repository, prompt, ...options } = parameters<HandStart>();
const name = path.basename(repository);
execFileSync('git', ['clone', '--quiet', repository, path.join(options.folder, 'tree')]);
const { agent: command } = await prepareAgentSandbox({ ...options, name });
const began = performance.now();
const agent = startChild({ ...command, cwd: '/', signal: new AbortController().signal });
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
		ask('session/new', { cwd: insidePlaces(name).tree, mcpServers: [] });
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
