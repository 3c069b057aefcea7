import './report.css';
import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { openReport, ReportPage } from '../../platform/ui/reportPage.ts';
import type { CheckView, FromReportPage, RawView, ReportView } from '../model/protocol.ts';

/** A verdict is never shown by colour alone; its word is beside the mark. */
const MARKS: Readonly<Record<CheckView['verdict'], string>> = { pass: '✓', fail: '✕', unknown: '–', pending: '–' };

class AttestationReport extends ReportPage<ReportView, FromReportPage> {
	protected override render(): TemplateResult | typeof nothing {
		const { view: report } = this;
		if (!report) {
			return nothing;
		}
		return html`<main>
			<header>
				<h1>${report.title}</h1>
				<div class="actions">
					<button type="button" class="primary" aria-disabled=${report.isChecking} @click=${this.checkAgain}>
						${l10n.t('Check Again')}
					</button>
					<button type="button" ?disabled=${!report.canExport} @click=${() => this.post({ kind: 'export-request' })}>
						${l10n.t('Export…')}
					</button>
				</div>
			</header>
			<p class="sentence ${report.tone}" role="status">${report.sentence}</p>
			<p class="details">${report.details.map(detail => html`<span>${detail}</span>`)}</p>
			${report.checks.length === 0 ? nothing : this.table(report.checks)}
			${
				report.raw.length === 0
					? nothing
					: html`<h2>${l10n.t('Raw evidence')}</h2>
						${report.raw.map(raw)}`
			}
		</main>`;
	}

	/** The button is only marked as disabled, because a disabled button loses the focus. */
	private readonly checkAgain = (): void => {
		if (!this.view?.isChecking) {
			this.post({ kind: 'check-again' });
		}
	};

	private table(checks: readonly CheckView[]): TemplateResult {
		return html`<table>
			<caption>
				${l10n.t('Checks')}
			</caption>
			<thead>
				<tr>
					<th scope="col">${l10n.t('Check')}</th>
					<th scope="col">${l10n.t('Verdict')}</th>
					<th scope="col">${l10n.t('Finding')}</th>
				</tr>
			</thead>
			<tbody>
				${checks.map(row)}
			</tbody>
		</table>`;
	}
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

function raw({ name, text, isCut }: RawView): TemplateResult {
	return html`<details>
		<summary>${name}</summary>
		<pre tabindex="0" aria-label=${name}>${text}</pre>
		${isCut ? html`<p>${l10n.t('The rest isn’t shown here. The export has all of it.')}</p>` : nothing}
	</details>`;
}

openReport('attestation-report', AttestationReport);
