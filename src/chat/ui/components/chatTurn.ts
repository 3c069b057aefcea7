import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { sourcesAsMarkdown, sourcesAsText } from '../../model/citations.ts';
import type { TotalView } from '../../protocol/policyProtocol.ts';
import type { PageStrings, ReplyView, TurnView } from '../../protocol/protocol.ts';
import { sourceListStyles } from '../citations/citations.styles.ts';
import { renderSources } from '../citations/sourceList.ts';
import { type CodiconName, codicon } from '../codicon.ts';
import { tellLostFocus } from '../focusLost.ts';
import { fill, formatDuration, formatMoment } from '../format.ts';
import type { HostRequests } from '../hostRequests.ts';
import type { CodeColours } from '../markdown/codeColours.ts';
import { showControls } from '../markdown.ts';
import { imageActions } from '../modes/chatImage.ts';
import { modeWord } from '../modes/modeChoice.ts';
import type { Post } from '../page.ts';
import { plainText } from '../plainText.ts';
import type { ChatMarkdown } from './chatMarkdown.ts';
import { chatTurnStyles } from './chatTurn.styles.ts';
import { sharedStyles } from './shared.styles.ts';
import './chatMarkdown.ts';
import { iconButton } from './iconButton.ts';
import { questionStyles } from './question.styles.ts';
import { type QuestionActions, renderQuestion } from './question.ts';
import { costText, replyDetails, replyDetailsStyles } from './replyDetails.ts';

/** One message of the user and the reply to it. */
export class ChatTurn extends LitElement {
	static override styles = [sharedStyles, chatTurnStyles, questionStyles, replyDetailsStyles, sourceListStyles];
	static override properties = {
		turn: { attribute: false },
		strings: { attribute: false },
		language: { attribute: false },
		post: { attribute: false },
		requests: { attribute: false },
		colours: { attribute: false },
		question: { attribute: false },
		editing: { attribute: false },
		total: { attribute: false },
		detailed: { state: true },
	};

	declare turn: TurnView;
	declare strings: PageStrings;
	declare language: string;
	declare post: Post;
	declare requests: HostRequests;
	declare colours: CodeColours;
	/** What can be done with the message. */
	declare question: QuestionActions;
	/** The message as it is being changed; undefined while it is not. */
	declare editing: string | undefined;
	/** What the conversation came to, at its last turn. */
	declare total: TotalView | undefined;
	/** The details of the reply are open. */
	declare detailed: boolean;

	constructor() {
		super();
		this.detailed = false;
	}

	/** What had the focus before the turn became another. */
	private focused: Element | null | undefined;

	override willUpdate(): void {
		this.focused = this.shadowRoot?.activeElement;
		if (this.isStreaming) {
			this.removeAttribute('settled');
		} else if (!this.hasUpdated) {
			this.setAttribute('settled', '');
		}
	}

	override updated(): void {
		tellLostFocus(this, this.focused);
		if (!this.isStreaming && !this.hasAttribute('settled')) {
			requestAnimationFrame(() => this.settle());
		}
	}

	private get isStreaming(): boolean {
		return this.turn.reply.state === 'streaming';
	}

	/** With the size that it has: for a moment the turn counts as out of view, and a guess would move the reader. */
	private settle(): void {
		if (!this.isStreaming) {
			this.style.setProperty('contain-intrinsic-block-size', `auto ${this.getBoundingClientRect().height}px`);
			this.setAttribute('settled', '');
		}
	}

	override render(): TemplateResult {
		const { turn, strings } = this;
		const { reply } = turn;
		const streaming = reply.state === 'streaming';
		return html`
			<article aria-busy=${streaming}>
				<h2>
					${strings.you} ${turn.mode === undefined ? nothing : html`<span class="mode">${modeWord(turn.mode, strings)}</span>`}
					${this.renderAge()}
				</h2>
				${renderQuestion(turn, strings, this.language, this.question, this.editing, this.requests)}
				<h3>
					${reply.model ?? strings.reply}
					${streaming ? html`<span class="aside streaming">${strings.streaming}</span>` : nothing}
					${reply.provider ? html`<span class="aside">${fill(strings.via, reply.provider)}</span>` : nothing}
				</h3>
				${
					reply.reasoning
						? html`<details>
								<summary>${strings.reasoning}</summary>
								<div class="reasoning">${showControls(reply.reasoning)}</div>
							</details>`
						: nothing
				}
				${turn.mode === 'image' ? this.renderImage(reply, streaming) : nothing}
				<chat-markdown
					.text=${reply.text}
					.growing=${streaming && !reply.earlier}
					.strings=${strings}
					.post=${this.post}
					.citations=${reply.citations}
					.requests=${this.requests}
					.colours=${this.colours}
					.turn=${turn.id}
				></chat-markdown>
				${renderSources(reply.citations, strings, this.post)}
				${this.renderOutcome(reply)} ${this.renderFooter(reply, streaming)}
			</article>
			<div class="progress ${streaming ? 'active' : ''}"></div>
		`;
	}

	/** Words of a date are slow to make, and a reply that streams is rendered with every frame. */
	private renderAge(): unknown {
		const { language } = this;
		const now = new Date();
		return guard([this.turn.askedAt, language, now.toDateString()], () => {
			const askedAt = new Date(this.turn.askedAt);
			return html`<time class="aside age" datetime=${askedAt.toISOString()} title=${askedAt.toLocaleString(language)}>
				${formatMoment(askedAt, now, language)}
			</time>`;
		});
	}

	private renderImage({ image }: ReplyView, streaming: boolean): TemplateResult | typeof nothing {
		const { turn, strings } = this;
		return image || streaming
			? html`<chat-image
					.image=${image}
					.turn=${turn.id}
					.prompt=${turn.question}
					.strings=${strings}
					.post=${this.post}
					.requests=${this.requests}
				></chat-image>`
			: nothing;
	}

	/** How the reply stands or ended, where its text alone does not say it: a sentence and at most one primary button. */
	private renderOutcome(reply: ReplyView): TemplateResult | typeof nothing {
		const { strings } = this;
		const { explanation } = reply;
		const retry = (primary: boolean) =>
			reply.canRetry ? this.renderButton(strings.retry, primary, 'reply-retry') : nothing;
		const goOn = (primary: boolean) =>
			reply.canContinue ? this.renderButton(strings.continue, primary, 'reply-continue') : nothing;
		switch (reply.state) {
			case 'streaming':
				return reply.waiting
					? outcome(
							'info',
							'waiting',
							fill(strings.stillWaiting, reply.model ?? strings.reply),
							this.renderButton(strings.stop, false, 'reply-stop'),
						)
					: nothing;
			case 'done':
				return explanation ? outcome('info', 'noted', explanation.message, goOn(false)) : nothing;
			case 'stopped':
				return outcome('debug-stop', 'stopped', strings.stopped, goOn(false));
			case 'cutOff':
				return outcome(
					'warning',
					'cut',
					explanation?.message ?? strings.closed,
					reply.canRetry ? html`${goOn(true)}${retry(!reply.canContinue)}` : nothing,
				);
			case 'failed': {
				const action = explanation?.action;
				const followed = action && this.renderButton(action.label, action.primary, 'explanation-follow');
				return outcome(
					'error',
					'failed',
					explanation?.message ?? '',
					action?.primary
						? html`${followed}${retry(false)}${goOn(false)}`
						: html`${retry(true)}${goOn(false)}${followed}`,
				);
			}
		}
	}

	private renderButton(
		label: string,
		primary: boolean,
		kind: 'reply-continue' | 'reply-retry' | 'reply-stop' | 'explanation-follow',
	): TemplateResult {
		const press = () => this.post({ kind, turn: this.turn.id });
		return html`<button type="button" class="button ${primary ? '' : 'secondary'}" @click=${press}>${label}</button>`;
	}

	private renderFooter(reply: ReplyView, streaming: boolean): TemplateResult {
		const { strings } = this;
		const { citations } = reply;
		const withSources = (text: string, list: typeof sourcesAsText) =>
			citations === undefined || citations.sources.length === 0 ? text : `${text}\n\n${list(citations, strings)}`;
		const copyMarkdown = () => this.post({ kind: 'text-copy', text: withSources(reply.text, sourcesAsMarkdown) });
		const copy = () =>
			this.post({ kind: 'text-copy', text: withSources(this.renderedText() || reply.text, sourcesAsText) });
		const retry = () => this.post({ kind: 'reply-retry', turn: this.turn.id });
		// Where a sentence about the end offers Retry as a button, once is enough.
		const asksAgain = reply.canRetry && (reply.state === 'done' || reply.state === 'stopped');
		return html`<div class="footer">
			${streaming ? html`<span></span>` : this.renderFacts(reply)}
			<span class="actions">
				${asksAgain ? iconButton('refresh', this.turn.mode === 'image' ? strings.makeAgain : strings.retryOffer, retry) : nothing}
				${streaming ? nothing : imageActions(reply.image, this.turn, strings, this.post)}
				${
					reply.text !== '' && !streaming
						? [iconButton('copy', strings.copyReply, copy), iconButton('markdown', strings.copyMarkdown, copyMarkdown)]
						: nothing
				}
			</span>
		</div>
		${this.detailed && !streaming ? replyDetails({ reply, total: this.total, strings, language: this.language }) : nothing}`;
	}

	/** One line, which opens the details below it. */
	private renderFacts(reply: ReplyView): TemplateResult {
		const facts = this.facts(reply);
		if (facts === '' && !reply.details) {
			return html`<span></span>`;
		}
		const words = this.strings.policy;
		const toggle = () => {
			this.detailed = !this.detailed;
		};
		return html`<button
			type="button"
			class="facts"
			aria-expanded=${this.detailed}
			aria-label=${fill(words.details, facts)}
			@click=${toggle}
		>
			${codicon(this.detailed ? 'chevron-down' : 'chevron-right')}<span>${facts === '' ? words.policy : facts}</span>
		</button>`;
	}

	private renderedText(): string {
		const content = this.renderRoot.querySelector<ChatMarkdown>('chat-markdown')?.renderRoot.querySelector('.content');
		return content ? plainText(content) : '';
	}

	/** Time and tokens, as far as they are known. */
	private facts({ duration, usage = {}, cost, continued }: ReplyView): string {
		const { strings } = this;
		const number = new Intl.NumberFormat(this.language);
		const { prompt, cached, completion } = usage;
		const facts = [
			duration === undefined ? '' : formatDuration(duration, this.language, strings),
			prompt === undefined
				? ''
				: cached
					? fill(strings.tokensCached, number.format(prompt), number.format(cached))
					: fill(strings.tokensIn, number.format(prompt)),
			completion === undefined ? '' : fill(strings.tokensOut, number.format(completion)),
			cost === undefined ? '' : costText(cost, this.language, strings.policy),
			continued === 0 ? '' : continued === 1 ? strings.continued : fill(strings.continuedTimes, continued),
		];
		return facts.filter(fact => fact !== '').join(' · ');
	}
}

function outcome(
	icon: CodiconName,
	kind: string,
	message: string,
	buttons: TemplateResult | typeof nothing = nothing,
): TemplateResult {
	return html`<div class="outcome ${kind}">
			${codicon(icon)}
			<p>${message}</p>
		</div>
		${buttons === nothing ? nothing : html`<div class="buttons">${buttons}</div>`}`;
}

customElements.define('chat-turn', ChatTurn);
