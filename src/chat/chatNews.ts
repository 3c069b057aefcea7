import * as vscode from 'vscode';
import { DisposableOwner } from '../base/disposable.ts';
import { executeCommand } from '../platform/commands.ts';
import { internalCommands } from '../platform/ids.ts';
import { tell } from '../platform/news.ts';
import { explainError, showExplanation, showMessage } from '../platform/notify.ts';
import type { ChatPage } from './chatPage.ts';
import type { Chat } from './conversation/chat.ts';
import type { OpenConversations, ShownChange } from './conversation/openConversations.ts';
import { noticeText } from './messages/messages.ts';
import { currentReply, findTurn, type Reply } from './model/conversation.ts';
import { titleOf } from './model/title.ts';

export interface ChatNewsOptions {
	page: Pick<ChatPage, 'isVisible' | 'conversation'>;
	conversations(): Promise<OpenConversations>;
	/** Returns the connection's display name. */
	label(): string;
}

/** Notifies the user of events in conversations that are not in view, and keeps the badge of the chat's view. */
export class ChatNews extends DisposableOwner {
	private readonly options: ChatNewsOptions;
	private view: vscode.WebviewView | undefined;
	/** The ids of the conversations with events that the user has not seen. */
	private readonly unseen = new Set<string>();
	/** The turn whose reply is running, by chat. */
	private readonly running = new WeakMap<Chat, string>();
	/** The ids at the last change, because a conversation that continues in a copy gets another one. */
	private readonly ids = new WeakMap<Chat, string>();

	constructor(options: ChatNewsOptions) {
		super();
		this.options = options;
		this.disposables.add(vscode.window.onDidChangeWindowState(() => this.look()));
	}

	/** Must be called when the view is created again. */
	attach(view: vscode.WebviewView): void {
		this.view = view;
		this.showBadge();
	}

	/** Must be called when the user may see another conversation, or see one again. */
	look(): void {
		if (this.unseen.size > 0 && vscode.window.state.focused) {
			for (const id of this.unseen) {
				if (this.isShown(id)) {
					this.unseen.delete(id);
				}
			}
			this.showBadge();
		}
	}

	/** Must be called for each change of a conversation, after the page was told of it. */
	changed(chat: Chat, change: ShownChange, isShown: boolean): void {
		const { id } = chat.conversation;
		const earlier = this.ids.get(chat);
		this.ids.set(chat, id);
		if (earlier !== undefined && earlier !== id && this.unseen.delete(earlier)) {
			this.unseen.add(id);
		}
		if (change.kind === 'shown') {
			this.look();
		}
		if (change.kind === 'notice' && chat.notice && !isShown) {
			void showMessage('warning', vscode.l10n.t('“{0}”: {1}', titleText(chat), noticeText(chat.notice)));
		}
		const before = this.running.get(chat);
		const now = chat.live?.turnId;
		if (now !== undefined) {
			this.running.set(chat, now);
		} else if (before !== undefined) {
			this.running.delete(chat);
			this.ended(chat, before);
		}
	}

	/** Must be called when a conversation was deleted. */
	forget(id: string): void {
		if (this.unseen.delete(id)) {
			this.showBadge();
		}
	}

	/**
	 * Must be called when an agent waits for an answer. The notification does not say what it asks, because a command can
	 * contain a key, and others may see a notification.
	 */
	async asks(id: string): Promise<void> {
		const chat = (await this.options.conversations()).find(id);
		if (chat) {
			this.tell(chat, 'information', vscode.l10n.t('“{0}” is waiting for your answer.', titleText(chat)));
		}
	}

	private ended(chat: Chat, turnId: string): void {
		const turn = findTurn(chat.conversation, turnId);
		const reply = turn && currentReply(turn);
		const title = titleText(chat);
		// A reply that the user stopped is no news.
		if (reply?.state === 'done') {
			const message = reply.work
				? vscode.l10n.t('“{0}”: the agent has finished.', title)
				: vscode.l10n.t('“{0}”: the reply is complete.', title);
			this.tell(chat, 'information', message, tookOf(reply));
		} else if (reply?.state === 'failed' || reply?.state === 'cutOff') {
			this.tell(chat, 'warning', vscode.l10n.t('“{0}”: the reply failed.', title), tookOf(reply));
		}
	}

	private tell(chat: Chat, severity: 'information' | 'warning', message: string, took?: number): void {
		const { conversations, label } = this.options;
		const show = vscode.l10n.t('Show');
		const run = async () => {
			const chosen = await tell({
				severity,
				message,
				took,
				isInView: this.isShown(chat.conversation.id),
				buttons: [show],
				setting: 'errand.chat.notify',
				mark: () => {
					this.unseen.add(chat.conversation.id);
					this.showBadge();
				},
			});
			if (chosen === show) {
				// By then the conversation may continue in a copy.
				await (await conversations()).open(chat.conversation.id);
				await executeCommand(internalCommands.focusChat);
			}
		};
		run().catch(error => showExplanation(explainError(error, label())));
	}

	/** Returns whether the page shows a conversation, even if the window does not have the focus. */
	private isShown(id: string): boolean {
		const { page } = this.options;
		return page.isVisible && page.conversation?.id === id;
	}

	private showBadge(): void {
		if (!this.view) {
			return;
		}
		const { size } = this.unseen;
		const tooltip =
			size === 1
				? vscode.l10n.t('1 conversation with unread updates')
				: vscode.l10n.t('{0} conversations with unread updates', size);
		this.view.badge = size === 0 ? undefined : { value: size, tooltip };
	}
}

/** Notifications are stored and may be seen by others, so they contain nothing of an encrypted conversation. */
function titleText({ conversation }: Chat): string {
	return conversation.encryption
		? vscode.l10n.t('An encrypted conversation')
		: (titleOf(conversation) ?? vscode.l10n.t('New Conversation'));
}

/** Returns how long the user waited for a reply, or for the rest of a continued one, in milliseconds. */
function tookOf({ startedAt, endedAt, continuations = [] }: Reply): number | undefined {
	return endedAt === undefined ? undefined : endedAt - (continuations.at(-1)?.resumedAt ?? startedAt);
}
