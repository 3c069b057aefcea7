import { css } from 'lit';

export const chatChipsStyles = css`
	:host {
		display: block;
	}

	.chips {
		display: flex;
		flex-wrap: wrap;
		gap: 4px;
		max-height: 25vh;
		margin: 0;
		padding: 0;
		list-style: none;
		overflow-y: auto;
	}

	.chip {
		display: inline-flex;
		align-items: center;
		min-width: 0;
		max-width: 100%;
		height: 24px;
		/* Unlike a border, it leaves the buttons all of the height. */
		outline: 1px solid var(--vscode-input-border, var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)));
		outline-offset: -1px;
		border-radius: 4px;
		background: var(--vscode-editorWidget-background, transparent);
		font-size: 0.9em;
	}

	.open {
		display: inline-flex;
		align-items: center;
		gap: 4px;
		min-width: 0;
		height: 24px;
		padding: 0 5px;
		border: 0;
		border-radius: 4px;
		background: transparent;
	}

	.open:hover {
		background: var(--vscode-toolbar-hoverBackground);
	}

	.open .codicon {
		flex: none;
		font-size: 14px;
		color: var(--vscode-icon-foreground, var(--vscode-foreground));
	}

	.preview {
		flex: none;
		width: 16px;
		height: 16px;
		border-radius: 2px;
		object-fit: cover;
	}

	.label {
		display: inline-flex;
		min-width: 0;
		white-space: nowrap;
	}

	.note {
		flex: none;
		color: var(--vscode-descriptionForeground);
	}

	.remove {
		flex: none;
	}

	.remove .codicon {
		font-size: 14px;
	}
`;
