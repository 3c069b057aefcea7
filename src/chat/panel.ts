import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { DisposableStore, MutableDisposable } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { executeCommand, setContextKey } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError, showMessage } from '../platform/notify.ts';
import { onDidChangeSetting } from '../platform/settings.ts';
import { webviewRoot, webviewShell } from '../platform/webview.ts';
import { contextFiles } from './blocks/contextFiles.ts';
import type { ReplyTools } from './blocks/replyTools.ts';
import type { Chat, SendRefusal } from './chat.ts';
import { ChatContext, contextHandlers } from './context/chatContext.ts';
import { historyTokens, type ModelLimits } from './context/model/budget.ts';
import { openPlace } from './context/openPlace.ts';
import type { TerminalMemory } from './context/terminalMemory.ts';
import { OpenConversations, type ShownChange } from './conversations/openConversations.ts';
import { type Conversation, currentReply, findTurn, shownTurns } from './model/conversation.ts';
import { titleOf } from './model/title.ts';
import { sliceBefore, toTurnView } from './model/toView.ts';
import { createFetchPicture } from './modes/fetchPicture.ts';
import { type ModeHandlers, modeHandlers } from './modes/modeHandlers.ts';
import { TURN_MODES } from './modes/model/mode.ts';
import { modeModelsOf } from './modes/modeModels.ts';
import { PictureStore } from './modes/pictureStore.ts';
import { noModeText } from './modes/words.ts';
import { PageFeed } from './pageFeed.ts';
import { PageStateFile } from './pageStateFile.ts';
import type { PolicySource } from './policy/applyPolicy.ts';
import type { PolicyDefaults } from './policy/model/policy.ts';
import { toPolicyView } from './policy/model/toPolicyView.ts';
import type { PolicyPickers } from './policy/policyPickers.ts';
import type { PolicyView } from './policy/protocol.ts';
import { POLICY_SETTINGS, readPolicySettings } from './policy/readPolicySettings.ts';
import { explainPolicy } from './policy/words.ts';
import type { ConnectionView, FromPage, PageData, ToPage } from './protocol.ts';
import { openableUrl, parseFromPage } from './protocolSchema.ts';
import type { ChatDependencies } from './register.ts';
import { ConversationStore } from './store.ts';
import { finishExplanation, missingKeyText, noModelText, noticeText, pageStrings, refusalText } from './strings.ts';
import { workspaceTag } from './workspaceTag.ts';

type Handlers = { [K in FromPage['kind']]: (message: Extract<FromPage, { kind: K }>) => unknown };

/** In the workspace's state, also of a window without a folder: the id of the conversation that it showed last. */
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
	private connection: ConnectionView = { label: '' };
	private limits: ModelLimits = {};
	/** The page that is shown and has asked for its snapshot. */
	private page: { view: vscode.WebviewView; feed: PageFeed } | undefined;
	private focusWanted = false;
	private readonly policy: PolicySource;
	private tools: Promise<ReplyTools> | undefined;
	private suggestion: string | undefined;
	/** The conversation that is shown, for what fits into its next message. */
	private measured: Conversation | undefined;
	private readonly pageState: PageStateFile | undefined;

	private readonly handlers: Omit<Handlers, keyof ModeHandlers> = {
		'page-ready': () => this.sendSnapshot(),
		'snapshot-request': () => this.sendSnapshot(),
		'earlier-request': ({ before }) => this.sendEarlier(before),
		'message-send': async ({ conversation, turn, text, edits }) => {
			const conversations = await this.conversations;
			const chat = (conversation === undefined ? undefined : conversations.find(conversation)) ?? conversations.shown;
			const reason = await this.ask(turn, () =>
				edits ? chat.edit(edits, turn, text) : this.context.send(chat, turn, text),
			);
			this.post(reason === undefined ? { kind: 'message-accept', turn } : { kind: 'message-refuse', turn, reason });
		},
		'reply-stop': ({ turn }) => this.withTurn(turn, chat => chat.stop()),
		'reply-retry': ({ turn }) => this.withTurn(turn, chat => this.askAgain(turn, () => chat.retry(turn))),
		'reply-continue': ({ turn }) => this.withTurn(turn, chat => this.askAgain(turn, () => chat.continue(turn))),
		'version-show': ({ turn }) =>
			this.withTurn(turn, async chat => {
				const refusal = await chat.showVersion(turn);
				if (refusal) {
					this.post({ kind: 'message-refuse', turn, reason: refusalText(refusal, this.connection.label) });
				}
			}),
		'explanation-follow': ({ turn }) =>
			this.withTurn(turn, async chat => {
				const found = findTurn(chat.conversation, turn);
				const action = found && currentReply(found).explanation?.action;
				if (action) {
					await executeCommand(action.command);
				}
			}),
		'state-keep': ({ state }) => this.pageState?.write(state),
		'connection-follow': () => executeCommand(commands.switchConnection),
		'model-choose': async () => (await this.policyPickers()).selectModel(),
		'policy-choose': async () => (await this.policyPickers()).selectPolicy(),
		'link-open': async ({ url }) => {
			const address = openableUrl(url);
			if (address?.protocol === 'mailto:') {
				await vscode.env.openExternal(vscode.Uri.parse(address.href));
			} else if (address) {
				// As a string: a Uri would decode and encode the query anew, and change it.
				await vscode.commands.executeCommand('vscode.open', address.href);
			}
		},
		...contextHandlers(message => this.context.handle(message)),
		'attachment-open': ({ turn, index }) =>
			this.withTurn(turn, async chat => {
				const attachment = findTurn(chat.conversation, turn)?.attachments?.[index];
				if (attachment) {
					await openPlace(attachment);
				}
			}),
		'text-copy': ({ text }) => vscode.env.clipboard.writeText(text),
		'code-use': async ({ action, turn, code, language, file }) => {
			const chat = (await this.conversations).findByTurn(turn);
			const block = {
				code,
				...(language === undefined ? {} : { language }),
				...(file === undefined ? {} : { file }),
			};
			await (await this.openTools()).useCode(action, block, chat ? contextFiles(chat.conversation, turn) : []);
		},
		'files-check': async ({ request, names }) =>
			this.post({ kind: 'files-found', request, names: await (await this.openTools()).findFiles(names) }),
		'file-open': async ({ name }) => (await this.openTools()).openFile(name),
		'image-load': async ({ request, url }) =>
			this.post({ kind: 'image-set', request, image: await (await this.openTools()).loadImage(url) }),
	};
	private readonly modeHandlers: ModeHandlers;

	/** `terminal` gives the last command of a terminal, once one has run. */
	constructor(dependencies: ChatDependencies, terminal: () => TerminalMemory | undefined) {
		this.dependencies = dependencies;
		const { storageUri } = dependencies;
		this.pageState = storageUri && new PageStateFile(vscode.Uri.joinPath(storageUri, 'chatPage.json').fsPath);
		const { globalStorageUri, logger } = dependencies;
		this.policy = { defaults: readPolicySettings, connection: dependencies.describeConnection };
		const folder = vscode.Uri.joinPath(globalStorageUri, 'conversations').fsPath;
		const pictures = new PictureStore(folder, createFetchPicture(dependencies.serviceOrigins), logger);
		this.modeHandlers = modeHandlers({
			pictures,
			shown: () => this.shown(),
			withTurn: (turn, run) => this.withTurn(turn, run),
			refusedModes: () => this.connection.refusedModes ?? {},
			post: message => this.post(message),
			logger,
		});
		this.conversations = OpenConversations.open({
			store: new ConversationStore(folder, logger),
			remembered: {
				read: () => dependencies.workspaceState.get<string>(SHOWN_KEY),
				write: id => void dependencies.workspaceState.update(SHOWN_KEY, id),
			},
			client: dependencies.client,
			connection: dependencies.connection,
			modes: async () => modeModelsOf(await dependencies.describeConnection()),
			pictures,
			policy: this.policy,
			workspace: workspaceTag,
			explainError: (error, connection, asked) => explainPolicy(error, asked) ?? explainError(error, connection),
			explainFinish: finishExplanation,
			clock: systemClock,
			logger,
		});
		this.context = this.store.add(
			new ChatContext({
				state: dependencies.workspaceState,
				terminal,
				measure: () => ({
					...this.limits,
					request: this.measured === undefined ? 0 : historyTokens(this.measured),
					model: this.connection.model ?? '',
				}),
				post: message => this.post(message),
				focusComposer: () => this.focusComposer(),
				logger,
			}),
		);
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
		const keyOf = (name: string) => `errand.recentModels.${name}`;
		return new PolicyPickers({
			shown: () => this.shown(),
			defaultModel: async () => (await connection()).model,
			source: this.policy,
			discover: async () => (await client()).models.discover(),
			recent: {
				read: name => workspaceState.get<string[]>(keyOf(name)) ?? [],
				write: (name, models) => void workspaceState.update(keyOf(name), models),
			},
			explainError: error => explainError(error, this.connection.label),
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
					this.page = undefined;
				}
			}),
		);
		store.add(
			view.onDidDispose(() => {
				this.page = undefined;
				this.view.value = undefined;
			}),
		);
		const state = await this.pageState?.read();
		if (store.isDisposed) {
			return;
		}
		const data: PageData = {
			strings: pageStrings(),
			language: vscode.env.language,
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
		this.page = undefined;
		setContextKey('errand.replying', false);
		await Promise.all([(await this.conversations).close(), this.pageState?.settled()]);
	}

	private async receive(message: unknown): Promise<void> {
		const parsed = parseFromPage(message);
		if (!parsed) {
			this.dependencies.logger.log('warn', 'The chat page sent a message of an unknown form; it was dropped');
			return;
		}
		try {
			// The table has a handler of the right type for each kind, which TypeScript cannot see through the index.
			await ({ ...this.handlers, ...this.modeHandlers }[parsed.kind] as (message: FromPage) => unknown)(parsed);
		} catch (error) {
			this.dependencies.logger.log('error', 'A message of the chat page could not be handled', {
				reason: describeError(error),
			});
		}
	}

	private async shown(): Promise<Chat> {
		return (await this.conversations).shown;
	}

	private async withTurn(turn: string, run: (chat: Chat) => unknown): Promise<void> {
		const chat = (await this.conversations).findByTurn(turn);
		if (chat) {
			await run(chat);
		}
	}

	/** Asks the service, once there is a key for it. Resolves with why that was refused, in words, or undefined. */
	private async ask(turn: string, send: () => Promise<SendRefusal | undefined>): Promise<string | undefined> {
		const { label } = this.connection;
		if (!(await this.dependencies.ensureKey(() => this.post({ kind: 'message-hold', turn })))) {
			return missingKeyText(label);
		}
		const refusal = await send();
		return refusal && refusalText(refusal, label);
	}

	private async askAgain(turn: string, send: () => Promise<SendRefusal | undefined>): Promise<void> {
		const reason = await this.ask(turn, send);
		if (reason !== undefined) {
			this.post({ kind: 'message-refuse', turn, reason });
		}
	}

	private async sendSnapshot(): Promise<void> {
		this.connection = await this.readConnection();
		this.postSnapshot(await this.shown());
		void this.lookForModes();
	}

	/** In one go: a change that came in between would be shown in the conversation before. */
	private postSnapshot(chat: Chat): void {
		const { conversation, live, notice } = chat;
		const path = shownTurns(conversation);
		const turns = sliceBefore(path, path.length);
		this.page?.feed.snapshot({
			conversation: conversation.id,
			turns: turns.map(turn => toTurnView(conversation, turn, live)),
			earlier: path.length - turns.length,
			connection: this.connection,
			...(conversation.mode === undefined ? {} : { mode: conversation.mode }),
			policy: this.policyView(chat),
			...(notice ? { notice: noticeText(notice) } : {}),
		});
		setContextKey('errand.replying', live !== undefined);
		this.showTitle(conversation);
		this.measured = conversation;
		this.context.show();
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
			// The editor leaves out a description that is empty.
			this.page.view.description = titleOf(conversation) ?? '';
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
				}
				break;
			}
			case 'settings':
				this.postPolicy(chat);
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
			case 'notice':
				this.post({ kind: 'notice-set', notice: chat.notice && noticeText(chat.notice) });
				break;
		}
	}

	private async connectionChanged(): Promise<void> {
		this.connection = await this.readConnection();
		this.post({ kind: 'connection-set', connection: this.connection });
		this.context.show();
		void this.lookForModes();
	}

	/** Only the local service itself knows what it has, and nothing waits for it to start. */
	private async lookForModes(): Promise<void> {
		const { connection } = this;
		const models = await this.dependencies
			.describeConnection()
			.then(modeModelsOf)
			// What is wrong with the connection is said by the request itself.
			.catch(() => undefined);
		const refused = TURN_MODES.filter(mode => mode !== 'chat' && models && models[mode] === undefined);
		if (connection === this.connection && refused.length > 0) {
			const refusedModes = Object.fromEntries(refused.map(mode => [mode, noModeText(mode, connection.label)]));
			this.connection = { ...connection, refusedModes };
			this.post({ kind: 'connection-set', connection: this.connection });
		}
		this.postPolicy(await this.shown());
	}

	private postPolicy(chat: Chat): void {
		this.post({ kind: 'policy-set', policy: this.policyView(chat) });
	}

	private policyView({ conversation }: Chat): PolicyView {
		let defaults: PolicyDefaults;
		try {
			defaults = this.policy.defaults();
		} catch {
			// What is wrong with a setting is said when a message is sent, and when the policy is opened.
			defaults = { routing: {}, retention: undefined, parameters: {}, instructions: '' };
		}
		return toPolicyView(conversation, defaults, this.connection.model);
	}

	private async readConnection(): Promise<ConnectionView> {
		const action = vscode.l10n.t('Switch Connection');
		try {
			const { label, model, limits = {} } = await this.dependencies.connection();
			this.limits = limits;
			return model === undefined ? { label, problem: { message: noModelText(label), action } } : { label, model };
		} catch (error) {
			return { label: '', problem: { message: explainError(error, '').message, action } };
		}
	}

	private post(message: ToPage): void {
		void this.page?.view.webview.postMessage(message);
	}
}
