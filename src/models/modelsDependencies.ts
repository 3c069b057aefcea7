import type * as vscode from 'vscode';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { GatewayDescription } from '../contract/control.ts';
import type { FoundAnswer } from '../contract/foundServers.ts';

/** What the local service tells of model servers whose models it does not offer. */
export type Described = Pick<GatewayDescription, 'foundServers' | 'upstreamProblems'>;

/** The local service, behind which the model servers are. */
export interface LocalModelService {
	/** Hands the servers of the settings over, if it runs. */
	handOver(): Promise<void>;
	/** Returns what it offers now. Starts it if needed. */
	describeAll(): Promise<GatewayDescription>;
	/** Sends the user's answer about a server that it has found. */
	answerFound(answer: FoundAnswer): Promise<void>;
}

/** What the root provides to this feature. */
export interface ModelsDependencies {
	secrets: vscode.SecretStorage;
	/** Returns a client for a connection that sends this key, whichever is saved. */
	clientFor(connection: Connection, key: string): Promise<Client>;
	/** Returns a client for a connection, which sends the keys that are saved for it. */
	clientOf(connection: Connection): Promise<Client>;
	localService: LocalModelService;
	logger: Logger;
}
