import * as l10n from '@vscode/l10n';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { defined } from '../../../base/defined.ts';
import type { NextTaskView } from '../../../tasks/api.ts';
import type { ComposerMode, TurnMode } from '../../model/mode.ts';
import { noEncryptedModeText, noEncryptedTaskText } from '../../protocol/labels.ts';
import type { AgentView, ConnectionView, ContextView, ToPage } from '../../protocol/protocol.ts';
import type { SettingsView } from '../../protocol/settingsProtocol.ts';
import { codicon, iconButton } from '../codicon.ts';
import { FOCUS_LOST } from '../focusLost.ts';
import { isSendKey, messageProblem, stillReplyingText } from '../message.ts';
import { SlashMenu } from '../modes/slashMenu.ts';
import type { Draft } from '../page.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { ComposerTask } from '../task/composerTask.ts';
import { taskLine, taskLineStyles } from '../task/taskLine.ts';
import './contextMeter.ts';
import { chatComposerStyles } from './chatComposer.styles.ts';
import type { Composer } from './composer.ts';
import { composerChoiceStyles } from './composerChoice.ts';
import { agentChoices, modeChoice, modelChoices, modePlaceholder } from './composerChoices.ts';
import { ComposerMenu, composerMenuStyles } from './composerMenu.ts';
import { contextCompletionStyles } from './contextCompletion.styles.ts';
import { ContextCompletion } from './contextCompletion.ts';
import { contextRow } from './contextRow.ts';
import { PendingPaste } from './pendingPaste.ts';
import { sharedStyles } from './shared.styles.ts';

/** After this time without an answer, the message counts as not accepted and the composer is unlocked. */
const ACCEPT_TIMEOUT_MS = 10_000;

/** The field for writing a message. It is cleared only when the host has accepted the message. */
export class ChatComposer extends PageElement implements Composer {
	static override styles = [
		sharedStyles,
		chatComposerStyles,
		composerChoiceStyles,
		contextCompletionStyles,
		composerMenuStyles,
		taskLineStyles,
	];
	static override properties = {
		...reactive('connection', 'mode', 'agent', 'settings', 'encrypted', 'conversation', 'context', 'nextTask'),
		...reactive('replying', 'isAgentReplying', 'initialDraft', 'onDraft'),
		...reactive('hint', 'help', 'waiting', 'queued', 'draft'),
	};

	declare connection: ConnectionView | undefined;
	/** The mode of a message that begins with no command. */
	declare mode: TurnMode;
	declare agent: AgentView | undefined;
	declare settings: SettingsView | undefined;
	/** In an encrypted conversation, neither the mode nor the model nor the routing policy can be chosen. */
	declare encrypted: boolean;
	/** The id of the conversation that is shown, if any. */
	declare conversation: string | undefined;
	/** The turn whose reply is streaming. The Send button is then a Stop button. */
	declare replying: string | undefined;
	/** Set while an agent is replying; a message can then be queued until it ends. */
	declare isAgentReplying: boolean;
	/** The context that will be sent with the message. */
	declare context: ContextView;
	/** The choices for the next task, once they are known. */
	declare nextTask: NextTaskView | undefined;
	/** Read once when the page starts; from then on, the composer reports its draft through `onDraft`. */
	declare initialDraft: Draft;
	declare onDraft: (draft: Draft) => void;
	declare hint: string;
	/** The button beside the hint, which helps with the refused message of that turn. */
	declare help: { turn: string; label: string } | undefined;
	/** The message was sent, and the host has not answered yet. */
	declare waiting: boolean;
	/** The message is queued until the agent has ended. */
	declare queued: boolean;

	declare private draft: Draft;
	private readonly completion = new ContextCompletion(this);
	private readonly slash = new SlashMenu(this);
	private readonly menu = new ComposerMenu(this);
	readonly task = new ComposerTask(this);
	readonly paste = new PendingPaste(this);
	private timeout: ReturnType<typeof setTimeout> | undefined;

	constructor() {
		super();
		this.hint = '';
		this.help = undefined;
		this.waiting = false;
		this.queued = false;
		this.draft = { text: '' };
		document.addEventListener(FOCUS_LOST, () => this.focusText());
	}

	/** Handles a message of the host that concerns the composer alone. Returns false for any other message. */
	receive(message: ToPage): boolean {
		switch (message.kind) {
			case 'message-hold':
				if (this.draft.sentAs === message.turn) {
					// The host will accept or refuse it later, without a time limit.
					clearTimeout(this.timeout);
					this.waiting = true;
					this.queued = message.waits === true;
				}
				return true;
			case 'message-refuse': {
				const { turn, reason, action } = message;
				if (this.draft.sentAs === turn) {
					this.keep({ text: this.field.value });
					this.settle(reason);
				} else {
					// The refusal is of a retry, so a message that was sent meanwhile is still awaited.
					this.say(reason);
				}
				this.help = action === undefined ? undefined : { turn, label: action };
				return true;
			}
			case 'draft-send':
				if (!this.isBlank && this.replying === undefined && !this.task.isShown) {
					this.send();
				}
				return true;
			case 'hint-set':
				this.say(message.hint);
				return true;
			case 'composer-fill':
				if (this.isBlank || message.isAdded) {
					this.setText(this.isBlank ? message.text : `${this.field.value}\n\n${message.text}`);
				}
				return true;
			case 'draft-write':
				this.page.requests.answer(message.request, () => this.task.write(message.text));
				return true;
			case 'task-made':
				this.task.made(message.prompt);
				return true;
			case 'task-mode-set':
				if (message.isOn) {
					this.task.set(true);
				} else {
					this.task.leave();
				}
				return true;
			default:
				return false;
		}
	}

	/** Must be called when the host has accepted the message of this turn; the composer is then cleared. */
	accepted(turn: string): void {
		if (this.draft.sentAs === turn) {
			this.clear();
		}
	}

	/** Empties the draft, which the host has taken. The next message goes to the conversation again. */
	clear(): void {
		if (this.task.takes(this.field.value)) {
			this.task.set(false);
		}
		this.field.value = '';
		this.keep({ text: '' });
		this.settle('');
	}

	/** Must be called before another conversation is shown: pasted text and pending sends belong to this one. */
	leave(): void {
		if (this.queued) {
			this.decideQueued('message-withdraw');
		}
		this.completion.close();
		this.menu.close();
		this.paste.end();
	}

	/** Shows the draft of the conversation that is now shown. */
	showDraft(text: string): void {
		this.field.value = text;
		this.draft = { text };
		this.settle('');
	}

	/** Shows a hint that says why something was not done. */
	say(hint: string): void {
		this.hint = hint;
		this.help = undefined;
	}

	/** Replaces the draft. */
	setText(text: string): void {
		this.field.value = text;
		this.textChanged();
	}

	/** Must be called when the field's text has changed, whoever changed it. */
	textChanged(): void {
		this.say('');
		this.keep({ text: this.field.value });
	}

	private get isBlank(): boolean {
		return this.field.value.trim() === '';
	}

	get isEmpty(): boolean {
		return this.field.value === '';
	}

	focusText(): void {
		this.field.focus();
	}

	override willUpdate(changed: PropertyValues<this>): void {
		if (!this.hasUpdated) {
			this.task.begin(this.initialDraft);
		}
		if (changed.has('replying') && this.replying === undefined && this.hint === stillReplyingText()) {
			this.say('');
		}
	}

	override firstUpdated(): void {
		this.draft = this.initialDraft;
		this.field.value = this.draft.text;
	}

	override render(): TemplateResult {
		const { conversation, connection, agent, settings, menu, page } = this;
		const { mode, isShown: isTask } = this.task;
		const model = settings?.model ?? connection?.model;
		const replying = this.replying !== undefined;
		const stops = replying && !isTask;
		const choices =
			connection && model && !this.encrypted && !isTask
				? { conversation, connection, model, mode: this.mode, agent, settings, menu, page }
				: undefined;
		const buttonLabel = stops ? l10n.t('Stop') : l10n.t('Send');
		return html`
			<div class="hint" role="status">${
				this.queued ? this.renderQueued() : nothing
			}${this.hint || this.slash.renderNote()}${this.renderHelp()}</div>
			${contextRow(this)}
			<div class="box">
				<textarea
					class="scrolls"
					dir="auto"
					rows="1"
					aria-label=${isTask ? l10n.t('Describe what the task should do') : l10n.t('Ask a question')}
					aria-autocomplete="list"
					aria-controls=${this.completion.list ?? this.slash.list ?? nothing}
					aria-activedescendant=${this.completion.active ?? this.slash.active ?? nothing}
					placeholder=${this.encrypted ? l10n.t('Ask, encrypted…') : modePlaceholder(mode)}
					?readonly=${this.waiting}
					@input=${this.onInput}
					@keydown=${this.onKeyDown}
					@paste=${(event: ClipboardEvent) => this.paste.take(event)}
					@blur=${this.onBlur}
				></textarea>
				${this.completion.render()} ${this.slash.render()} ${this.menu.render()}
				<div class="row">
					<div class="first">
						${iconButton('add', l10n.t('Add Context… (or type @)'), () => this.page.post({ kind: 'context-pick' }))}
						${choices || isTask ? modeChoice(mode, this.refusedModes, menu, chosen => this.task.choose(chosen)) : nothing}
						${choices ? agentChoices(choices) : nothing} ${isTask ? this.task.editorButton() : nothing}
					</div>
					<div class="second ${isTask ? 'alone' : ''}">
						${choices ? modelChoices(choices) : nothing}
						${
							isTask
								? nothing
								: html`<context-meter .page=${page} .use=${this.context.use} .draft=${this.draft.text}></context-meter>`
						}
						${isTask && replying ? iconButton('debug-stop', l10n.t('Stop'), () => this.stopReply()) : nothing}
						<button
							type="button"
							class="icon-button send"
							title=${buttonLabel}
							@click=${this.onPress}
						>
							${codicon(stops ? 'debug-stop' : 'send')}
						</button>
					</div>
				</div>
			</div>
			${isTask ? taskLine(this.nextTask, page.post) : nothing}
		`;
	}

	private renderQueued(): TemplateResult {
		const hurry = () => this.decideQueued('message-hurry');
		const withdraw = () => this.decideQueued('message-withdraw');
		return html`${l10n.t('The message is sent when the agent is done.')}
			<button type="button" class="link" title=${l10n.t('Stops the agent and sends the message')} @click=${hurry}>${l10n.t('Send Now')}</button>
			<button type="button" class="link" @click=${withdraw}>${l10n.t('Don’t Send')}</button> `;
	}

	/** Tells the host whether to send or withdraw the queued message. */
	private decideQueued(kind: 'message-hurry' | 'message-withdraw'): void {
		if (this.draft.sentAs !== undefined) {
			this.page.post({ kind, turn: this.draft.sentAs });
		}
	}

	private renderHelp(): TemplateResult | typeof nothing {
		const { help } = this;
		if (!help) {
			return nothing;
		}
		const follow = () => {
			// The reason may no longer hold when the user comes back, and the focus is then where Send can be tried again.
			this.say('');
			this.focusText();
			this.page.post({ kind: 'refusal-follow', turn: help.turn });
		};
		return html` <button type="button" class="link" @click=${follow}>${help.label}</button>`;
	}

	get isSent(): boolean {
		return this.draft.sentAs !== undefined;
	}

	get isPending(): boolean {
		return this.waiting || this.paste.isPending;
	}

	get refusedModes(): Partial<Record<ComposerMode, string>> {
		const noMode = noEncryptedModeText();
		return this.encrypted
			? { agent: noMode, search: noMode, image: noMode, task: noEncryptedTaskText() }
			: (this.connection?.refusedModes ?? {});
	}

	get field(): HTMLTextAreaElement {
		return this.renderRoot.querySelector('textarea') as HTMLTextAreaElement;
	}

	private onInput({ data }: InputEvent): void {
		this.textChanged();
		this.completion.update(data);
		this.slash.update();
	}

	private onBlur(): void {
		this.completion.leave();
		this.slash.close();
	}

	private onKeyDown(event: KeyboardEvent): void {
		if (this.completion.onKeyDown(event) || this.slash.onKeyDown(event)) {
			return;
		}
		if (!isSendKey(event)) {
			return;
		}
		event.preventDefault();
		this.enter();
	}

	/** Handles an Enter key press that no list has handled. */
	enter(): void {
		if (this.replying !== undefined && !this.isAgentReplying && !this.task.takes(this.field.value)) {
			this.say(stillReplyingText());
		} else {
			this.send();
		}
	}

	private onPress(event: MouseEvent): void {
		if (this.replying === undefined || this.task.isShown) {
			this.send();
			this.focusText();
			// The second click of a double click on Send must not stop the reply that the first one began.
		} else if (event.detail < 2) {
			this.stopReply();
		}
	}

	private stopReply(): void {
		if (this.replying !== undefined) {
			this.page.post({ kind: 'reply-stop', turn: this.replying });
		}
	}

	send(): void {
		if (this.waiting || this.paste.delays()) {
			return;
		}
		// A list that opens later must not change the message.
		this.completion.close();
		const text = this.field.value;
		const problem = messageProblem(text, this.page.language);
		if (problem !== undefined) {
			this.say(problem);
			return;
		}
		// A text that was sent before and not answered keeps its turn, so that it cannot be accepted twice.
		const turn = this.draft.sentAs ?? crypto.randomUUID();
		this.say('');
		this.waiting = true;
		this.keep({ text, sentAs: turn });
		const shown = this.conversation === undefined ? {} : { conversation: this.conversation };
		const task = this.task.isShown ? { task: true as const } : {};
		const goes = this.replying === undefined || this.task.takes(text) ? task : { waits: true as const };
		this.page.post({ kind: 'message-send', ...shown, turn, text, ...goes });
		this.timeout = setTimeout(
			() => this.settle(l10n.t('The message wasn’t accepted in time. It’s still here: send it again.')),
			ACCEPT_TIMEOUT_MS,
		);
	}

	private settle(hint: string): void {
		clearTimeout(this.timeout);
		this.waiting = false;
		this.queued = false;
		this.task.writeNext();
		this.say(hint);
	}

	keep({ text, sentAs }: Draft = this.draft): void {
		this.draft = { text, ...defined({ sentAs, ...this.task.draft }) };
		this.onDraft(this.draft);
	}
}

customElements.define('chat-composer', ChatComposer);
