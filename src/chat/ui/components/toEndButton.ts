import { html, type TemplateResult } from 'lit';
import { codicon } from '../codicon.ts';

/** A button that scrolls to the end of the conversation. */
export function toEndButton(label: string, press: () => void): TemplateResult {
	return html`<button type="button" class="icon-button to-end" title=${label} aria-label=${label} @click=${press}>
		${codicon('arrow-down')}
	</button>`;
}
