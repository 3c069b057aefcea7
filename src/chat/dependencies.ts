import type * as vscode from 'vscode';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { TaskSettings } from '../contract/agents.ts';
import type { Connection } from '../contract/connection.ts';
import type { ChatAgentsDependencies } from './agent/chatAgents.ts';
import type { ChatContextOptions } from './context/chatContext.ts';
import type { HandOver } from './context/sendToTask.ts';
import type { EncryptedChannels } from './conversation/conversationChannel.ts';
import type { ModelPickerOptions } from './settings/modelPicker.ts';

/** What the root passes to the chat. */
export interface ChatDependencies {
	extensionUri: vscode.Uri;
	globalStorageUri: vscode.Uri;
	/** The storage of this window's workspace; undefined where no folder is open. */
	storageUri: vscode.Uri | undefined;
	/** The editor's state of this window's workspace. */
	workspaceState: vscode.Memento;
	/** Resolves with a client for the active connection. The local service starts with its first request. */
	client(): Promise<Client>;
	/** The channels through which all messages of encrypted conversations go. */
	channels: EncryptedChannels;
	/**
	 * Resolves with the active connection: its name in the settings, the name by which the user knows it, and its chat
	 * model, which is undefined where none is configured.
	 */
	connection(): Promise<{
		name: string;
		label: string;
		model: string | undefined;
		/** Only the demo answers there, as no model server was added. */
		isDemo: boolean;
		/** Why the connection has no encrypted channel, as a sentence; absent where it has one. */
		noEncryption?: string;
	}>;
	/** Resolves with the active connection, including what only its service knows. The local service starts with it. */
	describeConnection(): Promise<Connection>;
	/** Model servers that the local connection could use and does not, as of its last description. */
	unusedServers: ModelPickerOptions['unusedServers'];
	/**
	 * Lets the user add a model server and choose one of its models, which chat uses from then on. Resolves with undefined
	 * where the user leaves.
	 */
	addModelServer(): Promise<{ name: string; server: string } | undefined>;
	/**
	 * Resolves with the origins of the active connection's service. Images may be loaded from there even in a private
	 * network.
	 */
	serviceOrigins(): Promise<readonly string[]>;
	/**
	 * Asks the user for the key that a message needs, where it is missing, after calling `onAsk`. Resolves with false
	 * when there is still none, and the user has been told so.
	 */
	ensureKey(onAsk: () => void): Promise<boolean>;
	/** The settings about agents on this machine, as they are now. */
	agentSettings(): Promise<TaskSettings>;
	/** The tasks, which are registered after the chat. */
	tasks(): {
		readForChat: ChatContextOptions['readTask'];
		propose: HandOver['proposeTask'];
		/** Changes between two commits of a repository. */
		ranges: ReturnType<ChatAgentsDependencies['ranges']>;
	};
	onDidChangeConnection: Event<void>;
	/** Opens the network connection in advance when the view opens; failures do not matter. */
	warm(): void;
	logger: Logger;
}
