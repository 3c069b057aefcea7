import * as vscode from 'vscode';
import { describeError } from './base/errors.ts';
import { registerChat } from './chat/register.ts';
import { createConnect } from './connect.ts';
import { registerConnections } from './connections/register.ts';
import { LOCAL_CONNECTION_NAME } from './contract/localConnection.ts';
import { registerKeys } from './keys/register.ts';
import { registerLocalService } from './localService/register.ts';
import { registerCommand } from './platform/commands.ts';
import { commands } from './platform/ids.ts';
import { createLog } from './platform/log.ts';
import { readSetting } from './platform/settings.ts';
import { registerTasks } from './tasks/register.ts';

/** Builds the features in the order of their needs and hands each what it asks for. Nothing loads or starts here. */
export function activate(context: vscode.ExtensionContext): void {
	try {
		wire(context);
	} catch (error) {
		// The editor itself says nothing when an extension fails to activate.
		void vscode.window.showErrorMessage(
			vscode.l10n.t('Errand could not start: {0}. Reload the window to try again.', describeError(error)),
		);
		throw error;
	}
}

function wire(context: vscode.ExtensionContext): void {
	const log = createLog();
	const connections = registerConnections();
	const keys = registerKeys({
		secrets: context.secrets,
		activeConnection: connections.active,
		logger: log.logger('keys'),
	});
	const localService = registerLocalService({
		extensionUri: context.extensionUri,
		logger: log.logger('local service'),
		showLog: log.show,
	});
	const connect = createConnect({ connections, keys, localService, logger: log.logger('client') });
	context.subscriptions.push(
		log,
		registerCommand(commands.showLog, log.show),
		connections,
		keys,
		localService,
		connect,
		registerChat({
			extensionUri: context.extensionUri,
			globalStorageUri: context.globalStorageUri,
			client: connect.client,
			connection: async () => {
				const connection = await connections.active();
				const model =
					readSetting('errand.chat.model') || connection.models.find(({ kinds }) => kinds.includes('chat'))?.id;
				return { label: connection.label ?? connection.name, model };
			},
			onDidChangeConnection: connect.onDidChange,
			warm: connect.warm,
			logger: log.logger('chat'),
		}),
		registerTasks({
			workspaceState: context.workspaceState,
			globalState: context.globalState,
			client: connect.client,
			connection: async () => {
				const connection = await connections.active();
				return {
					name: connection.name,
					label: connection.label ?? connection.name,
					isLocal: connection.name === LOCAL_CONNECTION_NAME,
					agents: connection.agents,
				};
			},
			onDidChangeConnection: connect.onDidChange,
			logger: log.logger('tasks'),
		}),
	);
}
