import { html, nothing, type TemplateResult } from 'lit';
import { type CodiconName, codicon } from '../codicon.ts';

/** An icon button. Its label is read out and shown on hover. `name` identifies it. */
export function iconButton(
	icon: CodiconName,
	label: string,
	press: () => void,
	{ name, disabled = false }: { name?: string; disabled?: boolean } = {},
): TemplateResult {
	return html`<button
		type="button"
		class="icon-button"
		name=${name ?? nothing}
		title=${label}
		aria-label=${label}
		?disabled=${disabled}
		@click=${press}
	>
		${codicon(icon)}
	</button>`;
}
