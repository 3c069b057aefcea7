import './decision.css';
import * as l10n from '@vscode/l10n';
import type { DecisionPageData, FromDecisionPage, ToDecisionPage } from '../model/protocol.ts';
import { DecisionReport } from './decisionReport.ts';

declare function acquireVsCodeApi(): { postMessage(message: FromDecisionPage): void };

const host = acquireVsCodeApi();
const { bundle = {} } = JSON.parse(document.getElementById('page-data')?.textContent ?? '') as DecisionPageData;

l10n.config({ contents: bundle });
const report = new DecisionReport();
report.post = message => host.postMessage(message);
document.body.append(report);

// Only the editor can post messages here, because the page has no frames and no other origin embeds it.
window.addEventListener('message', (event: MessageEvent<ToDecisionPage>) => {
	report.decision = event.data.decision;
});
report.updateComplete.then(() => host.postMessage({ kind: 'page-ready' }));
