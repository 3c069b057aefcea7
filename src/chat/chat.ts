import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/async.ts';
import { describeError, systemErrorCode } from '../base/errors.ts';
import { Emitter } from '../base/event.ts';
import type { Logger } from '../base/logger.ts';
import type { Client } from '../client/client.ts';
import type { Explanation } from '../platform/notify.ts';
import type { ConversationWriter } from './conversationWriter.ts';
import {
	addReply,
	addTurn,
	type Conversation,
	findTurn,
	newConversation,
	type Reply,
	replaceReply,
	type WorkspaceTag,
} from './model/conversation.ts';
import { toRequest } from './model/toRequest.ts';
import type { LiveState } from './model/toView.ts';
import { MAXIMUM_MESSAGE_LENGTH } from './protocol.ts';
import { type FinishProblem, type Session, startSession } from './session.ts';
import type { ConversationStore } from './store.ts';

export type ChatChange =
	| { kind: 'conversation' }
	| { kind: 'turn'; turnId: string }
	| { kind: 'text' | 'reasoning'; turnId: string; text: string }
	| { kind: 'notice' };

/** What the user has to know about the conversation's file. `code` is the system's error code. */
export type ChatNotice =
	| { kind: 'set-aside'; count: number }
	| { kind: 'unreadable'; code: string | undefined }
	| { kind: 'branched' }
	| { kind: 'save-failed'; code: string | undefined };

export type SendRefusal =
	| { reason: 'empty' | 'too-long' | 'busy' | 'no-model' | 'no-turn' }
	| { reason: 'no-connection'; error: unknown }
	| { reason: 'not-saved'; code: string | undefined };

export interface ChatOptions {
	store: ConversationStore;
	client(): Promise<Client>;
	connection(): Promise<{ label: string; model: string | undefined }>;
	workspace(): WorkspaceTag;
	explainError(error: unknown, connection: string): Explanation;
	explainFinish(problem: FinishProblem): Explanation;
	clock: Clock;
	logger: Logger;
}

/** The conversation with a new reply in it. */
type AddReply = (conversation: Conversation, reply: Reply) => Conversation;

/** Owns the window's conversation and its running reply. Lives on while the view is hidden. */
export class Chat {
	private readonly options: ChatOptions;
	private readonly changed = new Emitter<ChatChange>();
	readonly onDidChange = this.changed.event;

	private current: Conversation;
	private writer: ConversationWriter;
	private session: Session | undefined;
	private liveState: LiveState | undefined;
	private currentNotice: ChatNotice | undefined;
	/** Between the wish to ask and the running session, so that two wishes cannot both pass. */
	private starting: { turnId: string; outcome: Promise<SendRefusal | undefined> } | undefined;
	private closed = false;

	private constructor(options: ChatOptions, conversation: Conversation, writer: ConversationWriter) {
		this.options = options;
		this.current = conversation;
		this.writer = writer;
		writer.onDidBranch(() => this.setNotice({ kind: 'branched' }));
	}

	/** Opens the newest conversation of this workspace, or a new one. A store that cannot be read is a notice, no failure. */
	static async open(options: ChatOptions): Promise<Chat> {
		const { store, clock, logger } = options;
		const workspace = options.workspace();
		const fresh = newConversation(randomUUID(), clock.now(), workspace);
		try {
			const { opened, setAside, unreadable } = await store.openNewest(workspace.folders);
			const conversation = opened?.conversation ?? fresh;
			const chat = new Chat(options, conversation, opened?.writer ?? store.create(conversation));
			if (setAside.length > 0) {
				chat.currentNotice = { kind: 'set-aside', count: setAside.length };
			} else if (unreadable.length > 0) {
				chat.currentNotice = { kind: 'unreadable', code: undefined };
			}
			return chat;
		} catch (error) {
			logger.log('warn', 'The conversations cannot be listed', { reason: describeError(error) });
			const chat = new Chat(options, fresh, store.create(fresh));
			chat.currentNotice = { kind: 'unreadable', code: systemErrorCode(error) };
			return chat;
		}
	}

	get conversation(): Conversation {
		return this.current;
	}

	/** Set while a reply is running. */
	get live(): LiveState | undefined {
		return this.liveState;
	}

	get notice(): ChatNotice | undefined {
		return this.currentNotice;
	}

	/**
	 * Asks `text` as a new turn. Resolves once the message is on disk and the reply runs, with undefined, or with why it
	 * was not taken. A turn id that is there already was taken before; one that is being taken has the same outcome.
	 */
	async send(turnId: string, text: string): Promise<SendRefusal | undefined> {
		if (findTurn(this.current, turnId)) {
			return undefined;
		}
		if (text.trim() === '') {
			return { reason: 'empty' };
		}
		if (text.length > MAXIMUM_MESSAGE_LENGTH) {
			return { reason: 'too-long' };
		}
		return this.begin(turnId, (conversation, reply) =>
			addTurn(conversation, { id: turnId, askedAt: reply.startedAt, question: text, replies: [reply] }),
		);
	}

	/** Asks the last turn's message again. What was answered before is kept. */
	async retry(turnId: string): Promise<SendRefusal | undefined> {
		if (this.current.turns.at(-1)?.id !== turnId) {
			return { reason: 'no-turn' };
		}
		return this.begin(turnId, (conversation, reply) => addReply(conversation, turnId, reply));
	}

	/** Ends the running reply; the text so far is kept. */
	stop(): void {
		this.session?.stop();
	}

	/** Stops the reply and writes what there is. On disk the reply still streams, so the next window marks it as cut off. */
	async close(): Promise<void> {
		this.changed.dispose();
		this.closed = true;
		await this.starting?.outcome;
		if (this.session || this.currentNotice?.kind === 'save-failed') {
			const streaming = this.current;
			this.session?.stop();
			await this.writer.save(streaming).catch(() => {});
		}
		// The last save of a reply that has just ended may still be under way.
		await this.writer.settled();
	}

	private begin(turnId: string, add: AddReply): Promise<SendRefusal | undefined> {
		if (this.starting?.turnId === turnId) {
			return this.starting.outcome;
		}
		if (this.session || this.starting) {
			return Promise.resolve({ reason: 'busy' });
		}
		const outcome = this.start(turnId, add).finally(() => {
			this.starting = undefined;
		});
		this.starting = { turnId, outcome };
		return outcome;
	}

	private async start(turnId: string, add: AddReply): Promise<SendRefusal | undefined> {
		let connection: Awaited<ReturnType<ChatOptions['connection']>>;
		try {
			connection = await this.options.connection();
		} catch (error) {
			return { reason: 'no-connection', error };
		}
		const { model, label } = connection;
		if (model === undefined) {
			return { reason: 'no-model' };
		}
		const reply: Reply = { state: 'streaming', startedAt: this.options.clock.now(), text: '', model };
		const conversation = add(this.current, reply);
		try {
			await this.writer.save(conversation);
		} catch (error) {
			this.options.logger.log('error', 'A message cannot be saved', { reason: describeError(error) });
			return { reason: 'not-saved', code: systemErrorCode(error) };
		}
		this.current = conversation;
		// A window that closed meanwhile asks nothing any more; the next one finds the message without its answer.
		if (!this.closed) {
			this.run(turnId, reply, model, label);
		}
		return undefined;
	}

	private run(turnId: string, reply: Reply, model: string, label: string): void {
		this.liveState = { turnId, waiting: false };
		this.changed.fire({ kind: 'conversation' });
		const session = startSession({
			reply,
			stream: async signal => {
				const client = await this.options.client();
				return client.chat.stream(toRequest(this.current, turnId, model), { signal });
			},
			onChange: (next, waiting) => this.replyChanged(turnId, next, waiting),
			save: () => this.save(),
			explainError: error => {
				this.options.logger.log('warn', 'A reply failed', { reason: describeError(error) });
				return this.options.explainError(error, label);
			},
			explainFinish: this.options.explainFinish,
			clock: this.options.clock,
		});
		this.session = session;
	}

	private replyChanged(turnId: string, reply: Reply, waiting: boolean): void {
		const before = findTurn(this.current, turnId)?.replies.at(-1);
		const wasWaiting = this.liveState?.waiting ?? false;
		this.current = replaceReply(this.current, turnId, reply);
		if (reply.state !== 'streaming') {
			this.session = undefined;
			this.liveState = undefined;
		} else if (waiting !== wasWaiting) {
			this.liveState = { turnId, waiting };
		}
		this.changed.fire(describeChange(turnId, before, reply, waiting !== wasWaiting));
	}

	private async save(): Promise<void> {
		if (this.closed) {
			return;
		}
		try {
			await this.writer.save(this.current);
			if (this.currentNotice?.kind === 'save-failed') {
				this.setNotice(undefined);
			}
		} catch (error) {
			this.options.logger.log('error', 'The conversation cannot be saved', { reason: describeError(error) });
			this.setNotice({ kind: 'save-failed', code: systemErrorCode(error) });
		}
	}

	private setNotice(notice: ChatNotice | undefined): void {
		this.currentNotice = notice;
		this.changed.fire({ kind: 'notice' });
	}
}

/** Text that was appended goes out as what was appended; anything else as the whole turn. */
function describeChange(turnId: string, before: Reply | undefined, reply: Reply, waitingChanged: boolean): ChatChange {
	if (before && reply.state === 'streaming' && !waitingChanged) {
		// The first text may take the place of an earlier reply's, so it is no append.
		if (before.text !== '' && reply.text.length > before.text.length) {
			return { kind: 'text', turnId, text: reply.text.slice(before.text.length) };
		}
		const { reasoning = '' } = reply;
		if (before.reasoning && reasoning.length > before.reasoning.length) {
			return { kind: 'reasoning', turnId, text: reasoning.slice(before.reasoning.length) };
		}
	}
	return { kind: 'turn', turnId };
}
