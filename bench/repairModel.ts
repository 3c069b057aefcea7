// The model of the repairs, and what each of them takes. Either it is a script that speaks to each agent in the tools
// that its requests offer, or a real model behind another address.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { callOf, messagesOf, type Step, toolsOf } from '../test/support/scriptedModel.ts';
import { type Mistake, type Reply, type Stage, stepAt } from './repairMistakes.ts';
import { linesOf, PASSES, type Problem, pathOf, TEST_COMMAND } from './repairProblems.ts';

/** A real model that is used in place of the scripts. */
export interface RemoteModel {
	/** The address that ends in `/v1`. */
	url: string;
	name: string;
	key: string | undefined;
}

/** The result of one repair, and what it cost. */
export interface Taken {
	/** Requests that were answered or refused. */
	calls: number;
	/**
	 * A quarter of the bytes of messages and tools, for requests that were answered, and of texts, names and arguments
	 * of replies. Every agent is measured so, whatever its model's tokens are.
	 */
	tokensIn: number;
	tokensOut: number;
	/** Requests with the same conversation as the one before. */
	retries: number;
}

/** A repair: what is wrong, and the mistake that a scripted model makes on the way. */
export interface RepairCase {
	problem: Problem;
	mistake?: Mistake;
}

export interface RepairModelOptions {
	cases: readonly RepairCase[];
	/** Returns the folder of a repair's repository: on this machine, and as the agent sees it. */
	folderOf(index: number): { here: string; inside: string };
	remote?: RemoteModel;
}

type Body = Record<string, unknown>;
type Head = Record<'id' | 'model', unknown>;

const BYTES_PER_TOKEN = 4;

/** The index of requests that belong to no repair. */
export const NO_REPAIR = -1;

/** After so many replies, a scripted model gives up. */
const MAXIMUM_REPLIES = 30;

/** The line that Node prints after an uncaught error. */
const FAILS = 'Node.js v';

const MESSAGES: Readonly<Record<number, { message: string; code: string }>> = {
	400: {
		message:
			"This model's maximum context length is 40000 tokens. However, your messages resulted in more tokens. Please reduce the length of the messages.",
		code: 'context_length_exceeded',
	},
	429: { message: 'Rate limit reached. Please try again in 1s.', code: 'rate_limit_exceeded' },
	500: { message: 'The server had an error while processing your request.', code: 'server_error' },
	503: { message: 'The engine is currently overloaded.', code: 'overloaded' },
};

/** Returns the prompt for a repair, by which its requests are recognised too. */
export const promptFor = (index: number, problem: Problem): string =>
	`The test of this repository fails: ${TEST_COMMAND}. Repair ${pathOf(problem)}, and run the test again. (Repair no. ${index})`;

/** Serves chat completions for one agent. */
export class RepairModel {
	private readonly options: RepairModelOptions;
	private readonly server: Server;
	private readonly repairs = new Map<number, Repair>();

	private constructor(options: RepairModelOptions) {
		this.options = options;
		this.server = createServer((request, response) => {
			void this.answer(request, response).catch(() => response.destroy());
		});
	}

	static async start(options: RepairModelOptions): Promise<RepairModel> {
		const model = new RepairModel(options);
		model.server.listen(0, '127.0.0.1');
		await once(model.server, 'listening');
		return model;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	get name(): string {
		return this.options.remote?.name ?? 'scripted-model';
	}

	/** Returns what a repair has taken so far. For an index without one: what all other requests have. */
	taken(index: number): Taken {
		return this.repairOf(index).taken;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		this.server.close();
		await once(this.server, 'close');
	}

	private repairOf(index: number): Repair {
		const repair = this.repairs.get(index) ?? new Repair(index, this.options);
		this.repairs.set(index, repair);
		return repair;
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		let text = '';
		for await (const piece of request.setEncoding('utf8')) {
			text += piece;
		}
		if (!request.url?.endsWith('/chat/completions')) {
			sendJson(response, 200, { object: 'list', data: [{ id: this.name, object: 'model' }] });
			return;
		}
		const body = JSON.parse(text) as Body;
		const conversation = JSON.stringify(body['messages']);
		const repair = this.repairOf(Number(/\(Repair no\. (\d+)\)/.exec(conversation)?.[1] ?? NO_REPAIR));
		const bytes = Buffer.byteLength(conversation + JSON.stringify(body['tools'] ?? []));
		const { taken } = repair;
		taken.calls++;
		taken.retries += repair.isRepeated(conversation) ? 1 : 0;
		const { remote } = this.options;
		const said = remote
			? await forward(remote, body, response)
			: await send(response, repair.reply(body, bytes), bytes, { id: `chatcmpl-${taken.calls}`, model: this.name });
		if (said !== undefined) {
			taken.tokensIn += Math.ceil(bytes / BYTES_PER_TOKEN);
			taken.tokensOut += Math.ceil(said / BYTES_PER_TOKEN);
		}
	}
}

/** The way of the scripted model through one repair. */
class Repair {
	readonly taken: Taken = { calls: 0, tokensIn: 0, tokensOut: 0, retries: 0 };
	private readonly index: number;
	private readonly problem: Problem | undefined;
	private readonly mistake: Mistake | undefined;
	private readonly folder: ReturnType<RepairModelOptions['folderOf']>;
	private stage: Stage = 'read';
	private replies = 0;
	private made = 0;
	/** True while the last reply had a call. */
	private hasCalled = false;
	private wasRefused = false;
	private conversation = '';
	/** The bytes of the first request. */
	private first: number | undefined;

	constructor(index: number, { cases, folderOf }: RepairModelOptions) {
		this.index = index;
		this.problem = cases[index]?.problem;
		this.mistake = cases[index]?.mistake;
		this.folder = folderOf(index);
	}

	/** Returns whether a conversation is the same as in the last request. */
	isRepeated(conversation: string): boolean {
		const isSame = conversation === this.conversation;
		this.conversation = conversation;
		return isSame;
	}

	reply(body: Body, bytes: number): Reply {
		const { mistake, problem } = this;
		const messages = messagesOf(body);
		const tools = toolsOf(body);
		if (problem === undefined) {
			return { text: 'Hello!' };
		}
		this.first ??= tools.length === 0 ? undefined : bytes;
		if (bytes > (this.first ?? 0) + (mistake?.room ?? Number.POSITIVE_INFINITY)) {
			this.wasRefused = true;
			return { status: 400 };
		}
		const last = messages.at(-1);
		if (tools.length === 0 || (last?.role === 'user' && /summar/i.test(last.content))) {
			// It is asked for a title, or for a summary in place of the conversation.
			return { text: `${promptFor(this.index, problem)} So far, only the log was read.` };
		}
		const call = (step: Exclude<Step, { do: 'say' }>) => {
			const { name, input } = callOf(step, tools, this.folder.inside);
			return { name, input, tool: tools.find(tool => tool.name === name) ?? { name, properties: {}, required: [] } };
		};
		const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
		if (this.hasCalled) {
			this.stage = this.nextStage(results.at(-1) ?? '', problem);
		}
		const reply = this.mistaken({ problem, results, call }) ?? this.right(problem, call);
		this.hasCalled = reply.calls !== undefined && reply.status === undefined && !reply.breaks;
		return reply;
	}

	private mistaken(moment: Pick<Parameters<Mistake['reply']>[0], 'problem' | 'results' | 'call'>): Reply | undefined {
		const { mistake, made, wasRefused } = this;
		if (mistake === undefined || made === (mistake.times ?? 1) || (made === 0 && this.stage !== mistake.at)) {
			return undefined;
		}
		const reply = mistake.reply({ ...moment, made, wasRefused, folder: this.folder.inside });
		this.made = reply === undefined ? (mistake.times ?? 1) : made + 1;
		return reply;
	}

	/** Returns the right reply of the stage. An edit names the wrong line alone. */
	private right(
		problem: Problem,
		call: (step: Exclude<Step, { do: 'say' }>) => { name: string; input: object },
	): Reply {
		const file = pathOf(problem);
		if (this.stage === 'end') {
			return { text: `I have repaired ${file}, and the test passes.` };
		}
		if (++this.replies > MAXIMUM_REPLIES) {
			return { text: `I could not repair ${file}.` };
		}
		const edit = this.textOf(problem).includes(problem.wrong)
			? { do: 'edit' as const, path: file, from: `\t${problem.wrong}`, to: `\t${problem.right}` }
			: { do: 'write' as const, path: file, content: `${linesOf(problem, 'right')}\n}\n` };
		const { name, input } = call(this.stage === 'edit' ? edit : stepAt(this.stage, problem));
		return { calls: [{ name, arguments: JSON.stringify(input) }] };
	}

	/**
	 * Returns what the model does after a result. If it had the text of the file wrong, it tries again at once only where
	 * the result shows it what stands in the file, and reads the file again otherwise.
	 */
	private nextStage(result: string, problem: Problem): Stage {
		const text = this.textOf(problem);
		if (text.includes(problem.right)) {
			const hasFailed = this.stage === 'run' && result.includes(FAILS);
			return this.stage === 'run' && result.includes(PASSES) ? 'end' : hasFailed ? 'edit' : 'run';
		}
		const isTold = result.includes(problem.wrong) || !text.includes(problem.wrong);
		return isTold || (this.stage === 'edit' && !this.mistake?.isFromMemory) ? 'edit' : 'read';
	}

	private textOf(problem: Problem): string {
		return readFileSync(path.join(this.folder.here, pathOf(problem)), 'utf8');
	}
}

/** Sends a reply as a stream, and resolves with its bytes, or undefined if it is refused. */
async function send(response: ServerResponse, reply: Reply, bytes: number, head: Head): Promise<number | undefined> {
	const { text = '', calls = [], isCut, breaks, status, waitSeconds } = reply;
	if (status !== undefined) {
		if (waitSeconds !== undefined) {
			response.setHeader('retry-after', waitSeconds);
		}
		sendJson(response, status, { error: { ...MESSAGES[status], type: 'error', param: null } });
		return undefined;
	}
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	const event = (fields: object) =>
		response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', created: 0, ...fields })}\n\n`);
	let said = Buffer.byteLength(text);
	const delta = (fields: object, finish: string | null = null) =>
		event({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
	delta({ role: 'assistant', content: text });
	for (const [index, { name, arguments: given }] of calls.entries()) {
		const half = Math.floor(given.length / 2);
		const isHalf = (isCut || breaks !== undefined) && index === calls.length - 1;
		const called = { name, arguments: given.slice(0, half) };
		delta({ tool_calls: [{ index, id: `${head.id}-${index}`, type: 'function', function: called }] });
		if (!isHalf) {
			delta({ tool_calls: [{ index, function: { arguments: given.slice(half) } }] });
		}
		said += Buffer.byteLength(name + (isHalf ? given.slice(0, half) : given));
	}
	if (breaks === 'connection') {
		response.socket?.end();
		return said;
	}
	if (breaks === 'error') {
		response.end(`data: ${JSON.stringify({ error: { ...MESSAGES[500], type: 'error', param: null } })}\n\n`);
		return said;
	}
	delta({}, isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop');
	const [prompt_tokens, completion_tokens] = [bytes, said].map(count => Math.ceil(count / BYTES_PER_TOKEN));
	const total_tokens = Math.ceil((bytes + said) / BYTES_PER_TOKEN);
	event({ choices: [], usage: { prompt_tokens, completion_tokens, total_tokens } });
	response.end('data: [DONE]\n\n');
	return said;
}

/** Passes a request on to a real model, and resolves with the bytes of its reply, or undefined if it is refused. */
async function forward(remote: RemoteModel, body: Body, response: ServerResponse): Promise<number | undefined> {
	const { url, name, key } = remote;
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	const reply = await fetch(`${url}/chat/completions`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
		body: JSON.stringify({ ...body, model: name }),
		signal: gone.signal,
	});
	response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'application/json' });
	let text = '';
	const decoder = new TextDecoder();
	for await (const bytes of reply.body ?? []) {
		text += decoder.decode(bytes, { stream: true });
		response.write(bytes);
	}
	response.end();
	return reply.ok ? Buffer.byteLength(saidIn(text)) : undefined;
}

/** Returns the texts, names and arguments in a streamed or whole reply. */
function saidIn(reply: string): string {
	const parts = reply.startsWith('{') ? [reply] : reply.split('\n').map(line => line.replace(/^data: ?/, ''));
	return parts
		.filter(part => part.startsWith('{'))
		.flatMap(part => (JSON.parse(part) as { choices?: { delta?: Said; message?: Said }[] }).choices ?? [])
		.map(({ delta, message = delta }) => {
			const called = (message?.tool_calls ?? []).map(
				({ function: { name = '', arguments: given = '' } }) => name + given,
			);
			return (message?.content ?? '') + called.join('');
		})
		.join('');
}

interface Said {
	content?: string | null;
	tool_calls?: { function: { name?: string; arguments?: string } }[];
}

function sendJson(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}
