import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { LeftOutFolder } from '../../model/agentWork.ts';
import type { ReplyView } from '../../protocol/protocol.ts';
import type { StepView, WorkView } from '../../protocol/workProtocol.ts';
import { detailsStyles } from '../components/details.styles.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { watchFocus } from '../focusLost.ts';
import { settleAtHeight } from '../markdown/sections.ts';
import { showControls } from '../markdown.ts';
import { PageElement, reactive } from '../pageElement.ts';
import { tellUnfolded, UNFOLDED } from '../unfolding.ts';
import type { Surroundings } from './chatApproval.ts';
import { ChatFold } from './chatFold.ts';
import { ChatStep } from './chatStep.ts';
import '../components/chatMarkdown.ts';
import './chatPlan.ts';
import { chatWorkStyles } from './chatWork.styles.ts';
import { ASIDES, type FlowItem, FlowItems } from './flowItems.ts';
import { citationsIn, type FlowPart, type TextPart, textOfParts, WorkFlow } from './workFlow.ts';

/** The number of items that are added in one task. */
const ITEMS_AT_A_TIME = 16;

/** The reply of an agent: its text and, between the parts of it, its steps. */
export class ChatWork extends PageElement {
	static override styles = [sharedStyles, detailsStyles, chatWorkStyles];
	static override properties = reactive('reply', 'work', 'turn');

	declare reply: ReplyView;
	declare work: WorkView;
	/** The id of the reply's turn. */
	declare turn: string;

	private readonly flow = new WorkFlow();
	private readonly items = new FlowItems();
	private parts: readonly FlowPart[] = [];
	/** The number of items that are shown. */
	private limit = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;
	private surroundings: Surroundings = { folders: [], isSandboxed: false };

	constructor() {
		super();
		watchFocus(this);
		this.addEventListener(UNFOLDED, this.keepLine);
		this.addEventListener('focusin', this.keepLine);
	}

	/** The text of the reply as Markdown. */
	get markdown(): string {
		return textOfParts(this.parts);
	}

	/** Moves the focus to the waiting question. Returns false if none is waiting. */
	focusQuestion(): boolean {
		return this.renderRoot.querySelector<ChatStep>('chat-step[waiting]')?.focusQuestion() ?? false;
	}

	override willUpdate(): void {
		const { reply, work } = this;
		this.parts = this.flow.update(reply.text, work.steps, this.isLive);
		const { folders, isSandboxed } = work;
		const surroundings = { folders, isSandboxed };
		if (JSON.stringify(surroundings) !== JSON.stringify(this.surroundings)) {
			this.surroundings = surroundings;
		}
	}

	override updated(): void {
		const blocks = this.isLive ? [...this.renderRoot.querySelectorAll<HTMLElement>('.block:not(.settled)')] : [];
		if (blocks.length > 1) {
			requestAnimationFrame(() => settleAtHeight(blocks.slice(0, -1)));
		}
	}

	override disconnectedCallback(): void {
		super.disconnectedCallback();
		clearTimeout(this.timer);
		this.timer = undefined;
	}

	override render(): TemplateResult {
		const { reply, work } = this;
		const there = { summary: work.summary, thoughts: reply.reasoning, plan: work.plan?.length };
		const asides = ASIDES.filter(aside => there[aside]);
		const items = this.within(this.items.arrange(this.parts, asides, this.isLive && this.hasUpdated));
		let previous: FlowItem | undefined;
		const renderItem = (item: FlowItem) => {
			const isApart = previous !== undefined && (previous.kind === 'text') !== (item.kind === 'text');
			previous = item;
			return this.renderItem(item, isApart ? 'apart' : '');
		};
		return html`${this.renderNotes()}${this.items
			.blocksOf(items)
			.map(
				block => html`<div class="block">${repeat(block, ({ key }) => key, renderItem)}</div>`,
			)}${work.further === undefined ? nothing : html`<p class="further">${furtherWords(work.further, this.page.language)}</p>`}${this.renderPlanUse()}`;
	}

	/** A plan is the text of the reply. The composer takes it, to be edited and then sent to the agent or as a task. */
	private renderPlanUse(): unknown {
		const { reply, work } = this;
		const isReady = work.isPlan && reply.state === 'done' && reply.text.trim() !== '';
		return isReady
			? html`<button type="button" class="button secondary plan" @click=${() => this.page.post({ kind: 'work-plan-use', turn: this.turn })}>
					${l10n.t('Edit and Start Plan')}
				</button>`
			: nothing;
	}

	private renderNotes(): unknown[] {
		const { leftOut, isSetAside, startedFrom } = this.work;
		const notes = [
			...(startedFrom === undefined ? [] : [startedWords(startedFrom)]),
			...(leftOut ?? []).map(leftOutWords),
			...(isSetAside ? [setAsideWords()] : []),
		];
		return notes.map(note => html`<p class="note">${note}</p>`);
	}

	private get isLive(): boolean {
		return this.reply.state === 'streaming';
	}

	/** Adds new items at once, or in several tasks if there are many. */
	private within(items: readonly FlowItem[]): readonly FlowItem[] {
		this.limit = Math.min(items.length, this.limit + ITEMS_AT_A_TIME);
		if (this.limit < items.length) {
			this.timer ??= setTimeout(() => {
				this.timer = undefined;
				this.requestUpdate();
			});
		}
		return items.slice(0, this.limit);
	}

	private renderItem(item: FlowItem, apart: string): unknown {
		const { reply, work, page } = this;
		switch (item.kind) {
			case 'text':
				return this.renderText(item, apart);
			case 'step':
				return guard([item, this.surroundings, apart], () => this.renderStep(item.step, apart));
			case 'fold':
				return guard(
					[item, this.surroundings, apart],
					() => html`<chat-fold
						class=${apart}
						.steps=${item.steps}
						.page=${page}
						.renderStep=${this.renderFoldedStep}
					></chat-fold>`,
				);
			case 'plan':
				return html`<chat-plan class=${apart} .entries=${work.plan} .page=${page}></chat-plan>`;
			case 'thoughts':
				return guard([reply.reasoning, apart], () =>
					this.renderDetails(l10n.t('Reasoning'), reply.reasoning ?? '', apart),
				);
			case 'summary':
				return guard([work.summary, apart], () =>
					this.renderDetails(l10n.t('Received a summary of the earlier turns'), work.summary ?? '', apart),
				);
		}
	}

	private renderText(part: TextPart, apart: string): unknown {
		const { reply } = this;
		const isGrowing = part.isLast && this.isLive && !reply.earlier;
		return guard([part, isGrowing, reply.citations, apart], () => {
			const next = this.parts.find((other): other is TextPart => other.kind === 'text' && other.start > part.start);
			const end = next?.start ?? Number.POSITIVE_INFINITY;
			return html`<chat-markdown
				class=${apart}
				.text=${part.text}
				.growing=${isGrowing}
				.page=${this.page}
				.citations=${citationsIn(reply.citations, { start: part.start, end })}
				.turn=${this.turn}
			></chat-markdown>`;
		});
	}

	private renderStep(step: StepView, apart: string): TemplateResult {
		return html`<chat-step
			class=${apart}
			?waiting=${step.approval?.state === 'waiting'}
			.step=${step}
			.surroundings=${this.surroundings}
			.turn=${this.turn}
			.page=${this.page}
		></chat-step>`;
	}

	private readonly renderFoldedStep = (step: StepView) => this.renderStep(step, '');

	private renderDetails(title: string, text: string, apart: string): TemplateResult {
		return html`<details class=${apart}>
			<summary @click=${() => tellUnfolded(this)}>${title}</summary>
			<div class="reasoning scrolls" role="group" tabindex="0" aria-label=${title}>${showControls(text)}</div>
		</details>`;
	}

	/** Keeps a line from being folded away while the reader is in it or has unfolded it. */
	private readonly keepLine = (event: Event) => {
		const path = event.composedPath();
		const step = path.find(target => target instanceof ChatStep);
		if (step && !path.some(target => target instanceof ChatFold)) {
			this.flow.keep(step.step.id);
		}
	};
}

const leftOutWords = ({ folder, reason }: LeftOutFolder) =>
	reason === undefined
		? l10n.t(
				'The agent has no copy of {0} because it isn’t a Git repository. Run “Git: Initialize Repository” to change that.',
				folder,
			)
		: l10n.t('The agent has no copy of {0}. {1}', folder, reason);

const startedWords = (step: string) =>
	l10n.t('Goes on from the files as of “{0}”. The agent isn’t told what came after that.', showControls(step));

const setAsideWords = () =>
	l10n.t(
		'What was left in the copy no longer applies to your files, so the agent started from your files only. It’s still available from Take Changes of the previous turn.',
	);

function furtherWords(count: number, language: string): string {
	return count === 1
		? l10n.t('1 more step isn’t listed.')
		: l10n.t('{0} more steps aren’t listed.', new Intl.NumberFormat(language).format(count));
}

customElements.define('chat-work', ChatWork);
