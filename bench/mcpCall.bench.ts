import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ownAgent } from '../src/agents/catalogue/ownAgent.ts';
import { withAgentAndServer } from '../test/support/agentWithServer.ts';
import { TestSandbox } from '../test/support/sandbox.ts';
import { SERVER_PROGRAM } from '../test/support/serverOver.ts';
import { timeCalls } from './mcpCalls.ts';
import { type BenchRow, median } from './row.ts';

const ROUNDS = 5;
const CALLS = 500;
const COMMAND = { command: process.execPath, args: [SERVER_PROGRAM, 'honest'], env: {} };

/** Measures what the way of an agent's call to an MCP server costs: out of its sandbox, by the gate, into the server's. */
export async function rows(): Promise<BenchRow[]> {
	const direct: number[] = [];
	const own: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		direct.push(await timeCalls(COMMAND, CALLS));
		own.push(await throughSandbox());
	}
	const [base, ours] = [median(direct), median(own)];
	return [
		{
			goal: '17',
			what: `a call of an MCP server's tool by an agent, each in a sandbox of its own, median of ${CALLS}`,
			ours: `${ours.toFixed(2)} ms`,
			peers: `the server called by hand, without sandbox, relay and questions ${base.toFixed(2)} ms`,
			ratio: `${(ours - base).toFixed(2)} ms more`,
			met: ours - base <= MAXIMUM_MS ? 'yes' : 'no',
			reason: 'no goal stands there; held against 5 ms, which nobody notices beside a model',
		},
	];
}

const MAXIMUM_MS = 5;

async function throughSandbox(): Promise<number> {
	const sandbox = await TestSandbox.create();
	const agent = ownAgent(path.join(import.meta.dirname, 'mcpCallAgent.ts'), '1');
	try {
		if (agent === undefined) {
			throw new Error('The agent of the bench is not there.');
		}
		await withAgentAndServer(
			{
				...{ sandbox, agent, model: 'none', modelUrl: 'http://127.0.0.1:9' },
				server: { name: 'test', file: undefined, ...COMMAND, hosts: [], files: 'read' },
				ask: async () => undefined,
				onAnswer: () => {},
				known: () => undefined,
				note: () => {},
				askAboutTools: async () => true,
				onFailed: (_, error) => {
					throw error;
				},
				onRefused: () => {},
			},
			async running => {
				await running.prompt(String(CALLS));
			},
		);
		return Number(await readFile(path.join(sandbox.tree, 'time.txt'), 'utf8'));
	} finally {
		await sandbox.remove();
	}
}
