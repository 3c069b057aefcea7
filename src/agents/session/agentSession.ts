import type { RunningChild } from '../../base/childProcess.ts';
import type { Logger } from '../../base/logger.ts';
import type { AgentEvent, AgentOption, StopReason } from './events.ts';
import type { SessionLimits } from './limits.ts';
import type { FormPolicy, PermissionPolicy } from './permissions.ts';

/** The command with which the agent starts an MCP server, as the agent sees it. */
export interface McpCommand {
	name: string;
	command: string;
	args: string[];
	env: { name: string; value: string }[];
}

/** A way in which an agent logs in to its account by itself. */
export interface LoginMethod {
	id: string;
	name: string;
}

/** Lets the user log an agent in to its account. */
export interface AgentLogin {
	/** Resolves with the id of the method that the user has chosen, or undefined if the user does not want to log in. */
	choose(methods: readonly LoginMethod[]): Promise<string | undefined>;
	/** Opens an https address of the login in the user's browser, and resolves with whether the user has agreed to it. */
	openAddress(address: string): Promise<boolean>;
}

export interface AgentSessionOptions {
	/**
	 * The agent's process, already started. The session ends it in `close`, when it fails, and when `signal` aborts.
	 */
	child: RunningChild;
	/** The working folder as the agent sees it, absolute. */
	folder: string;
	/** The commands by which the agent reaches MCP servers. */
	mcpServers?: readonly McpCommand[] | undefined;
	decide: PermissionPolicy;
	/** Answers the agent's forms. Without it, the agent is told that it cannot ask, and any form is declined. */
	fillIn?: FormPolicy | undefined;
	/**
	 * Called while a prompt runs, and not after it; with commands, options and titles at any time. An error that it
	 * throws ends the session with that error.
	 */
	onEvent(event: AgentEvent): void;
	/**
	 * Resolves when all events so far are dealt with, for an agent that waits for that after a call. It never rejects.
	 * An agent whose client lacks this function is told that it need not wait.
	 */
	settle?: (() => Promise<void>) | undefined;
	/**
	 * The id of a session of an earlier process, which is continued if the agent can do so. What the agent repeats of it
	 * causes no events.
	 */
	earlier?: string | undefined;
	/** The modes to which the session may be set, the first that the agent offers, unless `chosen` has another one. */
	modes?: readonly string[];
	/** True if the agent works with an account of its own. */
	usesAccount?: boolean;
	/** Logs it in where that is needed. Without it, nobody is there to do that. */
	login?: AgentLogin | undefined;
	/** The chosen values of the agent's options, by id. */
	chosen?: Readonly<Record<string, string>> | undefined;
	/** Aborting it ends the child. Pending calls then reject with its reason. */
	signal: AbortSignal;
	/** Receives diagnostics, which contain no text of the user's or the agent's. */
	logger: Logger;
	/** Only tests need limits other than `SESSION_LIMITS`. */
	limits?: Partial<SessionLimits>;
}

export interface PromptResource {
	/** Identifies the text, for example the URI of its file. */
	uri: string;
	text: string;
}

/** An image that goes with a prompt, in base64. */
export interface PromptImage {
	mimeType: string;
	data: string;
}

/**
 * A session with an agent. Its calls reject with an AgentFailure, with the signal's reason, or with an error of the
 * listener or the policy; unless the agent merely answered with an error, the child has ended by then.
 */
export interface AgentSession {
	readonly id: string;
	/** The agent's description of itself. */
	readonly info: { name: string; version?: string };
	/** `resumed` and `loaded` continue the earlier session. */
	readonly how: 'new' | 'resumed' | 'loaded';
	/** The choices that the agent offers, with their values in this session. */
	readonly agentOptions: readonly AgentOption[];
	readonly takesImages: boolean;
	/**
	 * Resolves with the reason why the prompt ended. One runs at a time. `resources` are sent as such, or as a part of
	 * the text if the agent does not accept them; images only if it accepts them.
	 */
	prompt(text: string, resources?: readonly PromptResource[], images?: readonly PromptImage[]): Promise<StopReason>;
	/**
	 * Asks the agent to stop. Its open requests are answered as cancelled. Resolves when the prompt has ended, in any
	 * way; only the signal ends an agent that continues.
	 */
	cancel(): Promise<void>;
	/** Closes the session if the agent supports that, and ends the child. Never rejects. */
	close(): Promise<void>;
}
