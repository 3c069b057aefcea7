// An agent that does as it is told: a separate program that speaks ACP in plain lines of JSON, without the SDK, so that
// the client is tested against another implementation of the protocol. Its argument is a `Script` and each prompt is a
// list of `Step`s, both as JSON.
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Json = Record<string, unknown>;

export interface Script {
	/** The answers to methods instead of the usual ones. Null: no answer at all. `steps` are played before the answer. */
	answers?: Record<string, { result?: unknown; error?: Json; line?: string; steps?: Step[] } | null>;
	/** Played as soon as the program has started. */
	first?: Step[];
}

export type Step =
	/** A `session/update` of this session, or of `session`. */
	| { update: Json; session?: string; times?: number }
	/** A line, sent unchanged. */
	| { line: string; times?: number }
	/** One line with this number of bytes, in pieces. */
	| { largeLine: number }
	/** Updates without an end, as fast as they are read. */
	| { flood: Json }
	/** A request. Its answer, `result` or `error`, is reported in a message. */
	| { request: string; params: Json; times?: number }
	/** Waits until all requests have an answer. */
	| { answered: true }
	/** Waits for `session/cancel`. */
	| { cancelled: true }
	/** Reports the program's environment, or its first message. */
	| { tell: 'initialize' | 'methods' }
	| { standardError: string }
	| { exit: number }
	/** Closes the standard output and keeps running. */
	| { closeOutput: true }
	/** Stops reading. */
	| { stopReading: true }
	/** Answers the prompt. `steps` are played afterwards. */
	| { stop: unknown; steps?: Step[] }
	| { error: Json };

/** Returns the arguments that start it with Node. */
export function scriptedAgentArguments(script: Script = {}): string[] {
	return ['--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), JSON.stringify(script)];
}

export const SESSION_ID = 'session-1';

const USUAL: Record<string, Json> = {
	initialize: {
		protocolVersion: 1,
		agentInfo: { name: 'scripted', title: 'Scripted agent', version: '1.2.3' },
		agentCapabilities: {},
	},
	'session/new': { sessionId: SESSION_ID },
	'session/set_mode': {},
	'session/set_config_option': { configOptions: [] },
	'session/close': {},
};

class ScriptedAgent {
	private readonly script: Script;
	private readonly lines = createInterface({ input: process.stdin });
	private readonly methods: string[] = [];
	private initialize: unknown;
	private nextId = 1;
	private open = 0;
	private onAnswered: (() => void) | undefined;
	private wasCancelled = false;
	private onCancelled: (() => void) | undefined;

	constructor(script: Script) {
		this.script = script;
	}

	async run(): Promise<void> {
		this.lines.on('line', line => void this.take(JSON.parse(line) as Json));
		await this.play(this.script.first ?? []);
	}

	private async take(message: Json): Promise<void> {
		const { id, method, params } = message;
		if (typeof method !== 'string') {
			await this.update({ sessionUpdate: 'agent_message_chunk', content: textOf({ ...message, jsonrpc: undefined }) });
			this.open--;
			if (this.open === 0) {
				this.onAnswered?.();
			}
			return;
		}
		this.methods.push(method);
		if (method === 'initialize') {
			this.initialize = params;
		}
		if (method === 'session/cancel') {
			this.wasCancelled = true;
			this.onCancelled?.();
			return;
		}
		const answer = this.script.answers?.[method];
		if (answer === null) {
			return;
		}
		await this.play(answer?.steps ?? []);
		if (answer?.line !== undefined) {
			await this.write(answer.line);
		} else if (answer?.error !== undefined) {
			await this.send({ id, error: answer.error });
		} else if (answer?.result !== undefined) {
			await this.send({ id, result: answer.result });
		} else if (method === 'session/prompt') {
			const [block] = (params as { prompt: { text: string }[] }).prompt;
			await this.play(JSON.parse(block?.text ?? '[]') as Step[], id);
		} else {
			await this.send({ id, result: USUAL[method] });
		}
	}

	private async play(steps: readonly Step[], promptId?: unknown): Promise<void> {
		for (const step of steps) {
			await this.playOne(step, promptId);
		}
	}

	private async playOne(step: Step, promptId: unknown): Promise<void> {
		if ('update' in step) {
			for (let time = 0; time < (step.times ?? 1); time++) {
				await this.update(step.update, step.session);
			}
		} else if ('line' in step) {
			await this.write(Array.from({ length: step.times ?? 1 }, () => step.line).join('\n'));
		} else if ('largeLine' in step) {
			const piece = Buffer.alloc(1024 * 1024, 'x');
			for (let written = 0; written < step.largeLine; written += piece.byteLength) {
				await put(piece);
			}
			await put('\n');
		} else if ('flood' in step) {
			const line = lineOf({ method: 'session/update', params: { sessionId: SESSION_ID, update: step.flood } });
			const piece = line.repeat(Math.ceil((64 * 1024) / line.length));
			for (;;) {
				await put(piece);
			}
		} else if ('request' in step) {
			const requests = Array.from({ length: step.times ?? 1 }, () => {
				this.open++;
				return lineOf({ id: this.nextId++, method: step.request, params: { sessionId: SESSION_ID, ...step.params } });
			});
			await put(requests.join(''));
		} else if ('answered' in step) {
			while (this.open > 0) {
				await new Promise<void>(resolve => {
					this.onAnswered = resolve;
				});
			}
		} else if ('cancelled' in step) {
			while (!this.wasCancelled) {
				await new Promise<void>(resolve => {
					this.onCancelled = resolve;
				});
			}
		} else if ('tell' in step) {
			const told = step.tell === 'methods' ? this.methods : this.initialize;
			await this.update({ sessionUpdate: 'agent_message_chunk', content: textOf(told) });
		} else if ('standardError' in step) {
			await new Promise(resolve => process.stderr.write(step.standardError, resolve));
		} else if ('exit' in step) {
			process.exit(step.exit);
		} else if ('closeOutput' in step) {
			process.stdout.end();
			setInterval(() => {}, 1_000);
		} else if ('stopReading' in step) {
			this.lines.pause();
			process.stdin.pause();
			setInterval(() => {}, 1_000);
		} else if ('stop' in step) {
			await this.send({ id: promptId, result: { stopReason: step.stop } });
			await this.play(step.steps ?? []);
		} else {
			await this.send({ id: promptId, error: step.error });
		}
	}

	private async update(update: Json, sessionId = SESSION_ID): Promise<void> {
		await this.send({ method: 'session/update', params: { sessionId, update } });
	}

	private async send(message: Json): Promise<void> {
		await put(lineOf(message));
	}

	private async write(line: string): Promise<void> {
		await put(`${line}\n`);
	}
}

function textOf(value: unknown): Json {
	return { type: 'text', text: JSON.stringify(value) };
}

function lineOf(message: Json): string {
	return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

function put(bytes: string | Uint8Array): Promise<void> {
	return new Promise((resolve, reject) => {
		process.stdout.write(bytes, error => (error ? reject(error) : resolve()));
	});
}

if (import.meta.main) {
	process.stdout.on('error', () => process.exit(0));
	await new ScriptedAgent(JSON.parse(process.argv[2] ?? '{}') as Script).run();
}
