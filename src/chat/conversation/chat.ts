import { defined } from '../../base/defined.ts';
import { describeError, systemErrorCode } from '../../base/errors.ts';
import { Emitter } from '../../base/event.ts';
import { findModel as findListedModel } from '../../contract/modelIdentifier.ts';
import type { AgentWork } from '../model/agentWork.ts';
import type { RequestFacts } from '../model/applySettings.ts';
import {
	type Conversation,
	currentReply,
	exchangeReply,
	findTurn,
	isUnfinished,
	type Reply,
	replaceReply,
	shownReply,
	showVersion,
	type Turn,
	type TurnContext,
	type TurnStart,
	withFields,
} from '../model/conversation.ts';
import { parseMessage, type TurnMode } from '../model/mode.ts';
import { withFacts } from '../model/replyFacts.ts';
import { type ConversationChoice, settingsOrNone } from '../model/settings.ts';
import type { LiveState } from '../protocol/toView.ts';
import type { OpenedConversation } from '../storage/conversationStore.ts';
import type { Names, Writer } from '../storage/conversationWriter.ts';
import { type Beginning, beginContinuation, beginRetry, beginTurn, messageRefusal } from './beginning.ts';
import type { ChatChange, ChatNotice, ChatOptions, SendRefusal } from './chatOptions.ts';
import { ConversationChannel } from './conversationChannel.ts';
import { findModel } from './findModel.ts';
import { requestReply } from './replyRequest.ts';
import { type ReplyPart, Session, type Waiting } from './session.ts';

/**
 * One open conversation and its running reply. It keeps running while the view is hidden or shows another conversation.
 */
export class Chat {
	private readonly options: ChatOptions;
	private readonly changed = new Emitter<ChatChange>();
	readonly onDidChange = this.changed.event;

	private current: Conversation;
	private writer: Writer;
	/** Undefined if the conversation is not encrypted. If there is a channel, all messages go through it. */
	readonly channel: ConversationChannel | undefined;
	private session: Session | undefined;
	/** Set while a reply is running. */
	live: LiveState | undefined;
	notice: ChatNotice | undefined;
	/** Set from the request until the session runs, so that two requests cannot both pass. */
	private starting: { turnId: string; outcome: Promise<SendRefusal | undefined> } | undefined;
	/** Adds the turn or reply that is being saved for the first time. `current` does not have it until it is on disk. */
	private adding: Beginning['add'] | undefined;
	private closed = false;
	/** Set while the conversation is being deleted. A message that waits for its reply must not begin another one. */
	isLeaving = false;
	/** Resolves when the last choice is on disk. After `closed` is set, nothing is saved any more. */
	private choosing: Promise<void> = Promise.resolve();
	/** Resolves when the images are copied for a conversation that continues as a copy. */
	private copying: Promise<void> = Promise.resolve();
	/** The last save, which reports its own failure. */
	private saving: Promise<void> = Promise.resolve();

	constructor(options: ChatOptions, { conversation, writer }: OpenedConversation, notice?: ChatNotice) {
		this.options = options;
		this.current = conversation;
		this.writer = writer;
		this.notice = notice;
		const { encryption } = conversation;
		this.channel = encryption && new ConversationChannel(options.service.channels, encryption);
		this.channel?.onDidChange(() => this.channelChanged());
		writer.onDidBranch(({ id, branchedFrom }) => {
			this.current = { ...this.current, id, branchedFrom };
			this.copying = options.storage.images.copy(branchedFrom, id);
			void options.service.agents.adopt(this.current);
			this.changed.fire({ kind: 'name' });
			this.setNotice({ kind: 'branched' });
		});
		writer.onDidRename(names => this.setNames(names));
	}

	get conversation(): Conversation {
		return this.current;
	}

	/** True if a reply is running or about to start. */
	get isBusy(): boolean {
		return this.session !== undefined || this.starting !== undefined;
	}

	/** True if something is not on disk, or would be lost with this object. */
	get isUnsaved(): boolean {
		const isUnkept = this.current.encryption?.isUnkept === true && this.current.turns.length > 0;
		return this.isBusy || isUnkept || this.notice?.kind === 'save-failed';
	}

	/**
	 * Sends `text` as a new turn. Resolves to undefined once the message is on disk and the reply runs, or to the reason
	 * why it was not accepted. An existing turn id was accepted before; one that is being accepted resolves to the same
	 * outcome.
	 */
	async send(turnId: string, text: string, context: TurnContext = {}): Promise<SendRefusal | undefined> {
		return this.ask(turnId, text, context, this.mode, () => this.current.head);
	}

	/**
	 * Sends `text` in place of the turn `edited`, as another version of it with the same context. The old version and the
	 * turns after it are kept.
	 */
	async edit(edited: string, turnId: string, text: string): Promise<SendRefusal | undefined> {
		const turn = findTurn(this.current, edited);
		return turn ? this.ask(turnId, text, turn, turn.mode ?? 'chat', () => turn.previous) : { reason: 'no-turn' };
	}

	/** Sends `text` to an agent that goes on from a step. The turns after that of the step are kept, as another version. */
	async continueFrom(turnId: string, text: string, context: TurnContext & { from: TurnStart }) {
		return this.ask(turnId, text, context, 'agent', () => context.from.turn);
	}

	/** Sends the last turn's message again. The earlier replies are kept. */
	async retry(turnId: string): Promise<SendRefusal | undefined> {
		const turn = this.lastTurn(turnId);
		return turn
			? this.begin(turnId, turn.mode ?? 'chat', (model, now) => beginRetry(turn, model, now))
			: { reason: 'no-turn' };
	}

	/**
	 * Asks the model to continue the last turn's reply, which ended too early. The continuation is appended to its text.
	 */
	async continue(turnId: string): Promise<SendRefusal | undefined> {
		const turn = this.lastTurn(turnId);
		if (!turn) {
			return { reason: 'no-turn' };
		}
		if (turn.mode === 'image') {
			return { reason: 'image' };
		}
		if (!this.isBusy && !isUnfinished(currentReply(turn))) {
			return { reason: 'finished' };
		}
		return this.begin(turnId, turn.mode ?? 'chat', (_, now) => beginContinuation(turn, now));
	}

	private lastTurn(turnId: string): Turn | undefined {
		return this.current.head === turnId ? findTurn(this.current, turnId) : undefined;
	}

	/** Shows another version of a message with the turns that followed it. */
	async showVersion(turnId: string): Promise<SendRefusal | undefined> {
		if (this.isBusy) {
			return { reason: 'busy' };
		}
		if (!findTurn(this.current, turnId)) {
			return { reason: 'no-turn' };
		}
		this.current = showVersion(this.current, turnId);
		this.changed.fire({ kind: 'path' });
		await this.saveChoice();
		return undefined;
	}

	/** Sets the title; undefined restores the generated one. The next save writes it to the file. */
	async rename(title: string | undefined): Promise<void> {
		this.setNames({ title, titleReply: this.current.titleReply });
		if (this.isUnsaved && this.toSave.turns.length > 0) {
			await this.save();
		}
	}

	/** Stores the outcome of the request for a title. Resolves when it is on disk. */
	async keepTitleReply(titleReply: Reply): Promise<void> {
		this.setNames({ title: this.current.title, titleReply });
		await this.saveChoice();
	}

	/** Loads the image of a reply again. */
	async reloadImage(turnId: string): Promise<void> {
		const turn = findTurn(this.current, turnId);
		const reply = turn && shownReply(turn);
		if (turn?.mode !== 'image' || this.isBusy || !reply || reply.text === '') {
			return;
		}
		const image = await this.options.storage.images.load(this.current.id, reply.text, new AbortController().signal);
		// In the meantime the image may have been requested again, so that a newer reply is shown.
		this.current = exchangeReply(this.current, turnId, reply, { ...reply, image });
		this.changed.fire({ kind: 'turn', turnId });
		await this.save();
	}

	/** Stores the work of a turn's agent again, once the user has taken changes over or undone them. */
	async changeWork(turnId: string, change: (work: AgentWork) => AgentWork): Promise<void> {
		const turn = findTurn(this.current, turnId);
		const reply = turn && shownReply(turn);
		await (reply?.work && this.keepWork(turnId, reply, change(reply.work)));
	}

	private readonly keepWork = async (turnId: string, reply: Reply, work: AgentWork): Promise<void> => {
		this.current = exchangeReply(this.current, turnId, reply, { ...reply, work });
		this.changed.fire({ kind: 'turn', turnId });
		await this.save();
	};

	/** The mode of messages that name none. */
	get mode(): TurnMode {
		return this.current.mode ?? 'chat';
	}

	/**
	 * Sets the mode of the next messages. An encrypted conversation has only chat. Resolves when the choice is on disk.
	 */
	async setMode(mode: TurnMode): Promise<void> {
		if (this.channel) {
			return;
		}
		this.current = withFields(this.current, { mode: mode === 'chat' ? undefined : mode });
		this.changed.fire({ kind: 'mode' });
		await this.saveChoice();
	}

	/**
	 * Changes the settings of this conversation from the next request on; an undefined field returns to the user's
	 * settings. An encrypted one has only its instructions to choose. Resolves when the choice is on disk.
	 */
	async choose(change: ConversationChoice): Promise<void> {
		if (this.channel && !('instructionFiles' in change)) {
			return;
		}
		const settings = settingsOrNone({ ...this.current.settings, ...change });
		this.current = withFields(this.current, { settings });
		this.changed.fire({ kind: 'settings' });
		await this.saveChoice();
	}

	/** Saves a choice, unless another window has written in the meantime: a choice is no reason to continue as a copy. */
	private saveChoice(): Promise<void> {
		const save = async () => {
			const { id, turns, mode, settings } = this.toSave;
			if (turns.length > 0) {
				await ((await this.writer.isStale().catch(() => false)) ? undefined : this.save());
			} else if (!this.channel) {
				this.options.storage.unsent.write(id, defined({ mode, settings }));
			}
		};
		this.choosing = save();
		return this.choosing;
	}

	/** Stops the running reply. Its text so far is kept. */
	stop(): void {
		this.session?.stop();
	}

	/** Resolves when no reply runs and no write is pending. */
	async idle(): Promise<void> {
		await this.starting?.outcome;
		await this.session?.ended;
		await this.choosing;
		await this.saving;
		await this.writer.settled();
	}

	/** Resolves to whether another window has written the file since this one did. Rejects with the system's error. */
	isStale(): Promise<boolean> {
		return this.writer.isStale();
	}

	/** Stops the reply and saves it. On disk it is still streaming, so the next window marks it as cut off. */
	async close(): Promise<void> {
		this.changed.dispose();
		await this.choosing;
		this.closed = true;
		await this.starting?.outcome;
		if (this.session || this.notice?.kind === 'save-failed') {
			const streaming = this.current;
			this.session?.stop();
			await this.writer.save(streaming).catch(() => {});
		}
		await this.channel?.close();
		// The last save of a reply that has just ended may still be running.
		await this.writer.settled();
	}

	private async ask(
		turnId: string,
		message: string,
		context: TurnContext,
		usualMode: TurnMode,
		previous: () => string | undefined,
	): Promise<SendRefusal | undefined> {
		if (findTurn(this.current, turnId)) {
			return undefined;
		}
		const { mode = usualMode, text } = parseMessage(message);
		const refusal = messageRefusal(text, mode, context.attachments ?? []);
		if (refusal) {
			return refusal;
		}
		return this.begin(turnId, mode, (model, now) => {
			const { current: conversation, options } = this;
			const turn = { id: turnId, text, mode, context, previous: previous() };
			return beginTurn(turn, { conversation, workspace: options.workspace }, model, now);
		});
	}

	private begin(
		turnId: string,
		mode: TurnMode,
		begin: (model: string, now: number) => Beginning,
	): Promise<SendRefusal | undefined> {
		if (this.starting?.turnId === turnId) {
			return this.starting.outcome;
		}
		if (this.isLeaving) {
			return Promise.resolve({ reason: 'no-turn' });
		}
		if (this.isBusy) {
			return Promise.resolve({ reason: 'busy' });
		}
		const outcome = this.start(turnId, mode, begin).finally(() => {
			this.starting = undefined;
		});
		this.starting = { turnId, outcome };
		return outcome;
	}

	private async start(
		turnId: string,
		mode: TurnMode,
		begin: (model: string, now: number) => Beginning,
	): Promise<SendRefusal | undefined> {
		const found = await findModel(this.current, mode, this.options);
		if ('reason' in found) {
			return found;
		}
		const head = this.current.head;
		const beginning = begin(found.model, this.options.clock.now());
		const { saving } = this;
		this.adding = beginning.add;
		try {
			await this.write();
		} catch (error) {
			this.adding = undefined;
			this.options.logger.log('error', 'A message cannot be saved', { reason: describeError(error) });
			if (this.saving !== saving) {
				// Another save in the meantime may have written the message, which is now refused.
				void this.save();
			}
			return { reason: 'not-saved', code: systemErrorCode(error) };
		}
		this.adding = undefined;
		// The reply is added to the current conversation, which may meanwhile have another title or a mark on a file.
		this.current = beginning.add(this.current);
		// A window that has closed in the meantime requests nothing; the next one finds the message without a reply.
		if (!this.closed) {
			this.run(turnId, mode, beginning, found);
			const goesOn = this.current.head === head || findTurn(this.current, turnId)?.previous === head;
			this.changed.fire({ kind: goesOn ? 'conversation' : 'path' });
			// The conversation is being deleted, and its deletion waits until this reply has ended.
			if (this.isLeaving) {
				this.stop();
			}
		}
		return undefined;
	}

	private run(
		turnId: string,
		mode: TurnMode,
		{ reply, toRequest }: Beginning,
		{ model, label }: { model: string; label: string },
	): void {
		this.live = { turnId, waiting: false };
		const turn = { conversation: this.current, turnId, mode, model, toRequest, keepWork: this.keepWork };
		const { service, storage, explain, clock } = this.options;
		let facts: RequestFacts | undefined;
		this.session = new Session({
			reply,
			request: {
				stream: async signal => {
					await this.copying;
					const sources = { ...service, images: storage.images, channel: this.channel };
					const asked = await requestReply(turn, sources, signal);
					facts = asked.facts;
					return asked.events;
				},
				endsItself: mode === 'agent',
			},
			conversation: {
				onChange: (next, waiting, appended) =>
					this.replyChanged(turnId, facts ? withFacts(next, facts) : next, waiting, appended),
				save: () => this.save(),
			},
			explain: {
				error: error => {
					this.options.logger.log('warn', 'A reply failed', { reason: describeError(error) });
					return this.channel?.explain(error) ?? explain.error(error, label, facts?.asked, mode);
				},
				finish: explain.finish,
			},
			isLoading: async () => findListedModel(await service.settings.connection(), model)?.isLoading === true,
			clock,
		});
	}

	private channelChanged(): void {
		this.current = { ...this.current, ...defined({ encryption: this.channel?.encryption }) };
		this.changed.fire({ kind: 'encryption' });
	}

	private replyChanged(turnId: string, reply: Reply, waiting: Waiting, appended: ReplyPart | undefined): void {
		this.current = replaceReply(this.current, turnId, reply);
		if (reply.state !== 'streaming') {
			this.session = undefined;
			this.live = undefined;
		} else {
			this.live = { turnId, waiting };
		}
		this.changed.fire(appended ? { turnId, ...appended } : { kind: 'turn', turnId });
	}

	private save(): Promise<void> {
		this.saving = this.trySave();
		return this.saving;
	}

	private async trySave(): Promise<void> {
		if (this.closed) {
			return;
		}
		try {
			await this.write();
			if (this.notice?.kind === 'save-failed') {
				this.setNotice(undefined);
			}
		} catch (error) {
			this.options.logger.log('error', 'The conversation cannot be saved', { reason: describeError(error) });
			this.setNotice({ kind: 'save-failed', code: systemErrorCode(error) });
		}
	}

	/** The conversation as it is to be on disk. */
	private get toSave(): Conversation {
		return this.adding?.(this.current) ?? this.current;
	}

	private write(): Promise<void> {
		return this.writer.save(this.toSave);
	}

	private setNames(names: Names): void {
		this.current = withFields(this.current, names);
		this.changed.fire({ kind: 'name' });
	}

	private setNotice(notice: ChatNotice | undefined): void {
		this.notice = notice;
		this.changed.fire({ kind: 'notice' });
	}
}
