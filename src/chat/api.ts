// The parts of the chat that other features use.
import type { Disposable } from '../base/disposable.ts';
import type { KnownCost } from '../base/knownCost.ts';
import type { ReplyUse } from '../base/replySums.ts';
import type { ChatRequest } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import type { TaskServer } from '../contract/mcpServers.ts';
import type { ConnectionModel } from '../contract/modelIdentifier.ts';
import type { Explanation } from '../platform/notify.ts';
import type { ContextSource } from './model/contextSource.ts';
import type { ReplyUsage } from './model/cost.ts';

/** A request that may be sent, or the reason why not. */
export type RuledRequest =
	| { kind: 'ready'; request: ChatRequest; connection: Connection }
	| { kind: 'refused'; explanation: Explanation };

/** The providers that may serve a model, and the policies that apply. */
export interface ModelDescription {
	/** A few words. */
	served: string;
	/** Whole sentences, one per line. */
	lines: string[];
}

/** The chat's rules for requests that belong to none of its conversations. None of them throws a RequestRefusal. */
export interface RequestRules {
	/**
	 * Applies the user's routing policy and zero data retention to a request, and those of the user's parameters that the
	 * request leaves open. The user's instructions are for conversations only.
	 */
	apply(request: ChatRequest): Promise<RuledRequest>;
	/** Explains why a request failed. `connection` is the connection's display name. */
	explain(error: unknown, request: ChatRequest | undefined, connection: string): Explanation;
	/** Describes a model of the connection under the user's settings, or says why they cannot be read. */
	describe(connection: Connection, model: ConnectionModel): ModelDescription;
	/** Returns the cost of a reply, as far as the connection states prices. */
	cost(connection: Connection, reply: { model: string; provider?: string; usage?: ReplyUsage }): KnownCost;
}

/** The content of a source of context. */
export interface ContextText {
	label: string;
	text: string;
	/** Warnings to show to the user before the text is sent, as sentences. */
	warnings: string[];
}

/** An MCP server that the agents of a task may be given. */
export interface OfferedServer {
	name: string;
	/** Another one for each declaration. */
	digest: string;
	/** False until the user has agreed to it. */
	isAllowed: boolean;
	/** Says in a few words what it can reach, as a sentence without its full stop. */
	reach: string;
	/** Asks the user whether agents may use it, and keeps the answer. */
	ask(): Promise<void>;
	/**
	 * Resolves with what the local service needs to start it, after a question about each value that is not known.
	 * Rejects with a UserFacingError if the user gives none.
	 */
	handOver(): Promise<TaskServer>;
}

export interface ChatView extends Disposable {
	/** Stops the running reply and resolves when the conversation is on disk. */
	close(): Promise<void>;
	/** Reads a source as for the context of a message. Rejects with a sentence for the user if it cannot be read. */
	readContext(source: ContextSource): Promise<ContextText>;
	/** Resolves to the use of the replies of all conversations on this machine. Rejects with the system's error. */
	use(): Promise<ReplyUse>;
	/** Shows the composer for the prompt of a task, and writes a text into it as `TaskMode.write` does. */
	writeTask(text: string): Promise<void>;
	/** Resolves to the MCP servers of the settings, and of a repository in this window, that agents of tasks may use. */
	serversForTasks(folder: string | undefined): Promise<OfferedServer[]>;
	/** Tells the composer that a task was made of a prompt. */
	taskMade(prompt: string): void;
	/** Loads the rules for requests to models that belong to no conversation. */
	requestRules(): Promise<RequestRules>;
}
