import type * as vscode from 'vscode';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { FailedTask, LogEntryText } from './model/triage.ts';

/** The active connection with its client, because what was shown for one is never sent to another. */
export interface DecisionConnection {
	client: Pick<Client, 'decisions'>;
	connection: Connection;
	/** The connection's name for the user. */
	label: string;
	isLocal: boolean;
}

/** A source from which the state of a decision is read, as the chat's context is. */
type ReadableSource =
	| {
			kind: 'selection';
			uri: string;
			range: { start: { line: number; character: number }; end: { line: number; character: number } };
	  }
	| { kind: 'file'; uri: string }
	| { kind: 'problems'; uri?: string }
	| { kind: 'diff'; uri: string }
	| { kind: 'text'; label: string; text: string };

export interface ReadText {
	label: string;
	text: string;
	/** Sentences on what the user has to see before it is sent. */
	warnings: string[];
}

export interface TaskPatch {
	name: string;
	text: string;
	/** Only the beginning is there. */
	isCut: boolean;
}

/** A task with what decides which questions about it make sense. */
export interface AskedTask {
	id: string;
	title: string;
	hasFailed: boolean;
	/** Several agents had its prompt. */
	isRace: boolean;
	/** It has ended with a branch. */
	hasChanges: boolean;
}

/** The part of the tasks feature that decisions need. Everything resolves with undefined where a question was dismissed. */
export interface DecisionTasks {
	/** Returns the task that an argument names or that the user chooses. */
	choose(
		argument: unknown,
		title: string,
		which: 'any' | 'failed' | 'changed',
	): Promise<(FailedTask & AskedTask) | undefined>;
	readLog(taskId: string, signal: AbortSignal): Promise<LogEntryText[]>;
	/** `argument` may name one of several results; otherwise the user is asked. */
	readChanges(
		taskId: string,
		argument: unknown,
		title: string,
	): Promise<(TaskPatch & { resultKey: string }) | undefined>;
	/** Returns the changes of an open comparison, of the agents of a task, or of what the user chooses. */
	readPatches(
		argument: unknown,
		title: string,
	): Promise<{ title: string; prompt: string; patches: TaskPatch[] } | undefined>;
	showLogEntry(taskId: string, index: number): Promise<void>;
}

/** The connection that a subject's questions go to, and the sources that may be read for them. */
export interface SubjectMaterial {
	active(): Promise<DecisionConnection>;
	/** Rejects with a sentence for the user where a source cannot be read. */
	readContext(source: ReadableSource): Promise<ReadText>;
	tasks: DecisionTasks;
}

/** The services of the window that every tab of a decision uses: its page, the question for a key, and the log. */
export interface TabDependencies {
	extensionUri: vscode.Uri;
	/**
	 * Asks the user for a connection's key of inference, where it is missing. Resolves with false when there is still
	 * none.
	 */
	ensureKey(connection: Connection): Promise<boolean>;
	logger: Logger;
}

/** The parts that the root provides to this feature. */
export interface DecisionsDependencies {
	material: SubjectMaterial;
	tab: TabDependencies;
	/** The state that keeps the runs and the criteria that were typed last. */
	workspaceState: vscode.Memento;
}
