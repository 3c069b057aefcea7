import { randomUUID } from 'node:crypto';
import { SerialQueue } from '../../base/async.ts';
import { defined } from '../../base/defined.ts';
import type { Disposable } from '../../base/disposable.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { type Conversation, findTurn, newConversation } from '../model/conversation.ts';
import type { Encryption } from '../model/encryption.ts';
import type { ShownConversation } from '../model/shownConversation.ts';
import { titleOf } from '../model/title.ts';
import { foldersKey } from '../model/workspaceMatch.ts';
import type { ConversationSummary } from '../storage/conversationIndex.ts';
import type {
	ConversationList,
	ConversationStore,
	OpenOutcome,
	TrashedConversation,
} from '../storage/conversationStore.ts';
import { MemoryWriter } from '../storage/conversationWriter.ts';
import { Chat } from './chat.ts';
import type { ChatChange, ChatNotice, ChatOptions } from './chatOptions.ts';
import { ConversationTitles } from './conversationTitles.ts';

export interface OpenConversationsOptions {
	/** The options with which each conversation is opened. */
	chat: ChatOptions;
	store: ConversationStore;
	/** Stores which conversation this window last showed. */
	remembered: { read(): ShownConversation | undefined; write(shown: ShownConversation): void };
	/** Returns whether the model is to name conversations. */
	titles(): boolean;
	/** Called for each change of an open conversation, and when another one is shown. */
	onChange(chat: Chat, change: ShownChange, isShown: boolean): void;
	/** Called when a conversation was deleted, open or not. */
	onDelete(id: string): void;
}

export type ShownChange = ChatChange | { kind: 'shown' };

/** The reason why a conversation was not opened. */
export type OpenFailure = Exclude<OpenOutcome, { kind: 'opened' }>;

/** A conversation in the trash, and whether it was the shown one. */
export interface Deletion {
	readonly trashed: TrashedConversation;
	readonly wasShown: boolean;
}

/** The conversations of a window: the shown one, and those in the background whose replies still run. */
export class OpenConversations {
	private readonly options: OpenConversationsOptions;
	private readonly chats = new Map<Chat, Disposable>();
	/** Runs opening, showing and deleting one after another. */
	private readonly queue = new SerialQueue();
	private readonly titles: ConversationTitles;
	private current: Chat;

	private constructor(options: OpenConversationsOptions, first: Chat) {
		this.options = options;
		this.titles = new ConversationTitles(options.chat, options.titles);
		this.current = this.adopt(first);
		options.remembered.write(first.conversation);
	}

	/**
	 * Opens the conversation that the window last showed or, if it never showed one, the newest one of its folders or a
	 * new one. A store that cannot be read becomes a notice, not a failure.
	 */
	static async open(options: OpenConversationsOptions): Promise<OpenConversations> {
		return new OpenConversations(options, await firstChat(options));
	}

	get shown(): Chat {
		return this.current;
	}

	/** Returns the chat of an open conversation. */
	find(id: string): Chat | undefined {
		return [...this.chats.keys()].find(chat => chat.conversation.id === id);
	}

	/**
	 * Returns the chat that the page names. If it names none, or one that is not open, for example because it continues
	 * in a copy, returns the shown one.
	 */
	findOrShown(id: string | undefined): Chat {
		return (id === undefined ? undefined : this.find(id)) ?? this.current;
	}

	/** Returns the open chat that has a turn. */
	findByTurn(turnId: string): Chat | undefined {
		// The shown chat is searched first, because a conversation and its copy have the same turns.
		return [this.current, ...this.chats.keys()].find(chat => findTurn(chat.conversation, turnId));
	}

	/** Lists the conversations, including those that are not kept. Rejects with the system's error. */
	async list(): Promise<ConversationList> {
		const list = await this.options.store.list();
		const unkept = [...this.chats.keys()]
			.map(({ conversation }) => conversation)
			.filter(({ encryption, turns }) => encryption?.isUnkept && turns.length > 0);
		return { ...list, conversations: [...unkept.map(summaryOf), ...list.conversations] };
	}

	/** Shows a new conversation. The one that was shown continues in the background. */
	showNew(): Promise<void> {
		return this.queue.run(() => {
			const { turns, encryption } = this.current.conversation;
			if (turns.length > 0 || encryption || this.current.isBusy) {
				this.show(this.adopt(newChat(this.options)));
			}
		});
	}

	/** Shows a new encrypted conversation, whose channel is not open yet. */
	showNewEncrypted(encryption: Encryption): Promise<Chat> {
		return this.queue.run(() => {
			const chat = this.adopt(newChat(this.options, { encryption }));
			this.show(chat);
			return chat;
		});
	}

	/** Shows a conversation. Resolves to undefined, or to the reason why it cannot be opened. */
	open(id: string): Promise<OpenFailure | undefined> {
		return this.queue.run(() => this.openAndShow(id));
	}

	/** Reads the current conversation without showing it. */
	async read(id: string): Promise<{ conversation: Conversation } | OpenFailure> {
		const outcome = this.find(id) ?? (await this.options.store.open(id));
		return outcome;
	}

	/** Rejects with the system's error. */
	async rename(id: string, title: string | undefined): Promise<void> {
		const chat = this.find(id);
		if (!chat || (!chat.isUnsaved && chat.conversation.turns.length > 0)) {
			// Only the title in the file is changed, because another window may be adding turns.
			await this.options.store.rename(id, title);
		}
		await chat?.rename(title);
	}

	/**
	 * Stops the conversation's reply and moves it to the trash. If it was shown, shows a new one. Resolves to undefined
	 * if it has no file.
	 */
	delete(id: string): Promise<Deletion | undefined> {
		return this.queue.run(async () => {
			const chat = this.find(id);
			const wasShown = chat === this.current;
			if (chat) {
				chat.isLeaving = true;
				chat.stop();
				await this.titles.stop(chat);
				await chat.idle();
			}
			const trashed = await this.options.store.remove(id).catch(error => {
				if (chat) {
					chat.isLeaving = false;
				}
				throw error;
			});
			if (!trashed) {
				void this.options.chat.service.agents.forget(id);
			}
			if (chat) {
				if (wasShown) {
					this.show(this.adopt(newChat(this.options)));
				}
				this.release(chat);
			}
			this.options.onDelete(id);
			return trashed && { trashed, wasShown };
		});
	}

	/** Undoes a deletion. Rejects with the system's error. */
	restore({ trashed, wasShown }: Deletion): Promise<void> {
		return this.queue.run(async () => {
			const id = await this.options.store.restore(trashed);
			// A user who has begun something else in the meantime stays there.
			if (wasShown && this.current.conversation.turns.length === 0 && !this.current.isBusy) {
				await this.openAndShow(id);
			}
		});
	}

	/** Stops the replies and resolves when everything is on disk. */
	async close(): Promise<void> {
		await Promise.all([...this.chats.keys()].flatMap(chat => [chat.close(), this.titles.stop(chat)]));
	}

	private async openAndShow(id: string): Promise<OpenFailure | undefined> {
		const open = this.find(id);
		if (open && (open.isUnsaved || this.titles.isAsking(open) || !(await open.isStale().catch(() => false)))) {
			this.show(open);
			return undefined;
		}
		const outcome = await this.options.store.open(id);
		if (outcome.kind !== 'opened') {
			return outcome;
		}
		this.show(this.adopt(new Chat(this.options.chat, outcome, repairNotice(outcome))));
		if (open) {
			this.release(open);
		}
		return undefined;
	}

	private show(chat: Chat): void {
		const before = this.current;
		this.options.remembered.write(chat.conversation);
		if (chat === before) {
			return;
		}
		this.current = chat;
		this.options.onChange(chat, { kind: 'shown' }, true);
		void this.releaseWhenIdle(before);
	}

	private adopt(chat: Chat): Chat {
		const subscription = chat.onDidChange(change => {
			const isShown = chat === this.current;
			if (isShown && change.kind === 'name') {
				this.options.remembered.write(chat.conversation);
			}
			this.options.onChange(chat, change, isShown);
			this.titles.changed(chat, change);
			if (!isShown) {
				void this.releaseWhenIdle(chat);
			}
		});
		this.chats.set(chat, subscription);
		return chat;
	}

	/** Releases a conversation in the background as soon as all of it is on disk. */
	private async releaseWhenIdle(chat: Chat): Promise<void> {
		if (chat.live) {
			return;
		}
		await chat.idle();
		await this.titles.ended(chat);
		if (chat !== this.current && !chat.isUnsaved) {
			this.release(chat);
		}
	}

	private release(chat: Chat): void {
		this.chats.get(chat)?.dispose();
		this.chats.delete(chat);
		void chat.channel?.close();
	}
}

async function firstChat(options: OpenConversationsOptions): Promise<Chat> {
	const { chat, store, remembered } = options;
	const last = remembered.read();
	if (last?.encryption?.isUnkept) {
		return newChat(options, { notice: { kind: 'not-kept' } });
	}
	try {
		const { conversations, repairs } = await store.list();
		const notice = repairs.length > 0 ? { kind: 'repaired' as const, repairs } : undefined;
		const key = foldersKey(chat.workspace().folders);
		const here = conversations.filter(({ workspace }) => foldersKey(workspace.folders) === key);
		for (const id of last === undefined ? here.map(conversation => conversation.id) : [last.id]) {
			const outcome = await store.open(id);
			if (outcome.kind === 'opened') {
				return new Chat(options.chat, outcome, repairNotice(outcome) ?? notice);
			}
			if (outcome.kind !== 'missing') {
				return newChat(options, { notice: failureNotice(outcome) });
			}
		}
		return newChat(options, { ...last, ...defined({ notice }) });
	} catch (error) {
		chat.logger.log('warn', 'The conversations cannot be listed', { reason: describeError(error) });
		return newChat(options, { notice: { kind: 'unreadable', code: systemErrorCode(error) } });
	}
}

function newChat(
	options: OpenConversationsOptions,
	{ id = randomUUID(), encryption, notice }: Partial<ShownConversation> & { notice?: ChatNotice } = {},
): Chat {
	const { storage, clock, workspace } = options.chat;
	const chosen = encryption ? { encryption } : storage.unsent.read(id);
	const conversation = { ...newConversation(id, clock.now(), workspace()), ...chosen };
	const writer = encryption?.isUnkept ? new MemoryWriter() : options.store.create(conversation);
	return new Chat(options.chat, { conversation, writer }, notice);
}

function summaryOf({ id, turns, title, workspace, createdAt }: Conversation): ConversationSummary {
	const shown = titleOf({ turns, ...defined({ title }) });
	return {
		id,
		...defined({ title: shown }),
		text: '',
		workspace,
		createdAt,
		updatedAt: turns.at(-1)?.askedAt ?? createdAt,
		turnCount: turns.length,
		encrypted: true,
	};
}

function repairNotice({ repair }: Extract<OpenOutcome, { kind: 'opened' }>): ChatNotice | undefined {
	return repair && { kind: 'repaired', repairs: [repair] };
}

/** Returns the notice of a conversation that was not opened although it is there. */
export function failureNotice(outcome: Exclude<OpenFailure, { kind: 'missing' }>): ChatNotice {
	switch (outcome.kind) {
		case 'newer':
			return { kind: 'newer', count: 1 };
		case 'set-aside':
			return { kind: 'repaired', repairs: [{ kept: 0, expected: undefined }] };
		case 'unreadable':
			return { kind: 'unreadable', code: outcome.code };
	}
}
