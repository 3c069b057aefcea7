import { defined } from '../../base/defined.ts';
import type { AgentConnection } from './agentConnection.ts';
import { AgentFailure, notLoggedIn, onlyTerminalLogin, otherVersion, unknownMode } from './agentFailure.ts';
import { createdReplySchema, reopenedReplySchema, setOptions } from './agentOptions.ts';
import type { AgentSession, AgentSessionOptions } from './agentSession.ts';
import type { SessionLimits } from './limits.ts';
import { emptyReplySchema, type InitializeReply, initializeReplySchema } from './replies.ts';
import { ASKS_ABOUT_SERVERS, SETTLES } from './settle.ts';

const PROTOCOL_VERSION = 1;

/**
 * Neither files nor terminals are offered: the agent has its own where it runs, and ours would be outside its sandbox.
 */
const CAPABILITIES = {
	fs: { readTextFile: false, writeTextFile: false },
	terminal: false,
	session: { compaction: {}, configOptions: { boolean: {} }, notices: {} },
};

/** A session that the agent has opened, and the optional parts of the protocol that the agent supports. */
export type OpenedSession = Pick<AgentSession, 'id' | 'info' | 'how' | 'agentOptions' | 'takesImages'> & {
	/** True if the agent supports the method `session/close`. */
	canClose: boolean;
	/** True if the agent accepts embedded resources in a prompt, besides its text. */
	takesResources: boolean;
};

/** Introduces us to the agent, opens a session and sets its options. Rejects as the connection's requests do. */
export async function openSession(
	connection: AgentConnection,
	options: AgentSessionOptions,
	limits: SessionLimits,
): Promise<OpenedSession> {
	const { fillIn, login, settle } = options;
	const clientCapabilities = {
		...CAPABILITIES,
		_meta: { [ASKS_ABOUT_SERVERS]: true, ...(settle && { [SETTLES]: true }) },
		...((fillIn || login) && { elicitation: { ...(fillIn && { form: {} }), ...(login && { url: {} }) } }),
	};
	const introduction = { protocolVersion: PROTOCOL_VERSION, clientCapabilities };
	const agent = await connection.request('initialize', introduction, initializeReplySchema, limits.initializeMs);
	if (agent.protocolVersion !== PROTOCOL_VERSION) {
		throw otherVersion(agent.protocolVersion, PROTOCOL_VERSION);
	}
	const opened = await openLoggedIn(connection, options, limits, agent);
	const { modes = [], chosen = {} } = options;
	const offered = opened.agentOptions.find(({ isMode }) => isMode);
	const mode = modes.find(candidate => offered?.values.some(({ value }) => value === candidate));
	if (modes.length > 0 && mode === undefined) {
		throw unknownMode(modes, offered?.values.map(({ value }) => value) ?? []);
	}
	const wanted = { ...(mode === undefined || offered === undefined ? {} : { [offered.id]: mode }), ...chosen };
	const set = await setOptions(connection, opened, wanted, limits.openMs);
	const { agentInfo, agentCapabilities } = agent;
	const { version } = agentInfo ?? {};
	return {
		...opened,
		agentOptions: set,
		info: { name: agentInfo?.title || agentInfo?.name || 'Agent', ...defined({ version }) },
		canClose: agentCapabilities?.sessionCapabilities?.close !== undefined,
		takesResources: agentCapabilities?.promptCapabilities?.embeddedContext === true,
		takesImages: agentCapabilities?.promptCapabilities?.image === true,
	};
}

/** Opens the session. If the agent works with an account of its own and is not logged in, it is logged in before. */
async function openLoggedIn(
	connection: AgentConnection,
	options: AgentSessionOptions,
	limits: SessionLimits,
	agent: InitializeReply,
): ReturnType<typeof openOrContinue> {
	try {
		return await openOrContinue(connection, options, limits, agent);
	} catch (error) {
		if (!options.usesAccount || !AgentFailure.is(error, 'needs-account')) {
			throw error;
		}
	}
	// A program for a terminal would run outside of the sandbox, or without one.
	const methods = agent.authMethods.filter(({ type = 'agent' }) => type === 'agent');
	if (methods.length === 0) {
		throw onlyTerminalLogin(agent.authMethods.map(({ name }) => name));
	}
	const methodId = await options.login?.choose(methods);
	if (methodId === undefined) {
		throw notLoggedIn(options.login !== undefined);
	}
	// The user may take long in the browser.
	await connection.request('authenticate', { methodId }, emptyReplySchema);
	return openOrContinue(connection, options, limits, agent);
}

/** Continues the earlier session if there is one and the agent can do so, or opens a new one. */
async function openOrContinue(
	connection: AgentConnection,
	{ folder, earlier, mcpServers = [] }: AgentSessionOptions,
	limits: SessionLimits,
	{ agentCapabilities }: InitializeReply,
): Promise<Pick<AgentSession, 'id' | 'how' | 'agentOptions'>> {
	const place = { cwd: folder, mcpServers: [...mcpServers] };
	if (earlier !== undefined) {
		const ways = [
			{ how: 'resumed', method: 'session/resume', can: agentCapabilities?.sessionCapabilities?.resume !== undefined },
			{ how: 'loaded', method: 'session/load', can: agentCapabilities?.loadSession === true },
		] as const;
		for (const { how, method } of ways.filter(({ can }) => can)) {
			try {
				const reply = await connection.request(
					method,
					{ sessionId: earlier, ...place },
					reopenedReplySchema,
					limits.openMs,
				);
				return { id: earlier, how, agentOptions: reply.agentOptions };
			} catch (error) {
				// Some agents claim that they can, and fail. The work then continues in a new session.
				if (!AgentFailure.is(error, 'refused')) {
					throw error;
				}
			}
		}
	}
	const reply = await connection.request('session/new', place, createdReplySchema, limits.openMs);
	return { id: reply.sessionId, how: 'new', agentOptions: reply.agentOptions };
}
