import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ReplyView } from '../../protocol/protocol.ts';
import { isBusy, waitingText } from '../agent/stepWords.ts';
import { type CodiconName, codicon } from '../codicon.ts';

type Action = 'reply-continue' | 'reply-retry' | 'reply-stop' | 'explanation-follow';

/** The state of a reply that its text alone does not show: a sentence with at most one primary button. */
export function renderOutcome(reply: ReplyView, follow: (action: Action) => void): TemplateResult | typeof nothing {
	const { explanation } = reply;
	const button = (label: string, primary: boolean, action: Action) =>
		html`<button type="button" class="button ${primary ? '' : 'secondary'}" @click=${() => follow(action)}>${label}</button>`;
	const retry = (primary: boolean) => (reply.canRetry ? button(l10n.t('Retry'), primary, 'reply-retry') : nothing);
	const goOn = (primary: boolean) =>
		reply.canContinue ? button(l10n.t('Continue'), primary, 'reply-continue') : nothing;
	switch (reply.state) {
		case 'streaming':
			return reply.waiting && !isBusy(reply.work)
				? outcome('info', 'waiting', waitingText(reply), button(l10n.t('Stop'), false, 'reply-stop'))
				: nothing;
		case 'done':
			return explanation ? outcome('info', 'noted', explanation.message, goOn(false)) : nothing;
		case 'stopped':
			return outcome('debug-stop', 'stopped', l10n.t('Stopped.'), goOn(false));
		case 'cutOff':
			return outcome(
				'warning',
				'cut',
				explanation?.message ?? l10n.t('The reply was interrupted when the window closed or its extensions stopped.'),
				reply.canRetry ? html`${goOn(true)}${retry(!reply.canContinue)}` : nothing,
			);
		case 'failed': {
			const action = explanation?.action;
			const followed = action && button(action.label, action.primary, 'explanation-follow');
			return outcome(
				'error',
				'failed',
				explanation?.message ?? '',
				action?.primary
					? html`${followed}${retry(false)}${goOn(false)}`
					: html`${retry(true)}${goOn(false)}${followed}`,
			);
		}
	}
}

function outcome(
	icon: CodiconName,
	kind: string,
	message: string,
	buttons: TemplateResult | typeof nothing = nothing,
): TemplateResult {
	return html`<div class="outcome ${kind}">
			${codicon(icon)}
			<p>${message}</p>
		</div>
		${buttons === nothing ? nothing : html`<div class="buttons">${buttons}</div>`}`;
}
