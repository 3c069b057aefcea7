import * as l10n from '@vscode/l10n';
import { css, html, nothing, type TemplateResult } from 'lit';
import { OWN_ACCOUNT } from '../../../contract/localConnection.ts';
import { waitingStep } from '../../model/agentWork.ts';
import { approvalsLabel } from '../../protocol/labels.ts';
import type { ReplyView } from '../../protocol/protocol.ts';
import type { WorkView } from '../../protocol/workProtocol.ts';
import { codicon } from '../codicon.ts';
import { showControls } from '../markdown.ts';
import { nowWords } from './stepWords.ts';

/** The heading of an agent's reply: the agent, its model, the place of work if it is unusual, and what it waits for. */
export function agentHeading(reply: ReplyView, work: WorkView): TemplateResult {
	const { model, state } = reply;
	const name = showControls(
		model === undefined || model === OWN_ACCOUNT ? work.label : l10n.t('{0} on {1}', work.label, model),
	);
	const now = state === 'streaming' ? nowWords(reply, work) : '';
	return html`<h3 class="agent">
		<span class="name ellipsis" title=${name}>${name}</span>
		${
			work.isSandboxed
				? nothing
				: html`<span class="place"><span class="warned">${codicon('warning')}${l10n.t('without a sandbox')}</span></span>`
		}
		${
			work.approvals === undefined
				? nothing
				: html`<span class="place asks">${codicon('shield')}${approvalsLabel(work.isPlan ? 'plan' : work.approvals)}</span>`
		}
		${now === '' ? nothing : html`<span class="now ellipsis ${waitingStep(work) ? 'waits' : ''}" title=${now}>${now}</span>`}
	</h3>`;
}

export const agentHeadingStyles = css`
	/* What it waits for changes all the time, so its length must not change the number of lines. */
	h3.agent {
		display: grid;
		grid-template-columns: auto auto minmax(0, 1fr);
		align-items: baseline;
	}

	.name,
	.now {
		unicode-bidi: isolate;
		white-space: nowrap;
	}

	.place,
	.warned {
		display: flex;
		gap: 4px 8px;
		align-items: baseline;
	}

	.warned {
		gap: 4px;
	}

	.place .codicon {
		align-self: center;
		font-size: 14px;
	}

	.warned .codicon {
		color: var(--vscode-editorWarning-foreground, var(--vscode-foreground));
	}

	.place,
	.now {
		color: var(--vscode-descriptionForeground);
		font-weight: normal;
		white-space: nowrap;
	}

	.now {
		grid-column: 3;
		text-align: end;
	}

	.now.waits {
		color: var(--vscode-foreground);
	}

	@container turn (max-width: 460px) {
		h3.agent {
			grid-template-columns: fit-content(65%) minmax(0, 1fr);
		}

		.now {
			grid-area: 1 / 2;
		}

		.place {
			flex-wrap: wrap;
			grid-area: 2 / 1 / auto / span 2;
			margin-bottom: 2px;
			white-space: normal;
		}
	}
`;
