import type * as vscode from 'vscode';
import { systemClock } from '../base/async.ts';
import { defined } from '../base/defined.ts';
import type { Disposable } from '../base/disposable.ts';
import { describeError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { type AnswerMessage, Requests } from '../base/rpc.ts';
import { setContextKey } from '../platform/commands.ts';
import { hasMovedToEditor } from '../platform/editorUse.ts';
import { ConnectionStatus } from './connectionStatus.ts';
import type { Chat } from './conversation/chat.ts';
import type { ShownChange } from './conversation/openConversations.ts';
import type { EncryptionController } from './encrypted/encryptionController.ts';
import { noticeText } from './messages/messages.ts';
import type { PolicySource } from './model/applyPolicy.ts';
import { type Conversation, findTurn, shownTurns, type Turn } from './model/conversation.ts';
import type { PolicyDefaults } from './model/policy.ts';
import { titleOf } from './model/title.ts';
import { PageFeed } from './pageFeed.ts';
import type { PolicyView } from './protocol/policyProtocol.ts';
import type { ToPage, TurnChange } from './protocol/protocol.ts';
import { sliceBefore, toPolicyView, toTurnView } from './protocol/toView.ts';
import type { ShownConnection } from './shownConnection.ts';

export interface ChatPageOptions {
	connection: ShownConnection;
	policy: PolicySource;
	encryption: Pick<EncryptionController, 'view' | 'viewWithDraft'>;
	/** Another conversation or model is shown: what goes with the next message is to be measured anew. */
	conversationShown(): void;
	logger: Logger;
}

/** What the view shows: tells the page, its title and the status bar of the shown conversation and its connection. */
export class ChatPage implements Disposable {
	private readonly options: ChatPageOptions;
	private readonly status = new ConnectionStatus();
	private readonly feed = new PageFeed(message => this.post(message), systemClock);
	/** Set while a page is shown in it that listens. */
	private view: vscode.WebviewView | undefined;
	private shown: Conversation | undefined;
	/** Keys that are pressed go to the page. */
	private hasFocus = false;
	private focusWanted = false;
	/** How often the page was asked to put the cursor into the composer and has not answered. */
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

	/** The conversation that is shown, once one was. */
	get conversation(): Conversation | undefined {
		return this.shown;
	}

	/** There is a page in the view, which listens. */
	attach(view: vscode.WebviewView): void {
		this.view = view;
	}

	/** The page is gone. */
	detach(): void {
		this.view = undefined;
		this.requests.endAll();
		this.focusChanged(false);
	}

	/** Posts without waiting. A page that is gone gets all of it with its snapshot, when it is there again. */
	post(message: ToPage): void {
		this.send(message).catch(error => {
			this.options.logger.log('warn', 'The chat page was not told', { reason: describeError(error) });
		});
	}

	/** Resolves with whether a page gets it. Rejects where it cannot be posted. */
	async send(message: ToPage): Promise<boolean> {
		return (await this.view?.webview.postMessage(message)) ?? false;
	}

	/** The page has answered a request. */
	answered(message: AnswerMessage): void {
		this.requests.receive(message);
	}

	/**
	 * Puts the cursor into the composer, now or as soon as the page is there. Resolves when the page has done so, or is gone.
	 */
	focusComposer(): Promise<void> {
		this.focused ??= Promise.withResolvers();
		const { promise } = this.focused;
		this.focusWanted = true;
		this.sendFocus();
		return promise;
	}

	/** Whether keys that are pressed go to the page now. */
	focusChanged(hasFocus: boolean): void {
		this.hasFocus = hasFocus;
		setContextKey('errand.chatFocused', hasFocus);
	}

	/**
	 * Runs what asks in front of the window. After it the editor gives the keyboard to the page it had it from, but to nothing
	 * in it, or after a list not even to that: the composer takes it, unless the user has gone to an editor.
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

	/** Puts a question into the composer, where there is none yet. */
	suggest(question: string): void {
		this.suggestion = question;
		this.sendFocus();
	}

	/** All of a conversation. In one go: a change that came in between would be shown in the conversation before. */
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
			...(conversation.encryption ? {} : { policy: this.policyView(conversation) }),
			...(encryption ? { encryption } : {}),
			...(notice ? { notice: noticeText(notice) } : {}),
		});
	}

	/** The turns that come before one, as many as a page takes at once. */
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

	/** What has changed of the conversation that is shown. */
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
				break;
			case 'conversation':
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
					this.showPolicy(conversation);
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
			case 'mode':
				this.post({ kind: 'mode-set', mode: chat.mode });
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

	/** The connection as it is known now. */
	showConnection(): void {
		this.post({ kind: 'connection-set', connection: this.options.connection.view });
	}

	/** Model, policy and what they leave room for. */
	showChoices({ conversation }: Chat): void {
		this.showPolicy(conversation);
		this.options.conversationShown();
		this.showStatus(conversation);
	}

	private setTurn({ conversation, live }: Chat, turn: Turn): void {
		this.changeTurn({ kind: 'turn-set', turn: toTurnView(conversation, turn, live) });
	}

	/** A page that comes later asks for all of it. */
	private changeTurn(change: TurnChange): void {
		if (this.view) {
			this.feed.change(change);
		}
	}

	private showTitle(conversation: Conversation): void {
		if (this.view) {
			// The editor leaves out a description that is empty, and writes down one that is not.
			this.view.description = (conversation.encryption?.isUnkept ? undefined : titleOf(conversation)) ?? '';
		}
	}

	private showStatus({ settings }: Conversation): void {
		const { view, problem } = this.options.connection;
		this.status.show(view.label, settings?.model ?? view.model, problem);
	}

	private showPolicy(conversation: Conversation): void {
		if (!conversation.encryption) {
			this.post({ kind: 'policy-set', policy: this.policyView(conversation) });
		}
	}

	private policyView(conversation: Conversation): PolicyView {
		let defaults: PolicyDefaults | undefined;
		try {
			defaults = this.options.policy.defaults();
		} catch {
			// What is wrong with a setting is said when a message is sent, and when the policy is opened.
			defaults = undefined;
		}
		return toPolicyView(conversation, defaults, this.options.connection.view.model);
	}

	private sendFocus(): void {
		if (this.focusWanted && this.view) {
			this.focusWanted = false;
			this.focusAsked++;
			// Before: whoever sees the cursor there may press one of the chat's keys at once.
			this.focusChanged(true);
			void this.askForFocus();
		}
		if (this.suggestion !== undefined && this.view) {
			this.post({ kind: 'composer-fill', text: this.suggestion });
			this.suggestion = undefined;
		}
	}

	private async askForFocus(): Promise<void> {
		const hasFocus = await this.requests
			.ask<boolean>(request => ({ kind: 'composer-focus', request }))
			.catch(() => undefined);
		if (hasFocus !== undefined) {
			this.focusChanged(hasFocus);
		}
		this.focusAsked--;
		if (this.focusAsked === 0 && !this.focusWanted) {
			this.focused?.resolve();
			this.focused = undefined;
		}
	}

	dispose(): void {
		this.status.dispose();
		this.detach();
		setContextKey('errand.replying', false);
	}
}
