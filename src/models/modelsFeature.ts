import * as vscode from 'vscode';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/types.ts';
import type { Connection } from '../contract/connection.ts';
import type { LocalService } from '../localService/api.ts';
import { explainError, showExplanation } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import type { ManageEnd } from './actionList.ts';
import type { AddedModel, DescribedServers, UnusedServer } from './api.ts';
import { namedConnection } from './connections.ts';
import { hostContext } from './hosts/hostContext.ts';
import type { KeyStore } from './keys/keyStore.ts';
import type { KeysFeature } from './keys/keysFeature.ts';
import type { ServerKey } from './keys/manageKeys.ts';
import type { OwnServer } from './ownServers.ts';
import { FoundServers, failingServers } from './unusedServers.ts';

/** The parts that the root provides to this feature. */
export interface ModelsDependencies {
	secrets: vscode.SecretStorage;
	/** Returns a client for a connection that sends this key, whichever is saved. */
	clientFor(connection: Connection, key: string): Promise<Client>;
	/** Returns a client for a connection, which sends the keys saved for it. */
	clientOf(connection: Connection): Promise<Client>;
	/** The local service, behind which the model servers are. */
	localService: Pick<LocalService, 'handOver' | 'describeAll' | 'answerFoundServer'>;
	logger: Logger;
}

/** The actions on services, except for the active connection and its keys. */
export class ModelsFeature {
	private readonly dependencies: ModelsDependencies;
	private readonly keys: KeysFeature;
	private readonly store: KeyStore;
	private readonly found: FoundServers;
	private described: DescribedServers = { foundServers: [], upstreamProblems: [] };
	private isAdding = false;

	constructor(dependencies: ModelsDependencies, keys: KeysFeature, store: KeyStore) {
		this.dependencies = dependencies;
		this.keys = keys;
		this.store = store;
		this.found = new FoundServers({ answer: answer => this.local.answerFoundServer(answer) });
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
		const manage = (server: OwnServer) => void this.explained(server.label, () => this.manageServer(server));
		return [...this.found.unused(foundServers), ...(await failingServers(upstreamProblems, this.store, manage))];
	}

	/** `slug` names an existing model server, to add another model of it. */
	async addService(slug?: unknown): Promise<AddedModel | undefined> {
		const [{ addService }, { findServers }, { ownerOfPort }, { usualServers }] = await Promise.all([
			import('./addService.ts'),
			import('./hosts/findServers.ts'),
			import('../base/portOwner.ts'),
			import('../contract/usualServers.ts'),
		]);
		const context = this.context();
		this.isAdding = true;
		try {
			return await addService(
				{
					context,
					keys: this.keys,
					store: this.store,
					findHere: signal => findServers(usualServers(process.env), { ...context, signal, ownerOf: ownerOfPort }),
					service: this.serverOptions().service,
				},
				slug,
			);
		} finally {
			this.isAdding = false;
		}
	}

	/** Opens the list of all services. */
	async showServices(): Promise<void> {
		const [{ showServices }, { manageFoundServer }] = await Promise.all([
			import('./serviceList.ts'),
			import('./manageServer.ts'),
		]);
		await this.explained('', () =>
			showServices({
				keys: this.keys,
				store: this.store,
				described: this.described,
				manage: {
					connection: name => this.manageConnection(name),
					server: server => this.manageServer(server),
					found: server => manageFoundServer(server, this.serverOptions()),
				},
				diagnose: () => this.diagnose(readSetting('errand.connection')),
			}),
		);
	}

	private async manageConnection(name: string): Promise<ManageEnd | undefined> {
		const { manageConnection } = await import('./manageConnection.ts');
		const { clientOf: client } = this.dependencies;
		const diagnose = (of: string) => this.diagnose(of);
		return manageConnection(name, { keys: this.keys, client, diagnose, context: this.context() });
	}

	private async manageServer(server: OwnServer): Promise<ManageEnd | undefined> {
		const { manageServer } = await import('./manageServer.ts');
		return manageServer(server, this.serverOptions());
	}

	/** Opens the report as a new document, from which it can be copied, saved and shortened. */
	private async diagnose(name: string): Promise<void> {
		await this.explained(name, async () => {
			const connection = namedConnection(name);
			const { diagnose } = await import('./diagnose/diagnoseConnection.ts');
			const { clientOf: client } = this.dependencies;
			const report = await diagnose(connection, { keys: this.keys, client, context: this.context() });
			const document = await vscode.workspace.openTextDocument({ content: report, language: 'markdown' });
			await vscode.window.showTextDocument(document, { preview: false });
		});
	}

	async serverKeys(): Promise<ServerKey[]> {
		const { readServerKeys } = await import('./serverKeys.ts');
		return readServerKeys(this.context(), this.store);
	}

	/** `slug` is the name of the server's entry. */
	async changeServerKey(slug: unknown): Promise<void> {
		const { changeKeyOf } = await import('./serverKeys.ts');
		await changeKeyOf(slug, this.context(), this.store);
	}

	private context() {
		return hostContext(this.dependencies.logger);
	}

	private get local(): ModelsDependencies['localService'] {
		return this.dependencies.localService;
	}

	private serverOptions() {
		const { local } = this;
		return {
			context: this.context(),
			store: this.store,
			service: {
				offer: async () => {
					await local.handOver();
					return local.describeAll();
				},
				problems: () => this.described.upstreamProblems,
				found: () => this.described.foundServers,
				answerFoundServer: local.answerFoundServer,
			},
		};
	}

	private async explained(name: string, run: () => Promise<unknown>): Promise<void> {
		try {
			await run();
		} catch (error) {
			await showExplanation(explainError(error, name));
		}
	}
}
