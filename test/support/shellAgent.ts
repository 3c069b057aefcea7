// An agent for tests of tasks: it runs a shell command line for each prompt. The line is its argument or, without one,
// the prompt, which the line can read on its standard input either way. It speaks ACP in plain lines of JSON, without
// the SDK, so that it starts fast.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The wait for further output once the shell has ended, as programs that it left running may hold the pipe open. */
const OUTPUT_GRACE_MS = 1_000;

const SESSION_ID = 'shell';

type Json = Record<string, unknown>;

/** Returns the arguments that start it with Node. */
export function shellAgentArguments(line?: string): string[] {
	const program = ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url)];
	return line === undefined ? program : [...program, line];
}

function run(fixedLine: string | undefined): void {
	let folder = process.cwd();
	let shell: ChildProcess | undefined;
	let cancelled = false;

	createInterface({ input: process.stdin })
		.on('line', text => {
			const { id, method, params } = JSON.parse(text) as { id?: unknown; method?: string; params: Json };
			switch (method) {
				case 'initialize':
					send({
						id,
						result: { protocolVersion: 1, agentInfo: { name: 'shell', version: '1' }, agentCapabilities: {} },
					});
					break;
				case 'session/new':
					folder = String(params['cwd']);
					send({ id, result: { sessionId: SESSION_ID } });
					break;
				case 'session/prompt':
					void prompt(id, (params['prompt'] as { text?: string }[]).map(block => block.text ?? '').join('\n'));
					break;
				case 'session/cancel':
					cancelled = true;
					shell?.kill('SIGTERM');
					break;
				default:
					send({ id, error: { code: -32_601, message: `"Method not found": ${method}` } });
			}
		})
		.on('close', () => process.exit(0));

	async function prompt(id: unknown, words: string): Promise<void> {
		cancelled = false;
		const child = spawn('/bin/sh', ['-c', fixedLine ?? words], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
		shell = child;
		child.stdin.on('error', () => {});
		child.stdin.end(words);
		createInterface({ input: child.stdout }).on('line', line => {
			const content = { type: 'text', text: `${line}\n` };
			const update = { sessionUpdate: 'agent_message_chunk', content };
			send({ method: 'session/update', params: { sessionId: SESSION_ID, update } });
		});
		const closed = new Promise(resolve => child.once('close', resolve));
		const how = await new Promise<string>(resolve => {
			child.once('error', error => resolve(error.message));
			child.once('exit', (code, signal) => resolve(code === null ? `signal ${signal}` : `exit code ${code}`));
		});
		await Promise.race([closed, delay(OUTPUT_GRACE_MS)]);
		shell = undefined;
		if (cancelled) {
			send({ id, result: { stopReason: 'cancelled' } });
		} else if (how === 'exit code 0') {
			send({ id, result: { stopReason: 'end_turn' } });
		} else {
			send({ id, error: { code: -32_603, message: `The shell ended with ${how}.` } });
		}
	}
}

function send(message: Json): void {
	process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

if (import.meta.main) {
	process.stdout.on('error', () => process.exit(0));
	run(process.argv[2]);
}
