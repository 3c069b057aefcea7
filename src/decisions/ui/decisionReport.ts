import './decision.css';
import * as l10n from '@vscode/l10n';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { columnHeads, openReport, ReportPage } from '../../platform/ui/reportPage.ts';
import type {
	DecisionView,
	FromDecisionPage,
	QuestionView,
	ResultView,
	RowView,
	SendingView,
} from '../model/protocol.ts';

class DecisionReport extends ReportPage<DecisionView, FromDecisionPage> {
	/** The button for the next step gets the focus, unless something else on the page has it. */
	protected override updated(): void {
		const isFree = document.activeElement === document.body || document.activeElement === null;
		if (isFree && document.hasFocus()) {
			this.querySelector<HTMLElement>('button.primary')?.focus();
		}
	}

	protected override body(decision: DecisionView): TemplateResult {
		const { stage, opinion, sending, result, help } = decision;
		return html`<p class="opinion">${opinion}</p>
			${help === undefined ? nothing : html`<p>${this.button(help, { kind: 'help' })}</p>`}
			${sending ? this.sending(sending, stage) : nothing}
			${result ? this.result(result, decision) : nothing}`;
	}

	/** The main button stays the same element through all steps, because a replaced one loses the focus. */
	protected override actions({ stage, result, sending }: DecisionView): TemplateResult {
		const isWarned = sending !== undefined && sending.warnings.length > 0;
		const [label, message]: [string, FromDecisionPage] =
			stage === 'ready'
				? sending
					? [isWarned ? l10n.t('Send Anyway') : l10n.t('Send and Evaluate'), { kind: 'send' }]
					: [l10n.t('Select Decision Model…'), { kind: 'choose-model' }]
				: stage === 'idle'
					? [l10n.t('Evaluate Again'), { kind: 'prepare' }]
					: [l10n.t('Stop'), { kind: 'stop' }];
		return html`<button type="button" class="primary" @click=${() => this.post(message)}>${label}</button>
			${result ? this.button(l10n.t('Export as JSON…'), { kind: 'export' }) : nothing}`;
	}

	private sending({ facts, parts, warnings }: SendingView, stage: DecisionView['stage']): TemplateResult {
		return html`<section aria-labelledby="sending">
			<h2 id="sending">${l10n.t('What will be sent')}</h2>
			${
				warnings.length === 0
					? nothing
					: html`<ul class="warnings">
							${warnings.map(warning => html`<li>${warning}</li>`)}
						</ul>`
			}
			${factList(facts)}
			<table class="parts">
				<caption>
					${l10n.t('The state')}
				</caption>
				${columnHeads(l10n.t('Part'), l10n.t('From'), l10n.t('Size'))}
				<tbody>
					${parts.map(
						({ name, label, size }) =>
							html`<tr>
								<th scope="row"><code>${name}</code></th>
								<td>${label}</td>
								<td>${size}</td>
							</tr>`,
					)}
				</tbody>
			</table>
			${
				stage === 'ready'
					? html`<p class="actions">
							${this.button(l10n.t('Show Full Request'), { kind: 'show-request' })}
							${this.button(l10n.t('Select Another Model…'), { kind: 'choose-model' })}
						</p>`
					: nothing
			}
		</section>`;
	}

	private result(result: ResultView, { runs, kept }: DecisionView): TemplateResult {
		const { notes, facts, questions, legend, run } = result;
		const chosen = (event: Event) => this.post({ kind: 'show-run', run: (event.target as HTMLSelectElement).value });
		return html`<section aria-labelledby="answers">
			<h2 id="answers">${l10n.t('Answers')}</h2>
			${notes.map(note => html`<p class="note">${note}</p>`)}
			${questions.map(question => this.question(question))}
			<h2>${l10n.t('About this result')}</h2>
			${factList(facts)}
			<div class="runs">
				<label for="run">${l10n.t('Result')}</label>
				<select id="run" @change=${chosen}>
					${runs.map(({ id, label }) => html`<option value=${id} .selected=${id === run}>${label}</option>`)}
				</select>
			</div>
			<p class="aside">${kept}</p>
			<h2>${l10n.t('How to read it')}</h2>
			<ul class="legend">
				${legend.map(sentence => html`<li>${sentence}</li>`)}
			</ul>
		</section>`;
	}

	private question(question: QuestionView): TemplateResult {
		const { id, type, instructions, answer, isUncertain, notes, rows, received } = question;
		return html`<article>
			<h3>${id}</h3>
			<p class="asked"><span class="type">${type}</span> ${instructions}</p>
			<p class="answer ${isUncertain ? 'uncertain' : ''}">
				${answer}
			</p>
			${notes.map(note => html`<p class="note">${note}</p>`)}
			${this.table(id, rows)}
			${received === undefined ? nothing : html`<pre tabindex="0" aria-label=${l10n.t('Response')}>${received}</pre>`}
		</article>`;
	}

	private table(id: string, rows: readonly RowView[]): TemplateResult {
		return html`<table class="answers">
			<caption class="hidden">
				${l10n.t('Probabilities of {0}', id)}
			</caption>
			${columnHeads(l10n.t('Answer'), l10n.t('Meaning'), l10n.t('Probability'))}
			<tbody>
				${rows.map(row => this.row(row))}
			</tbody>
		</table>`;
	}

	private row({ name, meaning, share, probability, isChosen, mark, entry }: RowView): TemplateResult {
		return html`<tr class=${isChosen ? 'chosen' : ''}>
			<th scope="row">
				${entry === undefined ? name : this.button(name, { kind: 'show-entry', entry })}
				${isChosen ? html`<span class="mark">${mark}</span>` : nothing}
			</th>
			<td>${meaning}</td>
			<td class="probability">${share === undefined ? nothing : bar(share)}<span class="number">${probability}</span></td>
		</tr>`;
	}
}

/** The width is an attribute, because the page's policy allows no style in its markup. */
function bar(share: number): TemplateResult {
	return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
		${svg`<rect class="track" width="100" height="8"></rect><rect class="share" width=${share * 100} height="8"></rect>`}
	</svg>`;
}

function factList(facts: readonly { label: string; text: string }[]): TemplateResult {
	return html`<dl>
		${facts.map(
			({ label, text }) =>
				html`<div>
					<dt>${label}</dt>
					<dd>${text}</dd>
				</div>`,
		)}
	</dl>`;
}

openReport('decision-report', DecisionReport);
