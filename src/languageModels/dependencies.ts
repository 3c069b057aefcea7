import type * as vscode from 'vscode';
import type { Event } from '../base/event.ts';
import type { KnownCost } from '../base/knownCost.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { ChatRequest } from '../contract/chatRequest.ts';
import type { Connection } from '../contract/connection.ts';
import type { ConnectionModel } from '../contract/modelIdentifier.ts';
import type { KeyKind } from '../contract/routes.ts';
import type { Explanation } from '../platform/notify.ts';

/** What holds for every request to a model: the user's settings, who may serve it, what it costs, and the words. */
export interface RequestRules {
	/** Puts the user's routing policy and parameters into a request, or says why it may not be sent. */
	apply(
		request: ChatRequest,
	): Promise<
		{ kind: 'ready'; request: ChatRequest; connection: Connection } | { kind: 'refused'; explanation: Explanation }
	>;
	/** Explains why a request failed. `connection` is the name by which the user knows it. */
	explain(error: unknown, request: ChatRequest | undefined, connection: string): Explanation;
	/** Says who may serve a model, in a few words and in whole sentences. */
	describe(connection: Connection, model: ConnectionModel): { served: string; lines: string[] };
	/** Returns what a reply has cost, as far as the connection states prices. */
	cost(
		connection: Connection,
		reply: { model: string; provider?: string; usage?: { prompt?: number; cached?: number; completion?: number } },
	): KnownCost;
}

/** The services from which the list of models is made. */
export interface ModelListParts {
	/** Resolves with the connection that the settings name, as far as they describe it. Nothing is asked. */
	connection(): Promise<Connection>;
	/** Resolves with the active connection, including what only its service knows. Starts the local service. */
	describe(): Promise<Connection>;
	keys: {
		state(connection: Connection, kind: KeyKind): Promise<'not-needed' | 'missing' | 'unconfirmed' | 'set'>;
		/** Asks for the key if it is missing. Resolves with false if the user gave none, which they were told. */
		ensure(connection: Connection, kind: KeyKind): Promise<boolean>;
	};
	/** Whether the user keeps the local service stopped, so that nothing starts it by itself. */
	isStopped(): boolean;
}

/** The services that answer requests of other extensions. */
export interface ModelRequestParts {
	/** Resolves with a client of the active connection. Starts the local service for the local connection. */
	active(): Promise<{ client: Pick<Client, 'chat'>; connection: Connection; label: string }>;
	/** Loads the rules of the chat. */
	rules(): Promise<RequestRules>;
	logger: Logger;
}

/** The events after which the list may have changed. */
export interface ModelChanges {
	/** Fires when another connection is active or keys have changed. */
	readonly onDidChange: Event<void>;
	/** Fires when the active connection has other models than before, and when its models are first known. */
	readonly onDidLearnModels: Event<void>;
}

/** What the root passes to this feature. */
export interface LanguageModelsDependencies {
	globalStorageUri: vscode.Uri;
	list: ModelListParts;
	requests: ModelRequestParts;
	changes: ModelChanges;
}
