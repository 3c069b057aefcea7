import { css } from 'lit';

export const contextCompletionStyles = css`
	.completions {
		position: absolute;
		inset-inline: 0;
		inset-block-end: calc(100% + 4px);
		z-index: 1;
		max-height: 40vh;
		padding: 4px;
		border: 1px solid var(--vscode-editorSuggestWidget-border, var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)));
		border-radius: 4px;
		background: var(--vscode-editorSuggestWidget-background, var(--vscode-editorWidget-background));
		color: var(--vscode-editorSuggestWidget-foreground, var(--vscode-foreground));
		box-shadow: 0 2px 8px var(--vscode-widget-shadow, transparent);
		overflow-y: auto;
	}

	.completion {
		display: flex;
		align-items: center;
		gap: 4px;
		min-height: 24px;
		padding: 0 4px;
		border-radius: 3px;
		cursor: pointer;
		white-space: nowrap;
	}

	.completion:hover {
		background: var(--vscode-list-hoverBackground);
	}

	.completion[aria-selected='true'] {
		background: var(--vscode-editorSuggestWidget-selectedBackground, var(--vscode-list-activeSelectionBackground));
		color: var(--vscode-editorSuggestWidget-selectedForeground, var(--vscode-list-activeSelectionForeground));
		outline: 1px solid var(--vscode-contrastActiveBorder, transparent);
		outline-offset: -1px;
	}

	.completion .codicon,
	.completion .name {
		flex: none;
	}

	.completion .name:last-child {
		flex: 0 1 auto;
		max-width: 100%;
	}

	.completion .name {
		max-width: 70%;
	}

	.completion .where {
		flex: 1;
		opacity: 0.8;
		font-size: 0.9em;
	}

	.completion:has(.sentence) {
		flex-wrap: wrap;
		padding-block: 3px;
	}

	.completion:has(.sentence) .name {
		max-width: calc(100% - 20px);
	}

	/* Beside a long name, a sentence begins on a line of its own. */
	.completion .sentence {
		flex-basis: 12em;
		line-height: 1.35;
		white-space: normal;
		overflow-wrap: anywhere;
	}

	.completion .arguments {
		font-style: italic;
		opacity: 0.8;
	}

	.heading {
		padding: 4px 4px 0;
		font-size: 0.9em;
		opacity: 0.8;
	}

	.nothing {
		margin: 0;
		padding: 0 4px;
		line-height: 24px;
	}
`;
