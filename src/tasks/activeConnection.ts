import type { Client } from '../client/types.ts';
import type { TaskConnection, TaskTarget } from './model/taskConnection.ts';

export interface ActiveConnectionDependencies {
	connection(): Promise<TaskConnection>;
	client(): Promise<Client>;
}

/** The connection that the rows belong to: read once, and again after a switch. */
export class ActiveConnection {
	private readonly dependencies: ActiveConnectionDependencies;
	private known: TaskConnection | undefined;
	/** Counts the switches. */
	private generation = 0;

	constructor(dependencies: ActiveConnectionDependencies) {
		this.dependencies = dependencies;
	}

	/** Undefined until it was read. */
	get current(): TaskConnection | undefined {
		return this.known;
	}

	/** For sentences; the product's name until the connection's is known. */
	get label(): string {
		return this.known?.label ?? 'Errand';
	}

	is(connection: string): boolean {
		return connection === this.known?.name;
	}

	async read(): Promise<TaskConnection> {
		if (this.known) {
			return this.known;
		}
		const { generation } = this;
		const connection = await this.dependencies.connection();
		// What was asked for before a switch must not come to stand for what is active after it.
		if (generation === this.generation) {
			this.known = connection;
		}
		return connection;
	}

	/** With its client: what is begun on one connection is never sent to another. */
	async target(): Promise<TaskTarget> {
		const [connection, client] = await Promise.all([this.read(), this.dependencies.client()]);
		return { connection, client };
	}

	/** Another connection is active now. */
	switched(): void {
		this.generation++;
		this.known = undefined;
	}
}
