import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { TurnMode } from '../../model/mode.ts';
import type { PolicyView } from '../../protocol/policyProtocol.ts';
import type { ChipView, ConnectionView, ContextView, PageStrings } from '../../protocol/protocol.ts';
import { MAXIMUM_PASTE_LENGTH } from '../../protocol/protocol.ts';
import { codicon } from '../codicon.ts';
import { FOCUS_LOST } from '../focusLost.ts';
import { fill } from '../format.ts';
import type { HostRequests } from '../hostRequests.ts';
import { isSendKey, messageProblem } from '../message.ts';
import { modeChoice, modePlaceholder } from '../modes/modeChoice.ts';
import { SlashMenu, type SlashOwner } from '../modes/slashMenu.ts';
import type { Post } from '../page.ts';
import { imageOfFile, textOfFile } from '../transfer.ts';
import './chatChips.ts';
import { chatComposerStyles } from './chatComposer.styles.ts';
import { composerChoice, composerChoiceStyles } from './composerChoice.ts';
import { contextCompletionStyles } from './contextCompletion.styles.ts';
import { type CompletionOwner, ContextCompletion } from './contextCompletion.ts';
import { iconButton } from './iconButton.ts';
import { PendingPaste } from './pendingPaste.ts';
import { policyName } from './replyDetails.ts';
import { sharedStyles } from './shared.styles.ts';

/** A host that took this long has not taken the message: the composer is given back to the user. */
const ACCEPT_TIMEOUT_MS = 10_000;

/** A text that was pasted waits for so long for the host's word, which may have a better use for it. Milliseconds. */
const PASTE_MS = 1_000;

/** What was written and not yet taken by the host. */
export interface Draft {
	text: string;
	/** The turn as which it was sent. */
	sentAs?: string;
}

/** Where a message is written. The text leaves it only when the host has taken it. */
export class ChatComposer extends LitElement implements CompletionOwner, SlashOwner {
	static override styles = [sharedStyles, chatComposerStyles, composerChoiceStyles, contextCompletionStyles];
	static override properties = {
		strings: { attribute: false },
		language: { attribute: false },
		connection: { attribute: false },
		mode: { attribute: false },
		policy: { attribute: false },
		encrypted: { attribute: false },
		conversation: { attribute: false },
		replying: { attribute: false },
		context: { attribute: false },
		post: { attribute: false },
		requests: { attribute: false },
		initialDraft: { attribute: false },
		onDraft: { attribute: false },
		hint: { state: true },
		help: { state: true },
		waiting: { state: true },
	};

	declare strings: PageStrings;
	declare language: string;
	declare connection: ConnectionView | undefined;
	/** What a message asks for when it does not say so itself. */
	declare mode: TurnMode;
	declare policy: PolicyView | undefined;
	/** Then there is nothing to choose: neither mode nor model nor policy. */
	declare encrypted: boolean;
	/** The id of the conversation that is shown, once one is. */
	declare conversation: string | undefined;
	/** The turn whose reply is running: Send is Stop. */
	declare replying: string | undefined;
	/** What will go with the message. */
	declare context: ContextView;
	declare post: Post;
	declare requests: HostRequests;
	/** Read once, when the page begins; from then on the composer says what its draft is through `onDraft`. */
	declare initialDraft: Draft;
	declare onDraft: (draft: Draft) => void;
	declare hint: string;
	/** The button beside the hint: what helps with the message of that turn. */
	declare help: { turn: string; label: string } | undefined;
	/** Sent, and the host has not answered. */
	declare waiting: boolean;

	private draft: Draft = { text: '' };
	private readonly completion = new ContextCompletion(this);
	private readonly slash = new SlashMenu(this);
	private readonly paste = new PendingPaste(
		() => this.field,
		taken => {
			const { isSendDue } = this;
			this.isSendDue = false;
			if (taken !== undefined) {
				// Its chip comes later, or never where a question about it is answered with no: nothing goes without it.
				this.post({ kind: 'paste-take', paste: taken });
			} else if (isSendDue) {
				this.send();
			}
		},
	);
	/** Sending was asked for before the host has answered about what was pasted, or has all files. */
	private isSendDue = false;
	/** How many times files came that the host does not have yet. */
	private readings = 0;
	private readonly onFocusLost = () => this.focusText();
	private timeout: ReturnType<typeof setTimeout> | undefined;

	constructor() {
		super();
		this.hint = '';
		this.help = undefined;
		this.waiting = false;
	}

	/** The host took the message of this turn: now the composer may let go of it. */
	accepted(turn: string): void {
		if (this.draft.sentAs === turn) {
			this.settle('');
			this.keep({ text: '' });
			this.field.value = '';
		}
	}

	/** The host has the message and takes or refuses it later, however long that is. */
	held(turn: string): void {
		if (this.draft.sentAs === turn) {
			clearTimeout(this.timeout);
		}
	}

	/** `action`: the label of the button that helps. */
	refused(turn: string, reason: string, action?: string): void {
		if (this.draft.sentAs === turn) {
			this.keep({ text: this.field.value });
			this.settle(reason);
		} else {
			// A retry: what was sent meanwhile is still waited for.
			this.say(reason);
		}
		this.help = action === undefined ? undefined : { turn, label: action };
	}

	/** Another conversation is about to be shown: what was pasted or awaited in this one belongs here, and is not sent there. */
	leave(): void {
		this.isSendDue = false;
		this.completion.close();
		this.paste.end();
	}

	/** Shows what was typed in another conversation than the one before. */
	showDraft(text: string): void {
		this.settle('');
		this.field.value = text;
		this.draft = { text };
	}

	/** Says why something was not done. */
	say(hint: string): void {
		this.hint = hint;
		this.help = undefined;
	}

	/** Puts a question into the field, where there is none. */
	suggest(text: string): void {
		if (this.field.value.trim() === '') {
			this.field.value = text;
			this.textChanged();
		}
	}

	/** The field's text was changed, by whomever. */
	textChanged(): void {
		this.say('');
		this.keep({ text: this.field.value });
	}

	focusText(): void {
		this.field.focus();
	}

	override willUpdate(changed: PropertyValues<this>): void {
		if (changed.has('replying') && this.replying === undefined && this.hint === this.strings.stillReplying) {
			this.say('');
		}
	}

	override firstUpdated(): void {
		this.draft = this.initialDraft;
		this.field.value = this.draft.text;
	}

	override connectedCallback(): void {
		super.connectedCallback();
		document.addEventListener(FOCUS_LOST, this.onFocusLost);
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		document.removeEventListener(FOCUS_LOST, this.onFocusLost);
		clearTimeout(this.timeout);
		this.paste.forget();
	}

	override render(): TemplateResult {
		const { strings, connection } = this;
		const model = this.policy?.model ?? connection?.model;
		const replying = this.replying !== undefined;
		const buttonLabel = replying ? strings.stop : strings.send;
		return html`
			<div class="hint" role="status">${this.hint}${this.renderHelp()}</div>
			${this.renderContext(this.context)}
			<div class="box">
				${this.completion.render()} ${this.slash.render()}
				<textarea
					class="scrolls"
					rows="1"
					aria-label=${strings.ask}
					aria-autocomplete="list"
					aria-controls=${this.completion.list ?? this.slash.list ?? nothing}
					aria-activedescendant=${this.completion.active ?? this.slash.active ?? nothing}
					placeholder=${this.encrypted ? strings.encryption.ask : modePlaceholder(this.mode, strings)}
					?readonly=${this.waiting}
					@input=${this.onInput}
					@keydown=${this.onKeyDown}
					@paste=${this.onPaste}
					@blur=${this.onBlur}
				></textarea>
				<div class="row">
					${iconButton('add', strings.addContext, () => this.post({ kind: 'context-pick' }))}
					${connection && model && !this.encrypted ? this.renderChoices(connection, model) : nothing}
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

	private renderHelp(): TemplateResult | typeof nothing {
		const { help } = this;
		if (!help) {
			return nothing;
		}
		const follow = () => {
			// What it said may not hold any more when the user is back, and the keyboard is then where Send is tried again.
			this.say('');
			this.focusText();
			this.post({ kind: 'refusal-follow', turn: help.turn });
		};
		return html` <button type="button" class="link" @click=${follow}>${help.label}</button>`;
	}

	private renderContext({ chips, warning }: ContextView): TemplateResult {
		const chipAt = (index: number) => (chips[index] as ChipView).id;
		// There also while it is empty: the row of chips itself gives the focus back when its last one goes.
		return html`<div class="context" ?hidden=${chips.length === 0}>
			<chat-chips
				.chips=${chips}
				.label=${this.strings.context}
				.strings=${this.strings}
				.language=${this.language}
				.openChip=${(index: number) => this.post({ kind: 'chip-open', chip: chipAt(index) })}
				.removeChip=${(index: number) => this.post({ kind: 'chip-remove', chip: chipAt(index) })}
				.loadPreview=${(file: string) => this.requests.ask('preview-request', { file })}
				.leave=${() => this.focusText()}
			></chat-chips>
			${
				warning === undefined
					? nothing
					: html`<div class="warning" role="status">
							${codicon('warning')}
							<span>
								${warning}
							<button type="button" class="link" @click=${() => this.post({ kind: 'context-shorten' })}>
								${this.strings.shortenContext}
							</button>
							</span>
						</div>`
			}
		</div>`;
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

	get refusedModes(): Partial<Record<TurnMode, string>> {
		const { noMode } = this.strings.encryption;
		return this.encrypted ? { search: noMode, image: noMode } : (this.connection?.refusedModes ?? {});
	}

	get field(): HTMLTextAreaElement {
		return this.renderRoot.querySelector('textarea') as HTMLTextAreaElement;
	}

	private onInput(): void {
		this.textChanged();
		this.completion.update();
		this.slash.update();
	}

	/** Asks the host about a text whose place it may know; until it answers, the text waits. */
	private onPaste(event: ClipboardEvent): void {
		const text = event.clipboardData?.getData('text/plain') ?? '';
		const files = [...(event.clipboardData?.files ?? [])];
		if (text === '' && files.length > 0) {
			event.preventDefault();
			void this.addFiles(files);
			return;
		}
		// A word is never context: it goes into the text at once.
		if (!/[\n/\\]/.test(text) || text.length > MAXIMUM_PASTE_LENGTH || this.waiting || this.paste.isPending) {
			return;
		}
		event.preventDefault();
		void this.paste.hold(text, this.requests.ask('paste-check', { text }, PASTE_MS));
	}

	/** Files that came without an address: their text is all that there is of them. A message waits until the host has it. */
	async addFiles(files: readonly File[]): Promise<void> {
		this.readings++;
		const isComplete = await this.readFiles(files);
		this.readings--;
		if (!isComplete) {
			// Why is said: nothing goes without it.
			this.isSendDue = false;
		} else if (this.readings === 0 && this.isSendDue) {
			this.isSendDue = false;
			this.send();
		}
	}

	/** Resolves with whether all of them went to the host. What did not is said. */
	private async readFiles(files: readonly File[]): Promise<boolean> {
		let isComplete = true;
		for (const file of files) {
			const image = await imageOfFile(file).catch(() => undefined);
			if (image === 'too-large') {
				this.say(fill(this.strings.imageTooLarge, file.name));
				isComplete = false;
				continue;
			}
			if (image !== undefined) {
				this.post({ kind: 'context-image', name: file.name.slice(0, 255), data: image });
				continue;
			}
			const text = await textOfFile(file).catch(() => undefined);
			if (text === undefined) {
				this.say(fill(this.strings.notText, file.name));
				isComplete = false;
			} else {
				this.post({ kind: 'context-text', name: file.name.slice(0, 255), text });
			}
		}
		return isComplete;
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

	/** Enter was pressed, and for no list. */
	enter(): void {
		if (this.replying !== undefined) {
			this.say(this.strings.stillReplying);
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
		if (this.waiting) {
			return;
		}
		if (this.paste.isPending || this.readings > 0) {
			this.isSendDue = true;
			return;
		}
		// A list that comes later must change nothing of what is sent.
		this.completion.close();
		const text = this.field.value;
		const problem = messageProblem(text, this.language, this.strings);
		if (problem !== undefined) {
			this.say(problem);
			return;
		}
		// A text that was sent before and not answered keeps its turn, so that it cannot become two.
		const turn = this.draft.sentAs ?? crypto.randomUUID();
		this.say('');
		this.waiting = true;
		this.keep({ text, sentAs: turn });
		const shown = this.conversation === undefined ? {} : { conversation: this.conversation };
		this.post({ kind: 'message-send', ...shown, turn, text });
		this.timeout = setTimeout(() => this.settle(this.strings.noAnswer), ACCEPT_TIMEOUT_MS);
	}

	private settle(hint: string): void {
		clearTimeout(this.timeout);
		this.waiting = false;
		this.say(hint);
	}

	private keep(draft: Draft): void {
		this.draft = draft;
		this.onDraft(draft);
	}
}

customElements.define('chat-composer', ChatComposer);
