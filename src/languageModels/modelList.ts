import type { RequestRules } from '../chat/api.ts';
import type { Connection } from '../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { LocalService } from '../localService/api.ts';
import type { Keys, Models } from '../models/api.ts';
import { executeCommand } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { accessSetting } from './access.ts';
import { type OfferedModel, offeredModels } from './offeredModels.ts';

/** The services from which the list of models is made. */
export interface ModelListParts {
	/** Returns the connection without asking its service. */
	connection: Models['active'];
	/**
	 * Resolves with the active connection, including the facts that only its service knows. Starts the local service.
	 */
	describe(): Promise<Connection>;
	keys: Pick<Keys, 'state' | 'ensure'>;
	isStopped: LocalService['isStopped'];
}

/** The models that are offered to other extensions: those of the active connection, as long as they may be used. */
export class ModelList {
	private readonly parts: ModelListParts;
	/** The last offer, for as long as the user keeps the local service stopped. */
	private offered: OfferedModel[] = [];
	/** The providers that have served last, by the ids of the models. */
	private readonly served = new Map<string, string>();

	constructor(parts: ModelListParts) {
		this.parts = parts;
	}

	/** Resolves with the connection whose models `read` returns. */
	connection(): Promise<Connection> {
		return this.parts.connection();
	}

	/** Resolves with no models if the key is missing: silently, or after asking for it. */
	async read(
		connection: Connection,
		{ silent, rules }: { silent: boolean; rules: RequestRules },
	): Promise<OfferedModel[]> {
		if (accessSetting() === 'never' || !(await this.hasKey(connection, silent))) {
			this.offered = [];
		} else if (silent && connection.name === LOCAL_CONNECTION_NAME && this.parts.isStopped()) {
			this.offered = this.offered.filter(model => model.connection === connection.name);
		} else {
			const described = await this.parts.describe();
			const servedBy = (model: string) => this.served.get(`${described.name}/${model}`);
			this.offered = await offeredModels(described, rules, servedBy);
		}
		return this.offered;
	}

	/** Remembers the provider of a model. Returns true if the last one was another provider, or if there was none. */
	noteServed({ id }: OfferedModel, provider: string): boolean {
		const isNew = this.served.get(id) !== provider;
		this.served.set(id, provider);
		return isNew;
	}

	/** Resolves with true if the connection has a key that may be sent, or needs none. */
	private async hasKey(connection: Connection, silent: boolean): Promise<boolean> {
		const { keys } = this.parts;
		const state = await keys.state(connection, 'inference');
		if (state === 'unconfirmed' && !silent) {
			await executeCommand(commands.manageKeys);
			return (await keys.state(connection, 'inference')) === 'set';
		}
		return state === 'missing' && !silent
			? keys.ensure(connection, 'inference')
			: state === 'set' || state === 'not-needed';
	}
}
