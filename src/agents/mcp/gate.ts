// The gate between an agent and an MCP server. Neither can be trusted: the agent may make calls that nobody has agreed
// to, and the server may change its tools, send requests to the agent's model or the user, or write without end.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { defined } from '../../base/defined.ts';
import { isFields, objectsOf } from '../../base/fields.ts';
import { oneLine } from '../../base/plainText.ts';
import { objectsIn } from '../lines.ts';
import { Refusals } from '../relay/refusals.ts';
import { textOfBlock } from '../session/read.ts';
import { DISCOVER, handshakeResult, resultBefore, toolBefore, wantsInput, withSender } from './stateless.ts';

/** The version of the protocol that our own clients begin with. */
export const PROTOCOL_VERSION = '2025-11-25';

/** A tool as a server describes it: its name and everything else that an agent's model is told about it. */
export type McpTool = Record<string, unknown> & { name: string };

/** Names a tool of a server. No server’s name has a slash, so that no two tools have one name. */
export const toolName = (server: string, tool: string): string => `${server}/${tool}`;

export interface McpCall {
	tool: string;
	arguments: Record<string, unknown>;
}

export interface McpAnswer {
	isError: boolean;
	/** The text content of the answer, cut to a length. */
	text: string;
}

/** One side of the gate. Each message is a line. */
export interface GateSide {
	/** The messages that this side writes. */
	output: Readable;
	/** The messages that this side reads. */
	input: Writable;
}

export interface GateOptions {
	/** Resolves with those of the tools that the agent may know. No two have one name. `isFurther`: they go on a list. */
	admit(tools: readonly McpTool[], isFurther: boolean): Promise<readonly McpTool[]>;
	/**
	 * Resolves with undefined if a call may be made, or with the sentence that the agent gets instead of its result.
	 * `signal` aborts when the agent withdraws the call or the gate closes.
	 */
	ask(call: McpCall, signal: AbortSignal): Promise<string | undefined>;
	/** Called with the same object once the server has answered an allowed call. */
	onAnswer(call: McpCall, answer: McpAnswer): void;
	/** Receives a sentence for the log about each refusal, a limited number of times. */
	onRefused(sentence: string): void;
	/** The time in milliseconds that a server may say nothing while the agent waits for a call; 10 minutes by default. */
	silenceMs?: number;
	/** The same while no call is open, as agents wait for what they ask first. The default is that of calls. */
	beginMs?: number | undefined;
}

export type Message = Record<string, unknown>;
export type Id = string | number;

/** The size limit of a message in bytes. */
export const MAXIMUM_LINE = 8 * 1024 * 1024;
const MAXIMUM_OUTPUT = 512 * 1024 * 1024;
const MAXIMUM_NAME = 100;
/** As the protocol recommends. */
const MAXIMUM_TOOL_NAME = 128;
const MAXIMUM_ANSWER = 20_000;
/** The maximum number of unanswered requests of one side. */
const MAXIMUM_OPEN = 256;
const SILENCE_MS = 10 * 60_000;

/**
 * The requests that an agent may send to a server. Every other one is answered as a method that is not there: a server
 * can do as much for a resource, a prompt or a completion as for a call, and nobody would be asked.
 */
const REQUESTS: ReadonlySet<string> = new Set(['initialize', 'ping', 'tools/list', 'tools/call']);
const NOTIFICATIONS_OF_SERVERS: ReadonlySet<string> = new Set([
	'notifications/cancelled',
	'notifications/progress',
	'notifications/tools/list_changed',
]);

const METHOD_NOT_FOUND = -32_601;
const INVALID_REQUEST = -32_600;
/** Also what our own side answers for a server that could not be reached. */
export const INTERNAL_ERROR = -32_603;

/**
 * Passes messages of the Model Context Protocol between an agent and a server until one of them ends. The agent sees
 * and can call only the admitted tools; the server cannot send requests. Resolves with the side that has ended; rejects
 * with an error whose message is a sentence if a side writes too much, or the server nothing while the agent waits.
 */
export async function runGate(agent: GateSide, server: GateSide, options: GateOptions): Promise<'agent' | 'server'> {
	const gate = new Gate(agent, server, options);
	try {
		return await Promise.race([
			gate.readAgent().then(() => 'agent' as const),
			gate.readServer().then(() => 'server' as const),
			gate.silence.promise,
		]);
	} finally {
		gate.close();
	}
}

class Gate {
	private readonly agent: GateSide;
	private readonly server: GateSide;
	private readonly options: GateOptions;
	private readonly refusals: Refusals;
	private readonly closing = new AbortController();
	/** The agent's requests that the server has not answered, by their ids. */
	private readonly open = new Map<Id, { method: string; call?: McpCall; isFurther?: boolean }>();
	/** The calls that wait for a yes, by their ids. */
	private readonly waiting = new Map<Id, AbortController>();
	/** The names of the tools that the agent has seen. */
	private readonly tools = new Set<string>();
	/** The server's requests that the agent has not answered. */
	private readonly pings = new Set<Id>();
	/** The agent's first request, and the answer of a server that does not take it. */
	private initialize: Message = {};
	private refusal: Message = {};
	/** The server speaks only the version of the protocol that has no handshake. */
	private isStateless = false;
	/** Rejects when the server has said nothing for too long while the agent waits for it. */
	readonly silence = Promise.withResolvers<never>();
	private timer: NodeJS.Timeout | undefined;

	constructor(agent: GateSide, server: GateSide, options: GateOptions) {
		this.agent = agent;
		this.server = server;
		this.options = options;
		this.refusals = new Refusals(options.onRefused);
		for (const { input } of [agent, server]) {
			// The end of its output shows that a side is gone.
			input.on('error', () => {});
		}
	}

	close(): void {
		this.closing.abort();
		clearTimeout(this.timer);
	}

	/** Measures the time anew in which the server must say something. */
	private watch(): void {
		clearTimeout(this.timer);
		const { silenceMs = SILENCE_MS, beginMs = silenceMs } = this.options;
		if (this.open.size > 0 && !this.closing.signal.aborted) {
			const isCalled = [...this.open.values()].some(({ call }) => call !== undefined);
			const time = isCalled ? silenceMs : beginMs;
			const shown = time < 60_000 ? `${time / 1000} seconds` : `${Math.round(time / 60_000)} minutes`;
			const late = new Error(`It has not answered for ${shown}. The agent goes on without it.`);
			this.timer = setTimeout(() => this.silence.reject(late), time);
		}
	}

	async readAgent(): Promise<void> {
		for await (const message of messagesOf(this.agent.output, 'The agent')) {
			await this.fromAgent(message);
		}
	}

	async readServer(): Promise<void> {
		for await (const message of messagesOf(this.server.output, 'The server')) {
			// It is not the server that is silent while somebody is asked about its tools.
			clearTimeout(this.timer);
			await this.fromServer(message);
			this.watch();
		}
	}

	private async fromAgent(message: Message): Promise<void> {
		const id = idOf(message);
		const { method } = message;
		if (typeof method !== 'string') {
			if (id !== undefined && this.pings.delete(id)) {
				await write(this.server, { jsonrpc: '2.0', id, result: {} });
			}
			return;
		}
		if (id === undefined) {
			await this.noticeOfAgent(method, message);
			return;
		}
		if (!REQUESTS.has(method)) {
			this.refusals.report('method', `The agent asked for “${oneLine(method, MAXIMUM_NAME)}”, which is not passed on.`);
			await write(this.agent, failure(id, METHOD_NOT_FOUND, 'This is not available.'));
			return;
		}
		if (this.open.size + this.waiting.size >= MAXIMUM_OPEN || this.open.has(id) || this.waiting.has(id)) {
			await write(this.agent, failure(id, INVALID_REQUEST, 'There are too many open requests, or one with this id.'));
			return;
		}
		if (method === 'tools/call') {
			// Others may come and be answered while somebody is asked about this one.
			this.call(id, message).catch(() => {
				this.open.delete(id);
				return write(this.agent, failure(id, INVALID_REQUEST, 'This cannot be passed on.'));
			});
			return;
		}
		if (method === 'ping' && this.isStateless) {
			await write(this.agent, { jsonrpc: '2.0', id, result: {} });
			return;
		}
		this.open.set(id, { method, isFurther: isFields(message['params']) && message['params']['cursor'] !== undefined });
		this.watch();
		if (method === 'initialize') {
			this.initialize = withoutCapabilities(message);
			this.isStateless = false;
		}
		await this.request(method === 'initialize' ? this.initialize : message);
	}

	/** Sends a request to the server in the version that it speaks. */
	private request(message: Message): Promise<void> {
		return write(this.server, this.isStateless ? withSender(message, this.initialize) : message);
	}

	private async noticeOfAgent(method: string, message: Message): Promise<void> {
		const { params } = message;
		const cancelled = method === 'notifications/cancelled' && isFields(params) ? params['requestId'] : undefined;
		const waiting = this.waiting.get(cancelled as Id);
		if (waiting !== undefined) {
			waiting.abort();
		} else if (this.open.has(cancelled as Id)) {
			// The server need not answer any more.
			const { call } = this.open.get(cancelled as Id) ?? {};
			this.open.delete(cancelled as Id);
			this.watch();
			if (call !== undefined) {
				this.options.onAnswer(call, { isError: true, text: 'The agent has withdrawn the call.' });
			}
			await write(this.server, { jsonrpc: '2.0', method, params: { requestId: cancelled } });
		} else if (method === 'notifications/initialized' && !this.isStateless) {
			await write(this.server, { jsonrpc: '2.0', method });
		}
	}

	/** Asks for a decision about a call. */
	private async call(id: Id, message: Message): Promise<void> {
		const { params } = message;
		const { name, arguments: given = {} } = isFields(params) ? params : {};
		const withdrawn = new AbortController();
		this.waiting.set(id, withdrawn);
		const signal = AbortSignal.any([withdrawn.signal, this.closing.signal]);
		const isUsable = typeof name === 'string' && this.tools.has(name) && isFields(given);
		const call = isUsable ? { tool: name, arguments: given } : undefined;
		const refusal =
			call === undefined
				? 'There is no such tool.'
				: await this.options.ask(call, signal).catch(() => 'The call was not allowed.');
		this.waiting.delete(id);
		if (signal.aborted) {
			return;
		}
		if (call !== undefined && refusal === undefined) {
			this.open.set(id, { method: 'tools/call', call });
			this.watch();
			await this.request({ jsonrpc: '2.0', id, method: 'tools/call', params: paramsOf(call, params) });
		} else {
			const content = [{ type: 'text', text: refusal }];
			await write(this.agent, { jsonrpc: '2.0', id, result: { content, isError: true } });
		}
	}

	private async fromServer(message: Message): Promise<void> {
		const id = idOf(message);
		const { method } = message;
		if (typeof method !== 'string') {
			await this.answerOfServer(id, message);
		} else if (id === undefined) {
			if (NOTIFICATIONS_OF_SERVERS.has(method)) {
				await write(this.agent, message);
			}
		} else if (method === 'ping' && this.pings.size < MAXIMUM_OPEN) {
			this.pings.add(id);
			await write(this.agent, message);
		} else {
			// Otherwise, the server could have the user's model, or the user, answer whatever it likes.
			this.refusals.report('request', `The server asked for “${oneLine(method, MAXIMUM_NAME)}”, which was refused.`);
			await write(this.server, failure(id, METHOD_NOT_FOUND, 'This is not available.'));
		}
	}

	private async answerOfServer(id: Id | undefined, answered: Message): Promise<void> {
		const asked = id === undefined ? undefined : this.open.get(id);
		if (id === undefined || asked === undefined) {
			return;
		}
		this.open.delete(id);
		const { method, call, isFurther = false } = asked;
		// Nothing else in it has a meaning, and a lenient agent could find one.
		const answer: Message = {
			jsonrpc: '2.0',
			id,
			...defined({ result: answered['result'], error: answered['error'] }),
		};
		const message = this.isStateless ? this.answerBefore(id, answer) : answer;
		const { result } = message;
		if (call !== undefined) {
			this.options.onAnswer(call, answerIn(message));
		}
		if (method === 'initialize' || method === DISCOVER) {
			await this.begin(id, method, message);
			return;
		}
		if (method !== 'tools/list' || !isFields(result)) {
			await write(this.agent, message);
			return;
		}
		const listed = toolsIn(result);
		const tools = await this.options.admit(listed, isFurther).catch(() => []);
		// A tool that was known before, and is not admitted as it is now, is gone.
		for (const { name } of listed) {
			this.tools.delete(name);
		}
		for (const { name } of tools) {
			this.tools.add(name);
		}
		await write(this.agent, {
			...message,
			result: { ...result, tools: this.isStateless ? tools.map(toolBefore) : tools },
		});
	}

	/** Answers the agent's handshake, for which a server that refuses it is asked whether it can do without. */
	private async begin(id: Id, method: string, message: Message): Promise<void> {
		const { result, error } = message;
		if (method === 'initialize' && isFields(error) && error['code'] !== INTERNAL_ERROR) {
			this.refusal = message;
			this.open.set(id, { method: DISCOVER });
			await write(this.server, withSender({ jsonrpc: '2.0', id, method: DISCOVER }, this.initialize));
			return;
		}
		const isDiscovered = method === DISCOVER;
		const handshake = isDiscovered ? handshakeResult(message, this.initialize) : result;
		this.isStateless = isDiscovered && handshake !== undefined;
		const refused = isDiscovered ? this.refusal : message;
		await write(this.agent, isFields(handshake) ? { ...message, result: withToolsAlone(handshake) } : refused);
	}

	/** Returns an answer as the agent's version has it. One that asks for something is a failure: see `fromServer`. */
	private answerBefore(id: Id, message: Message): Message {
		const { result } = message;
		if (!wantsInput(result)) {
			return isFields(result) ? { ...message, result: resultBefore(result) } : message;
		}
		this.refusals.report('request', 'The server asked for something in its answer, which was refused.');
		return failure(id, INVALID_REQUEST, 'The server wants to ask for something first, which is not available.');
	}
}

/** Reads the answer to a call. An answer without a result is an error, which may say why. */
function answerIn({ result, error }: Message): McpAnswer {
	const said = isFields(error) ? [{ type: 'text', text: error['message'] }] : [];
	const { content, isError } = isFields(result) ? result : { content: said, isError: true };
	const texts = (Array.isArray(content) ? content : []).map(block => textOfBlock(block) ?? '');
	return { isError: isError === true, text: texts.join('\n').slice(0, MAXIMUM_ANSWER) };
}

/** Returns the tools of a list. Of several with one name, the first: what is said of one would be taken for another. */
function toolsIn(result: Message): McpTool[] {
	const byName = Map.groupBy(objectsOf(result['tools']).filter(isTool), ({ name }) => name);
	return [...byName.values()].flatMap(([first]) => first ?? []);
}

/** Returns what a server gets of a call: what was asked about, and the token by which it tells of its progress. */
function paramsOf({ tool, arguments: given }: McpCall, params: unknown): Message {
	const meta: Message = isFields(params) && isFields(params['_meta']) ? params['_meta'] : {};
	const { progressToken } = meta;
	const isToken = typeof progressToken === 'string' || typeof progressToken === 'number';
	return { name: tool, arguments: given, ...(isToken ? { _meta: { progressToken } } : {}) };
}

/** A server's answer to `initialize`, which promises nothing that is not passed on. */
function withToolsAlone(result: Message): Message {
	const capabilities: Message = isFields(result['capabilities']) ? result['capabilities'] : {};
	const { tools } = capabilities;
	return { ...result, capabilities: tools === undefined ? {} : { tools } };
}

/** A name is shown with each question, so that one which would be shown as another or in part is none. */
function isTool(tool: Message): tool is McpTool {
	const { name } = tool;
	return typeof name === 'string' && name !== '' && oneLine(name, MAXIMUM_TOOL_NAME) === name;
}

/** Yields the messages in the lines of a side. Anything else is skipped, including batches. */
function messagesOf(output: Readable, who: string): AsyncGenerator<Message> {
	return objectsIn(output, {
		lineBytes: MAXIMUM_LINE,
		totalBytes: MAXIMUM_OUTPUT,
		tooLong: () => new Error(`${who} sent a message of more than ${MAXIMUM_LINE / 1024 / 1024} MB.`),
		tooMuch: () => new Error(`${who} sent more than ${MAXIMUM_OUTPUT / 1024 / 1024} MB.`),
	});
}

export const idOf = ({ id }: Message): Id | undefined =>
	typeof id === 'string' || typeof id === 'number' ? id : undefined;

/** Removes all capabilities, so that an agent gets no requests, neither for its model nor for the user's answers. */
const withoutCapabilities = (message: Message): Message => ({
	...message,
	params: { ...(isFields(message['params']) ? message['params'] : {}), capabilities: {} },
});

export const failure = (id: Id, code: number, message: string): Message => ({
	jsonrpc: '2.0',
	id,
	error: { code, message },
});

/** Resolves when the side accepts more, or is gone. */
export async function write({ input }: Pick<GateSide, 'input'>, message: Message): Promise<void> {
	if (input.writable && !input.write(`${JSON.stringify(message)}\n`)) {
		await Promise.race([once(input, 'drain'), once(input, 'close')]).catch(() => {});
	}
}
