import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { TurnMode } from '../../modes/model/mode.ts';
import type { PolicyView } from '../../policy/protocol.ts';
import type { ConnectionView, PageStrings } from '../../protocol.ts';
import { codicon } from '../codicon.ts';
import { fill } from '../format.ts';
import { isSendKey, messageProblem } from '../message.ts';
import { modeChoice, modePlaceholder } from '../modes/modeChoice.ts';
import type { Post } from '../page.ts';
import { chatComposerStyles } from './chatComposer.styles.ts';
import { composerChoice, composerChoiceStyles } from './composerChoice.ts';
import { policyName } from './replyDetails.ts';
import { sharedStyles } from './shared.styles.ts';

/** A host that took this long has not taken the message: the composer is given back to the user. */
const ACCEPT_TIMEOUT_MS = 10_000;

/** What was written and not yet taken by the host. */
export interface Draft {
	text: string;
	/** The turn as which it was sent. */
	sentAs?: string;
}

/** Where a message is written. The text leaves it only when the host has taken it. */
export class ChatComposer extends LitElement {
	static override styles = [sharedStyles, chatComposerStyles, composerChoiceStyles];
	static override properties = {
		strings: { attribute: false },
		language: { attribute: false },
		connection: { attribute: false },
		mode: { attribute: false },
		policy: { attribute: false },
		conversation: { attribute: false },
		replying: { attribute: false },
		post: { attribute: false },
		initialDraft: { attribute: false },
		onDraft: { attribute: false },
		hint: { state: true },
		waiting: { state: true },
	};

	declare strings: PageStrings;
	declare language: string;
	declare connection: ConnectionView | undefined;
	/** What a message asks for when it does not say so itself. */
	declare mode: TurnMode;
	declare policy: PolicyView | undefined;
	/** The id of the conversation that is shown, once one is. */
	declare conversation: string | undefined;
	/** The turn whose reply is running: Send is Stop. */
	declare replying: string | undefined;
	declare post: Post;
	/** Read once, when the page begins; from then on the composer says what its draft is through `onDraft`. */
	declare initialDraft: Draft;
	declare onDraft: (draft: Draft) => void;
	declare hint: string;
	/** Sent, and the host has not answered. */
	declare waiting: boolean;

	private draft: Draft = { text: '' };
	private timeout: ReturnType<typeof setTimeout> | undefined;

	constructor() {
		super();
		this.hint = '';
		this.waiting = false;
	}

	/** The host took the message of this turn: now the composer may let go of it. */
	accepted(turn: string): void {
		if (this.draft.sentAs === turn) {
			this.settle('');
			this.keep({ text: '' });
			this.textarea.value = '';
		}
	}

	/** The host has the message and takes or refuses it later, however long that is. */
	held(turn: string): void {
		if (this.draft.sentAs === turn) {
			clearTimeout(this.timeout);
		}
	}

	refused(turn: string, reason: string): void {
		if (this.draft.sentAs === turn) {
			this.keep({ text: this.textarea.value });
			this.settle(reason);
		} else {
			// A retry: what was sent meanwhile is still waited for.
			this.hint = reason;
		}
	}

	/** Says why something was not done. */
	say(hint: string): void {
		this.hint = hint;
	}

	focusText(): void {
		this.textarea.focus();
	}

	override willUpdate(changed: PropertyValues<this>): void {
		if (changed.has('replying') && this.replying === undefined && this.hint === this.strings.stillReplying) {
			this.hint = '';
		}
	}

	override firstUpdated(): void {
		this.draft = this.initialDraft;
		this.textarea.value = this.draft.text;
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		clearTimeout(this.timeout);
	}

	override render(): TemplateResult {
		const { strings, connection } = this;
		const model = this.policy?.model ?? connection?.model;
		const replying = this.replying !== undefined;
		const buttonLabel = replying ? strings.stop : strings.send;
		return html`
			<div class="hint" role="status">${this.hint}</div>
			<div class="box">
				<textarea
					class="scrolls"
					rows="1"
					aria-label=${strings.ask}
					placeholder=${modePlaceholder(this.mode, strings)}
					?readonly=${this.waiting}
					@input=${this.onInput}
					@keydown=${this.onKeyDown}
				></textarea>
				<div class="row">
					${connection && model ? this.renderChoices(connection, model) : nothing}
					<button
						type="button"
						class="icon-button send"
						title=${buttonLabel}
						aria-label=${buttonLabel}
						@click=${this.onPress}
					>
						${codicon(replying ? 'debug-stop' : 'send')}
					</button>
				</div>
			</div>
		`;
	}

	private renderChoices(connection: ConnectionView, model: string): TemplateResult {
		const { strings, policy } = this;
		const words = strings.policy;
		const name = policy ? policyName(policy.policy, words) : '';
		return html`${modeChoice(this.mode, strings, this.post)}${
			this.mode === 'chat'
				? composerChoice({
						icon: 'chip',
						word: model,
						label: words.selectModel,
						hint: fill(strings.usingModel, model, connection.label),
						press: () => this.post({ kind: 'model-choose' }),
					})
				: nothing
		}${
			policy
				? composerChoice({
						icon: 'compass',
						word: name,
						label: words.selectPolicy,
						hint: policy.retention === 'on' ? `${name}. ${words.retentionOn}` : name,
						press: () => this.post({ kind: 'policy-choose' }),
					})
				: nothing
		}`;
	}

	private get textarea(): HTMLTextAreaElement {
		return this.renderRoot.querySelector('textarea') as HTMLTextAreaElement;
	}

	private onInput(): void {
		this.hint = '';
		this.keep({ text: this.textarea.value });
	}

	private onKeyDown(event: KeyboardEvent): void {
		if (!isSendKey(event)) {
			return;
		}
		event.preventDefault();
		if (this.replying !== undefined) {
			this.hint = this.strings.stillReplying;
		} else {
			this.send();
		}
	}

	private onPress(event: MouseEvent): void {
		if (this.replying === undefined) {
			this.send();
			this.focusText();
			// The second click of a double click on Send must not stop the reply that the first one began.
		} else if (event.detail < 2) {
			this.post({ kind: 'reply-stop', turn: this.replying });
		}
	}

	private send(): void {
		const text = this.textarea.value;
		if (this.waiting) {
			return;
		}
		const problem = messageProblem(text, this.language, this.strings);
		if (problem !== undefined) {
			this.hint = problem;
			return;
		}
		// A text that was sent before and not answered keeps its turn, so that it cannot become two.
		const turn = this.draft.sentAs ?? crypto.randomUUID();
		this.hint = '';
		this.waiting = true;
		this.keep({ text, sentAs: turn });
		const shown = this.conversation === undefined ? {} : { conversation: this.conversation };
		this.post({ kind: 'message-send', ...shown, turn, text });
		this.timeout = setTimeout(() => this.settle(this.strings.noAnswer), ACCEPT_TIMEOUT_MS);
	}

	private settle(hint: string): void {
		clearTimeout(this.timeout);
		this.waiting = false;
		this.hint = hint;
	}

	private keep(draft: Draft): void {
		this.draft = draft;
		this.onDraft(draft);
	}
}

customElements.define('chat-composer', ChatComposer);
