// The demo agent speaks ACP on its standard input and output and works in the folder of its session. It uses no model.
import { randomUUID } from 'node:crypto';
import { lstat, open } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
	type AgentContext,
	agent,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	RequestError,
	type SessionUpdate,
	type StopReason,
} from '@agentclientprotocol/sdk';
import { systemErrorCode } from '../../base/errors.ts';
import { commitSubject } from './taskNames.ts';

const LINE_PAUSE_MS = 90;
const SLOW_LINES = 100;
const SLOW_PAUSE_MS = 200;
const MAXIMUM_FILE_NAMES = 100;
/** The JSON-RPC code for any internal error of a server. */
const INTERNAL_ERROR = -32_603;

const PLAN = ['Read the prompt', 'Write a file about it'];

interface DemoSession {
	folder: string;
	running: AbortController | undefined;
}

/** Serves the client on the standard input and output until the input has ended. */
export async function runDemoAgent(): Promise<void> {
	// The client reads the output. Without it, there is nobody left to work for.
	process.stdout.on('error', () => process.exit(1));
	const sessions = new Map<string, DemoSession>();
	const sessionOf = (id: string) => {
		const session = sessions.get(id);
		if (session === undefined) {
			throw RequestError.sessionNotFound(id);
		}
		return session;
	};
	const connection = agent({ name: 'errand-demo' })
		.onRequest(methods.agent.initialize, () => ({
			protocolVersion: PROTOCOL_VERSION,
			agentInfo: { name: 'errand-demo', title: 'Errand demo agent', version: '1' },
			agentCapabilities: { sessionCapabilities: { close: {} } },
		}))
		.onRequest(methods.agent.session.new, ({ params }) => {
			const sessionId = randomUUID();
			sessions.set(sessionId, { folder: params.cwd, running: undefined });
			return { sessionId };
		})
		.onRequest(methods.agent.session.close, ({ params }) => {
			sessionOf(params.sessionId).running?.abort();
			sessions.delete(params.sessionId);
		})
		.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
			const session = sessionOf(params.sessionId);
			if (session.running !== undefined) {
				throw RequestError.invalidRequest(undefined, 'a prompt of this session is running');
			}
			session.running = new AbortController();
			const prompt = params.prompt.map(block => (block.type === 'text' ? block.text : '')).join('\n');
			try {
				const turn = new DemoTurn(client, params.sessionId, session.folder, session.running.signal);
				return { stopReason: await turn.run(prompt) };
			} finally {
				session.running = undefined;
			}
		})
		.onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.running?.abort())
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
	await connection.closed;
	for (const { running } of sessions.values()) {
		running?.abort();
	}
}

class DemoTurn {
	private readonly client: AgentContext;
	private readonly sessionId: string;
	private readonly folder: string;
	private readonly signal: AbortSignal;

	constructor(client: AgentContext, sessionId: string, folder: string, signal: AbortSignal) {
		this.client = client;
		this.sessionId = sessionId;
		this.folder = folder;
		this.signal = signal;
	}

	async run(prompt: string): Promise<StopReason> {
		try {
			await this.work(prompt);
			return 'end_turn';
		} catch (error) {
			if (this.signal.aborted) {
				return 'cancelled';
			}
			throw error;
		}
	}

	private async work(prompt: string): Promise<void> {
		const script = /(?:^|\s)\/demo\s+(slow|fail)\b/.exec(prompt)?.[1];
		await this.say('Errand demo agent');
		await this.say('This is a demonstration: no language model takes part.');
		await this.plan(0);
		await this.say(`Asked for: ${commitSubject(prompt)}`);
		if (script === 'fail') {
			await this.say('Asked to fail, so it does.');
			throw new RequestError(INTERNAL_ERROR, 'The demo agent was told to fail (/demo fail).');
		}
		await this.plan(1);
		if (script === 'slow') {
			for (let line = 1; line <= SLOW_LINES; line++) {
				await this.say(`Working slowly, line ${line} of ${SLOW_LINES}`, SLOW_PAUSE_MS);
			}
		}
		await this.say('Writing one new file at the top of the repository…');
		await this.write(fileAbout(prompt));
		await this.plan(PLAN.length);
		await this.say('Done.');
	}

	/** Writes the text to a new file, as a tool call. */
	private async write(text: string): Promise<void> {
		const name = await freeName(this.folder);
		const file = path.join(this.folder, name);
		const toolCallId = randomUUID();
		const call = { toolCallId, title: `Write ${name}`, kind: 'edit' as const, locations: [{ path: file }] };
		const content = [{ type: 'diff' as const, path: file, newText: text }];
		await this.update({ ...call, sessionUpdate: 'tool_call', status: 'in_progress' });
		// Exclusive creation follows no link.
		const handle = await open(file, 'wx');
		await handle.writeFile(text);
		await handle.close();
		await this.update({ toolCallId, sessionUpdate: 'tool_call_update', status: 'completed', content });
		await this.say(`✓ Wrote ${name}`);
	}

	/** Reports the plan, of which `done` steps are finished. */
	private async plan(done: number): Promise<void> {
		const entries = PLAN.map((content, index) => ({
			content,
			priority: 'medium' as const,
			status: index < done ? ('completed' as const) : index === done ? ('in_progress' as const) : ('pending' as const),
		}));
		await this.update({ sessionUpdate: 'plan', entries });
	}

	private async say(line: string, pauseMs = LINE_PAUSE_MS): Promise<void> {
		await this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${line}\n` } });
		await delay(pauseMs, undefined, { signal: this.signal });
	}

	private async update(update: SessionUpdate): Promise<void> {
		this.signal.throwIfAborted();
		await this.client.notify(methods.client.session.update, { sessionId: this.sessionId, update });
	}
}

/** Returns the content of the new file. The prompt is an indented block, so that Markdown in it stays plain text. */
function fileAbout(prompt: string): string {
	const quoted = prompt
		.trim()
		.split(/\r\n|[\r\n]/)
		.map(line => `    ${line}`)
		.join('\n');
	return `# Errand demo

This file was written by Errand's demo agent, to show the way of a task from prompt to branch. No language model took part.

The prompt was:

${quoted}
`;
}

/** Returns the first name that no file, folder or link in the folder has. */
async function freeName(folder: string): Promise<string> {
	for (let number = 1; number <= MAXIMUM_FILE_NAMES; number++) {
		const name = number === 1 ? 'errand-demo.md' : `errand-demo-${number}.md`;
		try {
			await lstat(path.join(folder, name));
		} catch (error) {
			if (systemErrorCode(error) === 'ENOENT') {
				return name;
			}
			throw error;
		}
	}
	throw new Error(`All names from errand-demo.md to errand-demo-${MAXIMUM_FILE_NAMES}.md are taken.`);
}
