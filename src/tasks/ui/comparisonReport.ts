import './comparison.css';
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { columnHeads, openReport, ReportPage } from '../../platform/ui/reportPage.ts';
import type { AgentView, ComparisonView, FileView, FromComparisonPage, PartView } from '../model/comparisonProtocol.ts';

type Composing = NonNullable<ComparisonView['composing']>;

class ComparisonReport extends ReportPage<ComparisonView, FromComparisonPage> {
	protected override actions(view: ComparisonView): TemplateResult {
		return html`${view.agents.length === 0 ? nothing : this.overall(view)}
			${this.button(l10n.t('Refresh'), { kind: 'read-again' })}`;
	}

	protected override body(view: ComparisonView): TemplateResult {
		const { agents, filesLeft, composing } = view;
		return html`${composing ? this.composing(composing) : nothing}
			${agents.length === 0 ? nothing : this.table(view)}
			${filesLeft === 0 ? nothing : html`<p>${this.button(l10n.t('Show More Files ({0} left)', filesLeft), { kind: 'show-more' })}</p>`}`;
	}

	private overall({ agents, canCompose, composing }: ComparisonView): TemplateResult {
		const [first, second] = agents;
		const compare =
			agents.length === 2
				? l10n.t('Compare {0} with {1}', first?.name ?? '', second?.name ?? '')
				: l10n.t('Compare Two…');
		return html`<button type="button" class="primary" @click=${this.sends({ kind: 'show-differences' })}>${compare}</button>
			${this.button(l10n.t('Which Is Better?'), { kind: 'judge' })}
			${
				canCompose
					? html`<button type="button" aria-expanded=${composing !== undefined} @click=${this.sends({ kind: 'compose' })}>${l10n.t('Compose…')}</button>`
					: nothing
			}`;
	}

	/** The frame scrolls sideways by itself if the columns of many agents need more than the width of the tab. */
	private table({ agents, facts, sections }: ComparisonView): TemplateResult {
		const label = l10n.t('Results by agent');
		return html`<div class="frame" role="region" aria-label=${label} tabindex="0">
			<table>
				<caption class="hidden">
					${label}
				</caption>
				${columnHeads(l10n.t('Agent'), ...agents.map(({ name }) => name))}
				<tbody>
					${facts.map(
						({ label: fact, texts }) =>
							html`<tr>
								<th scope="row">${fact}</th>
								${texts.map((text, at) => html`<td>${this.agent(at)}<span>${text || '–'}</span></td>`)}
							</tr>`,
					)}
					<tr>
						<th scope="row">${l10n.t('Changes')}</th>
						${agents.map((agent, at) => html`<td>${this.agent(at)}${this.choices(agent, at)}</td>`)}
					</tr>
				</tbody>
				${sections.map(
					({ heading, files }) =>
						html`<tbody class="files">
							<tr>
								<th scope="rowgroup" colspan=${agents.length + 1}><h2>${heading}</h2></th>
							</tr>
							${files.map(file => this.file(file))}
						</tbody>`,
				)}
			</table>
		</div>`;
	}

	private agent(at: number): TemplateResult {
		return html`<span class="heading" aria-hidden="true">${this.view?.agents[at]?.name}</span>`;
	}

	private choices({ name, changes, hasChanges }: AgentView, agent: number): TemplateResult {
		return html`<div>
			${changes}
			${
				hasChanges
					? html`<div class="actions">
							${this.button(l10n.t('Review'), { kind: 'review', agent }, l10n.t('Review {0}', name))}
							${this.button(l10n.t('Apply…'), { kind: 'apply', agent }, l10n.t('Apply… {0}', name))}
						</div>`
					: nothing
			}
		</div>`;
	}

	private file({ path, label, canCompare, cells }: FileView): TemplateResult {
		const agent = cells.findIndex(({ isOwn }) => isOwn);
		const opens: FromComparisonPage = canCompare ? { kind: 'show-file', path } : { kind: 'show-file', path, agent };
		const what = canCompare ? l10n.t('Compare both agents’ versions of this file') : openHint();
		return html`<tr>
			<th scope="row">
				<button type="button" class="link" title=${what} @click=${this.sends(opens)}>${label}</button>
			</th>
			${cells.map((cell, at) => html`<td>${this.agent(at)}${this.cell(cell, at, path, label)}</td>`)}
		</tr>`;
	}

	private cell({ text, isOwn }: FileView['cells'][number], agent: number, path: string, label: string): TemplateResult {
		if (!isOwn) {
			return html`<span class="aside">${text}</span>`;
		}
		const name = this.view?.agents[agent]?.name ?? '';
		return html`<span class="change">
			<button type="button" class="link" title=${openHint()} @click=${this.sends({ kind: 'show-file', agent, path })}>
				${text}
			</button>
			${this.button(l10n.t('Apply…'), { kind: 'apply', agent, path }, l10n.t('Apply… {0} of {1}', label, name))}
		</span>`;
	}

	private composing({ sentence, isBad, canMake, agents, files, partsLeft }: Composing): TemplateResult {
		return html`<section class="composing" aria-labelledby="composing">
			<h2 id="composing">${l10n.t('Compose a Result')}</h2>
			<p class="sentence ${isBad ? 'bad' : 'open'}" role="status">${sentence}</p>
			<div class="actions">
				<button type="button" class="primary" aria-disabled=${!canMake} @click=${() => canMake && this.post({ kind: 'make' })}>
					${l10n.t('Compose')}
				</button>
				${agents.map(({ agent, name }) => this.button(l10n.t('Take All of {0}', name), { kind: 'choose-all', agent }))}
				${this.button(l10n.t('Take None'), { kind: 'choose-all' })}
			</div>
			${files.map(
				({ label, parts }) =>
					html`<fieldset>
						<legend>${label}</legend>
						${parts.map(part => this.change(part))}
					</fieldset>`,
			)}
			${partsLeft === 0 ? nothing : html`<p>${this.button(l10n.t('Show More Changes ({0} left)', partsLeft), { kind: 'show-more-parts' })}</p>`}
		</section>`;
	}

	private change({ part, text, origins, isChosen, excludes, removed, added }: PartView): TemplateResult {
		const id = `excludes-${part}`;
		const choose = (event: Event) =>
			this.post({ kind: 'choose', part, isTaken: (event.target as HTMLInputElement).checked });
		const line = (
			sign: string,
			content: string,
		) => html`<span class=${sign === '+' ? 'added' : 'removed'}>${sign} ${content}
</span>`;
		return html`<div class="part">
			<label>
				<input
					type="checkbox"
					.checked=${isChosen}
					aria-describedby=${excludes === '' ? nothing : id}
					@change=${choose}
				/>
				<span>${text} <span class="origins">${origins}</span></span>
			</label>
			${excludes === '' ? nothing : html`<p class="excludes" id=${id}>${excludes}</p>`}
			${
				removed.length + added.length === 0
					? nothing
					: html`<pre>${removed.map(content => line('−', content))}${added.map(content => line('+', content))}</pre>`
			}
		</div>`;
	}

	private sends(message: FromComparisonPage): () => void {
		return () => this.post(message);
	}
}

const openHint = () => l10n.t('Show this agent’s changes to the file, to apply all or parts of them');

openReport('comparison-report', ComparisonReport);
