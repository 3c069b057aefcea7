import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { DisposableStore, MutableDisposable } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { executeCommand, setContextKey } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, showMessage } from '../platform/notify.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import { webviewRoot, webviewShell } from '../platform/webview.ts';
import { blockHandlers } from './blocks/blockHandlers.ts';
import type { ReplyTools } from './blocks/replyTools.ts';
import type { Chat } from './chat.ts';
import { ConnectionStatus } from './connectionStatus.ts';
import { ChatContext, contextHandlers } from './context/chatContext.ts';
import { historyTokens } from './context/model/budget.ts';
import type { TerminalMemory } from './context/terminalMemory.ts';
import { OpenConversations, type ShownChange } from './conversations/openConversations.ts';
import { EncryptionDesk } from './encrypted/encryptionDesk.ts';
import { parseShownState, shownState } from './encrypted/shownConversation.ts';
import { type Conversation, findTurn, shownTurns } from './model/conversation.ts';
import { titleOf } from './model/title.ts';
import { sliceBefore, toTurnView } from './model/toView.ts';
import { createFetchPicture } from './modes/fetchPicture.ts';
import { modeHandlers } from './modes/modeHandlers.ts';
import { modeModelsOf } from './modes/modeModels.ts';
import { PictureStore } from './modes/pictureStore.ts';
import { PageFeed } from './pageFeed.ts';
import { PageStateFile, windowFile } from './pageStateFile.ts';
import type { PolicySource } from './policy/applyPolicy.ts';
import type { PolicyDefaults } from './policy/model/policy.ts';
import { toPolicyView } from './policy/model/toPolicyView.ts';
import type { PolicyPickers } from './policy/policyPickers.ts';
import type { PolicyView } from './policy/protocol.ts';
import { POLICY_SETTINGS, readPolicySettings } from './policy/readPolicySettings.ts';
import { unsentChoices } from './policy/unsentChoices.ts';
import { explainPolicy } from './policy/words.ts';
import type { FromPage, PageData, ToPage } from './protocol.ts';
import { openableUrl, parseFromPage } from './protocolSchema.ts';
import type { ChatDependencies } from './register.ts';
import { ShownConnection } from './shownConnection.ts';
import { ConversationStore } from './store.ts';
import { finishExplanation, noticeText, pageStrings } from './strings.ts';
import { turnHandlers } from './turnHandlers.ts';
import { workspaceTag } from './workspaceTag.ts';

type Handlers = { [K in FromPage['kind']]: (message: Extract<FromPage, { kind: K }>) => unknown };

/** In the workspace's state, also of a window without a folder: the conversation that it showed last. */
const SHOWN_KEY = 'errand.shownConversation';

/** The chat view: shows a conversation in a page, and does what the page asks. */
export class ChatPanel {
	private readonly dependencies: ChatDependencies;
	private readonly store = new DisposableStore();
	private readonly view = this.store.add(new MutableDisposable<DisposableStore>());
	/** Opened with the panel. */
	readonly conversations: Promise<OpenConversations>;
	/** What goes with the next message. */
	readonly context: ChatContext;
	private readonly connection: ShownConnection;
	private readonly status = this.store.add(new ConnectionStatus());
	/** The page that is shown and has asked for its snapshot. */
	private page: { view: vscode.WebviewView; feed: PageFeed } | undefined;
	private focusWanted = false;
	private readonly policy: PolicySource;
	private tools: Promise<ReplyTools> | undefined;
	private suggestion: string | undefined;
	/** The conversation that is shown, for what fits into its next message. */
	private measured: Conversation | undefined;
	readonly encryption: EncryptionDesk;
	private readonly pageState: PageStateFile;
	private readonly handlers: Handlers;

	/** `terminal` gives the last command of a terminal, once one has run. */
	constructor(dependencies: ChatDependencies, terminal: () => TerminalMemory | undefined) {
		this.dependencies = dependencies;
		this.connection = new ShownConnection(dependencies);
		const { storageUri, globalStorageUri, workspaceState, logger } = dependencies;
		this.pageState = new PageStateFile(
			storageUri === undefined
				? windowFile(vscode.Uri.joinPath(globalStorageUri, 'windows').fsPath, workspaceState)
				: vscode.Uri.joinPath(storageUri, 'chatPage.json').fsPath,
		);
		this.policy = { defaults: readPolicySettings, connection: dependencies.describeConnection };
		const folder = vscode.Uri.joinPath(globalStorageUri, 'conversations').fsPath;
		const pictures = new PictureStore(folder, createFetchPicture(dependencies.serviceOrigins), logger);
		this.conversations = OpenConversations.open({
			store: new ConversationStore(folder, logger),
			remembered: {
				read: () => parseShownState(dependencies.workspaceState.get(SHOWN_KEY)),
				write: shown => void dependencies.workspaceState.update(SHOWN_KEY, shownState(shown)),
			},
			client: dependencies.client,
			channels: dependencies.channels,
			connection: dependencies.connection,
			modes: async () => modeModelsOf(await dependencies.describeConnection()),
			pictures,
			policy: this.policy,
			unsent: unsentChoices(dependencies.workspaceState),
			workspace: workspaceTag,
			explainError: (error, connection, asked, mode) =>
				explainPolicy(error, asked, mode) ?? explainError(error, connection),
			explainFinish: finishExplanation,
			clock: systemClock,
			logger,
		});
		this.context = this.store.add(
			new ChatContext({
				state: workspaceState,
				pictures,
				conversationOf: async turn => (await this.conversations).findByTurn(turn)?.conversation,
				isEncrypted: () => this.measured?.encryption !== undefined,
				terminal,
				mayKeep: () => !this.measured?.encryption?.isUnkept,
				measure: () => {
					const model = this.measured?.settings?.model ?? this.connection.view.model ?? '';
					return {
						...this.connection.limitsOf(model),
						takesImages: this.connection.takesImages(model),
						request: this.measured === undefined ? 0 : historyTokens(this.measured),
						model,
					};
				},
				measurable: () => this.connection.looked(),
				post: message => this.post(message),
				focusComposer: () => this.focusComposer(),
				logger,
			}),
		);
		this.encryption = new EncryptionDesk({
			channels: dependencies.channels,
			conversations: () => this.conversations,
			focusComposer: () => this.focusComposer(),
		});
		const post = (message: ToPage) => this.post(message);
		const findByTurn = async (turn: string) => (await this.conversations).findByTurn(turn);
		const withTurn = async (turn: string, run: (chat: Chat) => unknown) => {
			const chat = await findByTurn(turn);
			if (chat) {
				await run(chat);
			}
		};
		this.handlers = {
			'page-ready': () => this.sendSnapshot(),
			'snapshot-request': () => this.sendSnapshot(),
			'earlier-request': ({ before }) => this.sendEarlier(before),
			'focus-tell': ({ focused }) => setContextKey('errand.chatFocused', focused),
			'state-keep': ({ state }) => this.pageState.write(state),
			'connection-follow': () => executeCommand(commands.switchConnection),
			'model-choose': async () => (await this.policyPickers()).selectModel().finally(() => this.focusComposer()),
			'policy-choose': async () => (await this.policyPickers()).selectPolicy().finally(() => this.focusComposer()),
			'link-open': ({ url }) => openLink(url),
			'text-copy': ({ text }) => vscode.env.clipboard.writeText(text),
			...this.encryption.handlers,
			...contextHandlers(message => this.context.handle(message)),
			...turnHandlers({
				conversations: () => this.conversations,
				withTurn,
				context: this.context,
				ensureKey: dependencies.ensureKey,
				connectionLabel: () => this.connection.view.label,
				post,
			}),
			...blockHandlers({
				tools: () => this.openTools(),
				findByTurn,
				refusesImages: () => this.encryption.refusesImages(),
				post,
			}),
			...modeHandlers({
				pictures,
				shown: () => this.shown(),
				withTurn,
				refusedModes: () => this.connection.view.refusedModes ?? {},
				post,
				logger,
			}),
		};
		void this.conversations.then(conversations => {
			this.store.add(conversations.onDidChange(change => this.shownChanged(conversations.shown, change)));
			this.store.add(
				conversations.onDidChangeInBackground(({ chat, change }) => {
					if (change.kind === 'notice' && chat.notice) {
						const title = titleOf(chat.conversation) ?? vscode.l10n.t('New Conversation');
						void showMessage('warning', vscode.l10n.t('“{0}”: {1}', title, noticeText(chat.notice)));
					}
				}),
			);
		});
		this.store.add(dependencies.onDidChangeConnection(() => void this.connectionChanged()));
		this.store.add(onDidChangeSetting(POLICY_SETTINGS, () => void this.connectionChanged()));
	}

	/** Over the conversation that is shown. */
	async policyPickers(): Promise<PolicyPickers> {
		const { PolicyPickers } = await import('./policy/policyPickers.ts');
		const { client, connection, workspaceState } = this.dependencies;
		const keyed = <T>(key: string) => ({
			read: (connection: string) => workspaceState.get<T[]>(`${key}.${connection}`) ?? [],
			write: (connection: string, values: T[]) => void workspaceState.update(`${key}.${connection}`, values),
		});
		return new PolicyPickers({
			shown: () => this.shown(),
			defaultModel: async () => (await connection()).model,
			source: this.policy,
			discover: async () => (await client()).models.discover(),
			recent: keyed('errand.recentModels'),
			found: keyed('errand.foundModels'),
			explainError: error => explainError(error, this.connection.view.label),
		});
	}

	async resolve(view: vscode.WebviewView): Promise<void> {
		const { extensionUri } = this.dependencies;
		const store = new DisposableStore();
		this.view.value = store;
		this.page = undefined;
		const { webview } = view;
		webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
		const feed = new PageFeed(message => this.post(message), systemClock);
		store.add(
			webview.onDidReceiveMessage(message => {
				this.page ??= { view, feed };
				void this.receive(message);
			}),
		);
		// A hidden page is gone; the one that is made when the view shows again asks for its own snapshot.
		store.add(
			view.onDidChangeVisibility(() => {
				if (!view.visible) {
					this.pageGone();
				}
			}),
		);
		store.add(
			view.onDidDispose(() => {
				this.pageGone();
				this.view.value = undefined;
			}),
		);
		const state = await this.pageState.read();
		if (store.isDisposed) {
			return;
		}
		const data: PageData = {
			strings: pageStrings(),
			language: vscode.env.language,
			place: this.pageState.place,
			...(state === undefined ? {} : { state }),
		};
		webview.html = webviewShell(webview, {
			extensionUri,
			name: 'chat',
			title: vscode.l10n.t('Chat'),
			language: vscode.env.language,
			data,
			dataImages: true,
		});
		this.dependencies.warm();
	}

	/** Puts the cursor into the composer, now or as soon as the page is there. */
	focusComposer(): void {
		this.focusWanted = true;
		this.sendFocus();
	}

	/** What can be done with code, files and images of a reply: loaded with the first of them. */
	openTools(): Promise<ReplyTools> {
		this.tools ??= import('./blocks/replyTools.ts').then(({ ReplyTools }) =>
			this.store.add(new ReplyTools(this.dependencies.serviceOrigins)),
		);
		return this.tools;
	}

	/** Puts a question into the composer, where there is none yet. */
	suggest(question: string): void {
		this.suggestion = question;
		this.sendFocus();
	}

	async stopReply(): Promise<void> {
		(await this.shown()).stop();
	}

	/** Resolves when the conversation is on disk. Harmless when called again. */
	async close(): Promise<void> {
		this.store.dispose();
		this.pageGone();
		setContextKey('errand.replying', false);
		await Promise.all([(await this.conversations).close(), this.pageState.settled()]);
	}

	private pageGone(): void {
		this.page = undefined;
		setContextKey('errand.chatFocused', false);
	}

	private async receive(message: unknown): Promise<void> {
		const parsed = parseFromPage(message);
		if (!parsed) {
			this.dependencies.logger.log('warn', 'The chat page sent a message of an unknown form; it was dropped');
			return;
		}
		try {
			// The table has a handler of the right type for each kind, which TypeScript cannot see through the index.
			await (this.handlers[parsed.kind] as (message: FromPage) => unknown)(parsed);
		} catch (error) {
			this.dependencies.logger.log('error', 'A message of the chat page could not be handled', {
				reason: describeError(error),
			});
		}
	}

	private async shown(): Promise<Chat> {
		return (await this.conversations).shown;
	}

	private async sendSnapshot(): Promise<void> {
		await this.connection.read();
		this.postSnapshot(await this.shown());
		void this.lookAtService();
	}

	/** In one go: a change that came in between would be shown in the conversation before. */
	private postSnapshot(chat: Chat): void {
		const { conversation, live, notice } = chat;
		const encryption = this.encryption.viewWithDraft(chat);
		const path = shownTurns(conversation);
		const turns = sliceBefore(path, path.length);
		this.page?.feed.snapshot({
			conversation: conversation.id,
			turns: turns.map(turn => toTurnView(conversation, turn, live)),
			earlier: path.length - turns.length,
			connection: this.connection.view,
			...(conversation.mode === undefined ? {} : { mode: conversation.mode }),
			...(conversation.encryption ? {} : { policy: this.policyView(chat) }),
			...(encryption ? { encryption } : {}),
			...(notice ? { notice: noticeText(notice) } : {}),
		});
		setContextKey('errand.replying', live !== undefined);
		this.showTitle(conversation);
		this.measured = conversation;
		this.context.show();
		this.showStatus(chat);
		this.sendFocus();
	}

	private async sendEarlier(before: string): Promise<void> {
		const { conversation, live } = await this.shown();
		const path = shownTurns(conversation);
		const end = path.findIndex(({ id }) => id === before);
		if (end > 0) {
			const turns = sliceBefore(path, end);
			this.post({
				kind: 'turns-prepend',
				before,
				turns: turns.map(turn => toTurnView(conversation, turn, live)),
				earlier: end - turns.length,
			});
		}
	}

	private showTitle(conversation: Conversation): void {
		if (this.page) {
			// The editor leaves out a description that is empty, and writes down one that is not.
			this.page.view.description = (conversation.encryption?.isUnkept ? undefined : titleOf(conversation)) ?? '';
		}
	}

	private sendFocus(): void {
		if (this.focusWanted && this.page) {
			this.focusWanted = false;
			this.post({ kind: 'composer-focus' });
		}
		if (this.suggestion !== undefined && this.page) {
			this.post({ kind: 'composer-fill', text: this.suggestion });
			this.suggestion = undefined;
		}
	}

	private shownChanged(chat: Chat, change: ShownChange): void {
		const feed = this.page?.feed;
		this.measured = chat.conversation;
		switch (change.kind) {
			case 'shown':
			case 'path':
				this.postSnapshot(chat);
				break;
			case 'name':
				this.showTitle(chat.conversation);
				break;
			case 'conversation':
				setContextKey('errand.replying', chat.live !== undefined);
				this.showTitle(chat.conversation);
				this.context.show();
				// A new turn takes the retry button from the one before, so both have changed.
				for (const turn of shownTurns(chat.conversation).slice(-2)) {
					feed?.change({ kind: 'turn-set', turn: toTurnView(chat.conversation, turn, chat.live) });
				}
				break;
			case 'turn': {
				setContextKey('errand.replying', chat.live !== undefined);
				const turn = findTurn(chat.conversation, change.turnId);
				if (turn) {
					feed?.change({ kind: 'turn-set', turn: toTurnView(chat.conversation, turn, chat.live) });
				}
				if (chat.live === undefined) {
					this.postPolicy(chat);
					// A reply has come, or told what is wrong: what was wrong before may be over.
					if (this.connection.problem !== undefined) {
						void this.lookAtService();
					}
				}
				break;
			}
			case 'settings':
				this.postPolicy(chat);
				this.context.show();
				this.showStatus(chat);
				break;
			case 'text':
				feed?.change({ kind: 'text-append', turn: change.turnId, text: change.text });
				break;
			case 'reasoning':
				feed?.change({ kind: 'reasoning-append', turn: change.turnId, text: change.text });
				break;
			case 'mode':
				this.post({ kind: 'mode-set', mode: chat.mode });
				break;
			case 'encryption': {
				const encryption = this.encryption.view(chat);
				if (encryption) {
					this.post({ kind: 'encryption-set', encryption });
				}
				break;
			}
			case 'notice':
				this.post({ kind: 'notice-set', notice: chat.notice && noticeText(chat.notice) });
				break;
		}
	}

	private async connectionChanged(): Promise<void> {
		await this.connection.read();
		this.post({ kind: 'connection-set', connection: this.connection.view });
		this.context.show();
		this.showStatus(await this.shown());
		void this.lookAtService();
	}

	private async lookAtService(): Promise<void> {
		if (await this.connection.look()) {
			this.post({ kind: 'connection-set', connection: this.connection.view });
		}
		const chat = await this.shown();
		this.postPolicy(chat);
		this.context.show();
		this.showStatus(chat);
	}

	private showStatus({ conversation }: Chat): void {
		const { view, problem } = this.connection;
		this.status.show(view.label, conversation.settings?.model ?? view.model, problem);
	}

	private postPolicy(chat: Chat): void {
		if (chat.conversation.encryption) {
			return;
		}
		this.post({ kind: 'policy-set', policy: this.policyView(chat) });
	}

	private policyView({ conversation }: Chat): PolicyView {
		let defaults: PolicyDefaults | undefined;
		try {
			defaults = this.policy.defaults();
		} catch {
			// What is wrong with a setting is said when a message is sent, and when the policy is opened.
			defaults = undefined;
		}
		return toPolicyView(conversation, defaults, this.connection.view.model);
	}

	private post(message: ToPage): void {
		void this.page?.view.webview.postMessage(message);
	}
}

async function openLink(url: string): Promise<void> {
	const address = openableUrl(url);
	if (address?.protocol === 'mailto:') {
		await vscode.env.openExternal(vscode.Uri.parse(address.href));
	} else if (address) {
		// As a string: a Uri would decode and encode the query anew, and change it.
		await vscode.commands.executeCommand('vscode.open', address.href);
	}
}
