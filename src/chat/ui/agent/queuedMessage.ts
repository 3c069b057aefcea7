import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';

/** Returns the composer's hint for a message that is queued until the agent has ended. */
export function queuedMessage(hurry: () => void, withdraw: () => void): TemplateResult {
	return html`${l10n.t('The message is sent when the agent is done.')}
		<button type="button" class="link" title=${l10n.t('Stops the agent and sends the message')} @click=${hurry}>${l10n.t('Send Now')}</button>
		<button type="button" class="link" @click=${withdraw}>${l10n.t('Don’t Send')}</button>`;
}
