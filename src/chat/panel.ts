import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { DisposableStore, MutableDisposable } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import { executeCommand, setContextKey } from '../platform/commands.ts';
import { commands } from '../platform/ids.ts';
import { explainError } from '../platform/notify.ts';
import { webviewRoot, webviewShell } from '../platform/webview.ts';
import { Chat, type ChatChange, type SendRefusal } from './chat.ts';
import { currentReply, findTurn } from './model/conversation.ts';
import { toTurnView, toTurnViews } from './model/toView.ts';
import { PageFeed } from './pageFeed.ts';
import type { ConnectionView, FromPage, PageData, ToPage } from './protocol.ts';
import { openableUrl, parseFromPage } from './protocolSchema.ts';
import type { ChatDependencies } from './register.ts';
import { ConversationStore } from './store.ts';
import { finishExplanation, missingKeyText, noModelText, noticeText, pageStrings, refusalText } from './strings.ts';
import { workspaceTag } from './workspaceTag.ts';

type Handlers = { [K in FromPage['kind']]: (message: Extract<FromPage, { kind: K }>) => unknown };

/** The chat view: shows the conversation in a page, and does what the page asks. */
export class ChatPanel {
	private readonly dependencies: ChatDependencies;
	private readonly store = new DisposableStore();
	private readonly view = this.store.add(new MutableDisposable<DisposableStore>());
	private readonly chat: Promise<Chat>;
	private connection: ConnectionView = { label: '' };
	/** The page that is shown and has asked for its snapshot. */
	private page: { webview: vscode.Webview; feed: PageFeed } | undefined;
	private focusWanted = false;

	private readonly handlers: Handlers = {
		'page-ready': () => this.sendSnapshot(),
		'snapshot-request': () => this.sendSnapshot(),
		'message-send': async ({ turn, text }) => {
			const reason = await this.ask(turn, chat => chat.send(turn, text));
			this.post(reason === undefined ? { kind: 'message-accept', turn } : { kind: 'message-refuse', turn, reason });
		},
		'reply-stop': () => this.stopReply(),
		'reply-retry': async ({ turn }) => {
			const reason = await this.ask(turn, chat => chat.retry(turn));
			if (reason !== undefined) {
				this.post({ kind: 'message-refuse', turn, reason });
			}
		},
		'explanation-follow': async ({ turn }) => {
			const found = findTurn((await this.chat).conversation, turn);
			const action = found && currentReply(found).explanation?.action;
			if (action) {
				await executeCommand(action.command);
			}
		},
		'connection-follow': () => executeCommand(commands.switchConnection),
		'link-open': async ({ url }) => {
			const address = openableUrl(url);
			if (address?.protocol === 'mailto:') {
				await vscode.env.openExternal(vscode.Uri.parse(address.href));
			} else if (address) {
				// As a string: a Uri would decode and encode the query anew, and change it.
				await vscode.commands.executeCommand('vscode.open', address.href);
			}
		},
		'text-copy': ({ text }) => vscode.env.clipboard.writeText(text),
	};

	constructor(dependencies: ChatDependencies) {
		this.dependencies = dependencies;
		const { globalStorageUri, logger } = dependencies;
		const folder = vscode.Uri.joinPath(globalStorageUri, 'conversations').fsPath;
		this.chat = Chat.open({
			store: new ConversationStore(folder, logger),
			client: dependencies.client,
			connection: dependencies.connection,
			workspace: workspaceTag,
			explainError,
			explainFinish: finishExplanation,
			clock: systemClock,
			logger,
		});
		void this.chat.then(chat => this.store.add(chat.onDidChange(change => this.conversationChanged(chat, change))));
		this.store.add(dependencies.onDidChangeConnection(() => void this.connectionChanged()));
	}

	resolve(view: vscode.WebviewView): void {
		const { extensionUri } = this.dependencies;
		const store = new DisposableStore();
		this.view.value = store;
		this.page = undefined;
		const { webview } = view;
		webview.options = { enableScripts: true, localResourceRoots: [webviewRoot(extensionUri)] };
		const feed = new PageFeed(message => this.post(message), systemClock);
		store.add(
			webview.onDidReceiveMessage(message => {
				this.page ??= { webview, feed };
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
		const data: PageData = { strings: pageStrings(), language: vscode.env.language };
		webview.html = webviewShell(webview, {
			extensionUri,
			name: 'chat',
			title: vscode.l10n.t('Chat'),
			language: vscode.env.language,
			data,
		});
		this.dependencies.warm();
	}

	/** Puts the cursor into the composer, now or as soon as the page is there. */
	focusComposer(): void {
		this.focusWanted = true;
		this.sendFocus();
	}

	async stopReply(): Promise<void> {
		(await this.chat).stop();
	}

	/** Resolves when the conversation is on disk. Harmless when called again. */
	async close(): Promise<void> {
		this.store.dispose();
		this.page = undefined;
		setContextKey('errand.replying', false);
		await (await this.chat).close();
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

	/** Asks the service, once there is a key for it. Resolves with why that was refused, in words, or undefined. */
	private async ask(turn: string, send: (chat: Chat) => Promise<SendRefusal | undefined>): Promise<string | undefined> {
		const chat = await this.chat;
		const { label } = this.connection;
		if (!(await this.dependencies.ensureKey(() => this.post({ kind: 'message-hold', turn })))) {
			return missingKeyText(label);
		}
		const refusal = await send(chat);
		return refusal && refusalText(refusal, label);
	}

	private async sendSnapshot(): Promise<void> {
		const chat = await this.chat;
		this.connection = await this.readConnection();
		this.page?.feed.snapshot({
			turns: toTurnViews(chat.conversation, chat.live),
			connection: this.connection,
			...(chat.notice ? { notice: noticeText(chat.notice) } : {}),
		});
		this.sendFocus();
	}

	private sendFocus(): void {
		if (this.focusWanted && this.page) {
			this.focusWanted = false;
			this.post({ kind: 'composer-focus' });
		}
	}

	private conversationChanged(chat: Chat, change: ChatChange): void {
		const feed = this.page?.feed;
		switch (change.kind) {
			case 'conversation':
				setContextKey('errand.replying', chat.live !== undefined);
				// A new turn takes the retry button from the one before, so both have changed.
				for (const turn of chat.conversation.turns.slice(-2)) {
					feed?.change({ kind: 'turn-set', turn: toTurnView(chat.conversation, turn, chat.live) });
				}
				break;
			case 'turn': {
				setContextKey('errand.replying', chat.live !== undefined);
				const turn = findTurn(chat.conversation, change.turnId);
				if (turn) {
					feed?.change({ kind: 'turn-set', turn: toTurnView(chat.conversation, turn, chat.live) });
				}
				break;
			}
			case 'text':
				feed?.change({ kind: 'text-append', turn: change.turnId, text: change.text });
				break;
			case 'reasoning':
				feed?.change({ kind: 'reasoning-append', turn: change.turnId, text: change.text });
				break;
			case 'notice':
				this.post({ kind: 'notice-set', notice: chat.notice && noticeText(chat.notice) });
				break;
		}
	}

	private async connectionChanged(): Promise<void> {
		this.connection = await this.readConnection();
		this.post({ kind: 'connection-set', connection: this.connection });
	}

	private async readConnection(): Promise<ConnectionView> {
		const action = vscode.l10n.t('Switch Connection');
		try {
			const { label, model } = await this.dependencies.connection();
			return model === undefined ? { label, problem: { message: noModelText(label), action } } : { label, model };
		} catch (error) {
			return { label: '', problem: { message: explainError(error, '').message, action } };
		}
	}

	private post(message: ToPage): void {
		void this.page?.webview.postMessage(message);
	}
}
