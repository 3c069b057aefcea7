import { css, html, nothing, type TemplateResult } from 'lit';
import type { EncryptionView } from '../../protocol/protocol.ts';
import { codicon } from '../codicon.ts';

/** The line above an encrypted conversation, which says what is proven and opens the attestation. */
export function encryptionLine(
	{ label, details, isConnecting, isRefused }: EncryptionView,
	action: string,
	press: () => void,
): TemplateResult {
	const sentences = [label, ...details, action].join('. ');
	return html`<button
		type="button"
		class="encryption ${isRefused ? 'refused' : ''} ${isConnecting ? 'connecting' : ''}"
		title=${sentences}
		@click=${press}
	>
		${codicon(isRefused ? 'warning' : 'lock')}
		<span class="words" aria-hidden="true">
			<span class="label">${label}</span>
			${details.length === 0 ? nothing : html`<span class="details">${details.join(' · ')}</span>`}
		</span>
	</button>`;
}

export const encryptionLineStyles = css`
	.encryption {
		display: flex;
		flex: none;
		gap: 8px;
		align-items: flex-start;
		padding: 4px 12px;
		border: 0;
		border-bottom: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent));
		background: transparent;
		color: var(--vscode-foreground);
		font-size: 0.9em;
		line-height: 1.4;
		text-align: start;
		overflow-wrap: anywhere;
	}

	.encryption:hover {
		background: var(--vscode-toolbar-hoverBackground);
	}

	.encryption:focus-visible {
		outline-offset: -1px;
	}

	.encryption > .codicon {
		flex: none;
		margin-top: 1px;
		color: var(--vscode-icon-foreground, var(--vscode-foreground));
	}

	.encryption.refused > .codicon {
		color: var(--vscode-editorWarning-foreground, var(--vscode-foreground));
	}

	.encryption .words {
		min-width: 0;
	}

	.encryption .label,
	.encryption .details {
		display: block;
	}

	.encryption .details,
	.encryption.connecting .label {
		color: var(--vscode-descriptionForeground);
	}

	/* All of it is in the title, and in what a screen reader says. */
	.encryption .details {
		display: -webkit-box;
		overflow: hidden;
		-webkit-box-orient: vertical;
		-webkit-line-clamp: 8;
	}
`;
