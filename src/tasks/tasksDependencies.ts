import type * as vscode from 'vscode';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../contract/agents.ts';
import type { TaskConnection } from './model/taskConnection.ts';

/** The parts that the root provides to this feature. */
export interface TasksDependencies {
	workspaceState: vscode.Memento;
	globalState: vscode.Memento;
	/** The storage folder of this workspace; undefined where none is open. */
	storageUri: vscode.Uri | undefined;
	/** Returns the client of the active connection. */
	client(): Promise<Client>;
	/** Returns the active connection. */
	connection(): Promise<TaskConnection>;
	/** Returns the agents of the active connection as its service describes them now. */
	agents(): Promise<TaskConnection['agents']>;
	/**
	 * Asks the user for the key that tasks need, where it is missing. Resolves with false when there is still none, which
	 * the user has been told. It must not be called for background work.
	 */
	ensureKey(): Promise<boolean>;
	/** Registers folders for the local service's look-ups. */
	nameRepositories(folders: readonly string[]): Promise<void>;
	localService: {
		/** Whether the user has stopped the service, which background work must not start again. */
		isStopped(): boolean;
		readonly onDidChangeStopped: Event<void>;
		/** Returns what a task would need that the user has not allowed yet. */
		checkTask(request: TaskCheckRequest): Promise<TaskCheck>;
		/** Makes the service keep what the user has allowed for a repository. */
		allow(consent: Consent): Promise<void>;
		/** Makes a commit of what an agent had done when its task was ended. Returns the name of its branch. */
		keepWork(taskId: string): Promise<string>;
	};
	onDidChangeConnection: Event<void>;
	logger: Logger;
}
