import * as l10n from '@vscode/l10n';
import { css, html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { ApprovalAnswer } from '../../model/approvals.ts';
import type { StepView } from '../../protocol/workProtocol.ts';
import { codicon, iconButton } from '../codicon.ts';
import { sharedStyles } from '../components/shared.styles.ts';
import { watchFocus } from '../focusLost.ts';
import { PageElement, reactive } from '../pageElement.ts';
import type { ChatApproval, Surroundings } from './chatApproval.ts';
import './chatApproval.ts';
import type { ChatForm } from './chatForm.ts';
import './chatForm.ts';
import './stepDetails.ts';
import { foldingLine, lineStyles, renderResults } from './line.ts';
import { commandBeside, factsOf, type StepFact, spokenKind, stepIcon, titleOf } from './stepWords.ts';

/** One tool call of an agent: a line that can be unfolded, or, while it waits for the user, the question about it. */
export class ChatStep extends PageElement {
	static override styles = [
		sharedStyles,
		lineStyles,
		css`
			:host {
				display: block;
			}

			.step {
				position: relative;
			}

			/* The place of the button is free in each line of a step that may change files, so that nothing moves when it has. */
			.line:not(.sentence) {
				padding-inline-end: 28px;
			}

			.icon-button {
				position: absolute;
				inset-block-start: 0;
				inset-inline-end: 0;
				opacity: 0;
			}

			.step:hover > .icon-button,
			.step:focus-within > .icon-button {
				opacity: 1;
			}

			@media (forced-colors: active) {
				.icon-button {
					opacity: 1;
				}
			}
		`,
	];
	static override properties = reactive('step', 'surroundings', 'turn', 'open', 'answered');

	declare step: StepView;
	declare surroundings: Surroundings;
	/** The id of the reply's turn. */
	declare turn: string;
	/** Undefined until the step is unfolded for the first time. */
	declare open: boolean | undefined;
	/** The id of the question that the user has answered. The host may not have confirmed the answer yet. */
	declare answered: string | undefined;

	constructor() {
		super();
		watchFocus(this);
		this.answered = undefined;
	}

	/** Moves the focus to the question. Returns false if none is waiting. */
	focusQuestion(): boolean {
		const question = this.renderRoot.querySelector<ChatApproval | ChatForm>('chat-approval, chat-form');
		question?.takeFocus();
		return question !== null;
	}

	override render(): TemplateResult {
		const { step } = this;
		const { state, question } = step.approval ?? {};
		if (state === 'waiting' && !this.isAnswered) {
			// Each question gets its own element, so that another question about the same step has its own guard.
			return html`${keyed(
				question,
				step.form
					? html`<chat-form
							.step=${step}
							.turn=${this.turn}
							.page=${this.page}
							.decline=${() => this.answer('no')}
						></chat-form>`
					: html`<chat-approval
							.step=${step}
							.surroundings=${this.surroundings}
							.turn=${this.turn}
							.page=${this.page}
							.answer=${this.answer}
						></chat-approval>`,
			)}`;
		}
		return html`<div class="step">${this.renderLine()}${this.renderAct()}</div>${
			this.open === undefined
				? nothing
				: html`<chat-step-details
						id="details"
						?hidden=${!this.open}
						.isOpen=${this.open}
						.step=${step}
						.turn=${this.turn}
						.page=${this.page}
					></chat-step-details>`
		}`;
	}

	private get isAnswered(): boolean {
		const { state, question } = this.step.approval ?? {};
		return state === 'waiting' && question !== undefined && question === this.answered;
	}

	private renderAct(): TemplateResult | typeof nothing {
		const { step, turn } = this;
		const press = () => this.page.post({ kind: 'step-act', turn, step: step.id });
		return step.hasStates ? iconButton('history', l10n.t('Files as of “{0}”…', titleOf(step)), press) : nothing;
	}

	private renderLine(): TemplateResult {
		const { step } = this;
		const facts: StepFact[] = this.isAnswered
			? [{ kind: 'quiet', words: l10n.t('Answered') }]
			: factsOf(step, this.page.language);
		const title = titleOf(step);
		const beside = commandBeside(step);
		const content = html`${codicon(stepIcon(step))}<span class="screen-reader">${spokenKind(step)}</span
			><span class="title ellipsis" title=${title}>${title}</span>${
				beside === '' ? nothing : html`<span class="beside ellipsis" title=${beside}>${beside}</span>`
			}`;
		const direct = this.directAction();
		if (direct) {
			return html`<button type="button" class="line" @click=${direct.press}>
				${content}${renderResults(facts)}<span class="screen-reader">${direct.label}</span>
			</button>`;
		}
		if (!hasDetails(step)) {
			// What Errand's agent tells of itself, and why something has failed, is a sentence, and nothing unfolds it.
			const isReason = step.state === 'failed';
			const isSentence = isReason || (step.kind === 'think' && step.state === 'done');
			return html`<div class="line ${isSentence ? 'sentence' : ''} ${isReason ? 'reason' : ''}">${content}${renderResults(facts)}</div>`;
		}
		return foldingLine(this, 'details', content, renderResults(facts));
	}

	/** Returns what a press on the line opens if there is exactly one thing to open and nothing to unfold. */
	private directAction(): { label: string; press(): void } | undefined {
		const { id, diffs = [], locations = [], command, hasOutput } = this.step;
		if (hasOutput || command !== undefined) {
			return undefined;
		}
		const at = { turn: this.turn, step: id, index: 0 };
		if (diffs.length === 1) {
			return { label: l10n.t('Open Diff'), press: () => this.page.post({ kind: 'step-diff-open', ...at }) };
		}
		return diffs.length === 0 && locations.length === 1
			? { label: l10n.t('Open File'), press: () => this.page.post({ kind: 'step-place-open', ...at }) }
			: undefined;
	}

	private readonly answer = (answer: ApprovalAnswer) => {
		const { question } = this.step.approval ?? {};
		if (question !== undefined) {
			this.answered = question;
			this.page.post({ kind: 'step-answer', turn: this.turn, question, answer });
		}
	};
}

function hasDetails({ command, hasOutput, diffs = [], locations = [] }: StepView): boolean {
	return command !== undefined || hasOutput || diffs.length > 0 || locations.length > 0;
}

customElements.define('chat-step', ChatStep);
