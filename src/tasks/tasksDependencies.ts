import type * as vscode from 'vscode';
import type { Event } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../contract/agents.ts';
import type { TaskComposer } from './launch/taskLauncher.ts';
import type { TaskConnection } from './model/taskConnection.ts';

/** The places in which this feature keeps its state. */
export interface TasksStorage {
	workspaceState: vscode.Memento;
	globalState: vscode.Memento;
	/** The storage folder of this workspace; undefined where none is open. */
	storageUri: vscode.Uri | undefined;
}

/** The active connection, on which tasks run. */
export interface TasksConnection {
	/** Returns its client. */
	client(): Promise<Client>;
	/** Returns the connection itself. */
	read(): Promise<TaskConnection>;
	/** Returns its agents as its service describes them now. */
	agents(): Promise<TaskConnection['agents']>;
	/**
	 * Asks the user for the key that tasks need, where it is missing. Resolves with false when there is still none, which
	 * the user has been told. It must not be called for background work.
	 */
	ensureKey(): Promise<boolean>;
	readonly onDidChange: Event<void>;
}

/** The local service, as far as tasks need it beyond the contract. */
export interface TasksLocalService {
	/** Whether the user has stopped the service, which background work must not start again. */
	isStopped(): boolean;
	readonly onDidChangeStopped: Event<void>;
	/** Registers folders for the service's look-ups. */
	nameRepositories(folders: readonly string[]): Promise<void>;
	/** Returns what a task would need that the user has not allowed yet. */
	checkTask(request: TaskCheckRequest): Promise<TaskCheck>;
	/** Makes the service keep what the user has allowed for a repository. */
	allow(consent: Consent): Promise<void>;
	/** Makes a commit of what an agent had done when its task was ended. Returns the name of its branch. */
	keepWork(taskId: string): Promise<string>;
}

/** The parts that the root provides to this feature. */
export interface TasksDependencies {
	extensionUri: vscode.Uri;
	storage: TasksStorage;
	connection: TasksConnection;
	localService: TasksLocalService;
	composer: TaskComposer;
	logger: Logger;
}
