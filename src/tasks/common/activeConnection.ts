import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { Client } from '../../client/types.ts';
import type { LocalService } from '../../localService/api.ts';
import { errorText } from '../../platform/notify.ts';
import type { TaskConnection, TaskTarget } from '../model/taskConnection.ts';

export interface ActiveConnectionDependencies {
	connection: {
		read(): Promise<TaskConnection>;
		client(): Promise<Client>;
	};
	localService: Pick<LocalService, 'isStopped'>;
}

/** The connection to which the rows belong. It is read once, and again after a switch. */
export class ActiveConnection {
	private readonly dependencies: ActiveConnectionDependencies;
	private known: TaskConnection | undefined;
	/** The number of switches so far. */
	private generation = 0;

	constructor(dependencies: ActiveConnectionDependencies) {
		this.dependencies = dependencies;
	}

	/** Undefined until the connection has been read. */
	get current(): TaskConnection | undefined {
		return this.known;
	}

	/** The connection's label for sentences, or the product's name until it is known. */
	get label(): string {
		return this.known?.label ?? 'Errand';
	}

	/**
	 * True if the connection's service is the local one and the user has stopped it, so that only the user's own
	 * requests may reach it.
	 */
	get isStopped(): boolean {
		return this.known?.isLocal === true && this.dependencies.localService.isStopped();
	}

	/** Describes an error of the connection in a sentence. */
	explain(error: unknown): string {
		return errorText(error, this.label);
	}

	is(connection: string): boolean {
		return connection === this.known?.name;
	}

	async read(): Promise<TaskConnection> {
		if (this.known) {
			return this.known;
		}
		const { generation } = this;
		const connection = await this.dependencies.connection.read();
		// A connection that was requested before a switch must not replace the one that is active after it.
		if (generation === this.generation) {
			this.known = connection;
		}
		return connection;
	}

	/** Returns the connection with its client, so that a request of one connection is never sent to another. */
	async target(): Promise<TaskTarget> {
		const [connection, client] = await Promise.all([this.read(), this.dependencies.connection.client()]);
		return { connection, client };
	}

	/**
	 * Returns the connection of that name with its client, for a document that the editor shows again. Throws a
	 * UserFacingError if the connection is not active or its service is stopped.
	 */
	async targetOf(connection: string): Promise<TaskTarget> {
		const { name, label } = await this.read();
		if (name !== connection) {
			throw new UserFacingError(
				vscode.l10n.t(
					'This document belongs to the connection “{0}”, but “{1}” is active. Switch to it to read the document.',
					connection,
					label,
				),
			);
		}
		if (this.isStopped) {
			throw new UserFacingError(
				vscode.l10n.t('The local service, which has this task, is stopped. Refresh the tasks to start it again.'),
			);
		}
		return this.target();
	}

	/** Called after a switch to another connection. */
	switched(): void {
		this.generation++;
		this.known = undefined;
	}
}
