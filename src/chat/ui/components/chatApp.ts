import * as l10n from '@vscode/l10n';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { defined } from '../../../base/defined.ts';
import { waitingStep } from '../../model/agentWork.ts';
import { escapeMessage } from '../../model/mode.ts';
import type { ToPage, TurnView } from '../../protocol/protocol.ts';
import { questionGetsFocus } from '../agent/questionBox.ts';
import { Announcer, announce, announcementRegions, COPIED, newsOf } from '../announcer.ts';
import { DropTarget } from '../dropTarget.ts';
import { stateBeyond } from '../encrypted/encryptedDraft.ts';
import { encryptionLine, encryptionLineStyles } from '../encrypted/encryptionLine.ts';
import { FollowEnd } from '../followEnd.ts';
import { messageProblem, stillReplyingText } from '../message.ts';
import { MissingTurns } from '../missingTurns.ts';
import { type Draft, initialState, type PageHost } from '../page.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { applyMessage, emptyPageState, type PageState } from '../pageState.ts';
import { Reading } from '../readingPosition.ts';
import { StateKeeper, type WindowCopy } from '../stateKeeper.ts';
import { chatAppStyles } from './chatApp.styles.ts';
import type { ChatComposer } from './chatComposer.ts';
import { sharedStyles } from './shared.styles.ts';
import './chatComposer.ts';
import type { ChatTurn } from './chatTurn.ts';
import './chatTurn.ts';
import { earlierButton, emptyConversation, fileNotice, problemNotice, toEndButton } from './notices.ts';
import type { QuestionActions } from './question.ts';

/** The whole page: the conversation, its notices and the composer. */
export class ChatApp extends PageElement {
	static override styles = [sharedStyles, chatAppStyles, encryptionLineStyles];
	static override properties = reactive('host', 'state', 'following', 'dismissed', 'editing');

	declare host: PageHost;
	/** The state of an earlier page, stored by the host, as JSON. */
	declare kept: string | undefined;
	declare copy: WindowCopy;
	declare state: PageState;
	declare following: boolean;
	declare dismissed: string | undefined;
	/** The turn whose message is being edited, and the initial text of its field. */
	declare editing: { turn: string; text: string } | undefined;

	/** The state including the changes since the last frame. */
	nextState: PageState = emptyPageState;
	private frame: number | undefined;
	/** The version that was requested; its button gets the focus back. */
	private versionWanted: { turn: string; direction: 'previous' | 'next' } | undefined;
	readonly keeper = new StateKeeper(this);
	private readonly reading = new Reading(this);
	private initialDraft: Draft = { text: '' };
	private followEnd: FollowEnd | undefined;
	private announcer: Announcer | undefined;
	readonly missing = new MissingTurns(this);
	private readonly onDraft = (draft: Draft) => {
		const { sentAs: _, draftOf: __, task: ___, next: ____, ...others } = this.keeper.state;
		const { encryption, conversation } = this.nextState;
		const draftOf = encryption && conversation !== undefined ? { draftOf: conversation } : {};
		const { text, ...parts } = draft;
		this.keeper.save({ ...others, ...draftOf, ...parts, draft: text });
	};

	private readonly question: QuestionActions = {
		edit: turn => this.beginEdit(turn),
		editInput: text => {
			if (this.keeper.state.edit) {
				this.keeper.save({ ...this.keeper.state, edit: { turn: this.keeper.state.edit.turn, text } });
			}
		},
		cancelEdit: () => {
			const turn = this.editing?.turn;
			this.endEdit();
			void this.focusIn(turn, '.question-row .actions button');
		},
		sendEdit: () => this.sendEdit(),
		openAttachment: (turn, index) => this.page.post({ kind: 'attachment-open', turn: turn.id, index }),
		showVersion: (turn, direction) => this.showVersion(turn, direction),
	};

	private readonly drop = new DropTarget(
		() => this.requestUpdate(),
		(uris, files) => {
			if (uris.length > 0) {
				this.page.post({ kind: 'context-drop', uris });
			} else {
				void this.composer.paste.addFiles(files);
			}
			this.composer.focusText();
		},
	);

	constructor() {
		super();
		this.state = emptyPageState;
		this.following = true;
		this.addEventListener(COPIED, () => this.announce(l10n.t('Copied.')));
	}

	receive(message: ToPage): void {
		if (this.composer.receive(message)) {
			return;
		}
		switch (message.kind) {
			case 'message-accept':
				this.accepted(message.turn);
				this.followEnd?.toEnd();
				return;
			case 'answer':
				this.page.requests.answered(message);
				return;
			case 'composer-focus':
				this.page.requests.answer(message.request, () => this.takeFocus(message.takesIt));
				return;
			default: {
				const next = applyMessage(this.nextState, message);
				if (next === 'missed') {
					this.missing.catchUp();
					return;
				}
				const before = this.nextState;
				if (message.kind === 'snapshot-set' && next.conversation !== before.conversation) {
					this.changeConversation(next);
				}
				this.nextState = next;
				if (message.kind === 'snapshot-set' || message.kind === 'turns-prepend') {
					this.missing.received(message.kind);
				}
				for (const words of newsOf(message.kind, before, next)) {
					this.announce(words);
				}
				this.announcer?.update(next.turns.at(-1), message.kind === 'turns-change');
				this.frame ??= requestAnimationFrame(() => {
					this.frame = undefined;
					this.state = this.nextState;
				});
			}
		}
	}

	override willUpdate(changed: PropertyValues): void {
		if (!this.hasUpdated) {
			this.keeper.state = initialState(this.copy.read(), this.host.getState(), this.kept);
			const { draft, sentAs, task, next, reading } = this.keeper.state;
			this.initialDraft = { text: draft, ...defined({ sentAs, task, next }) };
			this.reading.wanted = reading;
			this.editing = this.keeper.state.edit;
		} else if (changed.has('state')) {
			const { turns } = changed.get('state') as PageState;
			// Earlier turns were inserted, and what the reader sees must not move.
			const [first] = turns;
			if (first && this.state.turns[0] !== first && this.state.turns.includes(first) && !this.following) {
				this.reading.hold();
			}
		}
	}

	override firstUpdated(): void {
		const turns = this.renderRoot.querySelector('.turns') as HTMLElement;
		this.followEnd = new FollowEnd(this.log, turns, following => {
			this.following = following;
			this.onScroll();
		});
		this.announcer = new Announcer(this.announce);
	}

	override updated(changed: PropertyValues): void {
		if (changed.has('state')) {
			void this.resume();
			void this.reading.release();
			// The host accepted the message before the page was hidden or reloaded, and only its answer was lost.
			for (const sentAs of [this.keeper.state.sentAs, this.keeper.state.edit?.sentAs]) {
				if (sentAs !== undefined && this.state.turns.some(turn => turn.id === sentAs)) {
					this.accepted(sentAs);
				}
			}
		}
	}

	override render(): TemplateResult {
		const { state } = this;
		return html`
			<h1 class="screen-reader">${l10n.t('Conversation')}</h1>
			${state.encryption ? encryptionLine(state.encryption, l10n.t('Show Encryption Evidence'), this.showAttestation) : nothing}
			<div class="scroll-area">
				<div class="log scrolls ${this.following ? 'following' : ''}" role="log" aria-live="off" aria-label=${l10n.t('Conversation')} tabindex="0" @scroll=${this.onScroll} @scrollend=${this.onScrollEnd}>
					<div class="turns">
						${state.earlier > 0 ? earlierButton(state.earlier, this.page.language, () => this.missing.earlier()) : nothing}
						${repeat(
							state.turns,
							turn => turn.id,
							(turn, index) => html`<chat-turn
								.turn=${turn}
								.total=${index === state.turns.length - 1 ? state.context.use?.total : undefined}
								.page=${this.page}
								.question=${this.question}
								.isDemo=${state.connection?.isDemo === true && index === state.turns.length - 1 && !state.encryption}
								.editing=${this.editing?.turn === turn.id ? this.editing.text : undefined}
							></chat-turn>`,
						)}
						${
							state.sequence !== undefined && state.turns.length === 0
								? emptyConversation(state.connection, state.encryption, this.page.post)
								: nothing
						}
					</div>
				</div>
				${this.following ? nothing : toEndButton(waitingStep(state.turns.at(-1)?.reply.work) !== undefined, this.toEnd)}
			</div>
			${this.drop.render(l10n.t('Drop to add to the chat'))}
			${announcementRegions()}
			${this.renderNotice()}
			<chat-composer
				.page=${this.page}
				.connection=${state.connection}
				.mode=${state.mode}
				.agent=${state.agent}
				.settings=${state.settings}
				.encrypted=${state.encryption !== undefined}
				.conversation=${state.conversation}
				.replying=${this.replying}
				.isAgentReplying=${state.turns.at(-1)?.mode === 'agent'}
				.context=${state.context}
				.nextTask=${state.task}
				.initialDraft=${this.initialDraft}
				.onDraft=${this.onDraft}
			></chat-composer>
		`;
	}

	private renderNotice(): TemplateResult | typeof nothing {
		const { notice, connection, turns } = this.state;
		const { problem } = this.missing;
		if (problem) {
			return problemNotice({ message: problem.message, action: l10n.t('Retry') }, problem.ask);
		}
		if (connection?.problem && turns.length > 0) {
			return problemNotice(connection.problem, this.followConnection);
		}
		if (notice === undefined || notice === this.dismissed) {
			return nothing;
		}
		return fileNotice(notice, () => {
			this.dismissed = notice;
		});
	}

	private onScroll(): void {
		// Earlier turns are requested early enough that a reader who scrolls steadily never waits.
		if (!this.following && this.log.scrollTop < 2 * this.log.clientHeight) {
			void this.missing.earlier();
		}
	}

	private onScrollEnd(): void {
		const { reading: _, ...others } = this.keeper.state;
		const position = this.following ? undefined : this.reading.position;
		this.keeper.save(position ? { ...others, reading: position } : others);
	}

	get turnElements(): Iterable<ChatTurn> {
		return this.renderRoot.querySelectorAll<ChatTurn>('chat-turn');
	}

	leaveEnd(): void {
		this.followEnd?.leave();
	}

	/** Returns to the reader's position before the page was hidden or reloaded, or another version was shown. */
	private async resume(): Promise<void> {
		const { turns, earlier } = this.state;
		if (!this.reading.wanted || turns.length === 0) {
			return;
		}
		const turn = await this.reading.resume(earlier);
		if (turn) {
			this.focusVersion(turn);
		} else if (this.reading.wanted) {
			void this.missing.earlier();
		}
	}

	private changeConversation(next: PageState): void {
		const { conversation } = next;
		this.composer.leave();
		if (this.keeper.state.conversation !== undefined && this.keeper.state.conversation !== conversation) {
			this.composer.task.leave();
			const { reading: _, ...others } = this.keeper.state;
			this.keeper.state = others;
			this.reading.wanted = undefined;
			this.dismissed = undefined;
			this.followEnd?.toEnd();
		}
		this.keeper.holdDraft();
		const state = stateBeyond(this.keeper.state, this.nextState, next);
		this.nextState = next;
		if (state.draft !== this.keeper.state.draft) {
			this.composer.showDraft(state.draft);
		}
		this.editing = state.edit && this.editing;
		this.keeper.save({ ...state, ...defined({ conversation }) });
	}

	private beginEdit(turn: TurnView): void {
		if (this.isRefusedWhileReplying()) {
			return;
		}
		this.editing = { turn: turn.id, text: escapeMessage(turn.question) };
		this.keeper.save({ ...this.keeper.state, edit: this.editing });
		void this.focusIn(turn.id, '.editor textarea');
	}

	private endEdit(): void {
		const { edit: _, ...others } = this.keeper.state;
		this.editing = undefined;
		this.keeper.save(others);
	}

	private sendEdit(): void {
		const { edit } = this.keeper.state;
		const { conversation } = this.state;
		if (!edit || conversation === undefined || this.isRefusedWhileReplying()) {
			return;
		}
		const problem = messageProblem(edit.text, this.page.language);
		if (problem !== undefined) {
			this.composer.say(problem);
			return;
		}
		// As in the composer, a text that was sent before and not answered keeps its turn.
		const turn = edit.sentAs ?? crypto.randomUUID();
		this.keeper.save({ ...this.keeper.state, edit: { ...edit, sentAs: turn } });
		this.page.post({ kind: 'message-send', conversation, turn, text: edit.text, edits: edit.turn });
	}

	private accepted(turn: string): void {
		this.composer.accepted(turn);
		if (this.keeper.state.edit?.sentAs === turn) {
			this.endEdit();
			this.composer.focusText();
		}
	}

	private showVersion(turn: TurnView, direction: 'previous' | 'next'): void {
		const target = turn.version?.[direction];
		if (target === undefined || this.isRefusedWhileReplying()) {
			return;
		}
		const element = this.reading.find(turn.id);
		const offset = element ? this.log.getBoundingClientRect().top - element.getBoundingClientRect().top : 0;
		this.reading.wanted = { turn: target, offset: Math.round(offset) };
		this.versionWanted = { turn: target, direction };
		this.page.post({ kind: 'version-show', turn: target });
	}

	/** Focuses the version button that was pressed, or the other one at the first or last version. */
	private focusVersion(turn: ChatTurn): void {
		const { versionWanted } = this;
		if (versionWanted?.turn === turn.turn.id) {
			this.versionWanted = undefined;
			const enabled = [...turn.renderRoot.querySelectorAll<HTMLButtonElement>('.versions button:enabled')];
			(enabled.find(button => button.name === versionWanted.direction) ?? enabled[0])?.focus();
		}
	}

	private async focusIn(turnId: string | undefined, selector: string): Promise<void> {
		await this.updateComplete;
		const turn = turnId === undefined ? undefined : this.reading.find(turnId);
		await turn?.updateComplete;
		const element = turn?.renderRoot.querySelector<HTMLElement>(selector);
		element?.focus();
		if (element instanceof HTMLTextAreaElement) {
			element.setSelectionRange(element.value.length, element.value.length);
		}
	}

	/**
	 * Returns true while a reply streams, and says so in the composer. No other message is sent or version shown then.
	 */
	private isRefusedWhileReplying(): boolean {
		if (this.replying === undefined) {
			return false;
		}
		this.composer.say(stillReplyingText());
		return true;
	}

	/** The turn whose reply is streaming. */
	private get replying(): string | undefined {
		const last = this.state.turns.at(-1);
		return last?.reply.state === 'streaming' ? last.id : undefined;
	}

	private readonly toEnd = () => {
		this.followEnd?.toEnd();
		this.focusQuestion();
	};

	private readonly toComposer = () => void this.takeFocus(true);

	private readonly showAttestation = () => this.page.post({ kind: 'attestation-show' });

	private readonly followConnection = () => this.page.post({ kind: 'connection-follow' });

	get log(): HTMLElement {
		return this.renderRoot.querySelector('.log') as HTMLElement;
	}

	private get composer(): ChatComposer {
		return this.renderRoot.querySelector('chat-composer') as ChatComposer;
	}

	/** Focuses an agent's question if the composer is empty, or else the composer. Returns whether the page has focus. */
	private takeFocus(isTaken: boolean): boolean {
		if (!isTaken && !document.hasFocus()) {
			window.addEventListener('focus', this.toComposer, { once: true });
			return false;
		}
		if (!this.composer.isEmpty || !this.focusQuestion()) {
			this.composer.focusText();
		}
		return document.hasFocus();
	}

	/** Returns false if no question of an agent is waiting. */
	private focusQuestion(): boolean {
		const last = this.state.turns.at(-1);
		return last !== undefined && (this.reading.find(last.id)?.focusQuestion() ?? false);
	}

	/** Only the questions of agents are urgent. */
	private readonly announce = (words: string, isUrgent = false) => {
		if (!isUrgent || !questionGetsFocus()) {
			announce(this.renderRoot, words, isUrgent);
		}
	};
}

customElements.define('chat-app', ChatApp);
