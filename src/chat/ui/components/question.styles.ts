import { css } from 'lit';

export const questionStyles = css`
	.question {
		line-height: 1.5;
		white-space: pre-wrap;
		overflow-wrap: anywhere;
		/* Each line runs in the direction of its first words. */
		unicode-bidi: plaintext;
	}

	.attachments {
		margin-top: 4px;
	}

	.question-row {
		display: flex;
		flex-wrap: wrap;
		align-items: center;
		gap: 0 8px;
		min-height: 24px;
	}

	/* The row is space enough. */
	.question-row + h3 {
		margin-top: 0;
	}

	.versions {
		display: inline-flex;
		align-items: center;
		margin-inline-start: -4px;
		color: var(--vscode-descriptionForeground);
		font-size: 0.9em;
		white-space: nowrap;
	}

	.versions .icon-button:disabled {
		opacity: 0.4;
		background: transparent;
		outline: none;
		cursor: default;
	}

	.editor textarea {
		display: block;
		width: 100%;
		min-height: 0;
		max-height: 33vh;
		padding: 4px 8px;
		resize: none;
		field-sizing: content;
		border: 1px solid var(--vscode-input-border, var(--vscode-widget-border, transparent));
		border-radius: 4px;
		outline: none;
		background: var(--vscode-input-background);
		color: var(--vscode-input-foreground);
		font: inherit;
		line-height: 1.5;
	}

	.editor textarea:focus {
		border-color: var(--vscode-focusBorder);
	}

	@media (forced-colors: active) {
		.editor textarea:focus {
			border-color: Highlight;
		}
	}
`;
