import type * as vscode from 'vscode';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { TaskSettings } from '../contract/agents.ts';
import type { Connection } from '../contract/connection.ts';
import type { EncryptedChannels } from './conversation/encryptedChannels.ts';
import type { ChatTasks } from './model/chatTasks.ts';
import type { UnusedServer } from './model/unusedServer.ts';

/** The folder of all conversations, in the extension's global storage. It is made when the first one is kept. */
export const CONVERSATIONS_FOLDER = 'conversations';

/** The folders of the extension and of the chat's files, and the state of the window. */
export interface ChatPlaces {
	extensionUri: vscode.Uri;
	globalStorageUri: vscode.Uri;
	/** The storage of this window's workspace; undefined where no folder is open. */
	storageUri: vscode.Uri | undefined;
	/** The editor's state of this window's workspace. */
	workspaceState: vscode.Memento;
}

/** The active connection as the settings and its service describe it. */
export interface ChatConnection {
	/**
	 * Resolves with its name in the settings, the name by which the user knows it, and its chat model, which is undefined
	 * where none is configured.
	 */
	read(): Promise<{
		name: string;
		label: string;
		model: string | undefined;
		/** Only the demo answers there, as no model server was added. */
		isDemo: boolean;
		/** Why the connection has no encrypted channel, as a sentence; absent where it has one. */
		noEncryption?: string;
	}>;
	/** Resolves with the connection, including what only its service knows. The local service starts with it. */
	describe(): Promise<Connection>;
	/** Resolves with the origins of its service. Images may be loaded from there even in a private network. */
	origins(): Promise<readonly string[]>;
	onDidChange: Event<void>;
}

/** The means to reach the service of the active connection. */
export interface ServiceAccess {
	/** Resolves with a client for it. The local service starts with its first request. */
	client(): Promise<Client>;
	/** The channels through which all messages of encrypted conversations go. */
	channels: EncryptedChannels;
	/**
	 * Asks the user for the key that a message needs, where it is missing, after calling `onAsk`. Resolves with false
	 * when there is still none, and the user has been told so.
	 */
	ensureKey(onAsk: () => void): Promise<boolean>;
	/** Opens the network connection in advance when the view opens; failures do not matter. */
	warm(): void;
}

/** The model servers and the agents of this machine. */
export interface ThisMachine {
	/** Resolves with model servers that the local connection could use and does not, as of its last description. */
	unusedServers(): Promise<readonly UnusedServer[]>;
	/**
	 * Lets the user add a service, or choose a model of the server whose name is given. Resolves with the model that chat
	 * uses from then on, or with undefined where that has not changed.
	 */
	addService(slug?: unknown): Promise<{ name: string; server: string } | undefined>;
	/** Resolves with the settings about agents, as they are now. */
	agentSettings(): Promise<TaskSettings>;
}

/** The services that the root passes to the chat. The panel gives each of its parts what that part uses. */
export interface ChatDependencies {
	places: ChatPlaces;
	connection: ChatConnection;
	service: ServiceAccess;
	machine: ThisMachine;
	/** The tasks, which are registered after the chat. */
	tasks(): ChatTasks;
	logger: Logger;
}
