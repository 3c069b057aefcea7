import type { RunningChild } from '../../base/childProcess.ts';
import type { Logger } from '../../base/logger.ts';
import type { AgentEvent, AgentOption, StopReason } from './events.ts';
import type { SessionLimits } from './limits.ts';
import type { FormPolicy, PermissionPolicy } from './permissions.ts';

/** A command that the agent starts for an MCP server, as it sees it. */
export interface McpCommand {
	name: string;
	command: string;
	args: string[];
	env: { name: string; value: string }[];
}

export interface AgentSessionOptions {
	/**
	 * The agent's process, already started. The session ends it in `close`, when it fails, and when `signal` aborts.
	 */
	child: RunningChild;
	/** The working folder as the agent sees it, absolute. */
	folder: string;
	/** The commands by which the agent reaches MCP servers. */
	mcpServers?: readonly McpCommand[];
	decide: PermissionPolicy;
	/** Answers the forms of the agent. Without it the agent is told that it cannot ask, and any form is declined. */
	fillIn?: FormPolicy;
	/**
	 * Called while a prompt runs, and no more after it; with commands, options and titles at any time. An error that it throws
	 * ends the session with that error.
	 */
	onEvent(event: AgentEvent): void;
	/**
	 * The id of a session of an earlier process, which is continued if the agent can. What the agent repeats of it is no
	 * event.
	 */
	earlier?: string;
	/** The mode that the session is set to, unless `chosen` has another one. */
	mode?: string;
	/** What was chosen of the agent's options, by their ids. */
	chosen?: Readonly<Record<string, string>>;
	/** Aborting it ends the child. Calls that are open then reject with its reason. */
	signal: AbortSignal;
	/** It gets diagnostics, which hold no text of the user's or the agent's. */
	logger: Logger;
	/** Only tests need others than `SESSION_LIMITS`. */
	limits?: Partial<SessionLimits>;
}

/** A text that goes with a prompt. */
export interface PromptResource {
	/** Names the text, such as the URI of its file. */
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
	/** What the agent says that it is. */
	readonly info: { name: string; version?: string };
	/** `resumed` and `loaded` continue the earlier session. */
	readonly how: 'new' | 'resumed' | 'loaded';
	/** What can be chosen of the agent, with what is set in this session. */
	readonly agentOptions: readonly AgentOption[];
	/** The agent takes images. */
	readonly takesImages: boolean;
	/**
	 * Resolves with how the prompt ended. One runs at a time. `resources` go with it as such, or as a part of its text where
	 * the agent takes none; images only where it takes them.
	 */
	prompt(text: string, resources?: readonly PromptResource[], images?: readonly PromptImage[]): Promise<StopReason>;
	/**
	 * Asks the agent to stop. What it asked for is answered as cancelled. Resolves when the prompt has ended, however it
	 * did; only the signal ends an agent that goes on.
	 */
	cancel(): Promise<void>;
	/** Closes the session where the agent can, and ends the child. Never rejects. */
	close(): Promise<void>;
}
