// The page's part of a conversation. The page stores only the user's text and place: the draft, the message that is
// being edited, the scroll position and the shown conversation. When it is shown again, it gets a snapshot of the last
// turns, and requests earlier ones when they are needed. A request of the page ends with a value, with a sentence that
// the page shows, or with a timeout.
import * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { defined } from '../base/defined.ts';
import type { Disposable } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type AnswerMessage, Requests } from '../base/rpc.ts';
import { setContextKey } from '../platform/commands.ts';
import { hasMovedToEditor } from '../platform/editorUse.ts';
import { showMessage } from '../platform/notify.ts';
import { webviewShell } from '../platform/webview.ts';
import { ConnectionStatus } from './connectionStatus.ts';
import type { Chat } from './conversation/chat.ts';
import type { ShownChange } from './conversation/openConversations.ts';
import type { EncryptionController } from './encrypted/encryptionController.ts';
import { noticeText } from './messages/messages.ts';
import type { SettingsSource } from './model/applySettings.ts';
import { type Conversation, findTurn, shownTurns, type Turn } from './model/conversation.ts';
import type { UserSettings } from './model/settings.ts';
import { titleOf } from './model/title.ts';
import { PageFeed } from './pageFeed.ts';
import type { AgentView, PageAccess, PageData, ToPage, TurnChange } from './protocol/protocol.ts';
import type { SettingsView } from './protocol/settingsProtocol.ts';
import { sliceBefore, toSettingsView, toTurnView } from './protocol/toView.ts';
import { workChanges } from './protocol/toWorkView.ts';
import type { ShownConnection } from './shownConnection.ts';

export interface ChatPageOptions {
	connection: ShownConnection;
	settings: SettingsSource;
	encryption: Pick<EncryptionController, 'view' | 'viewWithDraft'>;
	/** Returns the agent that messages of a conversation go to. */
	agent(conversation: Conversation): AgentView;
	/**
	 * Called when another conversation, mode or model is shown, and when a reply has ended, so that the size of the next
	 * message is measured again.
	 */
	conversationShown(): void;
	logger: Logger;
}

/** Returns the page's document. `kept` is the stored state of an earlier page, and its place. */
export function chatDocument(
	webview: vscode.Webview,
	extensionUri: vscode.Uri,
	kept: Pick<PageData, 'place' | 'state'>,
): string {
	const { language } = vscode.env;
	const data: PageData = { language, ...kept, ...defined({ bundle: vscode.l10n.bundle }) };
	const title = vscode.l10n.t('Chat');
	return webviewShell(webview, { extensionUri, name: 'chat', title, language, data, dataImages: true, workers: true });
}

/** Updates the content of the view: the page, its title and the status bar. */
export class ChatPage implements PageAccess, Disposable {
	private readonly options: ChatPageOptions;
	private readonly status = new ConnectionStatus();
	private readonly feed = new PageFeed(message => this.post(message), systemClock);
	/** Set while the view shows a page that receives messages. */
	private view: vscode.WebviewView | undefined;
	private shown: Conversation | undefined;
	/** True while the page has the keyboard focus. */
	private hasFocus = false;
	private focusWanted = false;
	/** The number of unanswered requests to focus the composer. */
	private focusAsked = 0;
	private focused: PromiseWithResolvers<void> | undefined;
	private readonly requests = new Requests<ToPage>({
		post: message => this.send(message),
		clock: systemClock,
		noAnswer: 'The page has not answered.',
	});
	private suggestion: string | undefined;

	constructor(options: ChatPageOptions) {
		this.options = options;
	}

	/** The shown conversation; undefined before the first one. */
	get conversation(): Conversation | undefined {
		return this.shown;
	}

	/** True while the user can see the page. */
	get isVisible(): boolean {
		return this.view?.visible === true;
	}

	/** Must be called when the view has a page that receives messages. */
	attach(view: vscode.WebviewView): void {
		this.view = view;
	}

	/** Must be called when the page is gone. */
	detach(): void {
		this.view = undefined;
		this.requests.endAll();
		this.focusChanged(false);
	}

	/** Posts a message without waiting. A page that is gone gets everything with its snapshot when it is shown again. */
	post(message: ToPage): void {
		this.send(message).catch(error => {
			this.options.logger.log('warn', 'The chat page was not told', { reason: describeError(error) });
		});
	}

	/** Posts a message. Resolves to whether a page gets it, and rejects if it cannot be posted. */
	async send(message: ToPage): Promise<boolean> {
		return (await this.view?.webview.postMessage(message)) ?? false;
	}

	/** Resolves to the page's answer to a request. Rejects with a sentence for the user if there is none. */
	ask(message: (request: string) => ToPage): Promise<boolean> {
		return this.requests.ask<boolean>(message);
	}

	/** Must be called with the page's answer to a request. */
	answered(message: AnswerMessage): void {
		this.requests.receive(message);
	}

	focusComposer(): Promise<void> {
		this.focused ??= Promise.withResolvers();
		const { promise } = this.focused;
		this.focusWanted = true;
		this.sendFocus();
		return promise;
	}

	/**
	 * Moves the cursor into the composer if the page has the focus. If something else has it by the time the page is told,
	 * the cursor moves when the focus comes back. Returns false if the page does not have the focus now.
	 */
	moveCursorToComposer(): boolean {
		if (!this.hasFocus || !this.isVisible) {
			return false;
		}
		void this.askForFocus(false);
		return true;
	}

	/** Must be called when the page gets or loses the keyboard focus. */
	focusChanged(hasFocus: boolean): void {
		this.hasFocus = hasFocus;
		setContextKey('errand.chatFocused', hasFocus);
	}

	/**
	 * Runs something that asks the user in front of the window. Afterwards the editor returns the focus to the page, but
	 * not to an element in it, and after a list not even to the page. So the composer takes the focus, unless the user
	 * has moved to an editor.
	 */
	async aroundQuestion<T>(run: () => PromiseLike<T>): Promise<T> {
		const { hasFocus } = this;
		const answer = run();
		const hasGone = await hasMovedToEditor(() => Promise.allSettled([answer]));
		if (hasFocus && !hasGone) {
			void this.focusComposer();
		}
		return answer;
	}

	readonly say = (sentence: string): void => {
		if (this.isVisible) {
			this.post({ kind: 'hint-set', hint: sentence });
		} else {
			void showMessage('information', sentence);
		}
	};

	fill(text: string): void {
		this.post({ kind: 'composer-fill', text, isAdded: true });
		void this.focusComposer();
	}

	/** Puts a question into the composer if it is empty. */
	suggest(question: string): void {
		this.suggestion = question;
		this.sendFocus();
	}

	/**
	 * Shows a whole conversation. Synchronous, because a change in between would be shown in the previous conversation.
	 */
	show(chat: Chat): void {
		const { conversation, live } = chat;
		if (this.view) {
			this.sendSnapshot(chat);
		}
		setContextKey('errand.replying', live !== undefined);
		this.showTitle(conversation);
		this.shown = conversation;
		this.options.conversationShown();
		this.showStatus(conversation);
		this.sendFocus();
	}

	private sendSnapshot(chat: Chat): void {
		const { conversation, live, notice } = chat;
		const encryption = this.options.encryption.viewWithDraft(chat);
		const path = shownTurns(conversation);
		const turns = sliceBefore(path, path.length);
		this.feed.snapshot({
			conversation: conversation.id,
			turns: turns.map(turn => toTurnView(conversation, turn, live)),
			earlier: path.length - turns.length,
			connection: this.options.connection.view,
			...defined({ mode: conversation.mode }),
			...(conversation.encryption
				? {}
				: { settings: this.settingsView(conversation), agent: this.options.agent(conversation) }),
			...defined({ encryption, notice: notice && noticeText(notice) }),
		});
	}

	/** Sends as many of the turns before the turn `before` as a page takes at once. */
	showEarlier({ conversation, live }: Chat, before: string): void {
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

	/** Shows a change of the shown conversation. */
	change(chat: Chat, change: ShownChange): void {
		const { conversation } = chat;
		this.shown = conversation;
		switch (change.kind) {
			case 'shown':
			case 'path':
				this.show(chat);
				break;
			case 'name':
				this.showTitle(conversation);
				// The cost of a title counts.
				this.showSettings(conversation);
				this.options.conversationShown();
				break;
			case 'conversation':
				setContextKey('errand.hasConversations', true);
				setContextKey('errand.replying', chat.live !== undefined);
				this.showTitle(conversation);
				this.options.conversationShown();
				// A new turn takes the retry button from the one before, so both have changed.
				for (const turn of shownTurns(conversation).slice(-2)) {
					this.setTurn(chat, turn);
				}
				break;
			case 'turn': {
				setContextKey('errand.replying', chat.live !== undefined);
				const turn = findTurn(conversation, change.turnId);
				if (turn) {
					this.setTurn(chat, turn);
				}
				if (chat.live === undefined) {
					this.showSettings(conversation);
					this.options.conversationShown();
				}
				break;
			}
			case 'settings':
				this.showChoices(chat);
				break;
			case 'text':
				this.changeTurn({ kind: 'text-append', turn: change.turnId, text: change.text });
				break;
			case 'reasoning':
				this.changeTurn({ kind: 'reasoning-append', turn: change.turnId, text: change.text });
				break;
			case 'work': {
				const work = findTurn(conversation, change.turnId)?.replies.at(-1)?.work;
				for (const part of work ? workChanges(change.turnId, change.before, work) : []) {
					this.changeTurn(part);
				}
				if (work?.context !== change.before.context) {
					this.options.conversationShown();
				}
				break;
			}
			case 'mode':
				this.post({ kind: 'mode-set', mode: chat.mode });
				this.options.conversationShown();
				break;
			case 'encryption': {
				const encryption = this.options.encryption.view(chat);
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

	showConnection(): void {
		const { view } = this.options.connection;
		if (view.model !== undefined && !view.isDemo) {
			setContextKey('errand.hasModel', true);
		}
		this.post({ kind: 'connection-set', connection: view });
	}

	/** Shows the model, the routing policy, and how much context fits. */
	showChoices({ conversation }: Chat): void {
		this.showSettings(conversation);
		this.options.conversationShown();
		this.showStatus(conversation);
	}

	private setTurn({ conversation, live }: Chat, turn: Turn): void {
		this.changeTurn({ kind: 'turn-set', turn: toTurnView(conversation, turn, live) });
	}

	/** Without a page there is nothing to do, because a later page asks for a snapshot. */
	private changeTurn(change: TurnChange): void {
		if (this.view) {
			this.feed.change(change);
		}
	}

	private showTitle(conversation: Conversation): void {
		if (this.view) {
			// The editor persists a description, so it stays empty for a conversation that is not kept.
			this.view.description = (conversation.encryption?.isUnkept ? undefined : titleOf(conversation)) ?? '';
		}
	}

	private showStatus({ settings }: Conversation): void {
		const { view, problem } = this.options.connection;
		this.status.show(view.label, settings?.model ?? view.model, problem);
	}

	private showSettings(conversation: Conversation): void {
		if (!conversation.encryption) {
			this.post({ kind: 'settings-set', settings: this.settingsView(conversation) });
		}
	}

	private settingsView(conversation: Conversation): SettingsView {
		let defaults: UserSettings | undefined;
		try {
			defaults = this.options.settings.defaults();
		} catch {
			// A setting that cannot be read is reported when a message is sent and when the routing policy is opened.
			defaults = undefined;
		}
		return toSettingsView(conversation, defaults, this.options.connection.view.model);
	}

	private sendFocus(): void {
		if (this.focusWanted && this.view) {
			this.focusWanted = false;
			this.focusAsked++;
			// The focus is set before the page answers: a user who sees the cursor may press one of the chat's keys at
			// once.
			this.focusChanged(true);
			void this.takeFocus();
		}
		if (this.suggestion !== undefined && this.view) {
			this.post({ kind: 'composer-fill', text: this.suggestion });
			this.suggestion = undefined;
		}
	}

	private async takeFocus(): Promise<void> {
		await this.askForFocus(true);
		this.focusAsked--;
		if (this.focusAsked === 0 && !this.focusWanted) {
			this.focused?.resolve();
			this.focused = undefined;
		}
	}

	private async askForFocus(takesIt: boolean): Promise<void> {
		// A page that does not answer takes no key either.
		this.focusChanged(await this.ask(request => ({ kind: 'composer-focus', request, takesIt })).catch(() => false));
	}

	dispose(): void {
		this.status.dispose();
		this.detach();
		setContextKey('errand.replying', false);
	}
}
