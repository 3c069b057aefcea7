import * as vscode from 'vscode';
import { explainError, showExplanation } from '../platform/notify.ts';
import { readSetting } from '../platform/settings.ts';
import { type AddActions, addConnection } from './addConnection.ts';
import { namedConnection } from './connections.ts';
import { manageConnection } from './manageConnection.ts';
import type { ConnectionsDependencies } from './model/connectionsDependencies.ts';

/** What is done with connections beyond choosing one. */
export class ConnectionsFeature {
	private readonly dependencies: ConnectionsDependencies;

	constructor(dependencies: ConnectionsDependencies) {
		this.dependencies = dependencies;
	}

	async add(): Promise<void> {
		await this.explained('', () => addConnection(this.dependencies, this.actions()));
	}

	/** Opens the list in which a connection of the settings is changed. */
	async manage(name: string): Promise<void> {
		await this.explained(name, () => manageConnection(name, this.dependencies, this.actions()));
	}

	private actions(): AddActions {
		const transfer = () => import('./transferConnections.ts');
		return {
			diagnose: name => this.diagnose(name),
			exportSome: async names => (await transfer()).exportConnections(names),
			importSome: async () => (await transfer()).importConnections(),
		};
	}

	/** Opens the report as a new document, from which it can be copied, saved and shortened. */
	async diagnose(name = readSetting('errand.connection')): Promise<void> {
		await this.explained(name, async () => {
			const connection = namedConnection(name);
			const { diagnose } = await import('./diagnose/diagnoseConnection.ts');
			const report = await diagnose(connection, this.dependencies);
			const document = await vscode.workspace.openTextDocument({ content: report, language: 'markdown' });
			await vscode.window.showTextDocument(document, { preview: false });
		});
	}

	private async explained(name: string, run: () => Promise<void>): Promise<void> {
		try {
			await run();
		} catch (error) {
			await showExplanation(explainError(error, name));
		}
	}
}
