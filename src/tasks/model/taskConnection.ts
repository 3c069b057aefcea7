import type { Client } from '../../client/types.ts';

/** The active connection, as tasks see it. */
export interface TaskConnection {
	name: string;
	label: string;
	/** Whether the service runs on this machine and reads its directories. */
	isLocal: boolean;
	/** Whether the service sees repositories of a source host, including those that are not open here. */
	hasLookUps: boolean;
	agents: { id: string; label?: string | undefined; models: string[] }[];
	dashboardUrl?: string | undefined;
}

/** A connection with its client, because what was asked and confirmed for one is never sent to another. */
export interface TaskTarget {
	connection: TaskConnection;
	client: Client;
}

/** A task that a command is about, with the connection that is active. */
export interface TaskChoice {
	id: string;
	target: TaskTarget;
}

/**
 * Returns the task that a command's argument names or that the user chooses. Resolves with undefined when that was
 * dismissed or has failed, which is reported.
 */
export type ChooseTask = (argument: unknown, title: string) => Promise<TaskChoice | undefined>;
