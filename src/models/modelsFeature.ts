import * as vscode from 'vscode';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { LocalService } from '../localService/api.ts';
import { explainError, showExplanation } from '../platform/notify.ts';
import type { AddedModel, DescribedServers, UnusedServer } from './api.ts';
import type { KeysFeature } from './keys/keysFeature.ts';
import { serverKeyUse } from './keys/keyUse.ts';
import { namedConnection, ownServer, type Services } from './services.ts';
import { FoundServers, failingServers } from './unusedServers.ts';

/** The parts that the root provides to this feature. */
export interface ModelsDependencies {
	secrets: vscode.SecretStorage;
	/** Returns a client for a connection, which sends the keys saved for it. */
	clientOf(connection: Connection): Promise<Client>;
	/** The local service, behind which the model servers are. */
	localService: Pick<LocalService, 'handOver' | 'describeAll' | 'answerFoundServer'>;
	logger: Logger;
}

/** The actions on services, except for the active connection and its keys. */
export class ModelsFeature {
	private readonly services: Services;
	private readonly secrets: vscode.SecretStorage;
	private readonly found: FoundServers;
	private described: DescribedServers = { foundServers: [], upstreamProblems: [] };
	private isAdding = false;

	constructor(dependencies: ModelsDependencies, keys: KeysFeature) {
		const { secrets, clientOf: client, localService } = dependencies;
		const { answerFoundServer } = localService;
		this.secrets = secrets;
		this.services = {
			keys,
			client,
			local: {
				async offer() {
					await localService.handOver();
					return localService.describeAll();
				},
				described: () => this.described,
				answerFoundServer,
			},
			diagnose: name => this.diagnose(name),
		};
		this.found = new FoundServers(answerFoundServer);
	}

	/** Records the local service's report about its model servers, and asks about those that it has found. */
	noteDescription(described: DescribedServers): void {
		this.described = described;
		// The flow that adds services asks in its own way.
		if (!this.isAdding) {
			this.found.consider(described.foundServers);
		}
	}

	async unusedServers(): Promise<UnusedServer[]> {
		const { foundServers, upstreamProblems } = this.described;
		const failing = failingServers(upstreamProblems, async server => {
			const { manageServer } = await import('./manageService.ts');
			await explained(server.label, () => manageServer(server, this.services));
		});
		return [...this.found.unused(foundServers), ...failing];
	}

	/** `slug` names an existing model server, to add another model of it. */
	async addService(slug?: unknown): Promise<AddedModel | undefined> {
		const { addService } = await import('./addService.ts');
		this.isAdding = true;
		try {
			return await addService(this.services, slug);
		} finally {
			this.isAdding = false;
		}
	}

	/** Opens the list of all services. */
	async showServices(): Promise<void> {
		const { showServices } = await import('./serviceList.ts');
		await explained('', () => showServices(this.services));
	}

	/** Opens the report as a new document, from which it can be copied, saved and shortened. */
	private async diagnose(name: string): Promise<void> {
		await explained(name, async () => {
			const connection = namedConnection(name);
			const { diagnose } = await import('./diagnose/diagnoseConnection.ts');
			const content = await diagnose(connection, this.services);
			const document = await vscode.workspace.openTextDocument({ content, language: 'markdown' });
			await vscode.window.showTextDocument(document, { preview: false });
		});
	}

	/** Opens the list of the keys of the connection in use, and of those of servers. */
	async manageKeys(): Promise<void> {
		const { showKeys } = await import('./keyList.ts');
		await explained('', () => showKeys(this.services, this.secrets));
	}

	/** `slug` is the name of the server's entry. If it is not in the settings, the list of services opens. */
	async changeServerKey(slug: unknown): Promise<void> {
		const server = ownServer(slug);
		await (server ? this.services.keys.for(serverKeyUse(server)).set() : this.showServices());
	}
}

async function explained(name: string, run: () => Promise<unknown>): Promise<void> {
	try {
		await run();
	} catch (error) {
		await showExplanation(explainError(error, name));
	}
}
