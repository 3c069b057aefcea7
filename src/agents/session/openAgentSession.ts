import type { ContentBlock } from '@agentclientprotocol/sdk';
import { type AgentConnection, connectAgent } from './agentConnection.ts';
import { AgentFailure } from './agentFailure.ts';
import type { AgentSession, AgentSessionOptions, PromptResource } from './agentSession.ts';
import type { AgentEvent, PermissionAnswer, PermissionRequest, StopReason } from './events.ts';
import { SESSION_LIMITS, type SessionLimits } from './limits.ts';
import { type OpenedSession, openSession } from './openSession.ts';
import { Permissions, readPermissionRequest } from './permissions.ts';
import { isRecord } from './read.ts';
import { readUpdate } from './readUpdate.ts';
import { emptyReplySchema, promptReplySchema } from './replies.ts';
import { ToolCalls } from './toolCalls.ts';

const CANCELLED: PermissionAnswer = { option: undefined };

/**
 * Opens a session with an agent that speaks the Agent Client Protocol, version 1, on the standard input and output of
 * `child`. Rejects with an AgentFailure or the signal's reason after the child has ended.
 */
export async function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
	const limits = { ...SESSION_LIMITS, ...options.limits };
	let session: Session | undefined;
	const connection = await connectAgent({
		child: options.child,
		signal: options.signal,
		limits,
		onUpdate: params => session?.takeUpdate(params),
		readPermission: params => session?.readPermission(params),
		onPermission: async (request, withdrawn) => (await session?.answerPermission(request, withdrawn)) ?? CANCELLED,
	});
	try {
		session = new Session(connection, await openSession(connection, { ...options, mcpServers: [...(options.mcpServers ?? [])] }, limits), options, limits);
		return session;
	} catch (error) {
		await connection.end();
		throw error;
	}
}

class Session implements AgentSession {
	readonly id: string;
	readonly info: AgentSession['info'];
	readonly how: AgentSession['how'];
	readonly agentOptions: AgentSession['agentOptions'];
	private readonly connection: AgentConnection;
	private readonly options: AgentSessionOptions;
	private readonly limits: SessionLimits;
	private readonly canClose: boolean;
	private readonly takesResources: boolean;
	private readonly calls: ToolCalls;
	private readonly permissions: Permissions;
	/** The prompt that runs. Its controller aborts when the prompt is cancelled and when it ends. */
	private turn: { controller: AbortController; ended: Promise<unknown> } | undefined;
	private closed: Promise<void> | undefined;

	constructor(
		connection: AgentConnection,
		{ id, info, how, agentOptions, canClose, takesResources }: OpenedSession,
		options: AgentSessionOptions,
		limits: SessionLimits,
	) {
		this.id = id;
		this.info = info;
		this.how = how;
		this.agentOptions = agentOptions;
		this.connection = connection;
		this.options = options;
		this.limits = limits;
		this.canClose = canClose;
		this.takesResources = takesResources;
		this.calls = new ToolCalls(limits);
		this.permissions = new Permissions(options.decide, event => this.tell(event));
	}

	async prompt(text: string, resources: readonly PromptResource[] = []): Promise<StopReason> {
		if (this.turn !== undefined) {
			throw new Error('A prompt of this session is running.');
		}
		const controller = new AbortController();
		const params = { sessionId: this.id, prompt: this.blocksOf(text, resources) };
		const reply = this.connection.request('session/prompt', params, promptReplySchema);
		this.turn = { controller, ended: reply.catch(() => {}) };
		try {
			return (await reply).stopReason;
		} catch (error) {
			// Some agents answer a prompt that was cancelled with an error.
			if (controller.signal.aborted && AgentFailure.is(error, 'refused')) {
				return 'cancelled';
			}
			throw error;
		} finally {
			this.turn = undefined;
			controller.abort();
		}
	}

	private blocksOf(text: string, resources: readonly PromptResource[]): ContentBlock[] {
		if (this.takesResources) {
			return [...resources.map(resource => ({ type: 'resource' as const, resource })), { type: 'text', text }];
		}
		return [{ type: 'text', text: [...resources.map(({ uri, text: part }) => `${uri}:\n${part}`), text].join('\n\n') }];
	}

	async cancel(): Promise<void> {
		const { turn } = this;
		if (turn !== undefined) {
			if (!turn.controller.signal.aborted) {
				this.connection.notify('session/cancel', { sessionId: this.id });
				turn.controller.abort();
			}
			await turn.ended;
		}
	}

	close(): Promise<void> {
		this.closed ??= this.closeOnce();
		return this.closed;
	}

	private async closeOnce(): Promise<void> {
		if (this.canClose && !this.connection.isClosed) {
			const params = { sessionId: this.id };
			await this.connection.request('session/close', params, emptyReplySchema, this.limits.closeMs).catch(() => {});
		}
		await this.connection.end();
		const { strayLines } = this.connection;
		if (strayLines > 0) {
			this.options.logger.log('debug', 'an agent wrote lines that were no messages', { count: strayLines });
		}
	}

	/** Takes the parameters of a `session/update`. Those of other sessions, and all while no prompt runs, are ignored. */
	takeUpdate({ sessionId, update }: Record<string, unknown>): void {
		if (sessionId === this.id && this.connection.isPrompting) {
			const event = readUpdate(update, this.calls, this.limits);
			if (event !== undefined) {
				this.tell(event);
			}
		}
	}

	/** Reads a permission that is asked for. One of another session, or without a prompt, is not to be decided. */
	readPermission(params: unknown): PermissionRequest | undefined {
		const isOurs = isRecord(params) && params['sessionId'] === this.id;
		return isOurs && this.connection.isPrompting ? readPermissionRequest(params, this.calls, this.limits) : undefined;
	}

	async answerPermission(request: PermissionRequest, withdrawn: AbortSignal): Promise<PermissionAnswer> {
		const { turn, connection } = this;
		if (turn === undefined) {
			return CANCELLED;
		}
		try {
			return await this.permissions.answer(request, AbortSignal.any([turn.controller.signal, withdrawn]));
		} catch (error) {
			connection.fail(error);
			return CANCELLED;
		}
	}

	private tell(event: AgentEvent): void {
		if (!this.connection.isClosed) {
			this.options.onEvent(event);
		}
	}
}
