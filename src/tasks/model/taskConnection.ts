import type { Client } from '../../client/types.ts';

/** The active connection, as the tasks see it. */
export interface TaskConnection {
	name: string;
	label: string;
	/** True if the service runs on this machine and reads its directories. */
	isLocal: boolean;
	/** True if the service sees repositories of a source host, including those that are not open here. */
	hasLookUps: boolean;
	agents: { id: string; label?: string | undefined; models: string[] }[];
	dashboardUrl?: string | undefined;
}

/** A connection with its client, so that a request confirmed for one is never sent to another. */
export interface TaskTarget {
	connection: TaskConnection;
	client: Client;
}

/**
 * Returns the task that a command's argument names or that the user chooses, with the active connection. Resolves with
 * undefined after a dismissal, or after a failure, which is shown to the user.
 */
export type ChooseTask = (argument: unknown, title: string) => Promise<{ id: string; target: TaskTarget } | undefined>;
