import { randomUUID } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
	type AgentContext,
	agent,
	type ContentBlock,
	type McpServer,
	methods,
	ndJsonStream,
	PROTOCOL_VERSION,
	RequestError,
	type RequestPermissionRequest,
	type SessionUpdate,
	type StopReason,
} from '@agentclientprotocol/sdk';
import { isOver } from '../agents/session/events.ts';
import { ASKS_ABOUT_SERVERS, SETTLE, SETTLES } from '../agents/session/settle.ts';
import { untilAborted } from '../base/async.ts';
import { ClientError, systemErrorCode } from '../base/errors.ts';
import { explainFailure } from '../base/explainFailure.ts';
import type { InputItem } from '../contract/responses.ts';
import type { ShownCall } from './calls.ts';
import { imageIn, noteIn } from './conversation.ts';
import { TurnFailure } from './failures.ts';
import { instructionsFor } from './instructions.ts';
import { McpClients } from './mcpClients.ts';
import { createModel } from './model/chooseModel.ts';
import { type Model, textIn } from './model/model.ts';
import { SessionFiles } from './sessionFile.ts';
import type { AgentSettings } from './settings.ts';
import { tools } from './tools/tools.ts';
import { webTools } from './tools/web.ts';
import { COMPACT, Turn } from './turn.ts';

/** The time limit for one prompt, in milliseconds. */
const MAXIMUM_TIME_MS = 2 * 60 * 60_000;

/** The JSON-RPC code for any internal error of a server. */
const INTERNAL_ERROR = -32_603;

/** Tells the client that the message says what to do. */
const TELLS_STEP = { tellsStep: true };

/** The agent asks before it writes or runs anything, or never, because its sandbox confines it. */
const MODES = [
	{ id: 'ask', name: 'Ask', description: 'Asks before it changes a file or runs a command' },
	{ id: 'sandboxed', name: 'Sandboxed', description: 'Never asks, for a sandbox that holds it' },
];

const COMMANDS = [{ name: COMPACT.slice(1), description: 'Replaces the conversation by a summary of it' }];

/** Words for all calls of a kind. Those of the other kinds change files. */
const EVERY: Readonly<Record<string, string>> = {
	execute: 'every command',
	fetch: 'every page and web search',
	other: 'every call of an MCP server',
};

interface Place {
	cwd: string;
	mcpServers?: readonly McpServer[];
}

interface Session {
	id: string;
	folder: string;
	mode: string;
	items: readonly InputItem[];
	running: { controller: AbortController; ended: Promise<unknown> } | undefined;
	/** The allowances for the whole session, in the words of the questions. */
	allowed: Set<string>;
	servers: McpClients;
}

/**
 * Serves the Agent Client Protocol on the standard input and output until the input ends, nobody reads the output any
 * more, or the process is asked to terminate. Nothing that it started is left then.
 */
export async function serveAgent(settings: AgentSettings, version: string): Promise<void> {
	const gone = new Promise<void>(resolve => {
		process.stdout.on('error', () => resolve());
		for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
			process.on(signal, () => resolve());
		}
	});
	const model = createModel(settings);
	const files = new SessionFiles(process.env, os.homedir());
	const sessions = new Map<string, Session>();
	let clientSettles = false;
	let clientAsks = false;
	const sessionOf = (id: string): Session => {
		const session = sessions.get(id);
		if (session === undefined) {
			throw RequestError.sessionNotFound(id);
		}
		return session;
	};
	const open = async (id: string, { cwd, mcpServers = [] }: Place, items: readonly InputItem[]): Promise<Session> => {
		const folder = await folderAt(cwd);
		const servers = new McpClients(mcpServers, clientAsks);
		const session = { id, folder, mode: 'ask', items, running: undefined, allowed: new Set<string>(), servers };
		sessions.get(id)?.servers.close();
		sessions.set(id, session);
		return session;
	};
	const reopen = async (id: string, place: Place): Promise<Session> => {
		if (sessions.get(id)?.running !== undefined) {
			throw RequestError.invalidRequest(undefined, 'a prompt of this session is running');
		}
		const saved = await files.load(id);
		if (saved === undefined) {
			throw RequestError.sessionNotFound(id);
		}
		// A conversation is about the files of one folder, and quotes them.
		if ((await folderAt(place.cwd)) !== saved.folder) {
			throw RequestError.invalidParams(undefined, `The session ${id} is about another folder.`);
		}
		return open(id, place, saved.items);
	};
	const modesOf = ({ mode }: Session) => ({ modes: { currentModeId: mode, availableModes: MODES } });
	const connection = agent({ name: 'errand-agent' })
		.onRequest(methods.agent.initialize, ({ params }) => {
			const { [SETTLES]: settles, [ASKS_ABOUT_SERVERS]: asks } = params.clientCapabilities?._meta ?? {};
			clientSettles = settles === true;
			clientAsks = asks === true;
			return {
				protocolVersion: PROTOCOL_VERSION,
				agentInfo: { name: 'errand-agent', title: 'Errand agent', version },
				agentCapabilities: {
					loadSession: true,
					promptCapabilities: { embeddedContext: true, image: settings.takesImages },
					sessionCapabilities: { close: {}, resume: {} },
				},
			};
		})
		.onRequest(methods.agent.session.new, async ({ params }) => {
			const session = await open(randomUUID(), params, []);
			return { sessionId: session.id, ...modesOf(session) };
		})
		.onRequest(methods.agent.session.resume, async ({ params }) => modesOf(await reopen(params.sessionId, params)))
		.onRequest(methods.agent.session.load, async ({ params, client }) => {
			const session = await reopen(params.sessionId, params);
			for (const update of replay(session.items)) {
				await client.notify(methods.client.session.update, { sessionId: session.id, update });
			}
			return modesOf(session);
		})
		.onRequest(methods.agent.session.setMode, ({ params }) => {
			if (!MODES.some(({ id }) => id === params.modeId)) {
				throw RequestError.invalidParams(undefined, `There is no mode ${params.modeId}.`);
			}
			sessionOf(params.sessionId).mode = params.modeId;
			return {};
		})
		.onRequest(methods.agent.session.close, ({ params }) => {
			const { running, servers } = sessionOf(params.sessionId);
			running?.controller.abort();
			sessions.delete(params.sessionId);
			servers.close();
		})
		.onRequest(methods.agent.session.prompt, async ({ params, client }) => {
			const session = sessionOf(params.sessionId);
			if (session.running !== undefined) {
				throw RequestError.invalidRequest(undefined, 'a prompt of this session is running');
			}
			const controller = new AbortController();
			const { signal } = controller;
			const ended = prompt(session, params.prompt, { settings, model, files, client, clientSettles, signal });
			session.running = { controller, ended };
			try {
				return { stopReason: await ended };
			} finally {
				session.running = undefined;
			}
		})
		.onNotification(methods.agent.session.cancel, ({ params }) =>
			sessions.get(params.sessionId)?.running?.controller.abort(),
		)
		.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
	await Promise.race([connection.closed, gone]);
	const left = [...sessions.values()].flatMap(({ running }) => running ?? []);
	for (const { controller } of left) {
		controller.abort();
	}
	await Promise.allSettled(left.map(({ ended }) => ended));
	for (const { servers } of sessions.values()) {
		servers.close();
	}
}

/** Returns the path without links. Throws an error for the client if it is not the absolute path of a folder. */
async function folderAt(cwd: string): Promise<string> {
	const isFolder = path.isAbsolute(cwd) && (await stat(cwd).catch(() => undefined))?.isDirectory();
	if (!isFolder) {
		throw RequestError.invalidParams(undefined, `${cwd} is not the absolute path of a folder.`);
	}
	return realpath(cwd);
}

interface PromptServices {
	settings: AgentSettings;
	model: Model;
	files: SessionFiles;
	client: AgentContext;
	/** True if the client answers when it has dealt with a call. */
	clientSettles: boolean;
	/** Aborts when the client cancels. */
	signal: AbortSignal;
}

async function prompt(
	session: Session,
	blocks: readonly ContentBlock[],
	{ settings, model, files, client, clientSettles, signal: cancelled }: PromptServices,
): Promise<StopReason> {
	const limit = AbortSignal.timeout(MAXIMUM_TIME_MS);
	const signal = AbortSignal.any([cancelled, limit]);
	const update = async (change: SessionUpdate) => {
		await client.notify(methods.client.session.update, { sessionId: session.id, update: change });
		if (clientSettles && change.sessionUpdate === 'tool_call_update' && isOver(change)) {
			await untilAborted(client.request(SETTLE, { sessionId: session.id }), signal);
		}
	};
	await update({ sessionUpdate: 'available_commands_update', availableCommands: COMMANDS });
	const { tools: serverTools, problems } = await session.servers.open(session.folder);
	for (const problem of problems) {
		await update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: `${problem}\n\n` } });
	}
	const turn = new Turn(
		{
			model,
			contextLength: settings.contextLength,
			takesImages: settings.takesImages,
			instructions: await instructionsFor(session.folder),
		},
		{
			tools: [...tools, ...webTools(settings), ...serverTools],
			folder: session.folder,
			isAllowed: session.mode === 'sandboxed' ? undefined : call => isAllowed(session, call, { client, signal }),
		},
		{
			update,
			async save(items) {
				session.items = [...items];
				await files.save(session.id, session.folder, items).catch((error: unknown) => {
					throw new TurnFailure(
						`The conversation could not be saved: ${systemErrorCode(error)}. Free some space, then try again.`,
					);
				});
			},
		},
		{ items: session.items, signal },
	);
	try {
		const reason = await turn.run(promptText(blocks), blocks.flatMap(imageOf));
		if (reason === 'cancelled' && !cancelled.aborted) {
			throw new TurnFailure(`The work took longer than ${MAXIMUM_TIME_MS / 3_600_000} hours and was stopped.`);
		}
		return reason;
	} catch (error) {
		if (error instanceof TurnFailure) {
			throw new RequestError(INTERNAL_ERROR, error.message, TELLS_STEP);
		}
		if (ClientError.is(error)) {
			const { cause, step } = explainFailure(error, { name: `The model ${model.name}` });
			throw new RequestError(INTERNAL_ERROR, `${cause} ${step}`.trim(), TELLS_STEP);
		}
		throw error;
	}
}

/** Asks the client, unless the user has already answered for the whole session. */
async function isAllowed(
	session: Session,
	call: ShownCall,
	{ client, signal }: Pick<PromptServices, 'client' | 'signal'>,
): Promise<boolean> {
	const all = EVERY[String(call.kind)] ?? 'every change of a file';
	if (session.allowed.has(all)) {
		return true;
	}
	const request: RequestPermissionRequest = {
		sessionId: session.id,
		toolCall: call,
		options: [
			{ optionId: 'once', name: 'Allow once', kind: 'allow_once' },
			{ optionId: 'session', name: `Allow ${all} in this session`, kind: 'allow_always' },
			{ optionId: 'no', name: 'No', kind: 'reject_once' },
		],
	};
	const asked = client.request(methods.client.session.requestPermission, request);
	const { outcome } = await untilAborted(asked, signal);
	if (outcome.outcome === 'selected' && outcome.optionId === 'session') {
		session.allowed.add(all);
		return true;
	}
	return outcome.outcome === 'selected' && outcome.optionId === 'once';
}

/** Joins the parts of a prompt. A file is named, so that the model can read it. */
function promptText(blocks: readonly ContentBlock[]): string {
	// A client may add notes to every prompt, which the command is not about.
	if (blocks.some(block => block.type === 'text' && block.text.trim() === COMPACT)) {
		return COMPACT;
	}
	return blocks
		.flatMap(block => {
			switch (block.type) {
				case 'text':
					return block.text;
				case 'resource':
					return `${block.resource.uri}:\n${'text' in block.resource ? block.resource.text : ''}`;
				case 'resource_link':
					return block.uri;
				default:
					return [];
			}
		})
		.join('\n');
}

/** Returns the `data:` URL of an image. */
const imageOf = (block: ContentBlock): string[] =>
	block.type === 'image' && block.mimeType.startsWith('image/') ? [`data:${block.mimeType};base64,${block.data}`] : [];

/** Returns the messages of user and model, as the updates that first reported them. A note becomes a thought. */
function replay(items: readonly InputItem[]): SessionUpdate[] {
	return items.flatMap((item): SessionUpdate[] => {
		const note = noteIn(item);
		if (note !== undefined) {
			return [{ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: note } }];
		}
		const text = textIn([item]);
		if (text === '' || imageIn(item) !== undefined || (item.type !== 'message' && item.type !== undefined)) {
			return [];
		}
		const sessionUpdate = item.role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
		return [{ sessionUpdate, content: { type: 'text', text } }];
	});
}
