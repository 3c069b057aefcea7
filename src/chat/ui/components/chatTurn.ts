import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { DEMO_SLUGS } from '../../../contract/localConnection.ts';
import { sourcesAsMarkdown } from '../../model/citations.ts';
import { modeLabel, sourceWords } from '../../protocol/labels.ts';
import type { ReplyView, TurnView } from '../../protocol/protocol.ts';
import type { TotalView } from '../../protocol/settingsProtocol.ts';
import type { WorkView } from '../../protocol/workProtocol.ts';
import { agentHeading, agentHeadingStyles } from '../agent/agentHeading.ts';
import type { ChatWork } from '../agent/chatWork.ts';
import { copyText } from '../announcer.ts';
import '../agent/chatChanges.ts';
import '../agent/chatWork.ts';
import { sourceListStyles } from '../citations/citations.styles.ts';
import { renderSources } from '../citations/sourceList.ts';
import { codicon, iconButton } from '../codicon.ts';
import { watchFocus } from '../focusLost.ts';
import { formatDuration, formatMoment } from '../format.ts';
import { showControls } from '../markdown.ts';
import { imageActions } from '../modes/chatImage.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { chatTurnStyles } from './chatTurn.styles.ts';
import { sharedStyles } from './shared.styles.ts';
import './chatMarkdown.ts';
import { detailsStyles } from './details.styles.ts';
import { questionStyles } from './question.styles.ts';
import { type QuestionActions, renderQuestion } from './question.ts';
import { costText, promptText, replyDetails, replyDetailsStyles } from './replyDetails.ts';
import { renderOutcome } from './replyOutcome.ts';

/** A message of the user and the reply to it. */
export class ChatTurn extends PageElement {
	static override styles = [
		sharedStyles,
		chatTurnStyles,
		detailsStyles,
		questionStyles,
		replyDetailsStyles,
		sourceListStyles,
		agentHeadingStyles,
	];
	static override properties = reactive('turn', 'question', 'editing', 'total', 'isDemo', 'detailed');

	declare turn: TurnView;
	/** The actions on the message. */
	declare question: QuestionActions;
	/** The text of the message while it is being edited. */
	declare editing: string | undefined;
	/** The totals of the conversation; set on its last turn only. */
	declare total: TotalView | undefined;
	/** Set if only the demo answers; the last turn then offers to set up a model. */
	declare isDemo: boolean;
	/** True while the details of the reply are open. */
	declare detailed: boolean;

	constructor() {
		super();
		watchFocus(this);
		this.detailed = false;
	}

	override willUpdate(): void {
		if (this.isStreaming) {
			this.removeAttribute('settled');
		} else if (!this.hasUpdated) {
			this.setAttribute('settled', '');
		}
	}

	override updated(): void {
		if (!this.isStreaming && !this.hasAttribute('settled')) {
			requestAnimationFrame(() => this.settle());
		}
	}

	private get isStreaming(): boolean {
		return this.turn.reply.state === 'streaming';
	}

	/** Keeps the current size, because the turn counts as out of view for a moment and a guess would move the reader. */
	private settle(): void {
		if (!this.isStreaming) {
			this.style.setProperty('contain-intrinsic-block-size', `auto ${this.getBoundingClientRect().height}px`);
			this.setAttribute('settled', '');
		}
	}

	override render(): TemplateResult {
		const { turn } = this;
		const { reply } = turn;
		const streaming = reply.state === 'streaming';
		return html`
			<article>
				<h2>
					${l10n.t('You')} ${turn.mode === undefined ? nothing : html`<span class="mode">${modeLabel(turn.mode)}</span>`}
					${this.renderAge()}
				</h2>
				${renderQuestion(turn, this.question, this.editing, this.page)}
				${reply.work ? this.renderWork(reply, reply.work) : this.renderReply(reply, streaming)}
				${renderSources(reply.citations, this.page)}
				${renderOutcome(reply, kind => this.page.post({ kind, turn: turn.id }))} ${this.renderChanges(reply)} ${this.isDemo && !streaming ? this.renderDemo(reply) : nothing} ${this.renderFooter(reply, streaming)}
			</article>
			<div class="progress ${streaming ? 'active' : ''}"></div>
		`;
	}

	private renderReply(reply: ReplyView, streaming: boolean): TemplateResult {
		const { turn } = this;
		return html`<h3>
				${reply.model ?? l10n.t('Reply')}
				${streaming ? html`<span class="aside streaming">${l10n.t('Streaming')}</span>` : nothing}
				${reply.provider ? html`<span class="aside">${l10n.t('via {0}', reply.provider)}</span>` : nothing}
			</h3>
			${
				reply.reasoning
					? html`<details>
							<summary>${l10n.t('Reasoning')}</summary>
							<div class="reasoning" dir="auto">${showControls(reply.reasoning)}</div>
						</details>`
					: nothing
			}
			${turn.mode === 'image' ? this.renderImage(reply, streaming) : nothing}
			<chat-markdown
				.text=${reply.text}
				.growing=${streaming && !reply.earlier}
				.page=${this.page}
				.citations=${reply.citations}
				.turn=${turn.id}
			></chat-markdown>`;
	}

	private renderWork(reply: ReplyView, work: WorkView): TemplateResult {
		return html`${agentHeading(reply, work)}
			<chat-work .reply=${reply} .work=${work} .turn=${this.turn.id} .page=${this.page}></chat-work>`;
	}

	private renderChanges({ work }: ReplyView): TemplateResult | typeof nothing {
		return work?.changes
			? html`<chat-changes .changes=${work.changes} .turn=${this.turn.id} .page=${this.page}></chat-changes>`
			: nothing;
	}

	/** Moves the focus to an agent's question. Returns false if none is waiting. */
	focusQuestion(): boolean {
		return this.work?.focusQuestion() ?? false;
	}

	/** Formatting a date is slow, and a streaming reply is rendered with every frame. */
	private renderAge(): unknown {
		const { language } = this.page;
		const now = new Date();
		return guard([this.turn.askedAt, language, now.toDateString()], () => {
			const askedAt = new Date(this.turn.askedAt);
			return html`<time class="aside age" datetime=${askedAt.toISOString()} title=${askedAt.toLocaleString(language)}>
				${formatMoment(askedAt, now, language)}
			</time>`;
		});
	}

	private renderImage({ image }: ReplyView, streaming: boolean): TemplateResult | typeof nothing {
		const { turn } = this;
		return image || streaming
			? html`<chat-image
					.image=${image}
					.turn=${turn.id}
					.prompt=${turn.question}
					.page=${this.page}
				></chat-image>`
			: nothing;
	}

	private renderDemo({ provider }: ReplyView): TemplateResult | typeof nothing {
		if (provider === undefined || !DEMO_SLUGS.has(provider)) {
			return nothing;
		}
		const press = () => this.page.post({ kind: 'server-add', turn: this.turn.id });
		return html`<div class="buttons">
			<button type="button" class="button secondary" @click=${press}>${l10n.t('Add Service…')}</button>
		</div>`;
	}

	private renderFooter(reply: ReplyView, streaming: boolean): TemplateResult {
		const { citations } = reply;
		const copy = (event: Event) => {
			const text = this.work?.markdown ?? reply.text;
			const sources = citations ? `\n\n${sourcesAsMarkdown(citations, sourceWords(this.page.language))}` : '';
			copyText(this.page.post, text + sources, event.currentTarget);
		};
		const retry = () => this.page.post({ kind: 'reply-retry', turn: this.turn.id });
		// The icon is left out if the outcome already offers Retry as a button.
		const asksAgain = reply.canRetry && (reply.state === 'done' || reply.state === 'stopped');
		return html`<div class="footer">
			${streaming ? html`<span></span>` : this.renderFacts(reply)}
			<span class="actions">
				${asksAgain ? iconButton('refresh', this.turn.mode === 'image' ? l10n.t('Regenerate') : l10n.t('Ask Again'), retry) : nothing}
				${streaming ? nothing : imageActions(reply.image, this.turn, this.page.post)}
				${reply.text !== '' && !streaming ? iconButton('copy', l10n.t('Copy Reply'), copy) : nothing}
			</span>
		</div>
		${this.detailed && !streaming ? replyDetails(reply, this.total, this.page.language) : nothing}`;
	}

	/** A line with the facts of the reply, which opens the details below it. */
	private renderFacts(reply: ReplyView): TemplateResult {
		const facts = this.facts(reply);
		if (facts === '' && !reply.details) {
			return html`<span></span>`;
		}
		const toggle = () => {
			this.detailed = !this.detailed;
		};
		return html`<button
			type="button"
			class="facts"
			aria-expanded=${this.detailed}
			aria-label=${l10n.t('Details of the reply: {0}', facts)}
			@click=${toggle}
		>
			${codicon(this.detailed ? 'chevron-down' : 'chevron-right')}<span>${facts === '' ? l10n.t('Details') : facts}</span>
		</button>`;
	}

	private get work(): ChatWork | null {
		return this.renderRoot.querySelector<ChatWork>('chat-work');
	}

	/** The duration, tokens and cost of the reply as far as they are known, and the provider of an agent's model. */
	private facts({ duration, usage = {}, cost, continued, work, provider }: ReplyView): string {
		const number = new Intl.NumberFormat(this.page.language);
		const { completion } = usage;
		const facts = [
			duration === undefined ? '' : formatDuration(duration, this.page.language),
			promptText(usage, number),
			completion === undefined ? '' : l10n.t('{0} out', number.format(completion)),
			cost === undefined ? '' : costText(cost, this.page.language),
			work === undefined || provider === undefined ? '' : l10n.t('via {0}', provider),
			continued === 0
				? ''
				: continued === 1
					? l10n.t('Continued after it ended early.')
					: l10n.t('Continued {0} times after it ended early.', continued),
		];
		return facts.filter(fact => fact !== '').join(' · ');
	}
}

customElements.define('chat-turn', ChatTurn);
