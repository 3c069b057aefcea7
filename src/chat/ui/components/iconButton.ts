import { html, nothing, type TemplateResult } from 'lit';
import { type CodiconName, codicon } from '../codicon.ts';

/**
 * An icon button. `name` identifies it. The title is its label for screen readers too, as nothing else in it is read: with
 * an equal label of its own, the title would be read once more as a description.
 */
export function iconButton(
	icon: CodiconName,
	label: string,
	press: (event: Event) => void,
	{ name, disabled = false }: { name?: string; disabled?: boolean } = {},
): TemplateResult {
	return html`<button
		type="button"
		class="icon-button"
		name=${name ?? nothing}
		title=${label}
		?disabled=${disabled}
		@click=${press}
	>
		${codicon(icon)}
	</button>`;
}
