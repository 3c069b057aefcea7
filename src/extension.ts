import * as vscode from 'vscode';
import { defined } from './base/defined.ts';
import { describeError } from './base/errors.ts';
import { channelMemoryStore, registerChannel } from './channel/register.ts';
import { registerChat } from './chat/register.ts';
import { createConnect } from './connect.ts';
import { registerConnections } from './connections/register.ts';
import { LOCAL_CONNECTION_NAME } from './contract/localConnection.ts';
import type { KeyKind } from './contract/routes.ts';
import { registerKeys } from './keys/register.ts';
import { registerLocalService } from './localService/register.ts';
import { registerCommand } from './platform/commands.ts';
import { commands } from './platform/ids.ts';
import { createLog } from './platform/log.ts';
import { readTextSetting } from './platform/settings.ts';
import { openWorkspaceState } from './platform/sharedState.ts';
import { registerTasks } from './tasks/register.ts';

let closeChat: (() => Promise<void>) | undefined;

/**
 * Builds the features in the order of their dependencies and gives each what it needs. Nothing loads or starts here.
 */
export function activate(context: vscode.ExtensionContext): void {
	try {
		wire(context);
	} catch (error) {
		// The editor itself shows nothing when an extension fails to activate.
		void vscode.window.showErrorMessage(
			vscode.l10n.t('Errand could not start: {0}. Reload the window to try again.', describeError(error)),
		);
		throw error;
	}
}

/** The editor waits for this before it ends the extension host, but not for anything that a `dispose` starts. */
export async function deactivate(): Promise<void> {
	await closeChat?.();
	closeChat = undefined;
}

function wire(context: vscode.ExtensionContext): void {
	const log = createLog();
	const workspaceState = openWorkspaceState(
		context.globalStorageUri.fsPath,
		vscode.workspace.workspaceFolders?.[0]?.uri.toString(),
		context.workspaceState,
		log.logger('state'),
	);
	const keys = registerKeys({
		secrets: context.secrets,
		activeConnection: () => connections.active(),
		manageLocalKeys: () => localService.manageUpstreamKeys(),
		client: (connection, key) => connect.clientFor(connection, key),
		logger: log.logger('keys'),
	});
	const connections = registerConnections(keys);
	// The request itself reports what is wrong with the connection.
	const ensureKey = async (kind: KeyKind, onAsk?: () => void): Promise<boolean> => {
		const connection = await connections.active().catch(() => undefined);
		return connection === undefined || keys.ensure(connection, kind, onAsk);
	};
	const localService = registerLocalService({
		extensionUri: context.extensionUri,
		secrets: context.secrets,
		logger: log.logger('local service'),
		showLog: log.show,
	});
	const connect = createConnect({
		connections,
		keys,
		localService,
		channelMemory: channelMemoryStore(context.globalState),
		logger: log.logger('client'),
	});
	const channel = registerChannel({
		extensionUri: context.extensionUri,
		globalState: context.globalState,
		active: async () => {
			const { client, connection } = await connect.active();
			const { label, name } = connection;
			return { client, connection, label: label ?? name, isLocal: name === LOCAL_CONNECTION_NAME };
		},
		logger: log.logger('channel'),
	});
	const chat = registerChat({
		extensionUri: context.extensionUri,
		globalStorageUri: context.globalStorageUri,
		storageUri: context.storageUri,
		workspaceState,
		client: connect.client,
		channels: channel,
		connection: async () => {
			const connection = await connections.active();
			const model =
				readTextSetting('errand.chat.model') || connection.models.find(({ kinds }) => kinds.includes('chat'))?.id;
			const noEncryption = await channel.refusal(connection);
			const { name, label = name } = connection;
			return { name, label, model, ...defined({ noEncryption }) };
		},
		describeConnection: connect.describe,
		unusedServers: localService.unusedServers,
		serviceOrigins: connect.origins,
		ensureKey: onAsk => ensureKey('inference', onAsk),
		onDidChangeConnection: connect.onDidChange,
		warm: connect.warm,
		logger: log.logger('chat'),
	});
	closeChat = chat.close;
	context.subscriptions.push(
		registerCommand(commands.showLog, log.show),
		connections,
		keys,
		localService,
		connect,
		channel,
		chat,
		registerTasks({
			workspaceState,
			globalState: context.globalState,
			storageUri: context.storageUri,
			client: connect.client,
			connection: async () => {
				const connection = await connections.active();
				return {
					name: connection.name,
					label: connection.label ?? connection.name,
					isLocal: connection.name === LOCAL_CONNECTION_NAME,
					hasLookUps: connection.name !== LOCAL_CONNECTION_NAME && connection.scm !== undefined,
					agents: connection.agents,
					dashboardUrl: connection.dashboardUrl,
				};
			},
			ensureKey: () => ensureKey('cloud'),
			nameRepositories: localService.nameRepositories,
			localService,
			onDidChangeConnection: connect.onDidChange,
			logger: log.logger('tasks'),
		}),
		// The log is disposed of last, because the others still write to it while they are disposed of.
		log,
	);
}
