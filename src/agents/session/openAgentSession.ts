import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { isFields } from '../../base/fields.ts';
import { type AgentConnection, connectAgent } from './agentConnection.ts';
import { AgentFailure } from './agentFailure.ts';
import { changedOptions } from './agentOptions.ts';
import type { AgentLogin, AgentSession, AgentSessionOptions, PromptImage, PromptResource } from './agentSession.ts';
import type {
	AgentEvent,
	AgentForm,
	AgentOption,
	FormAnswer,
	PermissionAnswer,
	PermissionRequest,
	StopReason,
} from './events.ts';
import { readForm } from './forms.ts';
import { SESSION_LIMITS, type SessionLimits } from './limits.ts';
import { type OpenedSession, openSession } from './openSession.ts';
import { Permissions, readPermissionRequest } from './permissions.ts';
import { readUpdate, SESSION_UPDATES } from './readUpdate.ts';
import { emptyReplySchema, promptReplySchema } from './replies.ts';
import { ToolCalls } from './toolCalls.ts';

/**
 * Opens a session with an agent that speaks the Agent Client Protocol, version 1, on the standard input and output of
 * `child`. Rejects with an AgentFailure or the signal's reason after the child has ended.
 */
export async function openAgentSession(options: AgentSessionOptions): Promise<AgentSession> {
	const limits = { ...SESSION_LIMITS, ...options.limits };
	let session: Session | undefined;
	/** The last updates about the session itself that arrived before it was open. */
	const early = new Map<unknown, Record<string, unknown>>();
	const connection = await connectAgent({
		child: options.child,
		signal: options.signal,
		limits,
		onUpdate(params) {
			const kind = isFields(params['update']) ? params['update']['sessionUpdate'] : undefined;
			if (session !== undefined) {
				session.takeUpdate(params);
			} else if (SESSION_UPDATES.has(kind)) {
				early.set(kind, params);
			}
		},
		readRequest: (method, params) =>
			session ? session.readRequest(method, params) : readLoginRequest(method, params, options.login),
		onPermission: async (request, withdrawn) => session?.answerPermission(request, withdrawn),
		onForm: async (form, withdrawn) =>
			session ? session.answerForm(form, withdrawn) : answerLogin(form, options.login),
		onSettle: async () => options.settle?.(),
	});
	try {
		session = new Session(connection, await openSession(connection, options, limits), options, limits);
		for (const params of early.values()) {
			session.takeUpdate(params);
		}
		return session;
	} catch (error) {
		await connection.end();
		throw error;
	}
}

/** Before there is a session, an agent may only ask for an address to be opened, where a login is possible. */
function readLoginRequest(method: string, params: unknown, login: AgentLogin | undefined): AgentForm | undefined {
	return login && method === 'elicitation/create' && isFields(params) ? readForm(params) : undefined;
}

async function answerLogin({ address }: AgentForm, login: AgentLogin | undefined): Promise<FormAnswer> {
	const isOpened = address !== undefined && (await login?.openAddress(address).catch(() => false));
	return isOpened ? { action: 'accept', content: {} } : { action: 'decline' };
}

class Session implements AgentSession {
	readonly id: string;
	readonly info: AgentSession['info'];
	readonly how: AgentSession['how'];
	agentOptions: readonly AgentOption[];
	readonly takesImages: boolean;
	private readonly connection: AgentConnection;
	private readonly options: AgentSessionOptions;
	private readonly limits: SessionLimits;
	private readonly opened: OpenedSession;
	/** The names of the agent's own commands. */
	private commands: readonly string[] = [];
	private readonly calls = new ToolCalls();
	private readonly permissions: Permissions;
	/** The running prompt. Its controller aborts when the prompt is cancelled and when it ends. */
	private turn: { controller: AbortController; ended: Promise<unknown> } | undefined;
	private closed: Promise<void> | undefined;

	constructor(connection: AgentConnection, opened: OpenedSession, options: AgentSessionOptions, limits: SessionLimits) {
		this.id = opened.id;
		this.info = opened.info;
		this.how = opened.how;
		this.agentOptions = opened.agentOptions;
		this.takesImages = opened.takesImages;
		this.opened = opened;
		this.connection = connection;
		this.options = options;
		this.limits = limits;
		this.permissions = new Permissions(options.decide, options.fillIn, event => this.tell(event));
	}

	async prompt(
		text: string,
		resources: readonly PromptResource[] = [],
		images: readonly PromptImage[] = [],
	): Promise<StopReason> {
		if (this.turn !== undefined) {
			throw new Error('A prompt of this session is running.');
		}
		const controller = new AbortController();
		const params = { sessionId: this.id, prompt: this.blocksOf(text, resources, this.takesImages ? images : []) };
		const reply = this.connection.request('session/prompt', params, promptReplySchema);
		this.turn = { controller, ended: reply.catch(() => {}) };
		try {
			return (await reply).stopReason;
		} catch (error) {
			// Some agents answer a cancelled prompt with an error.
			if (controller.signal.aborted && AgentFailure.is(error, 'refused')) {
				return 'cancelled';
			}
			throw error;
		} finally {
			this.turn = undefined;
			controller.abort();
		}
	}

	private blocksOf(text: string, resources: readonly PromptResource[], images: readonly PromptImage[]): ContentBlock[] {
		const { takesResources } = this.opened;
		const parts = takesResources ? [] : resources.map(({ uri, text: part }) => `${uri}:\n${part}`);
		const told: ContentBlock[] = [
			...(takesResources ? resources : []).map(resource => ({ type: 'resource' as const, resource })),
			...images.map(image => ({ type: 'image' as const, ...image })),
		];
		// Agents recognise their commands only at the beginning of a prompt.
		const isCommand = this.commands.includes(/^\/(\S+)/.exec(text)?.[1] ?? '');
		const words = (isCommand ? [text, ...parts] : [...parts, text]).join('\n\n');
		const said: ContentBlock = { type: 'text', text: words };
		return isCommand ? [said, ...told] : [...told, said];
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
		if (this.opened.canClose && !this.connection.isClosed) {
			const params = { sessionId: this.id };
			await this.connection.request('session/close', params, emptyReplySchema, this.limits.closeMs).catch(() => {});
		}
		await this.connection.end();
		const { strayLines } = this.connection;
		if (strayLines > 0) {
			this.options.logger.log('debug', 'an agent wrote lines that were no messages', { count: strayLines });
		}
	}

	/**
	 * Receives the parameters of a `session/update`. Updates of other sessions are ignored, and between prompts, all but
	 * those about the session itself.
	 */
	takeUpdate({ sessionId, update }: Record<string, unknown>): void {
		const { isPrompting } = this.connection;
		const isRead = isFields(update) && (isPrompting || SESSION_UPDATES.has(update['sessionUpdate']));
		if (sessionId !== this.id || !isRead) {
			return;
		}
		this.takeOptions(changedOptions(this.agentOptions, update));
		const event = readUpdate(update, this.calls);
		if (event?.type === 'commands') {
			this.commands = event.commands.map(({ name }) => name);
		}
		if (event !== undefined) {
			this.tell(event);
		}
	}

	/** An agent may ask less in another mode, so a change of mode while it works is reported as a step of its work. */
	private takeOptions(options: readonly AgentOption[]): void {
		const modeOf = (all: readonly AgentOption[]) => all.find(({ isMode }) => isMode);
		const [before, mode] = [modeOf(this.agentOptions), modeOf(options)];
		if (isDeepStrictEqual(options, this.agentOptions)) {
			return;
		}
		this.agentOptions = options;
		this.tell({ type: 'options', options });
		if (mode && mode.value !== before?.value && this.connection.isPrompting) {
			const title = mode.values.find(({ value }) => value === mode.value)?.name ?? mode.value;
			const fields = { kind: 'switch_mode', status: 'completed', title } as const;
			const event = this.calls.tell({ id: `mode ${randomUUID()}`, fields, complete: true });
			this.tell(event as AgentEvent);
		}
	}

	/** Reads a request of the agent. One of another session, or without a prompt, must not be decided. */
	readRequest(method: string, params: unknown): PermissionRequest | AgentForm | undefined {
		if (!isFields(params) || params['sessionId'] !== this.id || !this.connection.isPrompting) {
			return undefined;
		}
		switch (method) {
			case 'session/request_permission':
				return readPermissionRequest(params, this.calls);
			case 'elicitation/create':
				return readForm(params);
			default:
				return undefined;
		}
	}

	answerPermission(request: PermissionRequest, withdrawn: AbortSignal): Promise<PermissionAnswer | undefined> {
		return this.answered(withdrawn, signal => this.permissions.answer(request, signal));
	}

	answerForm(form: AgentForm, withdrawn: AbortSignal): Promise<FormAnswer | undefined> {
		return this.answered(withdrawn, signal => this.permissions.answerForm(form, signal));
	}

	/** Resolves with undefined if no prompt waits for the answer any more. An error ends the session. */
	private async answered<T>(
		withdrawn: AbortSignal,
		answer: (signal: AbortSignal) => Promise<T>,
	): Promise<T | undefined> {
		const { turn, connection } = this;
		try {
			return turn && (await answer(AbortSignal.any([turn.controller.signal, withdrawn])));
		} catch (error) {
			connection.fail(error);
			return undefined;
		}
	}

	private tell(event: AgentEvent): void {
		if (!this.connection.isClosed) {
			this.options.onEvent(event);
		}
	}
}
