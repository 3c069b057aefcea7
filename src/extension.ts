import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { defined } from './base/defined.ts';
import { describeError } from './base/errors.ts';
import { channelMemoryStore, registerChannel } from './channel/register.ts';
import { registerChat } from './chat/register.ts';
import { createConnect } from './connect.ts';
import { registerCosts } from './costs/register.ts';
import { registerDecisions } from './decisions/register.ts';
import { registerLanguageModels } from './languageModels/register.ts';
import { registerLocalService } from './localService/register.ts';
import { registerMcp } from './mcp/register.ts';
import { registerModels } from './models/register.ts';
import { registerCommand, setContextKey } from './platform/commands.ts';
import { commands } from './platform/ids.ts';
import { createLog } from './platform/log.ts';
import { readTextSetting } from './platform/settings.ts';
import { openWorkspaceState } from './platform/sharedState.ts';
import { registerSignInLinks } from './platform/signInLinks.ts';
import { registerTasks } from './tasks/register.ts';

let closeChat: (() => Promise<void>) | undefined;

/** Builds the features in the order of their dependencies, and hands each what it needs. Nothing loads or starts here. */
export function activate(context: vscode.ExtensionContext): void {
	try {
		wire(context);
	} catch (error) {
		// The editor itself shows nothing when an extension fails to activate.
		void vscode.window.showErrorMessage(
			vscode.l10n.t('Errand couldn’t start: {0}. Reload the window to try again.', describeError(error)),
		);
		throw error;
	}
}

/** The editor waits for this before it ends the extension host, but not for work that a `dispose` starts. */
export async function deactivate(): Promise<void> {
	await closeChat?.();
	closeChat = undefined;
}

function wire(context: vscode.ExtensionContext): void {
	// The layers without the editor’s interface take their texts from here.
	l10n.config({ contents: vscode.l10n.bundle ?? {} });
	const { extensionUri, globalState, globalStorageUri, secrets, storageUri } = context;
	const log = createLog();
	const workspaceState = openWorkspaceState(
		globalStorageUri.fsPath,
		vscode.workspace.workspaceFolders?.[0]?.uri.toString(),
		context.workspaceState,
		log.logger('state'),
	);
	const logger = log.logger('local service');
	const models = registerModels({
		secrets,
		clientOf: connection => connect.clientOf(connection),
		localService: {
			handOver: () => localService.handOver(),
			describeAll: () => localService.describeAll(),
			answerFoundServer: answer => localService.answerFoundServer(answer),
		},
		logger: log.logger('models'),
	});
	const { keys } = models;
	const signInLinks = registerSignInLinks(context.subscriptions);
	const localService = registerLocalService({ extensionUri, globalState, models, logger, showLog: log.show });
	const connect = createConnect({
		connections: models,
		keys,
		localService,
		channelMemory: channelMemoryStore(globalState),
		chosenModel: () => readTextSetting('errand.chat.model'),
		logger: log.logger('client'),
	});
	const channel = registerChannel({ extensionUri, globalState, active: connect.active, logger: log.logger('channel') });
	const chat = registerChat({
		places: { extensionUri, globalStorageUri, storageUri, workspaceState, globalState, secrets, signInLinks },
		connection: {
			read: async () => {
				const noEncryption = await channel.refusal(await models.active());
				return { ...(await connect.ofChat()), ...defined({ noEncryption }) };
			},
			describe: connect.describe,
			origins: connect.origins,
			onDidChange: connect.onDidChange,
		},
		service: {
			client: connect.client,
			channels: channel,
			ensureKey: onAsk => connect.ensureKey('inference', onAsk),
			warm: connect.warm,
		},
		machine: {
			unusedServers: models.unusedServers,
			addService: models.addService,
			agentSettings: localService.agentSettings,
		},
		tasks: () => tasks,
		logger: log.logger('chat'),
	});
	closeChat = chat.close;
	const tasks = registerTasks({
		extensionUri,
		storage: { workspaceState, globalState, storageUri },
		connection: {
			client: connect.client,
			read: connect.ofTasks,
			agents: async () => (await connect.describe()).agents,
			ensureKey: () => connect.ensureKey('cloud'),
			onDidChange: connect.onDidChange,
		},
		localService,
		composer: { write: chat.writeTask, made: chat.taskMade },
		serversForTasks: chat.serversForTasks,
		logger: log.logger('tasks'),
	});
	const languageModels = registerLanguageModels({
		globalStorageUri,
		list: { connection: models.active, describe: connect.describe, keys, isStopped: localService.isStopped },
		requests: { active: connect.active, rules: chat.requestRules, logger: log.logger('language models') },
		changes: connect,
	});
	// The editor opens the walkthrough of a newly installed extension by itself, unless its condition becomes true only
	// later.
	setContextKey('errand.isActive', true);
	context.subscriptions.push(
		registerCommand(commands.showLog, log.show),
		models,
		localService,
		connect,
		channel,
		chat,
		tasks,
		languageModels,
		registerDecisions({
			material: { active: connect.active, readContext: chat.readContext, tasks },
			tab: { extensionUri, ensureKey: asked => keys.ensure(asked, 'inference'), logger: log.logger('decisions') },
			workspaceState,
		}),
		registerMcp(extensionUri, { connect, keys, localService, tasks, logger: log.logger('mcp') }),
		registerCosts({ connections: models, localService, chat, languageModels }),
		// The log is disposed of last, because the others still write to it while they are disposed of.
		log,
	);
}
