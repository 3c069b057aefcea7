import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { codicon } from '../codicon.ts';

/** A button that scrolls to the end of the conversation. With `isAsked`, an agent's question is waiting there. */
export function toEndButton(isAsked: boolean, press: () => void): TemplateResult {
	const label = l10n.t('Scroll to End');
	return html`<button
		type="button"
		class="icon-button to-end ${isAsked ? 'asked' : ''}"
		title=${label}
		aria-label=${isAsked ? nothing : label}
		@click=${press}
	>
		${isAsked ? html`<span>${l10n.t('Waiting for your answer')}</span>` : nothing}${codicon('arrow-down')}
	</button>`;
}
