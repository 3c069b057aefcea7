import type * as vscode from 'vscode';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { EncryptedChannels } from './conversation/conversationChannel.ts';
import type { ModelPickerOptions } from './policy/modelPicker.ts';

/** What the root hands to the chat. */
export interface ChatDependencies {
	extensionUri: vscode.Uri;
	globalStorageUri: vscode.Uri;
	/** Of this window's workspace; undefined where no folder is open. */
	storageUri: vscode.Uri | undefined;
	/** Of this window's workspace. */
	workspaceState: vscode.Memento;
	/** A client for the active connection; the local service starts with its first request. */
	client(): Promise<Client>;
	/** Encrypted conversations go through these alone. */
	channels: EncryptedChannels;
	/** Of the active connection: its name in the settings, how the user knows it, and the model chat uses (undefined: none is configured). */
	connection(): Promise<{
		name: string;
		label: string;
		model: string | undefined;
		/** Why it has no encrypted channel, as a sentence; absent where it has one. */
		noEncryption?: string;
	}>;
	/** The active connection with what only its service knows; the local service starts with it. */
	describeConnection(): Promise<Connection>;
	/** Model servers that the local connection could have and does not use, as they were when it was described last. */
	unusedServers: ModelPickerOptions['unusedServers'];
	/** Where the active connection's service is: images may be loaded from there, wherever that is. */
	serviceOrigins(): Promise<readonly string[]>;
	/**
	 * Asks the user for the key that a message needs, after `onAsk`, where it is missing. Resolves with false when there
	 * is still none, which was said.
	 */
	ensureKey(onAsk: () => void): Promise<boolean>;
	onDidChangeConnection: Event<void>;
	/** Warms the connection when the view opens (best effort). */
	warm(): void;
	logger: Logger;
}
