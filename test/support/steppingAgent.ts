// An agent for tests of steps: each line in the last paragraph of its prompt is a tool call, which runs as a line of
// shell in the tree. It speaks ACP in plain lines of JSON. A line that begins with `nowait ` is one after which the agent
// goes on at once; after any other, it waits until the client has settled, where the client offers that.
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Json = Record<string, unknown>;

/** Returns the arguments that start it with Node. */
export function steppingAgentArguments(): string[] {
	return ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url)];
}

function run(): void {
	let folder = process.cwd();
	let settles = false;
	let onSettled = () => {};
	createInterface({ input: process.stdin })
		.on('line', text => {
			const { id, method, params } = JSON.parse(text) as { id?: unknown; method?: string; params: Json };
			switch (method) {
				case 'initialize': {
					const { _meta } = params['clientCapabilities'] as { _meta?: Json };
					settles = _meta?.['errand/settles'] === true;
					send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
					break;
				}
				case 'session/new':
					folder = String(params['cwd']);
					send({ id, result: { sessionId: 'stepping' } });
					break;
				case 'session/prompt':
					void prompt(id, (params['prompt'] as { text?: string }[]).map(block => block.text ?? '').join('\n'));
					break;
				case undefined:
					onSettled();
					break;
				default:
					send({ id, error: { code: -32_601, message: `"Method not found": ${method}` } });
			}
		})
		.on('close', () => process.exit(0));

	async function prompt(id: unknown, words: string): Promise<void> {
		const update = (change: Json) =>
			send({ method: 'session/update', params: { sessionId: 'stepping', update: change } });
		for (const [number, line] of (words.split('\n\n').at(-1) ?? '').split('\n').entries()) {
			const goesOn = line.startsWith('nowait ');
			const command = goesOn ? line.slice('nowait '.length) : line;
			const call = { toolCallId: `call-${number}`, title: command, kind: 'execute', rawInput: { command } };
			update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
			const { status } = spawnSync('/bin/sh', ['-c', command], { cwd: folder, stdio: 'ignore' });
			const how = status === 0 ? 'completed' : 'failed';
			update({ sessionUpdate: 'tool_call_update', toolCallId: `call-${number}`, status: how });
			if (settles && !goesOn) {
				const settled = new Promise<void>(resolve => {
					onSettled = resolve;
				});
				send({ id: `settle-${number}`, method: '_errand/settle', params: { sessionId: 'stepping' } });
				await settled;
			}
		}
		send({ id, result: { stopReason: 'end_turn' } });
	}
}

function send(message: Json): void {
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

if (import.meta.main) {
	process.stdout.on('error', () => process.exit(0));
	run();
}
