import { html, nothing, type TemplateResult } from 'lit';
import { codicon, codiconText } from '../codicon.ts';
import type { StepFact } from './stepWords.ts';

/** Renders the results at the end of a line. */
export function renderResults(facts: readonly StepFact[]): TemplateResult | typeof nothing {
	return facts.length === 0 ? nothing : html`<span class="results">${facts.map(renderFact)}</span>`;
}

function renderFact({ kind, icon, words, short, spoken }: StepFact): TemplateResult {
	return html`<span class="result ${kind}" title=${words}>
		${icon === undefined ? nothing : codicon(icon)}
		${
			spoken === undefined
				? html`<span class="words">${words}</span>${short === undefined ? nothing : html`<span class="short">${short}</span>`}`
				: html`<span class="words" aria-hidden="true">${words}</span><span class="screen-reader">${spoken}</span>`
		}
	</span>`;
}

/** The chevron of a line that unfolds. */
export function foldSign(isOpen: boolean): TemplateResult {
	return html`<span class="codicon fold-sign" aria-hidden="true">${codiconText(isOpen ? 'chevron-down' : 'chevron-right')}</span>`;
}
