// What other features use of the chat.
import type { Disposable } from '../base/disposable.ts';
import type { KnownCost } from '../base/knownCost.ts';
import type { ReplyUse } from '../base/replySums.ts';
import type { ChatRequest } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import type { ConnectionModel } from '../contract/modelIdentifier.ts';
import type { Explanation } from '../platform/notify.ts';
import type { ContextSource } from './model/contextSource.ts';
import type { ReplyUsage } from './model/cost.ts';

/** A request that may be sent, or why it may not. */
export type RuledRequest =
	| { kind: 'ready'; request: ChatRequest; connection: Connection }
	| { kind: 'refused'; explanation: Explanation };

/** Who may serve a model, and under which policies. */
export interface ModelDescription {
	/** A few words. */
	served: string;
	/** Whole sentences, one a line. */
	lines: string[];
}

/** The chat's rules for requests that belong to no conversation of it. They throw a RequestRefusal nowhere. */
export interface RequestRules {
	/**
	 * Puts the user's routing policy and zero data retention into a request, and those parameters of the user's that the
	 * request leaves open. The user's instructions are for conversations alone.
	 */
	apply(request: ChatRequest): Promise<RuledRequest>;
	/** Explains why a request failed. `connection` is the name by which the user knows it. */
	explain(error: unknown, request: ChatRequest | undefined, connection: string): Explanation;
	/** Describes a model of the connection under the user's settings, or says why they cannot be read. */
	describe(connection: Connection, model: ConnectionModel): ModelDescription;
	/** Returns what a reply has cost, as far as the connection states prices. */
	cost(connection: Connection, reply: { model: string; provider?: string; usage?: ReplyUsage }): KnownCost;
}

/** A source of context as it was read. */
export interface ContextText {
	label: string;
	text: string;
	/** Sentences on what the user has to see before it is sent. */
	warnings: string[];
}

export interface ChatView extends Disposable {
	/** Stops the running reply and resolves when the conversation is on disk. */
	close(): Promise<void>;
	/** Reads something as the context of a message is read. Rejects with a sentence for the user where it cannot be read. */
	readContext(source: ContextSource): Promise<ContextText>;
	/** Returns what the replies of all conversations on this machine have used. Rejects with the system's error. */
	use(): Promise<ReplyUse>;
	/** Shows the composer for the prompt of a task, and writes a text into it as `TaskMode.write` does. */
	writeTask(text: string, how: 'add' | 'replace' | 'if-empty'): Promise<boolean>;
	/** Tells the composer that a task was made of a prompt. */
	taskMade(prompt: string): void;
	/** Loads the rules for requests to models that belong to no conversation. */
	requestRules(): Promise<RequestRules>;
}
