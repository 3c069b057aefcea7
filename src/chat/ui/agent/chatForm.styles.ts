import { css } from 'lit';

export const chatFormStyles = css`
	.words {
		white-space: pre-wrap;
		overflow-wrap: anywhere;
	}

	.label {
		min-width: 0;
		overflow-wrap: anywhere;
		unicode-bidi: isolate;
	}

	.field,
	fieldset {
		display: flex;
		flex-direction: column;
		gap: 4px;
		min-width: 0;
	}

	fieldset {
		margin: 0;
		padding: 0;
		border: 0;
	}

	.field .label,
	legend {
		padding: 0;
		font-weight: 600;
	}

	.option {
		display: grid;
		grid-template-columns: auto minmax(0, 1fr);
		gap: 0 6px;
		align-items: start;
		min-height: 24px;
	}

	.option .note {
		grid-column: 2;
	}

	.option input {
		margin: 3px 0 0;
		accent-color: var(--vscode-focusBorder);
	}

	.field input {
		box-sizing: border-box;
		width: 100%;
		padding: 3px 6px;
		border: 1px solid var(--vscode-input-border, var(--vscode-widget-border, transparent));
		border-radius: 2px;
		background: var(--vscode-input-background);
		color: var(--vscode-input-foreground);
		font: inherit;
	}

	.field input:focus {
		border-color: var(--vscode-focusBorder);
		outline: none;
	}

	@media (forced-colors: active) {
		.field input:focus {
			border-color: Highlight;
		}
	}

	.problem {
		display: flex;
		gap: 4px;
		align-items: flex-start;
		overflow-wrap: anywhere;
	}

	/* The colour of errors has too little contrast for words. */
	.problem .codicon {
		flex: none;
		margin-top: 1px;
		color: var(--vscode-errorForeground);
	}
`;
