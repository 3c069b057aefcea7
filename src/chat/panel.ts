import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { defined } from '../base/defined.ts';
import { DisposableStore, MutableDisposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { LocalService } from '../localService/api.ts';
import type { Models } from '../models/api.ts';
import { executeCommand } from '../platform/commands.ts';
import { type PickerEnd, thenComposer } from '../platform/editorUse.ts';
import { commands, internalCommands } from '../platform/ids.ts';
import { explainError, offer } from '../platform/notify.ts';
import { type PageService, serveMessage } from '../platform/serveMessage.ts';
import { onDidChangeSetting, readSetting } from '../platform/settings.ts';
import type { SignInLinks } from '../platform/signInLinks.ts';
import { webviewRoot } from '../platform/webview.ts';
import type { Tasks } from '../tasks/api.ts';
import { agentHandlers } from './agent/agentHandlers.ts';
import { ChatAgents } from './agent/chatAgents.ts';
import { QuestionDiffs } from './agent/questionDiffs.ts';
import { blockHandlers } from './blocks/blockHandlers.ts';
import type { ReplyTools } from './blocks/replyTools.ts';
import { ChatNews } from './chatNews.ts';
import { ChatPage, chatDocument } from './chatPage.ts';
import { ChatContext } from './context/chatContext.ts';
import { Prompts } from './context/prompts.ts';
import { TaskMode } from './context/taskMode.ts';
import type { TerminalMemory } from './context/terminalMemory.ts';
import type { Chat } from './conversation/chat.ts';
import type { ChatService } from './conversation/chatOptions.ts';
import { OpenConversations, type ShownChange } from './conversation/openConversations.ts';
import { modeModelsOf } from './conversation/replyRequest.ts';
import { WaitingMessage } from './conversation/waitingMessage.ts';
import { workspaceTag } from './conversations/workspaceTag.ts';
import { EncryptionController } from './encrypted/encryptionController.ts';
import { createFetchImage } from './images/remoteImage.ts';
import { finishExplanation } from './messages/messages.ts';
import type { SettingsSource } from './model/applySettings.ts';
import { lastShown, unsentChoices } from './model/shownConversation.ts';
import { modeHandlers } from './modes/modeHandlers.ts';
import type { FromPage, PageHandlers } from './protocol/protocol.ts';
import { parseFromPage } from './protocol/protocolSchema.ts';
import { explainRequestFailure } from './settings/messages.ts';
import { storedModels } from './settings/modelSources.ts';
import { CHAT_SETTINGS, readChatSettings } from './settings/readChatSettings.ts';
import type { SettingsPickers } from './settings/settingsPickers.ts';
import { type ChatConnection, ShownConnection } from './shownConnection.ts';
import { ConversationStore } from './storage/conversationStore.ts';
import { ImageStore } from './storage/imageStore.ts';
import { PageStateFile, windowFile } from './storage/pageStateFile.ts';
import { goOnFrom, type TurnConnection, turnHandlers } from './turnHandlers.ts';

/** Messages that the page sends without a user's action. */
const BACKGROUND: ReadonlySet<FromPage['kind']> = new Set(['answer', 'draft-hold', 'focus-set', 'state-keep']);

/** The services that the root passes to the chat. The panel gives each of its parts the services that it uses. */
export interface ChatDependencies {
	places: {
		extensionUri: vscode.Uri;
		globalStorageUri: vscode.Uri;
		/** The storage of this window's workspace; undefined if no folder is open. */
		storageUri: vscode.Uri | undefined;
		/** The editor's state for this window's workspace, and for the user. */
		workspaceState: vscode.Memento;
		globalState: vscode.Memento;
		secrets: vscode.SecretStorage;
		signInLinks: SignInLinks;
	};
	connection: ChatConnection;
	/** The service of the active connection. The local service starts with the first request. */
	service: Pick<ChatService, 'client' | 'channels'> &
		Pick<TurnConnection, 'ensureKey'> & {
			/** Opens the network connection in advance when the view opens; failures do not matter. */
			warm(): void;
		};
	machine: Pick<Models, 'unusedServers' | 'addService'> & Pick<LocalService, 'agentSettings'>;
	/** The tasks, which are registered after the chat. */
	tasks(): Tasks;
	logger: Logger;
}

/** The chat view: creates its page and connects the parts that handle the page's messages. */
export class ChatPanel {
	private readonly dependencies: ChatDependencies;
	private readonly store = new DisposableStore();
	private readonly view = this.store.add(new MutableDisposable<DisposableStore>());
	/** Resolves to the conversations, which are opened with the panel. */
	readonly conversations: Promise<OpenConversations>;
	/** The context of the next message. */
	readonly context: ChatContext;
	private readonly connection: ShownConnection;
	readonly page: ChatPage;
	private readonly news: ChatNews;
	private readonly waiting = new WaitingMessage();
	private readonly settings: SettingsSource;
	private tools: Promise<ReplyTools> | undefined;
	readonly encryption: EncryptionController;
	/** The task mode of the composer, into which commands outside the chat write prompts. */
	readonly taskMode: TaskMode;
	readonly agents: ChatAgents;
	/** Also used by the commands of the editor's title. */
	readonly questionDiffs: QuestionDiffs;
	private readonly pageState: PageStateFile;
	private readonly handlers: PageHandlers<FromPage['kind']>;
	private readonly service: PageService<FromPage>;

	/** `folder` is that of all conversations. `terminal` returns the memory of the terminals once a command has run. */
	constructor(dependencies: ChatDependencies, folder: string, terminal: () => TerminalMemory | undefined) {
		this.dependencies = dependencies;
		this.connection = new ShownConnection(dependencies.connection);
		const { places, service, connection, logger } = dependencies;
		const { storageUri, globalStorageUri, workspaceState } = places;
		this.pageState = new PageStateFile(
			storageUri === undefined
				? windowFile(vscode.Uri.joinPath(globalStorageUri, 'windows').fsPath, workspaceState)
				: vscode.Uri.joinPath(storageUri, 'chatPage.json').fsPath,
		);
		this.settings = { defaults: readChatSettings, connection: connection.describe };
		const images = new ImageStore(folder, createFetchImage(connection.origins), logger);
		this.agents = new ChatAgents({
			storage: { ...places, folder: vscode.Uri.joinPath(globalStorageUri, 'agents').fsPath },
			connection: this.connection,
			client: service.client,
			conversations: {
				shown: () => this.shown(),
				asks: id => void this.news.asks(id),
				agentChanged: chat => this.showAgent(chat),
			},
			settings: dependencies.machine.agentSettings,
			ranges: () => dependencies.tasks().ranges,
			logger,
		});
		this.conversations = OpenConversations.open({
			store: new ConversationStore(folder, logger, systemClock, id => void this.agents.forget(id)),
			remembered: lastShown(workspaceState),
			chat: {
				service: {
					client: service.client,
					connection: () => this.connection.toAsk(),
					modes: async () => modeModelsOf(await connection.describe()),
					channels: {
						...service.channels,
						open: (address, options) =>
							service.channels.open(address, { ...options, around: run => this.page.aroundQuestion(run) }),
					},
					settings: this.settings,
					agents: this.agents,
				},
				explain: {
					error: (error, connection, asked, mode) =>
						explainRequestFailure(error, asked, mode) ?? explainError(error, connection, { hasRetry: true }),
					finish: finishExplanation,
				},
				storage: { images, unsent: unsentChoices(workspaceState) },
				workspace: workspaceTag,
				clock: systemClock,
				logger,
			},
			titles: () => readSetting('errand.chat.titles'),
			onChange: (chat, change, isShown) => this.chatChanged(chat, change, isShown),
			onDelete: id => this.news.forget(id),
		});
		this.encryption = new EncryptionController({
			channels: service.channels,
			conversations: () => this.conversations,
			focusComposer: () => this.page.focusComposer(),
		});
		this.page = this.store.add(
			new ChatPage({
				connection: this.connection,
				settings: this.settings,
				encryption: this.encryption,
				agent: conversation => this.agents.view(conversation),
				conversationShown: () => this.context.show(),
				logger,
			}),
		);
		const { page } = this;
		this.context = this.store.add(
			new ChatContext({
				storage: { state: workspaceState, images },
				conversations: {
					of: async turn => (await this.conversations).findByTurn(turn)?.conversation,
					shown: () => page.conversation,
					choose: async change => (await this.shown()).choose(change),
				},
				model: {
					measure: () => this.connection.measure(page.conversation, shown => this.agents.idOf(shown)),
					known: () => this.connection.refreshed(),
					askAgain: () => this.checkService(),
				},
				page,
				sources: { task: argument => dependencies.tasks().readForChat(argument), terminal },
				logger,
			}),
		);
		const prompts = new Prompts({
			folder: vscode.Uri.joinPath(globalStorageUri, 'prompts').fsPath,
			context: this.context,
			agentCommands: async () => this.agents.commands((await this.shown()).conversation),
			page,
			logger,
		});
		const label = () => this.connection.view.label;
		this.news = this.store.add(new ChatNews({ page, conversations: () => this.conversations, label }));
		const findByTurn = async (turn: string) => (await this.conversations).findByTurn(turn);
		const withTurn = async (turn: string, run: (chat: Chat) => unknown) => {
			const chat = await findByTurn(turn);
			await (chat && run(chat));
		};
		this.questionDiffs = this.store.add(new QuestionDiffs(() => this.agents.runs()));
		this.taskMode = this.store.add(
			new TaskMode({
				conversations: () => this.conversations,
				context: () => this.context,
				hasDraft: id => this.encryption.hasDraft(id),
				tasks: dependencies.tasks,
				page,
			}),
		);
		this.handlers = {
			'page-ready': () => this.sendSnapshot(),
			'snapshot-request': () => this.sendSnapshot(),
			'earlier-request': async ({ before }) => page.showEarlier(await this.shown(), before),
			answer: message => page.answered(message),
			'focus-set': ({ focused }) => page.focusChanged(focused),
			'state-keep': ({ state }) => this.pageState.write(state),
			'connection-follow': () => executeCommand(commands.switchConnection),
			'model-choose': () => this.pickFromPage(pickers => pickers.selectModel()),
			'models-request': async () => (await this.settingsPickers()).modelsAtHand(),
			'model-use': async ({ conversation, model }) => {
				const chat = (await this.conversations).findOrShown(conversation);
				await (await this.settingsPickers()).useModel(chat, model);
			},
			'routing-choose': () => this.pickFromPage(pickers => pickers.selectRouting()),
			...this.encryption.handlers,
			...this.context.handlers,
			...prompts.handlers,
			...agentHandlers({
				agents: this.agents,
				withTurn,
				ranges: () => dependencies.tasks().ranges,
				diffs: this.questionDiffs,
				goOn: goOnFrom(this.context, { label, ensureKey: service.ensureKey }, page),
				label,
				page,
			}),
			...turnHandlers({
				conversations: { open: () => this.conversations, withTurn },
				message: {
					prompts,
					context: this.context,
					waiting: this.waiting,
					launcher: () => dependencies.tasks().launcher(),
				},
				connection: {
					label,
					ensureKey: service.ensureKey,
					addServer: chat => thenComposer(async () => (await this.addServer(chat)) !== undefined, page),
				},
				page,
				logger,
			}),
			...blockHandlers({
				tools: () => this.openTools(),
				findByTurn,
				refusesImages: () => this.encryption.refusesImages(),
			}),
			...modeHandlers({
				conversations: { shown: () => this.shown(), withTurn },
				connection: {
					refusedModes: () => this.connection.view.refusedModes ?? {},
					nameImageModel: async chat => (await this.settingsPickers()).nameImageModel(chat),
				},
				images,
				page,
				logger,
			}),
			...this.taskMode.handlers,
		};
		this.service = {
			parse: parseFromPage,
			// The table has a handler of the right type for each kind, which TypeScript cannot infer from the index.
			handle: message => (this.handlers[message.kind] as (message: FromPage) => unknown)(message),
			background: BACKGROUND,
			post: message => page.send(message),
			explain: error => explainError(error, this.connection.view.label),
			logger,
		};
		this.store.add(connection.onDidChange(() => void this.connectionChanged()));
		this.store.add(onDidChangeSetting(CHAT_SETTINGS, () => void this.connectionChanged()));
		this.store.add(onDidChangeSetting(['errand.agents.approvals'], async () => this.showAgent(await this.shown())));
	}

	/** Lets the user add a service, and names the model that now answers in a notification. */
	async addService(slug?: unknown): Promise<void> {
		const added = await this.addServer(await this.shown(), slug);
		if (added) {
			offer(
				vscode.l10n.t('The chat now uses {0} of {1}.', added.name, added.server),
				vscode.l10n.t('Open Chat'),
				() => executeCommand(internalCommands.focusChat),
				error => explainError(error, added.server),
			);
		}
	}

	/** Lets the user add a service, whose model replaces the one that the conversation had chosen. */
	private async addServer(chat: Chat, slug?: unknown): Promise<{ name: string; server: string } | undefined> {
		const added = await this.dependencies.machine.addService(slug);
		if (added) {
			void chat.choose({ model: undefined, models: undefined });
			await this.connectionChanged();
		}
		return added;
	}

	private pickFromPage(pick: (pickers: SettingsPickers) => Promise<PickerEnd>): Promise<PickerEnd> {
		return thenComposer(async () => pick(await this.settingsPickers()), this.page);
	}

	/** Resolves to the lists for model, routing policy and parameters of the shown conversation. */
	async settingsPickers(): Promise<SettingsPickers> {
		const { SettingsPickers } = await import('./settings/settingsPickers.ts');
		const { places, connection, service, machine } = this.dependencies;
		return new SettingsPickers({
			shown: () => this.shown(),
			defaultModel: async () => (await connection.read()).model,
			source: this.settings,
			models: {
				discover: async () => (await service.client()).models.discover(),
				...storedModels(places.workspaceState),
			},
			servers: { unused: machine.unusedServers, add: async chat => void (await this.addServer(chat)) },
			explainError: error => explainError(error, this.connection.view.label),
		});
	}

	async resolve(view: vscode.WebviewView): Promise<void> {
		const { extensionUri } = this.dependencies.places;
		const store = new DisposableStore();
		this.view.value = store;
		this.page.detach();
		this.news.attach(view);
		const { webview } = view;
		webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
		store.add(
			webview.onDidReceiveMessage(message => {
				this.page.attach(view);
				this.news.look();
				void serveMessage(message, this.service);
			}),
		);
		// A hidden page is destroyed. The page that is created when the view is shown again asks for its own snapshot.
		store.add(view.onDidChangeVisibility(() => view.visible || this.page.detach()));
		store.add(
			view.onDidDispose(() => {
				this.page.detach();
				this.view.value = undefined;
			}),
		);
		const state = await this.pageState.read();
		if (store.isDisposed) {
			return;
		}
		webview.html = chatDocument(webview, extensionUri, { place: this.pageState.place, ...defined({ state }) });
		this.dependencies.service.warm();
	}

	/** Loads the tools for the code, files and images of replies on first use. */
	openTools(): Promise<ReplyTools> {
		this.tools ??= import('./blocks/replyTools.ts').then(({ ReplyTools }) =>
			this.store.add(new ReplyTools(this.dependencies.connection.origins, this.page.say)),
		);
		return this.tools;
	}

	/** Sends the last message of the shown conversation again, and requests its reply and all later ones in one piece. */
	async askForWholeReplies(): Promise<void> {
		const { channel, conversation } = await this.shown();
		const { head } = conversation;
		channel?.useWholeReplies();
		if (channel && head !== undefined) {
			await this.handlers['reply-retry']({ kind: 'reply-retry', turn: head });
		}
	}

	/** Resolves when the conversations are on disk. It may be called more than once. */
	async close(): Promise<void> {
		this.store.dispose();
		await Promise.all([(await this.conversations).close(), this.pageState.settled()]);
	}

	private async shown(): Promise<Chat> {
		return (await this.conversations).shown;
	}

	private showAgent({ conversation }: Chat): void {
		this.page.post({ kind: 'agent-set', agent: this.agents.view(conversation) });
	}

	private async sendSnapshot(): Promise<void> {
		await this.connection.read();
		this.page.show(await this.shown());
		await this.taskMode.shown();
		const { turn } = this.waiting;
		if (turn !== undefined) {
			this.page.post({ kind: 'message-hold', turn, waits: true });
		}
		void this.checkService();
	}

	private chatChanged(chat: Chat, change: ShownChange, isShown: boolean): void {
		if (this.store.isDisposed) {
			return;
		}
		void this.questionDiffs.changed(chat.conversation);
		if (isShown) {
			this.page.change(chat, change);
		}
		this.news.changed(chat, change, isShown);
		// A reply has ended, so an earlier problem with the connection may be over.
		if (isShown && change.kind === 'turn' && chat.live === undefined && this.connection.problem !== undefined) {
			void this.checkService();
		}
	}

	private async connectionChanged(): Promise<void> {
		await this.connection.read();
		this.page.showConnection();
		this.page.showChoices(await this.shown());
		void this.checkService();
	}

	private async checkService(): Promise<void> {
		if (await this.connection.refresh()) {
			this.page.showConnection();
		}
		this.page.showChoices(await this.shown());
	}
}
