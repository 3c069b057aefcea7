import './report.css';
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { columnHeads, openReport, ReportPage } from '../../platform/ui/reportPage.ts';
import type { CheckView, FromReportPage, RawView, ReportView } from '../model/protocol.ts';

/** A verdict is never shown by colour alone; its word is beside the mark. */
const MARKS: Readonly<Record<CheckView['verdict'], string>> = { pass: '✓', fail: '✕', unknown: '–', pending: '–' };

class AttestationReport extends ReportPage<ReportView, FromReportPage> {
	protected override actions({ isChecking, canExport }: ReportView): TemplateResult {
		return html`<button type="button" class="primary" aria-disabled=${isChecking} @click=${this.checkAgain}>
				${l10n.t('Check Again')}
			</button>
			<button type="button" ?disabled=${!canExport} @click=${() => this.post({ kind: 'export-request' })}>
				${l10n.t('Export…')}
			</button>`;
	}

	protected override body({ details, checks, raw }: ReportView): TemplateResult {
		return html`<p class="details">${details.map(detail => html`<span>${detail}</span>`)}</p>
			${checks.length === 0 ? nothing : table(checks)}
			${raw.length === 0 ? nothing : html`<h2>${l10n.t('Raw evidence')}</h2>${raw.map(renderRaw)}`}`;
	}

	/** The button is only marked as disabled, because a disabled button loses the focus. */
	private readonly checkAgain = (): void => {
		if (!this.view?.isChecking) {
			this.post({ kind: 'check-again' });
		}
	};
}

function table(checks: readonly CheckView[]): TemplateResult {
	return html`<table>
		<caption>
			${l10n.t('Checks')}
		</caption>
		${columnHeads(l10n.t('Check'), l10n.t('Verdict'), l10n.t('Finding'))}
		<tbody>
			${checks.map(row)}
		</tbody>
	</table>`;
}

function row({ label, verdict, word, input, reason }: CheckView): TemplateResult {
	return html`<tr>
		<th scope="row">${label}</th>
		<td class="verdict ${verdict}"><span class="mark" aria-hidden="true">${MARKS[verdict]}</span> ${word}</td>
		<td class="finding">
			${reason}${input === undefined ? nothing : html`<code>${input}</code>`}
		</td>
	</tr>`;
}

function renderRaw({ name, text, isCut }: RawView): TemplateResult {
	return html`<details>
		<summary>${name}</summary>
		<pre tabindex="0" aria-label=${name}>${text}</pre>
		${isCut ? html`<p>${l10n.t('The rest isn’t shown here. The export has all of it.')}</p>` : nothing}
	</details>`;
}

openReport('attestation-report', AttestationReport);
