import './report.css';
import * as l10n from '@vscode/l10n';
import type { FromReportPage, ReportPageData, ToReportPage } from '../model/protocol.ts';
import { AttestationReport } from './attestationReport.ts';

declare function acquireVsCodeApi(): { postMessage(message: FromReportPage): void };

const host = acquireVsCodeApi();
const { bundle = {} } = JSON.parse(document.getElementById('page-data')?.textContent ?? '') as ReportPageData;

l10n.config({ contents: bundle });
const report = new AttestationReport();
report.post = message => host.postMessage(message);
document.body.append(report);

// Only the editor can post messages here, because the page has no frames and no other origin embeds it.
window.addEventListener('message', (event: MessageEvent<ToReportPage>) => {
	report.report = event.data.report;
});
report.updateComplete.then(() => host.postMessage({ kind: 'page-ready' }));
